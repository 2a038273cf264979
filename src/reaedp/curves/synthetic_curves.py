"""Synthetic curves as a statistic: what is asked of the records, and the curves that come back."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Shape
from reaedp.contract import Contract, Curve
from reaedp.curves.bases import Reals
from reaedp.curves.lattice import RADIUS
from reaedp.curves.mean_curve import MeanCurve, fewest_curves, share_of_a_person
from reaedp.curves.space import CurveSpace
from reaedp.errors import DeclarationError, sentence, whole_number
from reaedp.frames.framed import Framed
from reaedp.frames.shown import in_words
from reaedp.frames.sketch import MOST_LINES, lines
from reaedp.label import shown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Change, Sensitivity, Unit
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.statistic import AskableCurves

#: Curves of one release; each has a price of its own.
MOST_CURVES = 100_000


class CurveQuestion(NamedTuple):
    """Records that a mechanism may ask for the points of a curve, and the curves that are wanted."""

    records: AskableCurves
    curve: Curve
    curves: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReleasedCurves(Framed):
    """Released curves, a row of coefficients each, without the offset.

    `deviations` is how far each coefficient was moved on its way from a seed, as a standard deviation: what curves vary
    too much, except that a privacy test lets those at the edges pass less often. `declared` are the curves at the
    declared times, if they were read from a file: coefficients then follow from these, up to the last digits, or are
    not known.
    """

    curve: Curve
    coefficients: Reals
    deviations: Reals
    #: What a reader should know; public facts and released numbers only.
    details: dict[str, Any]
    declared: Reals | None = None

    def __len__(self) -> int:
        return len(self.coefficients)

    def on(self, times: Reals) -> Reals:
        """The curves at any times, a row each."""
        space = CurveSpace(self.curve)
        if self.declared is not None and np.array_equal(times, space.times):
            return self.declared
        self._check_known()
        values: Reals = self.coefficients @ space.basis(times).T + space.offset(space.unit_times(times))
        return values

    def _check_known(self) -> None:
        if not np.isfinite(self.coefficients).all():
            raise DeclarationError(
                "These curves were read from files, which contain them at the declared times only; those are too few to"
                " say how the curves go in between. Declare more times in the contract next time."
            )

    def narrowed(self) -> "ReleasedCurves":
        """The same curves, drawn towards their mean until they vary less by what they were moved.

        Right where nearly all candidates pass; arithmetic on released numbers, which costs nothing.
        """
        if len(self) < 2:
            return self
        self._check_known()
        mean, variance = self.coefficients.mean(axis=0), self.coefficients.var(axis=0, ddof=1)
        share = 1.0 - np.divide(self.deviations**2, variance, out=np.zeros(variance.shape), where=variance > 0)
        return replace(
            self, coefficients=mean + np.sqrt(np.maximum(share, 0.0)) * (self.coefficients - mean), declared=None
        )

    def frame(self) -> dict[str, NDArray[Any]]:
        """A row for each curve and declared time."""
        times = CurveSpace(self.curve).times
        return {
            "curve": np.repeat(np.arange(1, len(self) + 1), len(times)),
            "time": np.tile(times, len(self)),
            "value": self.on(times).ravel(),
        }

    def _headline(self) -> str:
        return f"{len(self):,} synthetic curves of {shown(self.curve.name)}"

    def drawing(self) -> str:
        """Some of the curves over time."""
        times = CurveSpace(self.curve).times
        return lines(times, list(self.on(times)), f"{min(len(self), MOST_LINES):,} of {len(self):,} curves over time")

    def __repr__(self) -> str:
        return in_words(self._headline(), (), self.frame())


def unit_in_curves(change: Change, most: int, at_least: int | None) -> Unit:
    """A unit of at most this many curves."""
    return Unit(change, at_least=at_least) if most == 1 else Unit(change, "person", most, at_least)


@dataclass(frozen=True, slots=True)
class SyntheticCurves:
    """Synthetic curves that resemble those of one declaration.

    >>> mechanism = DeniableCurves.within(8.0, 1e-7, contract, "pressure", 3, kept=1, spread=0.5)
    >>> len(curator.release(SyntheticCurves("pressure", 3), mechanism).value) <= 3
    True
    """

    curve: str
    curves: int
    answers: ClassVar[Shape] = "records"

    def __post_init__(self) -> None:
        whole_number("curves", self.curves, 1, MOST_CURVES)

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{self.curves:,} synthetic curves of {self.curve}"

    @property
    def columns(self) -> tuple[str, ...]:
        """None: curves are declared separately from columns."""
        return ()

    def check(self, contract: Contract) -> None:
        """Refuse what a mean curve refuses, and bases whose first functions are no outline of a curve."""
        MeanCurve(self.curve).check(contract)
        curve = contract.curve(self.curve)
        if CurveSpace(curve).eigenvalues is None:
            rule = f"{curve.where('basis')} must be wiener or fourier, whose functions are ordered by importance"
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
        """The sensitivity of counts, because seeds are drawn and counted, and nothing else is asked of them."""
        return counting_sensitivity(self.unit(contract))

    def answer(self, records: AskableCurves) -> CurveQuestion:
        """The records themselves; private."""
        return CurveQuestion(records, records.contract.curve(self.curve), self.curves)

    def value(self, contract: Contract, noisy: ReleasedCurves) -> ReleasedCurves:  # noqa: ARG002
        """The curves as the mechanism made them."""
        return noisy

    def frame(self, value: ReleasedCurves, noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """A row for each curve and declared time."""
        return value.frame()
