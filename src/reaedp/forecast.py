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
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.request import Request
from reaedp.statistics.picture_error import expected_quality
from reaedp.statistics.pixels import Pixels
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.network import Network
from reaedp.synthesis.synthetic import Synthetic


class Expected(NamedTuple):
    """Mean error of a number, and errors kept by one and by all numbers 95 times in 100; in a unit, and in words."""

    unit: str
    mean_error: float
    bound: float
    bound_all: float
    words: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cost and expected error of one planned release."""

    name: str
    title: str
    epsilon: float
    cells: int
    expected: Expected

    @classmethod
    def of(cls, request: Request, contract: Contract) -> "Forecast":
        """Compute from the contract and the price; no data is opened."""
        noise = request.calibrated(contract)
        expect = _EXPECTATIONS.get(type(request.statistic), _of_numbers)
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


def _of_numbers(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    cells, step = request.statistic.cells(contract), request.statistic.step(contract)
    mean, bound, bound_all = noise.mean_error * step, noise.spread(0.95) * step, noise.spread(0.95, cells=cells) * step
    if step != 1:
        words = f"Will be off by about {mean:.2g} bits, 95 % of the time by at most {bound:.2g}."
        return Expected("bits", mean, bound, bound_all, words)
    words = f"Counts will be off by about {mean:.2g}, 95 % of them by at most {bound:,.0f}; "
    if isinstance(request.mechanism, Threshold):
        words += f"cells with fewer than about {request.mechanism.threshold(noise.sensitivity):,} rows will not appear."
    else:  # A 95 % error of half the count or more leaves little to read.
        words += f"cells under {2 * bound:,.0f} are mostly noise."
    return Expected("rows", mean, bound, bound_all, words)


def _of_synthetic(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    bound, most = noise.spread(0.95), noise.spread(0.95, cells=1_000)
    mechanism: Any = request.mechanism
    network = mechanism if isinstance(mechanism, Network) else mechanism.network
    words = (
        f"A model is learned from {network.columns} tables of one column and {network.tables} of several, each cell off"
        f" by about {noise.mean_error:,.0f} rows. {_METHODS[type(mechanism)](mechanism, noise)}"
    )
    return Expected("rows", noise.mean_error, bound, most, words)


def _of_keys(mechanism: Amortised, noise: Calibrated) -> str:
    threshold = mechanism.keys.threshold(noise.sensitivity)
    return (
        f"Keys that at least about {threshold:,} records share are kept as they are; any number of rows costs the same."
    )


def _of_records(mechanism: Deniable, noise: Calibrated) -> str:
    plan = mechanism.plan(noise.sensitivity)
    return (
        f"Each record costs ε = {plan.each.epsilon:.3g}, δ = {plan.each.delta:.2g}. A candidate that {plan.test.half:,}"
        f" seeds could have made passes every other time, one that {plan.test.certain:,} could have made always; at"
        f" best {100 * (1 - plan.stopping.nothing(1.0)):.3g} % of the records are released, the others are nothing."
    )


_METHODS: dict[type[Any], Callable[[Any, Calibrated], str]] = {
    Network: lambda _, __: "Any number of rows costs the same.",
    Amortised: _of_keys,
    Deniable: _of_records,
}


def _of_curve(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    statistic: Any = request.statistic
    try:
        error = expected_error(contract, statistic, request.mechanism)
    except DeclarationError as reason:
        return Expected("unknown", float("nan"), float("nan"), float("nan"), str(reason))
    words = (
        f"Noise moves the mean curve by about {error.curve:.3g} (root mean square over time), at its worst time by"
        f" {error.worst_time:.3g}; smoothing after the noise lowers this. The number of curves is off by"
        f" {error.number:.3g}."
    )
    return Expected("data", error.curve, 2 * error.worst_time, 4 * error.worst_time, words)


def _of_synthetic_curves(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    statistic, mechanism = request.statistic, request.mechanism
    assert isinstance(statistic, SyntheticCurves)
    assert isinstance(mechanism, DeniableCurves)
    curve = contract.curve(statistic.curve)
    moved = mechanism.move * curve.clip
    plan = mechanism.plan(noise.sensitivity)
    words = (
        f"Each curve costs ε = {plan.each.epsilon:.3g}, δ = {plan.each.delta:.2g}. It has the first {mechanism.kept} of"
        f" {curve.rank} coefficients of a seed, the first of them moved by about {moved:.3g}. A candidate that"
        f" {plan.test.half:,} curves could have made passes every other time."
    )
    return Expected("data", moved, 2 * moved, 4 * moved, words)


def _of_picture(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    assert contract.picture is not None
    quality = expected_quality(noise, contract.picture)
    words = f"Pixels will be off by about {quality.mae:.3g} (PSNR {quality.psnr:.3g} dB or more). {PIXELS_ONLY}"
    bounds = noise.spread(0.95), noise.spread(0.95, cells=contract.picture.values)
    return Expected("levels", quality.mae, *bounds, words)


_EXPECTATIONS: dict[type[Any], Callable[[Request, Contract, Calibrated], Expected]] = {
    Synthetic: _of_synthetic,
    MeanCurve: _of_curve,
    SyntheticCurves: _of_synthetic_curves,
    Pixels: _of_picture,
}
