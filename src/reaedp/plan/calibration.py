"""From the error that one can accept to the price, the rows or the bins that it takes; from public facts only.

Errors of counts and of entropies with noise on them are exact properties of the noise. Errors of entropies that are
derived from counts depend on the counts too, and are predictions for the least favourable of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from reaedp.contract import Number
from reaedp.errors import DeclarationError, sentence, unknown, whole_number
from reaedp.mechanisms.exponential import Exponential
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import Price, positive
from reaedp.privacy.rest import Rest
from reaedp.privacy.unit import Change, Sensitivity, Unit
from reaedp.statistics.entropy.lattice import Lattice
from reaedp.statistics.entropy.prediction import MOST_CELLS, worst_error
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.quantiles.chosen_quantiles import places_of, rank_error
from reaedp.statistics.summary.parts import MOST_STEPS, Parts
from reaedp.statistics.summary.prediction import mean_error
from reaedp.table import MOST_DENSE_CELLS

Kind = Literal["counts", "entropy", "histogram-entropy", "mean", "median", "rate"]
Fact = Literal["epsilon", "rows", "bins"]

#: Between these an answer is sought; nobody wants one outside.
LEAST_EPSILON, MOST_EPSILON = 1e-6, 1e3
MOST_ROWS = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The facts that decide an error: privacy unit, mechanism, price, number of rows and of bins.

    `kind` says which error is meant: `counts` is the largest error of all counts of a histogram, `entropy` that of an
    entropy with noise of its own, `histogram-entropy` that of an entropy computed from noisy counts, `mean` that of a
    mean in a group of `rows` rows when the column's bounds are `width` apart, `rate` that of a share of `rows` rows,
    and `median` the rank error of a median chosen among `bins` cells. `change` and `max_rows` describe the privacy
    unit. Leave out one of `epsilon`, `rows` and `bins`, and `solve` finds it from the acceptable `error`, in rows or
    bits; `within` finds what the `rest` of a ledger can buy.

    >>> wanted = Calibration(kind="counts", change="add-remove", bins=10)
    >>> wanted.solve(error=20.0).epsilon
    0.257
    """

    kind: Kind
    change: Change
    max_rows: int = 1
    mechanism: Literal["laplace", "gaussian"] = "laplace"
    delta: float | None = None
    confidence: float = 0.95
    epsilon: float | None = None
    rows: int | None = None
    bins: int | None = None
    width: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in _BOUNDS:
            raise DeclarationError(unknown("kind of error", self.kind, _BOUNDS))
        if self.mechanism not in _MECHANISMS:
            raise DeclarationError(unknown("mechanism", self.mechanism, _MECHANISMS))
        if self.kind == "median" and self.mechanism != "laplace":
            raise DeclarationError(
                "A median uses the exponential mechanism, which has no δ: leave mechanism and delta out."
            )
        if (self.delta is None) != (self.mechanism == "laplace"):
            rule = "delta must be given for mechanism gaussian, and must not be given for laplace"
            raise DeclarationError(sentence(rule, given={"mechanism": self.mechanism, "delta": self.delta}))
        positive("confidence", self.confidence, below=1)
        if (self.width is not None) != (self.kind == "mean"):
            raise DeclarationError(sentence("width must be given for a mean, and for nothing else", given=self.width))
        if self.width is not None:
            positive("width", self.width)
        for fact in ("rows", "bins", "max_rows"):
            if (value := getattr(self, fact)) is not None:
                whole_number(fact, value)

    @property
    def unit(self) -> str:
        """The unit in which the error is measured."""
        return {"counts": "rows", "median": "rows", "mean": "units", "rate": "of 1"}.get(self.kind, "bits")

    @property
    def open(self) -> Fact:
        """The name of the relevant fact that was left out."""
        facts = _BOUNDS[self.kind].facts
        missing = [fact for fact in facts if getattr(self, fact) is None]
        if len(missing) != 1:
            raise DeclarationError(
                f"Exactly one of {', '.join(facts)} must be left out, to be solved for; left out:"
                f" {', '.join(missing) or 'none'}."
            )
        return missing[0]

    @property
    def counting(self) -> Sensitivity:
        """The sensitivity of counts under this privacy unit."""
        people = self.max_rows > 1
        return counting_sensitivity(Unit(self.change, "person" if people else None, self.max_rows if people else None))

    def noise(self, sensitivity: Sensitivity) -> Calibrated:
        """The mechanism at this price."""
        assert self.epsilon is not None
        return Calibrated(_MECHANISMS[self.mechanism](self.epsilon, self.delta, sensitivity), sensitivity)

    def price(self) -> Price:
        """The privacy loss that the ledger will be charged."""
        return self.noise(_BOUNDS[self.kind].sensitivity(self)).price

    def within(self, rest: Rest) -> "Calibration | None":
        """The answer at the largest ε, to four digits, that the ledger would admit now; None if it admits nothing."""
        most = rest.most(lambda epsilon: tally([replace(self, epsilon=epsilon).price()]))
        return None if most is None else replace(self, epsilon=most)

    def bound(self) -> float:
        """The error that is not exceeded with probability `confidence`."""
        return _BOUNDS[self.kind].error(self)

    def solve(self, error: float) -> "Calibration":
        """Solve for the fact left out: the smallest ε or number of rows, or the most bins, that keep the error."""
        return _SOLVERS[self.open](self, positive("error", error))


class _Bound(NamedTuple):
    """An error, the facts it depends on, and how far one unit moves what gets noise."""

    facts: tuple[Fact, ...]
    error: Callable[[Calibration], float]
    sensitivity: Callable[[Calibration], Sensitivity]


def _counts_error(given: Calibration) -> float:
    return given.noise(given.counting).error_quantile(given.confidence, cells=given.bins or 1)


def _entropy_error(given: Calibration) -> float:
    """Noise on a lattice, and half a step for rounding to it."""
    lattice = _entropy_lattice(given)
    return float((given.noise(lattice.sensitivity).error_quantile(given.confidence) + 0.5) * lattice.steps[0])


def _entropy_lattice(given: Calibration) -> Lattice:
    return Lattice((shannon_sensitivity(given.rows, change=given.change, max_rows=given.max_rows),))


def _histogram_entropy_error(given: Calibration) -> float:
    return worst_error(given.noise(given.counting), given.rows or 1, given.bins or 1, given.confidence)


def _parts(given: Calibration) -> Parts:
    """The parts of a column of this range on the finest lattice."""
    column = Number(name="mean", lower=0.0, upper=given.width or 1.0, bins=1, provenance="public")
    return Parts(column, MOST_STEPS, degree=1, clipped=False)


def _mean_sensitivity(given: Calibration) -> Sensitivity:
    counts = given.counting
    return Sensitivity(counts.l1 * MOST_STEPS, counts.l2_squared * MOST_STEPS**2, counts.linf * MOST_STEPS)


def _mean_error(given: Calibration) -> float:
    return mean_error(_parts(given), given.noise(_mean_sensitivity(given)), float(given.rows or 1), given.confidence)


def _median_error(given: Calibration) -> float:
    """Ranks that the exponential mechanism misses among cells that are divided as finely as a column's may be."""
    assert given.epsilon is not None
    noise = Calibrated(Exponential(given.epsilon), given.counting)
    return rank_error(noise, (0.5,), places_of(given.bins or 1), given.confidence)


_BOUNDS: dict[str, _Bound] = {
    **dict.fromkeys(("mean", "rate"), _Bound(("epsilon", "rows"), _mean_error, _mean_sensitivity)),
    "counts": _Bound(("epsilon", "bins"), _counts_error, lambda given: given.counting),
    "entropy": _Bound(("epsilon", "rows"), _entropy_error, lambda given: _entropy_lattice(given).sensitivity),
    "histogram-entropy": _Bound(("epsilon", "rows", "bins"), _histogram_entropy_error, lambda given: given.counting),
    "median": _Bound(("epsilon", "bins"), _median_error, lambda given: given.counting),
}
_MECHANISMS: dict[str, Callable[[float, Any, Sensitivity], Mechanism]] = {
    "laplace": lambda epsilon, *_: Laplace(epsilon),
    "gaussian": Gaussian.within,
}


def _least_epsilon(given: Calibration, error: float) -> Calibration:
    """Four digits, rounded up, so that what is printed keeps what it says."""

    def enough(epsilon: float) -> bool:
        return replace(given, epsilon=epsilon).bound() <= error

    low, high = LEAST_EPSILON, MOST_EPSILON
    _refuse_unless(enough(high), given, error, f"ε = {high:g}")
    while high > low * (1 + 1e-6):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    digit = 10.0 ** (math.floor(math.log10(high)) - 3)
    printed = float(f"{math.ceil(high / digit) * digit:.4g}")
    return replace(given, epsilon=printed)


def _least_rows(given: Calibration, error: float) -> Calibration:
    def enough(rows: int) -> bool:
        return replace(given, rows=rows).bound() <= error

    _refuse_unless(enough(MOST_ROWS), given, error, f"{MOST_ROWS:,} rows")
    return replace(given, rows=_first(enough, 1, MOST_ROWS))


def _most_bins(given: Calibration, error: float) -> Calibration:
    predicted = given.kind == "histogram-entropy"
    least, most = (2, MOST_CELLS) if predicted else (1, MOST_DENSE_CELLS)

    def too_many(bins: int) -> bool:
        return bins > most or replace(given, bins=bins).bound() > error

    _refuse_unless(not too_many(least), given, error, f"{least} bins")
    return replace(given, bins=_first(too_many, least, most + 1) - 1)


_SOLVERS: dict[str, Callable[[Calibration, float], Calibration]] = {
    "epsilon": _least_epsilon,
    "rows": _least_rows,
    "bins": _most_bins,
}


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The number at which something begins to hold, which holds at `high`; large numbers are tried last."""
    reach = low
    while reach < high and not holds(reach):
        low, reach = reach + 1, min(2 * reach, high)
    high = reach
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _refuse_unless(reached: bool, given: Calibration, error: float, extreme: str) -> None:
    if not reached:
        raise DeclarationError(
            f"An error of {error:g} {given.unit} cannot be reached even with {extreme}."
            " Accept a larger error, or change the other values."
        )
