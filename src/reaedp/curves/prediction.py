"""What a mean curve will be worth, before any data is opened."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reaedp.contract import Contract
from reaedp.curves.estimate import CurveEstimate, deviation
from reaedp.curves.mean_curve import MeanCurve, fewest_curves
from reaedp.curves.smoothing import Covariance, public_rho, smoother
from reaedp.curves.space import CurveSpace
from reaedp.curves.truth import TrueMean
from reaedp.errors import DeclarationError
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.mechanism import Calibrated, Mechanism


@dataclass(frozen=True, slots=True)
class CurveError:
    """Root mean square noise: of the whole curve (in L2), of its worst time, and of the number of curves.

    The number's relative error adds up to that part of the mean's distance from the offset.
    """

    curve: float
    worst_time: float
    number: float


def expected_error(
    contract: Contract, statistic: MeanCurve, mechanism: Mechanism, rho: float | None = None
) -> CurveError:
    """The noise of a mean over the public lower bound on the number of curves; smoothing and clipping come on top.

    `rho` is the smoothing after the noise: by default the statistic's, the contract's, or none.
    """
    curve, number = contract.curve(statistic.curve), known_number(contract, statistic.curve)
    space, noise = CurveSpace(curve), Calibrated(mechanism, statistic.sensitivity(contract))
    size = deviation(noise)
    estimate = statistic.value(contract, np.zeros(curve.rank + 1, dtype=np.int64))
    amount = estimate.rho if rho is None else rho
    after = statistic.covariance == "A2" and amount is not None and space.eigenvalues is not None
    shares = smoother(space.eigenvalues, amount) if after else np.ones(curve.rank)  # type: ignore[arg-type]
    deviations = size * shares * estimate.steps / number
    over_time = np.sqrt(((space.basis(space.times) * deviations) ** 2).sum(axis=1))
    return CurveError(
        curve=math.sqrt(float((deviations**2).sum())),
        worst_time=float(over_time.max()),
        number=size / estimate.weight,
    )


class BandWidths(NamedTuple):
    """Half widths of 95 % ranges that cover the truth, on average over time; and what clipping adds to them.

    `clipping` is what it takes if no curve is clipped, `each` what it takes more for one that is cut off as far as can
    be.
    """

    noise: float
    bias: float
    clipping: float
    each: float


def expected_bands(contract: Contract, statistic: MeanCurve, mechanism: Mechanism) -> BandWidths:
    """What ranges that cover the truth will be made of, over the public lower bound on the number of curves."""
    number, weight = known_number(contract, statistic.curve), statistic.weight(contract)
    curve, most = contract.curve(statistic.curve), statistic.most_cut(contract)
    noise = Calibrated(mechanism, statistic.sensitivity(contract))
    answer = np.zeros(statistic.cells(contract), dtype=np.int64)
    answer[curve.rank] = number * weight
    none_clipped = _mean_widths(statistic.value(contract, answer), noise)
    if most is None:
        return BandWidths(*none_clipped, each=0.0)
    answer[-1] = statistic.clipped_weight(contract)
    one_clipped = _mean_widths(statistic.value(contract, answer), noise)
    return BandWidths(*none_clipped, each=one_clipped.clipping - none_clipped.clipping)


class MeanWidths(NamedTuple):
    """Half widths by their causes, on average over time."""

    noise: float
    bias: float
    clipping: float


def _mean_widths(value: CurveEstimate, noise: Calibrated) -> MeanWidths:
    assert isinstance(value, TrueMean)
    widths = value.widths(CurveSpace(value.curve).times, noise, 0.95)
    return MeanWidths(*(float(width.mean()) for width in widths))


def known_number(contract: Contract, name: str) -> int:
    """The public lower bound on the number of curves, or a word about how to declare one."""
    curve = contract.curve(name)
    if contract.unit.at_least is None or fewest_curves(contract, curve) < contract.unit.at_least:
        raise DeclarationError(
            f"How far noise moves the mean of {name} depends on the number of curves. Declare unit.at_least"
            " and a rule for missing points other than 'drop'."
        )
    return contract.unit.at_least


def ruled_mean_curve(
    contract: Contract, name: str, covariance: Covariance, *, epsilon: float, delta: float
) -> MeanCurve:
    """The mean curve whose ρ follows from public facts alone: the contract's `smoothness`, the price, the number."""
    curve = contract.curve(name)
    if curve.smoothness is None or CurveSpace(curve).eigenvalues is None:
        raise DeclarationError(
            f"The public rule for the smoothing of {name} needs {curve.where('smoothness')}: a bound on the root mean"
            " square slope of the mean, with time counted in intervals."
        )
    plain = MeanCurve(name)
    mechanism = Gaussian.within(epsilon, delta, plain.sensitivity(contract))
    size = deviation(Calibrated(mechanism, plain.sensitivity(contract))) * plain.step(contract)
    rho = public_rho(covariance, size / known_number(contract, name), curve.smoothness)
    return MeanCurve(name, covariance, rho)
