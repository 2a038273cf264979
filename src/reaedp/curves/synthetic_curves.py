"""Synthetic curves as a statistic: what is asked of the records, and the curves that come back."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Shape
from reaedp.contract import Contract, Curve
from reaedp.contract.column import whole
from reaedp.curves.bases import Reals
from reaedp.curves.lattice import RADIUS
from reaedp.curves.mean_curve import MeanCurve, fewest_curves, share_of_a_person
from reaedp.curves.space import CurveSpace
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Change, Sensitivity, Unit
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.statistic import Countable

#: Curves of one release; each has a price of its own.
MOST_CURVES = 100_000


class CurveQuestion(NamedTuple):
    """Records that a mechanism may ask for the points of a curve, and the curves that are wanted."""

    records: Countable
    curve: Curve
    curves: int


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedCurves:
    """Released curves, a row of coefficients each, without the offset.

    `deviations` is how far each coefficient was moved on its way from a seed, as a standard deviation: what curves vary
    too much, except that a privacy test lets those at the edges pass less often.
    """

    curve: Curve
    coefficients: Reals
    deviations: Reals
    #: What a reader should know; public facts and released numbers only.
    details: dict[str, Any]

    def __len__(self) -> int:
        return len(self.coefficients)

    def on(self, times: Reals) -> Reals:
        """The curves at any times, a row each."""
        space = CurveSpace(self.curve)
        values: Reals = self.coefficients @ space.basis(times).T + space.offset(space.unit_times(times))
        return values

    def narrowed(self) -> "ReleasedCurves":
        """The same curves, drawn towards their mean until they vary less by what they were moved.

        Right where nearly all candidates pass; arithmetic on released numbers, which costs nothing.
        """
        if len(self) < 2:
            return self
        mean, variance = self.coefficients.mean(axis=0), self.coefficients.var(axis=0, ddof=1)
        share = 1.0 - np.divide(self.deviations**2, variance, out=np.zeros(variance.shape), where=variance > 0)
        return replace(self, coefficients=mean + np.sqrt(np.maximum(share, 0.0)) * (self.coefficients - mean))


def unit_in_curves(change: Change, most: int, at_least: int | None) -> Unit:
    """A unit of at most so many curves."""
    return Unit(change, at_least=at_least) if most == 1 else Unit(change, "person", most, at_least)


@dataclass(frozen=True, slots=True)
class SyntheticCurves:
    """So many curves that look like those of one declaration but are none of them."""

    curve: str
    curves: int
    answers: ClassVar[Shape] = "records"

    def __post_init__(self) -> None:
        if not whole(self.curves, 1, MOST_CURVES):
            raise DeclarationError(
                sentence(f"curves must be a whole number from 1 to {MOST_CURVES:,}", given=self.curves)
            )

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{self.curves:,} synthetic curves of {self.curve}"

    @property
    def columns(self) -> tuple[str, ...]:
        """None: curves are declared by themselves."""
        return ()

    def check(self, contract: Contract) -> None:
        """Refuse what a mean curve refuses, and bases whose first functions are no outline of a curve."""
        MeanCurve(self.curve).check(contract)
        curve = contract.curve(self.curve)
        if CurveSpace(curve).eigenvalues is None:
            rule = f"{curve.where('basis')} must have functions that matter less and less"
            raise DeclarationError(sentence(rule, given=curve.basis, remedy="Declare the basis wiener or fourier."))

    def cells(self, contract: Contract) -> int:
        """One number for each curve and time."""
        return self.curves * len(CurveSpace(contract.curve(self.curve)).times)

    def step(self, contract: Contract) -> float:
        """One lattice point of a coefficient, in the unit of the data."""
        return contract.curve(self.curve).clip / RADIUS

    def unit(self, contract: Contract) -> Unit:
        """The unit in curves: how many a person has at most, and how many there are at least."""
        curve = contract.curve(self.curve)
        fewest = fewest_curves(contract, curve)
        most = share_of_a_person(contract, curve).curves
        return unit_in_curves(contract.unit.change, most, fewest if fewest > 1 else None)

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """That of counts: seeds are drawn and counted, and nothing else is asked of them."""
        return counting_sensitivity(self.unit(contract))

    def answer(self, records: Countable) -> CurveQuestion:
        """The records themselves; private."""
        return CurveQuestion(records, records.contract.curve(self.curve), self.curves)

    def value(self, contract: Contract, noisy: ReleasedCurves) -> ReleasedCurves:  # noqa: ARG002
        """As the mechanism made them."""
        return noisy

    def frame(self, value: ReleasedCurves, noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """A row for each curve and declared time."""
        times = CurveSpace(value.curve).times
        return {
            "curve": np.repeat(np.arange(1, len(value) + 1), len(times)),
            "time": np.tile(times, len(value)),
            "value": value.on(times).ravel(),
        }
