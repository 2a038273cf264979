"""What noise will do to synthetic rows, synthetic curves and mean curves."""

from collections.abc import Callable
from typing import Any

from reaedp.contract import Contract
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.prediction import expected_bands, expected_error
from reaedp.errors import DeclarationError
from reaedp.frames.number import about
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.expected import Expected, of_any
from reaedp.plan.request import Request
from reaedp.statistics.by_kind import NOISES, ByKind
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel


def of_synthetic(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    """Errors of the counts behind synthetic rows, and what their method does."""
    bound, most = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=1_000)
    words = _METHODS.of(request.mechanism)(request.mechanism, noise)
    return Expected("rows", noise.mean_error, bound, most, words)


def _of_model(network: MarginalModel, noise: Calibrated) -> str:
    if network.columns == 1:
        return f"The noisy counts of one column are off by about {about(noise.mean_error)} rows a cell on average."
    return (
        f"A marginal model is fitted to {network.columns} noisy tables of one column and up to {network.tables} of"
        f" several; their cells are off by about {about(noise.mean_error)} rows on average."
    )


def _of_keys(mechanism: Amortised, noise: Calibrated) -> str:
    threshold = mechanism.keys.threshold(noise.sensitivity)
    return (
        f"{_of_model(mechanism.network, noise)} Combinations of the kept columns that at least about {threshold:,}"
        " records share are published as they are. Any number of rows costs the same."
    )


def _of_records(mechanism: Deniable, noise: Calibrated) -> str:
    plan, paper = mechanism.plan(noise.sensitivity), mechanism.paper
    claim = ""
    if paper is not None:
        claim = f" (the paper claims δ = {about(paper.claimed.delta, 2)})"
    return (
        f"{_of_model(mechanism.network, noise)} Each record costs ε = {about(plan.each.epsilon)},"
        f" δ = {about(plan.each.delta, 2)}{claim}. A candidate passes the test of plausible deniability with"
        f" probability 1/2 if {plan.test.half:,} seeds could have made it, and always if {plan.test.certain:,} could."
        f" At best {about(100 * (1 - plan.stopping.nothing(1.0)))} % of the requested records are released; the rest"
        " are left out."
    )


_METHODS = ByKind[Callable[[Any, Calibrated], str]](
    "what a method of synthetic records does",
    {
        MarginalModel: lambda mechanism, noise: f"{_of_model(mechanism, noise)} Any number of rows costs the same.",
        Amortised: _of_keys,
        Deniable: _of_records,
    },
    otherwise=lambda _, noise: (
        f"The counts behind the records are off by about {about(noise.mean_error)} rows per cell on average."
    ),
    plain=(*NOISES, "GroupThreshold", "DeniableCurves"),
    over="mechanisms",
)


def of_curve(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    """Errors of a mean curve, or why nothing can be said of them."""
    statistic: Any = request.statistic
    try:
        error = expected_error(contract, statistic, request.mechanism)
        if statistic.bands == "truth":
            return _of_true_curve(request, contract)
    except DeclarationError as reason:
        return Expected("unknown", float("nan"), float("nan"), float("nan"), str(reason))
    words = (
        f"Noise moves the mean curve by about {about(error.curve)} (root mean square over time) and by"
        f" {about(error.worst_time)} at the worst time; smoothing lowers this. The number of curves is off by"
        f" {about(error.number)}."
    )
    unit = contract.curve(statistic.curve).unit_of_measure or ""
    return Expected(unit, error.curve, 2 * error.worst_time, 4 * error.worst_time, words)


def _of_true_curve(request: Request, contract: Contract) -> Expected:
    """Noise and bias apart."""
    statistic: Any = request.statistic
    bands = expected_bands(contract, statistic, request.mechanism)
    total = bands.noise + bands.bias + bands.clipping
    clipping = (
        f"clipping by ±{about(bands.clipping)} if no curve is clipped, and ±{about(bands.each)} more for each curve"
        " that is clipped as far as possible"
        if bands.clipping
        else "and no curve can be clipped"
    )
    words = (
        f"Bands for the mean of the original curves have ±{about(total)} on average over time: noise takes"
        f" ±{about(bands.noise)}, smoothing and the finite basis ±{about(bands.bias)}, {clipping}."
    )
    return Expected(contract.curve(statistic.curve).unit_of_measure or "", bands.noise / 2, total, 2 * total, words)


def of_synthetic_curves(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """What each synthetic curve costs, and how far it is from its seed."""
    statistic: Any = request.statistic
    mechanism = request.mechanism
    if not isinstance(mechanism, DeniableCurves):  # of another package
        return of_any(request, contract, noise)
    curve = contract.curve(statistic.curve)
    moved = mechanism.move * curve.clip
    plan = mechanism.plan(noise.sensitivity)
    words = (
        f"Each curve costs ε = {about(plan.each.epsilon)}, δ = {about(plan.each.delta, 2)}. It takes the first"
        f" {mechanism.kept} of {curve.rank} coefficients from a seed, the first of them moved by about {about(moved)}."
        f" A candidate passes the test of plausible deniability with probability 1/2 if {plan.test.half:,} curves could"
        " have made it."
    )
    return Expected(curve.unit_of_measure or "", moved, 2 * moved, 4 * moved, words)
