"""How good a release will be, from public facts alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reaedp.contract import Contract
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.expected import Expected, of_any, of_numbers
from reaedp.plan.labelled import labelled
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.marginal import KeyedMarginal, Marginal

#: Tells how far the numbers of a request will be off.
Expect = Callable[[Request, Contract, Calibrated], Expected]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cost and expected error of one planned release.

    `title` says what is released, `cells` how many numbers, `expected` how far they will be from the truth.

    >>> forecast = Forecast.of(Request("ages", Marginal("age"), Laplace(1.0)), contract)
    >>> round(forecast.epsilon, 3), forecast.expected.unit
    (1.0, 'rows')
    """

    name: str
    title: str
    epsilon: float
    cells: int
    expected: Expected

    @classmethod
    def of(cls, request: Request, contract: Contract) -> "Forecast":
        """Compute the forecast from contract and price; no data is opened."""
        noise = request.calibrated(contract)
        expect = _EXPECTATIONS.of(request.statistic)
        return cls(
            name=request.name,
            title=labelled(request.statistic, contract).title,
            epsilon=composed_epsilon(tally([noise.price]), contract.budget.delta),
            cells=request.statistic.cells(contract),
            expected=expect(request, contract, noise),
        )

    @property
    def words(self) -> str:
        """The expected error as a sentence."""
        return self.expected.words


def _of_records() -> dict[type[Any], Expect]:
    from reaedp.plan.expected_synthetic import of_synthetic
    from reaedp.synthesis.synthetic import Synthetic

    return {Synthetic: of_synthetic}


def _of_curves() -> dict[type[Any], Expect]:
    from reaedp.curves.mean_curve import MeanCurve
    from reaedp.curves.synthetic_curves import SyntheticCurves
    from reaedp.plan.expected_curves import of_curve, of_synthetic_curves

    return {MeanCurve: of_curve, SyntheticCurves: of_synthetic_curves}


def _of_pictures() -> dict[type[Any], Expect]:
    from reaedp.plan.expected import of_picture
    from reaedp.statistics.images.pixels import Pixels

    return {Pixels: of_picture}


def _of_moments() -> dict[type[Any], Expect]:
    from reaedp.plan.expected_figures import of_correlation, of_regression
    from reaedp.statistics.moments.correlation import Correlation
    from reaedp.statistics.moments.regression import Regression

    return {Correlation: of_correlation, Regression: of_regression}


def _of_summaries() -> dict[type[Any], Expect]:
    from reaedp.plan.expected_figures import of_groups, of_summary
    from reaedp.statistics.summary.keyed_summary import KeyedSummary
    from reaedp.statistics.summary.summary import Summary

    return {Summary: of_summary, KeyedSummary: of_groups}


def _of_rates() -> dict[type[Any], Expect]:
    from reaedp.plan.expected_figures import of_groups, of_rates
    from reaedp.statistics.rates.keyed_rates import KeyedRates
    from reaedp.statistics.rates.rates import Rates

    return {Rates: of_rates, KeyedRates: of_groups}


def _of_quantiles() -> dict[type[Any], Expect]:
    from reaedp.plan.expected_figures import of_chosen, of_quantiles
    from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
    from reaedp.statistics.quantiles.quantiles import Quantiles

    return {Quantiles: of_quantiles, ChosenQuantiles: of_chosen}


_EXPECTATIONS = ByKind[Expect](
    "how far its numbers will be off",
    {
        **dict.fromkeys((Marginal, EntropyHistogram, KeyedMarginal), of_numbers),
        **dict.fromkeys((Entropy, RoutedEntropy, ConditionalEntropy, MutualInformation, EntropyMap), of_numbers),
    },
    otherwise=of_any,
    later={
        "reaedp.synthesis": _of_records,
        "reaedp.curves": _of_curves,
        "reaedp.statistics.images": _of_pictures,
        "reaedp.statistics.moments": _of_moments,
        "reaedp.statistics.summary": _of_summaries,
        "reaedp.statistics.rates": _of_rates,
        "reaedp.statistics.quantiles": _of_quantiles,
    },
)
