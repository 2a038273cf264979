"""The records that candidates are made from: drawn uniformly, and counted by their first cells without a scan."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Words
from reaedp.mechanisms.noise import Noise
from reaedp.synthesis.model import Codes
from reaedp.table import KeyCounts

#: Where the drawn seeds' keys stand among the different keys.
Places = NDArray[np.int64]
Counts = NDArray[np.int64]

_WORDS = 1 << 64


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Level:
    """The different beginnings of one length, in order.

    A beginning is found by the number of its parent, times the size of the axis, plus its last cell.
    """

    size: int
    edges: NDArray[np.int64]
    counts: Counts
    of_key: NDArray[np.int64]

    def find(self, parents: NDArray[np.int64], cells: NDArray[np.int32]) -> NDArray[np.int64]:
        """Numbers of the beginnings that continue the parents; -1 where there is none."""
        wanted = parents * self.size + cells
        found = np.searchsorted(self.edges[:-1], wanted)
        return np.where((parents >= 0) & (self.edges[found] == wanted), found, -1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Seeds:
    """Private records, known by the cells that a proposal may keep and how many records have them."""

    keys: KeyCounts
    _ends: NDArray[np.int64] = field(init=False)
    _levels: tuple[_Level, ...] = field(init=False)

    def __post_init__(self) -> None:
        present = self.keys.counts > 0
        object.__setattr__(self, "keys", KeyCounts(self.keys.axes, self.keys.keys[present], self.keys.counts[present]))
        object.__setattr__(self, "_ends", np.cumsum(self.keys.counts))
        object.__setattr__(self, "_levels", _levels(self.keys))

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.keys.counts.sum())

    def draw(self, count: int, noise: Noise) -> Places:
        """Uniform records, independent of each other; without any record, the place of none."""
        numbers = uniform(count, max(self.size, 1), noise)
        return np.searchsorted(self._ends, numbers, side="right")

    def cells(self, places: Places, length: int) -> Codes:
        """The first cells of drawn records; zeros where there is none."""
        if not self.size:
            return np.zeros((len(places), length), dtype=np.int32)
        chosen: Codes = np.take(self.keys.keys[:, :length], places, axis=0)
        return chosen

    def alike(self, places: Places, length: int) -> Counts:
        """How many records have the same first cells as each drawn one, which is among them."""
        if not self.size:
            return np.zeros(len(places), dtype=np.int64)
        level = self._levels[length]
        found: Counts = level.counts[level.of_key[places]]
        return found

    def sharing(self, codes: Codes, length: int) -> Counts:
        """Column j: how many records share the first j cells with each row of codes, j = 0, …, length."""
        shared = np.empty((len(codes), length + 1), dtype=np.int64, order="F")
        shared[:, 0] = self.size
        found = np.zeros(len(codes), dtype=np.int64)
        for place, level in enumerate(self._levels[1 : length + 1]):
            found = level.find(found, codes[:, place])
            shared[:, place + 1] = level.counts[found]
        return shared


def _levels(keys: KeyCounts) -> tuple[_Level, ...]:
    """Keys are in increasing order, so a beginning is a run of neighbours."""
    of_key = np.zeros(len(keys.counts), dtype=np.int64)
    levels = [_level(1, of_key, of_key, keys.counts)]
    for place, axis in enumerate(keys.axes):
        edge = of_key * axis.size + keys.keys[:, place]
        of_key = np.cumsum(np.diff(edge, prepend=edge[:1]) != 0)
        levels.append(_level(axis.size, of_key, edge, keys.counts))
    return tuple(levels)


def _level(size: int, of_key: NDArray[np.int64], edge: NDArray[np.int64], counts: Counts) -> _Level:
    """One more entry, at the end, stands for beginnings that nobody has: its edge matches nothing, its count is 0."""
    firsts = np.flatnonzero(np.diff(of_key, prepend=-1))
    edges, totals = np.append(edge[firsts], -1), np.zeros(len(firsts) + 1, dtype=np.int64)
    if len(firsts):
        totals[:-1] = np.add.reduceat(counts, firsts)
    return _Level(size, edges, totals, of_key)


def uniform(count: int, below: int, noise: Noise) -> NDArray[np.int64]:
    """Exactly uniform numbers: words from the last, incomplete, stretch of `below` numbers are drawn again."""
    words = np.array(noise.words(count))
    last = np.uint64(_WORDS - _WORDS % below - 1)
    while (again := np.flatnonzero(words > last)).size:
        words[again] = noise.words(again.size)
    return _remainders(words, below)


def _remainders(words: Words, below: int) -> NDArray[np.int64]:
    return (words % np.uint64(below)).astype(np.int64)
