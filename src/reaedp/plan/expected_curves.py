"""What noise will do to mean curves and synthetic curves."""

from typing import Any

from reaedp.contract import Contract
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.prediction import expected_bands, expected_error
from reaedp.errors import DeclarationError
from reaedp.frames.number import about
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.expected import Expected, of_any
from reaedp.plan.request import Request


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
