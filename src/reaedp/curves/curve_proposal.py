"""How a candidate curve is made from a seed, and how many other curves could as well have made it.

A candidate is known by its first few coefficients alone: each is the seed's, moved by a random number of cells. In many
dimensions all curves are far apart and none could have made another's candidate, so that hardly any would pass. The
other coefficients do not come from the seed and are not part of this file.
"""

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Words
from reaedp.curves.curve_seeds import Cells, CurveSeeds
from reaedp.errors import Mistakes
from reaedp.synthesis.choices import Choices
from reaedp.synthesis.proposal import LEAST_GAMMA, powers
from reaedp.synthesis.seeds import Counts, Places

#: Steps of equal probability, or of a Gaussian cut at three standard deviations.
LawName = Literal["even", "gaussian"]
#: Cells per standard deviation of the Gaussian, and cells on each side of the middle.
_PER_DEVIATION, _SIDE = 4 / 3, 4
_CELLS_AROUND = np.arange(-_SIDE, _SIDE + 1)
LAWS: dict[str, NDArray[np.float64]] = {
    "even": np.full(4, 0.25),  # a power of two, so that draws are exactly equally likely
    "gaussian": np.exp(-(_CELLS_AROUND**2) / (2 * _PER_DEVIATION**2)),
}
MOST_KEPT = 8
#: Offsets of a candidate from its seed, which are tabulated.
_MOST_OFFSETS = 2**17


@dataclass(frozen=True, slots=True)
class Steps:
    """Each of `kept` coefficients moves independently by a number of cells with the law of this name.

    p_s(y) = Π_j g(y_j - s_j) depends on the offset alone. Seeds are in one class if the whole part of -log_gamma of it,
    relative to the likeliest, is the same; for equally likely steps gamma is 1 and there is one class. A seed that is
    too far away is in none.
    """

    law: LawName
    kept: int
    gamma: float
    _choices: Choices = field(init=False, repr=False, compare=False)
    #: For every offset the number of its class.
    _classes: NDArray[np.int64] = field(init=False, repr=False, compare=False)
    #: For all but the last coefficient's steps, and every class: the last one's stretches, as (start, end) pairs.
    _stretches: Integers = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        mistakes.unless(self.law in LAWS, f"The law of steps must be one of {', '.join(LAWS)}", given=self.law)
        most = min(MOST_KEPT, int(math.log(_MOST_OFFSETS, len(LAWS.get(self.law, LAWS["even"])))))
        mistakes.unless(
            type(self.kept) is int and 1 <= self.kept <= most,
            f"The number of kept coefficients must be a whole number from 1 to {most}",
            given=self.kept,
        )
        fine = isinstance(self.gamma, int | float) and (
            self.gamma == 1 if self.law == "even" else LEAST_GAMMA <= self.gamma < math.inf
        )
        rule = f"gamma must be 1 for even steps, and else a finite number of at least {LEAST_GAMMA}"
        mistakes.unless(fine, rule, given=self.gamma)
        mistakes.report()
        choices = Choices(LAWS[self.law][None])
        classes = _classes(choices.probabilities[0], self.kept, self.gamma)
        object.__setattr__(self, "_choices", choices)
        object.__setattr__(self, "_classes", classes)
        object.__setattr__(self, "_stretches", _stretches(classes.reshape(-1, choices.size)))

    @property
    def words(self) -> int:
        """One random word for each step."""
        return self.kept

    @property
    def reach(self) -> int:
        """The longest step, in cells."""
        return reach(self.law)

    def propose(self, seeds: CurveSeeds, places: Places, words: Words) -> Cells:
        """The seeds' cells, each moved by steps of its own."""
        steps = self._choices.draw(words.ravel(), np.zeros(words.size, dtype=np.int64)).reshape(words.shape)
        candidates: Cells = seeds.cells(places) + steps - self.reach
        return candidates

    def plausible(self, seeds: CurveSeeds, places: Places, candidates: Cells) -> Counts:
        """The seeds whose distance from the candidate puts them into the drawn seed's class.

        Cells that differ in the last coefficient only have consecutive numbers: a stretch of them is counted by two
        look-ups. Candidates are sorted first, as look-ups in order are faster.
        """
        steps = candidates - seeds.cells(places) + self.reach
        own = self._classes[tuple(steps.T)]
        numbers = seeds.lattice.numbers(candidates)
        order = np.argsort(numbers)
        numbers, own, counts = numbers[order], own[order], np.zeros(len(places), dtype=np.int64)
        for offset, stretches in zip(self._offsets(seeds.lattice.strides), self._stretches, strict=True):
            for start, end in stretches[own].transpose(1, 2, 0):
                rows = np.flatnonzero(end > start)
                first = numbers[rows] + (offset + 1)
                counts[rows] += seeds.below(first - start[rows]) - seeds.below(first - end[rows])
        in_place: Counts = np.empty_like(counts)
        in_place[order] = counts
        return in_place

    def probability(self, seeds: Cells, candidates: Cells) -> NDArray[np.float64]:
        """How likely each seed makes each candidate, row by row."""
        steps = candidates - seeds + self.reach
        inside = (steps >= 0) & (steps < self._choices.size)
        each = np.where(inside, self._choices.probabilities[0][np.where(inside, steps, 0)], 0.0)
        probability: NDArray[np.float64] = each.prod(axis=1)
        return probability

    def class_of(self, seeds: Cells, candidates: Cells) -> NDArray[np.int64]:
        """The class of each seed beside each candidate, row by row; -1 for none."""
        steps = candidates - seeds + self.reach
        outside = ((steps < 0) | (steps >= self._choices.size)).any(axis=1)
        steps[outside] = 0
        return np.where(outside, -1, self._classes[tuple(steps.T)])

    def _offsets(self, strides: Integers) -> list[int]:
        """Numbers of cells from a candidate to a seed whose steps, all but the last, are 0, 0, …; 0, 1, …; and so on.

        A step of i places brings the seed's cell to itself plus i less the reach; the last step's i is not yet off.
        """
        sizes = [range(self.reach, self.reach - self._choices.size, -1)] * (self.kept - 1)
        return [int(np.dot([*steps, self.reach], strides)) for steps in product(*sizes)]


def reach(law: LawName) -> int:
    """The longest step of a law, in cells."""
    return len(LAWS[law]) // 2


def middle(law: LawName) -> float:
    """Where the middle of a law lies, in cells from the seed; a law of an even number of steps has it between two."""
    return 0.0 if len(LAWS[law]) % 2 else -0.5


def added_variance(law: LawName) -> float:
    """Variance of the difference between a curve's coefficient and a candidate's, in squared sides of a cell.

    The step's own, and 1/12 each for rounding the curve to its cell and for drawing a point within the candidate's.
    """
    weights = LAWS[law] / LAWS[law].sum()
    places = np.arange(len(weights)) - (len(weights) - 1) / 2
    return float((weights * places**2).sum()) + 1 / 6


def _classes(law: NDArray[np.float64], kept: int, gamma: float) -> NDArray[np.int64]:
    """Products of doubles, in the order of coefficients, numbered by the powers of γ between which they fall."""
    ratios = np.ones(())
    for _ in range(kept):
        ratios = np.multiply.outer(ratios, law / law.max())
    if gamma == 1.0:
        return np.zeros(ratios.shape, dtype=np.int64)
    return np.unique(np.searchsorted(powers(gamma, 52 * kept), ratios, side="right"), return_inverse=True)[1].reshape(
        ratios.shape
    )


def _stretches(rows: NDArray[np.int64]) -> Integers:
    """Where classes begin and end in each row: element [row, class, run] is a start and an end, both 0 if none."""
    members = rows[:, None, :] == np.arange(rows.max() + 1)[:, None]
    edges = np.diff(np.pad(members, ((0, 0), (0, 0), (1, 1))).astype(np.int8), axis=2) != 0
    row, kind, place = np.nonzero(edges)
    turn = np.cumsum(edges, axis=2)[row, kind, place] - 1
    found = np.zeros((*edges.shape[:2], turn.max() + 1), dtype=np.int64)
    found[row, kind, turn] = place
    return found.reshape(*found.shape[:2], -1, 2)
