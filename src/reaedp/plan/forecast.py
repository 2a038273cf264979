"""How good a release will be, from public facts alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from reaedp.contract import Contract
from reaedp.contract.picture import PIXELS_ONLY
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.prediction import expected_error
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.statistics.by_kind import NOISES, ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.picture_error import expected_quality
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.summary.prediction import expected_errors
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic


class Expected(NamedTuple):
    """The mean error, the error at 95 % confidence of one number and of all at once, their unit, and words."""

    unit: str
    mean_error: float
    bound: float
    bound_all: float
    words: str


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
        """Compute from the contract and the price; no data is opened."""
        noise = request.calibrated(contract)
        expect = _EXPECTATIONS.of(request.statistic)
        return cls(
            name=request.name,
            title=request.statistic.title,
            epsilon=composed_epsilon(tally([noise.price]), contract.budget.delta),
            cells=request.statistic.cells(contract),
            expected=expect(request, contract, noise),
        )

    @property
    def words(self) -> str:
        """The expected error for people."""
        return self.expected.words


def _errors(request: Request, contract: Contract, noise: Calibrated) -> tuple[float, float, float]:
    """The mean error, and the errors at 95 % confidence of one number and of all."""
    cells, step = request.statistic.cells(contract), request.statistic.step(contract)
    quantiles = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=cells)
    return noise.mean_error * step, quantiles[0] * step, quantiles[1] * step


def _of_numbers(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    mean, bound, bound_all = _errors(request, contract, noise)
    if request.statistic.step(contract) != 1:
        words = f"Off by about {mean:.2g} bits on average, at most {bound:.2g} with 95 % confidence."
        return Expected("bits", mean, bound, bound_all, words)
    words = f"Counts are off by about {mean:.2g} on average, at most {bound:,.0f} with 95 % confidence. "
    if isinstance(request.mechanism, Threshold):
        words += f"Cells with fewer than about {request.mechanism.threshold(noise.sensitivity):,} rows will not appear."
    else:  # A 95 % error of half the count or more leaves little to read.
        words += f"Counts below {2 * bound:,.0f} are mostly noise."
    return Expected("rows", mean, bound, bound_all, words)


def _of_synthetic(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    bound, most = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=1_000)
    words = _METHODS.of(request.mechanism)(request.mechanism, noise)
    return Expected("rows", noise.mean_error, bound, most, words)


def _of_model(network: MarginalModel, noise: Calibrated) -> str:
    return (
        f"A marginal model is fitted to {network.columns} noisy tables of one column and {network.tables} of several;"
        f" their cells are off by about {noise.mean_error:,.0f} rows on average."
    )


def _of_keys(mechanism: Amortised, noise: Calibrated) -> str:
    threshold = mechanism.keys.threshold(noise.sensitivity)
    return (
        f"{_of_model(mechanism.network, noise)} Combinations of the kept columns that at least about {threshold:,}"
        " records share are published as they are. Any number of rows costs the same."
    )


def _of_records(mechanism: Deniable, noise: Calibrated) -> str:
    plan = mechanism.plan(noise.sensitivity)
    return (
        f"{_of_model(mechanism.network, noise)} Each record costs ε = {plan.each.epsilon:.3g},"
        f" δ = {plan.each.delta:.2g}. A candidate passes the test of plausible deniability with probability 1/2 if"
        f" {plan.test.half:,} seeds could have made it, and always if {plan.test.certain:,} could. At best"
        f" {100 * (1 - plan.stopping.nothing(1.0)):.3g} % of the records asked for are released; the rest are left out."
    )


_METHODS = ByKind[Callable[[Any, Calibrated], str]](
    "what a method of synthetic records does",
    {
        MarginalModel: lambda mechanism, noise: f"{_of_model(mechanism, noise)} Any number of rows costs the same.",
        Amortised: _of_keys,
        Deniable: _of_records,
    },
    otherwise=lambda _, noise: (
        f"The counts behind the records are off by about {noise.mean_error:,.0f} rows per cell on average."
    ),
    plain=(*NOISES, "DeniableCurves"),
    over="mechanisms",
)


def _of_curve(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    statistic: Any = request.statistic
    try:
        error = expected_error(contract, statistic, request.mechanism)
    except DeclarationError as reason:
        return Expected("unknown", float("nan"), float("nan"), float("nan"), str(reason))
    words = (
        f"Noise moves the mean curve by about {error.curve:.3g} (root mean square over time) and by"
        f" {error.worst_time:.3g} at the worst time; smoothing lowers this. The number of curves is off by"
        f" {error.number:.3g}."
    )
    return Expected("data", error.curve, 2 * error.worst_time, 4 * error.worst_time, words)


def _of_synthetic_curves(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    statistic: Any = request.statistic
    mechanism = request.mechanism
    if not isinstance(mechanism, DeniableCurves):  # of another package
        return _of_any(request, contract, noise)
    curve = contract.curve(statistic.curve)
    moved = mechanism.move * curve.clip
    plan = mechanism.plan(noise.sensitivity)
    words = (
        f"Each curve costs ε = {plan.each.epsilon:.3g}, δ = {plan.each.delta:.2g}. It takes the first {mechanism.kept}"
        f" of {curve.rank} coefficients from a seed, the first of them moved by about {moved:.3g}. A candidate passes"
        f" the test of plausible deniability with probability 1/2 if {plan.test.half:,} curves could have made it."
    )
    return Expected("data", moved, 2 * moved, 4 * moved, words)


def _of_picture(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    assert contract.picture is not None
    quality = expected_quality(noise, contract.picture)
    words = f"Pixels are off by about {quality.mae:.3g} on average (PSNR {quality.psnr:.3g} dB or more). {PIXELS_ONLY}"
    bounds = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=contract.picture.values)
    return Expected("levels", quality.mae, *bounds, words)


def _of_summary(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of counts, and of the mean of each column in a group as large as public facts let one expect."""
    statistic: Any = request.statistic
    expected = expected_errors(statistic, contract, noise)
    known = f"{expected.rows:,.0f}" if expected.promised else f"{expected.rows:,.0f} (for example)"
    means = ", ".join(f"{name} ±{off:.3g}" for name, off in expected.means.items())
    words = (
        f"Counts are within ±{expected.counts:,.3g} rows with 95 % confidence. In a group of {known} rows, means are"
        f" within: {means}; with more rows in proportion less."
    )
    bound_all = noise.error_quantile(0.95, cells=request.statistic.cells(contract)) * request.statistic.step(contract)
    return Expected("rows", noise.mean_error * request.statistic.step(contract), expected.counts, bound_all, words)


def _of_any(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Of a statistic that this package does not know nobody knows what its numbers count."""
    mean, bound, bound_all = _errors(request, contract, noise)
    words = f"Numbers will be off by about {mean:.2g}, 95 % of them by at most {bound:.3g}."
    return Expected("", mean, bound, bound_all, words)


_EXPECTATIONS = ByKind[Callable[[Request, Contract, Calibrated], Expected]](
    "how far its numbers will be off",
    {
        **dict.fromkeys((Marginal, EntropyHistogram, KeyedMarginal), _of_numbers),
        **dict.fromkeys((Entropy, RoutedEntropy, ConditionalEntropy, MutualInformation, EntropyMap), _of_numbers),
        Synthetic: _of_synthetic,
        MeanCurve: _of_curve,
        SyntheticCurves: _of_synthetic_curves,
        Pixels: _of_picture,
        Summary: _of_summary,
    },
    otherwise=_of_any,
)
