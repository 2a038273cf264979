"""Dependencies: which tables of several columns the current model misses most, beyond what their noise would add."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.cliques import Group, JunctionTree, growth
from reaedp.synthesis.coarsening import VIEWS, Coarsening
from reaedp.synthesis.interactions import WIDEST
from reaedp.synthesis.merging import Floats, Merging

#: Mean of |x| for noise of scale one.
_MEAN_NOISE = math.sqrt(2 / math.pi)
#: A table is of no use if its noise would move more than this share of all rows.
_MOST_NOISE = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table that could be measured: some columns, each in one of its views."""

    group: Group
    views: tuple[int, ...]

    def mergings(self, coarsenings: Sequence[Coarsening]) -> tuple[Merging, ...]:
        """From coarse cells to the table's."""
        return tuple(coarsenings[column].views[view] for column, view in zip(self.group, self.views, strict=True))


@dataclass(frozen=True, slots=True)
class Dependence:
    """A chosen table, and how many rows of it the model had in wrong cells, as far as its noise shows."""

    columns: tuple[str, ...]
    cells: int
    misplaced: float


def possible_tables(sizes: Sequence[int]) -> int:
    """How many candidates columns of this many cells can have: views of pairs, and wider groups."""
    views = [1 + sum(size > fewer for fewer in VIEWS) for size in sizes]
    pairs = sum(first * second for first, second in combinations(views, 2))
    return pairs + sum(math.comb(len(sizes), width) for width in range(3, WIDEST + 1))


def candidates(groups: Iterable[Group], coarsenings: Sequence[Coarsening], most: float) -> list[Candidate]:
    """Every combination of views of every group that has at most this many cells."""
    found = []
    for group in groups:
        for views in product(*(range(len(coarsenings[column].views)) for column in group)):
            candidate = Candidate(group, views)
            if math.prod(merging.size for merging in candidate.mergings(coarsenings)) <= most:
                found.append(candidate)
    return found


def most_cells(total: float, scale: float) -> float:
    """The size of a table whose noise moves as many rows as may be."""
    return _MOST_NOISE * total / (_MEAN_NOISE * scale)


def coarse_counts(
    records: Cells, names: Sequence[str], groups: Sequence[Group], coarsenings: Sequence[Coarsening]
) -> Iterator[tuple[Group, Integers]]:
    """Exact counts over coarse cells, all from one pass over the rows; private.

    `names` tells what is counted for each number; several numbers may stand for the same column.
    """
    asked: dict[tuple[str, ...], list[Group]] = {}
    for group in groups:
        asked.setdefault(tuple(sorted(names[number] for number in group)), []).append(group)
    for key, found in records.group_counts(list(asked)):
        for group in asked[key]:
            counts = np.zeros(tuple(coarsenings[number].size for number in group), dtype=np.int64)
            axes = [key.index(names[number]) for number in group]
            cells = (
                coarsenings[number].merging.cell[found.keys[:, axis]] for number, axis in zip(group, axes, strict=True)
            )
            np.add.at(counts, tuple(cells), found.counts)
            yield group, counts


def scores(
    chances: Sequence[Candidate],
    counts: Mapping[Group, Integers],
    coarsenings: Sequence[Coarsening],
    beliefs: Beliefs,
    *,
    total: float,
    scale: float,
) -> Integers:
    """Rows by which table and model differ (L1), less what noise of this scale would add; private.

    What the model expects is rounded to whole rows first, so that all of this is exact and one row more or less
    moves a score by at most one.
    """
    differences = {
        group: counts[group].astype(np.float64) - np.rint(total * beliefs.marginal(group))
        for group in dict.fromkeys(candidate.group for candidate in chances)
    }
    views = [_Views.of(coarsening) for coarsening in coarsenings]
    moved = {group: _moved(table, [views[column] for column in group]) for group, table in differences.items()}

    def score(offer: Candidate) -> int:
        cells = math.prod(views[column].sizes[view] for column, view in zip(offer.group, offer.views, strict=True))
        return int(moved[offer.group][offer.views]) - round(_MEAN_NOISE * scale * cells)

    return np.array([score(offer) for offer in chances], dtype=np.int64)


class _Views(NamedTuple):
    """All views of a column, one below another: `members` has a row for each of their cells, with ones at its own."""

    members: Floats
    starts: list[int]
    sizes: list[int]

    @classmethod
    def of(cls, coarsening: Coarsening) -> "_Views":
        sizes = [view.size for view in coarsening.views]
        rows = [np.eye(coarsening.size) if view.members is None else view.members for view in coarsening.views]
        return cls(np.concatenate(rows), [sum(sizes[:place]) for place in range(len(sizes))], sizes)


def _moved(difference: Floats, views: Sequence[_Views]) -> Floats:
    """Sums of |difference| over the merged cells of every combination of views; whole numbers stay exact."""
    for each in views:  # views of the first axis take the last place: after all of them the order is as before
        difference = np.tensordot(difference, each.members, axes=(0, 1))
    sums: Floats = np.abs(difference)
    for axis, each in enumerate(views):
        sums = np.add.reduceat(sums, each.starts, axis=axis)
    return sums


def affordable(tree: JunctionTree, most: int, groups: Sequence[Group]) -> set[Group]:
    """The groups whose columns can share a clique while the junction tree stays below this many cells."""
    pairs = _growths(tree)
    found: set[Group] = set()
    for width in {len(group) for group in groups}:
        alike = [group for group in groups if len(group) == width]
        cost = _costs(np.array(tree.sizes, dtype=np.float64), pairs, np.array(alike))
        found |= {alike[place] for place in np.flatnonzero((cost <= most - tree.cells) | (cost == 0))}
    return found


def _growths(tree: JunctionTree) -> Floats:
    """Cells that it takes at most to connect each pair; none within a clique."""
    columns = range(len(tree.sizes))
    pairs = np.zeros((len(columns), len(columns)))
    for one in columns:
        for other, cost in growth(tree, one).items():
            pairs[one, other] = cost
    return np.where((pairs == 0) | (pairs.T == 0), 0.0, np.minimum(pairs, pairs.T))


def _costs(sizes: Floats, pairs: Floats, groups: NDArray[np.intp]) -> Floats:
    """Cells that it takes about to connect groups: small columns first, on ways that those before have widened.

    Columns that are all connected with each other share a clique, as the graph of a junction tree is chordal.
    """
    groups = np.take_along_axis(groups, np.argsort(sizes[groups], axis=1, kind="stable"), axis=1)
    cost: Floats = pairs[groups[:, 0], groups[:, 1]]
    apart = cost > 0
    for place in range(2, groups.shape[1]):
        column, inside = groups[:, place], groups[:, :place]
        whole = sizes[inside].prod(axis=1)
        ways = pairs[column[:, None], inside]
        apart |= (ways > 0).any(axis=1)
        cost = cost + whole * (ways / sizes[inside]).max(axis=1) + whole * sizes[column]
    return np.where(apart, cost, 0.0)


def misplaced(noisy: Integers, expected: Floats, scale: float) -> float:
    """Half the L1 distance less what the noise adds to it; an estimate from released numbers."""
    return max(0.0, float(np.abs(noisy - expected).sum()) - _MEAN_NOISE * scale * noisy.size) / 2
