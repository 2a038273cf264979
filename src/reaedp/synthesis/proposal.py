"""How a candidate is made from a seed, and how many other seeds could as well have made it.

A proposal sorts the seeds that can make a candidate into classes, by the seed and the candidate alone; within a class
their probabilities of making it differ by at most the factor `gamma`. The plausible seeds are the drawn one's class.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Words
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.noise import Noise
from reaedp.synthesis.choices import Choices, note_mistakes
from reaedp.synthesis.model import Codes, Model
from reaedp.synthesis.seeds import Counts, Places, Seeds

#: Logarithm of a factor by which classes are narrower than γ: more than all rounding in them, with room (PROOFS.md).
_ROUNDING = 1e-11
#: Below this factor there would be too many classes.
LEAST_GAMMA = 1.01
#: So many probabilities of at least 2^-52 multiply without leaving the normal doubles.
_MOST_KEPT = 18


class SeedSource(Protocol):
    """Something that seeds are drawn from."""

    def draw(self, count: int, noise: Noise) -> Places:
        """Independent uniform seeds, by their places."""


From_contra = TypeVar("From_contra", bound=SeedSource, contravariant=True)


class Proposal(Protocol[From_contra]):
    """What mechanism F needs to know of its candidates."""

    @property
    def gamma(self) -> float:
        """The largest ratio of probabilities within a class."""

    @property
    def words(self) -> int:
        """How many random words a candidate takes."""

    def propose(self, seeds: From_contra, places: Places, words: Words) -> NDArray[Any]:
        """One candidate for each place."""

    def plausible(self, seeds: From_contra, places: Places, candidates: NDArray[Any]) -> Counts:
        """Sizes of the drawn seeds' classes; 0 where a candidate must not be released."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The first `kept` cells are the seed's, the others are drawn: all seeds with the same cells are equally likely."""

    model: Model
    kept: int

    def __post_init__(self) -> None:
        _check_kept(self.kept, len(self.model.axes))

    @property
    def gamma(self) -> float:
        """The ratio within which probabilities count as alike: exactly equal."""
        return 1.0

    @property
    def words(self) -> int:
        """One random word for each drawn cell."""
        return len(self.model.axes) - self.kept

    def propose(self, seeds: Seeds, places: Places, words: Words) -> Codes:
        """The seeds' cells, completed."""
        return self.model.draw(words, seeds.cells(places, self.kept))

    def plausible(self, seeds: Seeds, places: Places, candidates: Codes) -> Counts:  # noqa: ARG002
        """The seeds that share the kept cells."""
        return seeds.alike(places, self.kept)

    def probability(self, seeds: Codes, candidates: Codes) -> NDArray[np.float64]:
        """How likely each seed makes each candidate, row by row."""
        shares = (seeds[:, : self.kept] == candidates[:, : self.kept]).all(axis=1)
        return np.where(shares, np.exp(self.model.log_probability(candidates, self.kept)), 0.0)


@dataclass(frozen=True, slots=True)
class Mixed:
    """The first k cells are the seed's with probability `weights[k]`, the others are drawn.

    A seed that shares exactly the first j cells with a candidate makes it with probability Σ_{k ≤ j} weights[k] times
    that of the cells from k on. Let r be this, divided by the probability of the cells that are always drawn, which is
    the same for all seeds: the seed's class is the whole part of -log_gamma(r). A seed with r = 0 has none.
    """

    model: Model
    weights: tuple[float, ...]
    gamma: float
    _kept: Choices = field(init=False, repr=False)
    _lengths: NDArray[np.int64] = field(init=False, repr=False)
    #: Where classes end, upwards; all that a probability can be is above the first.
    _ends: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _check_kept(len(self.weights) - 1, min(len(self.model.axes), _MOST_KEPT))
        mistakes = Mistakes()
        lengths = np.flatnonzero(self.weights)
        note_mistakes(mistakes, "the numbers of kept cells", np.array(self.weights)[lengths])
        fine = isinstance(self.gamma, int | float) and LEAST_GAMMA <= self.gamma < math.inf
        mistakes.unless(fine, f"gamma must be a finite number of at least {LEAST_GAMMA}", given=self.gamma)
        mistakes.report()
        choices = Choices(np.array([self.weights])[:, lengths])
        exact = np.zeros(len(self.weights))
        exact[lengths] = choices.probabilities[0]
        object.__setattr__(self, "_kept", choices)
        object.__setattr__(self, "_lengths", lengths)
        object.__setattr__(self, "weights", tuple(exact.tolist()))
        object.__setattr__(self, "_ends", powers(self.gamma, 52 * (_MOST_KEPT + 1)))

    @property
    def least(self) -> int:
        """The smallest number of kept cells."""
        return int(self._lengths[0])

    @property
    def most(self) -> int:
        """The largest number of kept cells."""
        return len(self.weights) - 1

    @property
    def words(self) -> int:
        """One for the number of kept cells, one for each cell that may be drawn."""
        return 1 + len(self.model.axes) - self.least

    def propose(self, seeds: Seeds, places: Places, words: Words) -> Codes:
        """The seeds' cells, each with its own number of them kept, completed."""
        cells = seeds.cells(places, self.most)
        kept = self._lengths[self._kept.draw(words[:, 0], np.zeros(len(words), dtype=np.int64))]
        candidates = np.empty((len(places), len(self.model.axes)), dtype=np.int32)
        for length in self._lengths.tolist():
            rows = kept == length
            candidates[rows] = self.model.draw(words[rows, 1 + length - self.least :], cells[rows, :length])
        return candidates

    def plausible(self, seeds: Seeds, places: Places, candidates: Codes) -> Counts:
        """The seeds whose shared beginning puts them into the drawn seed's class."""
        exactly = seeds.sharing(candidates, self.most)
        exactly[:, :-1] -= exactly[:, 1:]
        classes = self.classes(candidates)
        shared = shared_cells(seeds.cells(places, self.most), candidates)
        own = np.take_along_axis(classes, shared[:, None], axis=1)
        counts: Counts = np.where((classes == own) & (own >= 0), exactly, 0).sum(axis=1)
        return counts

    def classes(self, candidates: Codes) -> NDArray[np.int64]:
        """Column j: the class of seeds that share exactly j cells, j = 0, …, most; -1 for none.

        Products, sums and comparisons of doubles: the same seed and candidate are always in the same class.
        """
        ratios = self._ratios(candidates)
        return np.where(ratios > 0, len(self._ends) - np.searchsorted(self._ends, ratios, side="right"), -1)

    def probability(self, seeds: Codes, candidates: Codes) -> NDArray[np.float64]:
        """How likely each seed makes each candidate, row by row."""
        shared = shared_cells(seeds[:, : self.most], candidates)[:, None]
        ratios = np.take_along_axis(self._ratios(candidates), shared, axis=1)[:, 0]
        probability: NDArray[np.float64] = ratios * np.exp(self.model.log_probability(candidates, self.most))
        return probability

    def _ratios(self, candidates: Codes) -> NDArray[np.float64]:
        """Column j: Σ_{k ≤ j} weights[k] Π_{k ≤ i < most} P(cell i), the probability without the cells always drawn."""
        terms = np.empty((len(candidates), len(self.weights)), order="F")
        product = np.ones(len(candidates))
        terms[:, -1] = self.weights[-1]
        for place in reversed(range(self.most)):
            product *= self.model.probability_of(candidates, place)
            terms[:, place] = self.weights[place] * product
        return np.cumsum(terms, axis=1)


def powers(gamma: float, bits: int) -> NDArray[np.float64]:
    """1/γ and its powers down to 2^-bits, slightly narrowed, so that no class is wider than γ after rounding."""
    width = math.log(gamma) - _ROUNDING
    powers: NDArray[np.float64] = np.exp(-width * np.arange(math.ceil(bits * math.log(2) / width), 0, -1))
    return powers


def shared_cells(seeds: Codes, candidates: Codes) -> NDArray[np.int64]:
    """How many first cells each candidate shares with its seed, of those that the seed is known by."""
    equal = seeds == candidates[:, : seeds.shape[1]]
    shared: NDArray[np.int64] = np.cumprod(equal, axis=1, dtype=np.int64).sum(axis=1)
    return shared


def _check_kept(kept: object, most: int) -> None:
    if type(kept) is not int or not 0 <= kept <= most:
        raise DeclarationError(
            sentence(f"The number of kept cells must be a whole number from 0 to {most}", given=kept)
        )
