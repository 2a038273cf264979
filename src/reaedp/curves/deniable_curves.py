"""Mechanism F for curves: a number of curves, each of which enough others could have made."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Contract, Curve
from reaedp.curves.curve_proposal import LAWS, LawName, Steps, added_variance, middle, reach
from reaedp.curves.curve_seeds import Cells, CoarseLattice, CurveSeeds, relative_deviations
from reaedp.curves.lattice import RADIUS
from reaedp.curves.synthetic_curves import CurveQuestion, ReleasedCurves, SyntheticCurves
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.mechanism import OnRecords
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.record_plan import RecordPlan, fitting_plan, plan_records, unit_of
from reaedp.privacy.loss import ApproxDP, Price, positive
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.synthesis.deniable import deniable

#: Even steps are equally likely; Gaussian ones are sorted by powers of four.
GAMMAS: dict[str, float] = {"even": 1.0, "gaussian": 4.0}
#: Moves of this many clips, or more, leave nothing of a seed.
_MOST_CLIPS = 100.0
#: Seeds that are planned for where no number is declared, and numbers of plausible ones that are planned for.
_UNKNOWN_SIZE, _GUESSES = 10**6, 9
_fitting_plan = lru_cache(maxsize=16)(fitting_plan)


@dataclass(frozen=True, slots=True)
class DeniableCurves(Buyable, OnRecords):
    """Synthetic curves with plausible deniability; each of the `curves` costs at most (ε, δ) of its own.

    A curve takes the first `kept` coefficients of a real curve, its seed, and moves them at random: the first with
    standard deviation `move` × clip, the others by less, in proportion to √λ. The fewer coefficients are kept and the
    farther they move, the more real curves could have been the seed, and the more candidates pass. The other
    coefficients do not depend on a seed: they are drawn from a Gaussian with `rest` in place of `move`, the same for
    all data, or are zero. `at_least` is a public lower bound on the number of curves. `tau` is the probability of
    stopping before each trial; `law` is the distribution of a move, "even" or "gaussian". `within` computes `epsilon`,
    `delta` and `tau` of one curve from the price of all of them; its parameter `spread` is `move`.
    `DeniableCurves(epsilon=1, delta=1e-6, kept=2, spread=0.5)` asks for a price for all curves together, as plans do.

    >>> DeniableCurves.within(4.0, 1e-7, contract, "pressure", 3, kept=1, spread=0.5).curves
    3
    """

    name: ClassVar[str] = "deniable curves"
    scaled_by: ClassVar[str] = "tau"

    curves: int
    epsilon: float
    delta: float
    tau: float
    at_least: int | None
    kept: int
    move: float
    law: LawName = "even"
    rest: float = 0.0

    def __post_init__(self) -> None:
        positive("move", self.move, below=_MOST_CLIPS)
        if self.rest != 0.0:
            positive("rest", self.rest, below=_MOST_CLIPS)
        _proposal(self.law, self.kept)

    @classmethod
    def bought(
        cls,
        statistic: Any,
        contract: Contract,
        *,
        epsilon: float,
        delta: float,
        kept: int,
        spread: float,
        law: LawName = "even",
        rest: float = 0.0,
    ) -> "DeniableCurves":
        """The most permissive test for these synthetic curves within (ε, δ)."""
        if not isinstance(statistic, SyntheticCurves):
            rule, remedy = "This mechanism makes synthetic curves", 'Write SyntheticCurves("height", curves=100).'
            raise DeclarationError(sentence(rule, given=statistic.title, remedy=remedy))
        return cls.within(
            epsilon, delta, contract, statistic.curve, statistic.curves, kept=kept, spread=spread, law=law, rest=rest
        )

    @classmethod
    def within(
        cls,
        epsilon: float,
        delta: float,
        contract: Contract,
        curve: str,
        curves: int,
        *,
        kept: int,
        spread: float,
        law: LawName = "even",
        rest: float = 0.0,
    ) -> "DeniableCurves":
        """The most permissive test for every curve such that all of them together cost at most (ε, δ)."""
        statistic = SyntheticCurves(curve, curves)
        statistic.check(contract)
        declared, unit = contract.curve(curve), statistic.unit(contract)
        gamma, guess = _proposal(law, kept).gamma, _guess(declared, unit, kept, positive("spread", spread))
        plan = plan_records(epsilon, delta, curves, unit=unit, gamma=gamma, plausible=guess)
        each, tau = plan.each, plan.stopping.tau
        mechanism = cls(curves, each.epsilon, each.delta, tau, unit.at_least, kept, spread, law, rest)
        mechanism.lattice(declared)
        return mechanism

    def plan(self, sensitivity: Sensitivity) -> RecordPlan:
        """The test and what a curve really costs, computed again from the numbers above."""
        each = ApproxDP(self.epsilon, self.delta)
        unit = unit_of(sensitivity, self.at_least)
        return _fitting_plan(each, self.curves, unit, GAMMAS[self.law], self.tau)

    def lattice(self, curve: Curve) -> CoarseLattice:
        """The cells of seeds; refuses more coefficients than the curve has."""
        if self.kept > curve.rank:
            raise DeclarationError(
                sentence(f"No more than {curve.where('rank')} = {curve.rank} coefficients can be kept", given=self.kept)
            )
        return CoarseLattice.of(curve, self.kept, self._side, reach(self.law))

    def moved_by(self, curve: Curve) -> list[float]:
        """Standard deviation of the move of each coefficient that is kept."""
        deviations = self._sides(self.lattice(curve), curve) * math.sqrt(added_variance(self.law))
        moves: list[float] = deviations.tolist()
        return moves

    def _sides(self, lattice: CoarseLattice, curve: Curve) -> NDArray[np.float64]:
        """The sides of a cell, in each coefficient that is kept."""
        sides: NDArray[np.float64] = np.array(lattice.grains) * (curve.clip / RADIUS)
        return sides

    @property
    def _side(self) -> float:
        """The side of a cell in the first coefficient, in parts of the clip, for which a move deviates as asked."""
        return self.move / math.sqrt(added_variance(self.law))

    def scale(self, sensitivity: Sensitivity) -> float:  # noqa: ARG002
        """Standard deviation of the first coefficient's move, in lattice points."""
        return self.move * RADIUS

    def price(self, sensitivity: Sensitivity) -> Price:
        """The price of all curves, whether they pass or not."""
        return (self.plan(sensitivity).each,) * self.curves

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """The mean error of a curve's first coefficient beside its seed's, if its move were Gaussian."""
        return self.scale(sensitivity) * math.sqrt(2 / math.pi)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:  # noqa: ARG002
        """The longest move there is: a step, and half a cell for rounding and for the point within a cell each."""
        return math.ceil((self._side * RADIUS + 1) * (len(LAWS[self.law]) + 1) / 2)

    def apply(self, exact: CurveQuestion, sensitivity: Sensitivity, noise: Noise) -> ReleasedCurves:
        """The curves that pass; how many there are is part of the answer."""
        self._check(exact)
        plan, lattice = self.plan(sensitivity), self.lattice(exact.curve)
        exact.records.progress("reading curves")
        cells = deniable(
            CurveSeeds.of(lattice, exact.records.curve_points(exact.curve.name)),
            _proposal(self.law, self.kept),
            plan.test,
            plan.stopping,
            count=self.curves,
            noise=noise,
            progress=exact.records.progress,
        )
        return self._released(exact.curve, lattice, cells, plan, noise.generator())

    def _check(self, exact: CurveQuestion) -> None:
        """Refuse another number of curves than was priced, and a bound that the contract does not declare."""
        declared = SyntheticCurves(exact.curve.name, exact.curves).unit(exact.records.contract).at_least or 0
        mistakes = Mistakes()
        rule = f"The cost of this mechanism was computed for {self.curves} curves"
        mistakes.unless(exact.curves == self.curves, rule, given=exact.curves)
        rule = f"at_least must not exceed the {declared} curves of unit.at_least in the contract"
        mistakes.unless((self.at_least or 0) <= declared, rule, given=self.at_least)
        mistakes.report()

    def _released(
        self, curve: Curve, lattice: CoarseLattice, cells: Cells, plan: RecordPlan, rng: np.random.Generator
    ) -> ReleasedCurves:
        """A point within each cell, and the coefficients that have no seed."""
        sides = self._sides(lattice, curve)
        coefficients = rng.normal(size=(len(cells), curve.rank)) * (self.rest * curve.clip * relative_deviations(curve))
        within_cells = rng.uniform(-0.5, 0.5, size=cells.shape) - middle(self.law)
        coefficients[:, : self.kept] = (cells + within_cells) * sides
        deviations = np.zeros(curve.rank)
        deviations[: self.kept] = self.moved_by(curve)
        details = {
            "plausible_seeds_for_half_a_chance": plan.test.half,
            "curves_asked_for": self.curves,
            "cost_of_each": {"epsilon": plan.each.epsilon, "delta": plan.each.delta},
            "gamma": plan.gamma,
            "moved_by": self.moved_by(curve),
        }
        return ReleasedCurves(curve, coefficients, deviations, details)


def _proposal(law: LawName, kept: int) -> Steps:
    return Steps(law, kept, GAMMAS.get(law, 1.0))


def _guess(curve: Curve, unit: Unit, kept: int, spread: float) -> Integers:
    """Numbers of plausible seeds, from what they would be if curves were as far apart as the clip allows, up to all.

    Far apart means Gaussian, with variances in proportion to λ, and as long as the clip. Of a law of deviation s the
    part 1/(2√π) · w/s is within a box of width w around one of its points, on average. A box of deviation d has the
    width √12 · d, and d/s is the same for all coefficients.
    """
    usual = 1 / math.sqrt(float((relative_deviations(curve) ** 2).sum()))
    part = min(1.0, math.sqrt(12 / (4 * math.pi)) * spread / usual)
    most = unit.at_least or _UNKNOWN_SIZE
    guesses: Integers = np.rint(np.geomspace(max(1.0, most * part**kept), most, _GUESSES)).astype(np.int64)
    return guesses
