"""Dependencies: which tables of several columns the current model misses most, beyond what their noise would add."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from reaedp.answer import Integers
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.cliques import Group
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.merging import Floats, Merging

#: Mean of |x| for noise of scale one.
MEAN_NOISE = math.sqrt(2 / math.pi)
#: Cells of a table that costs the price of a round. The errors of several tables together are least if prices grow like
#: the power ⅔ of their cells; beyond these limits tables would be all noise, or one would take what others need.
PLAIN_TABLE, GROWTH = 32, 2 / 3
CHEAPEST, DEAREST = 0.1, 1.5
#: A table is of no use if its noise would move more than this share of all rows.
_MOST_NOISE = 0.5
#: Cells of a column, at most, in tables of three and more columns: a view of about eight, and those of troubles.
FEW = 12


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


class Scores(NamedTuple):
    """Of each candidate: rows that its table would win, which are private, and its price in prices of a plain one."""

    rows: Integers
    prices: Floats


def candidates(groups: Iterable[Group], coarsenings: Sequence[Coarsening], most: float) -> list[Candidate]:
    """Every combination of views in which a group is looked at, if it has at most this many cells."""
    found = []
    for group in groups:
        looked_at = [_places(coarsenings[column], len(group)) for column in group]
        sizes = [
            [coarsenings[column].views[view].size for view in views]
            for column, views in zip(group, looked_at, strict=True)
        ]
        for views, each in zip(product(*looked_at), product(*sizes), strict=True):
            if math.prod(each) <= most:
                found.append(Candidate(group, views))
    return found


def first_view(coarsening: Coarsening, width: int) -> int:
    """The finest view in which a column is looked at together with others: few cells if they are many."""
    views = coarsening.views if width > 2 else coarsening.views[:1]
    return next((place for place, view in enumerate(views) if view.size <= FEW), 0)


@lru_cache(maxsize=1024)
def _places(coarsening: Coarsening, width: int) -> tuple[int, ...]:
    """Views whose cells are unions of the first one's."""
    first = coarsening.views[first_view(coarsening, width)]
    return tuple(place for place, view in enumerate(coarsening.views) if view.follows(first))


def most_cells(total: float, scale: float) -> float:
    """The size of a table whose noise moves as many rows as may be."""
    return _MOST_NOISE * total / (MEAN_NOISE * scale)


def view_counts(
    records: Cells, names: Sequence[str], groups: Sequence[Group], coarsenings: Sequence[Coarsening]
) -> Iterator[tuple[Group, Integers]]:
    """Exact counts over the cells of first views, all from one pass over the rows; private."""
    asked = {tuple(sorted(names[column] for column in group)): group for group in groups}
    for key, found in records.group_counts(list(asked)):
        group = asked[key]
        views = [coarsenings[column].views[first_view(coarsenings[column], len(group))] for column in group]
        cell = np.zeros(len(found.counts), dtype=np.intp)
        for column, view in zip(group, views, strict=True):
            own = view.cell[coarsenings[column].merging.cell[found.keys[:, key.index(names[column])]]]
            cell = cell * view.size + own
        shape = tuple(view.size for view in views)
        # Sums of whole numbers below 2^53 are exact.
        yield group, np.bincount(cell, found.counts, math.prod(shape)).astype(np.int64).reshape(shape)


def scores(
    chances: Sequence[Candidate],
    counts: Mapping[Group, Integers],
    coarsenings: Sequence[Coarsening],
    expected: Callable[[Group], Floats],
    scale: float,
) -> Scores:
    """Rows by which table and model differ (L1), less what noise would add, which has this scale in a plain table.

    Where the model expects fewer rows than the noise has, a fit that believes no noise leaves about as many: such cells
    count in part, for the noise and for the price. What the model expects over the cells of first views is rounded to
    whole rows first, so that all of this is exact and one row more or less moves a score by at most one.
    """
    views = [(_Views.of(each, 2), _Views.of(each, 3)) for each in coarsenings]
    rows, prices = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for group, offers in groupby(chances, lambda offer: offer.group):
        each = [views[column][len(group) > 2] for column in group]
        model = np.rint(expected(group))
        moved = _summed(counts[group].astype(np.float64) - model, each, np.abs)
        added = _summed(model, each, lambda rows: np.minimum(rows, MEAN_NOISE * scale))
        price = price_of(added, scale)
        own = moved.astype(np.int64) - np.rint(added / np.sqrt(price)).astype(np.int64)
        places = [[view.places[place] for view, place in zip(each, offer.views, strict=True)] for offer in offers]
        found = tuple(np.array(places).T)
        rows.append(own[found])
        prices.append(price[found])
    return Scores(np.concatenate(rows), np.concatenate(prices))


def price_of(added: Floats, scale: float) -> Floats:
    """The price of tables to which noise adds so many rows, in prices of a plain one."""
    price: Floats = np.clip((added / (MEAN_NOISE * scale * PLAIN_TABLE)) ** GROWTH, CHEAPEST, DEAREST)
    return price


class _Views(NamedTuple):
    """Views of a column, one below another: `members` has a row for each of their cells, with ones at its own."""

    #: By the place of a view among all of the column.
    places: dict[int, int]
    members: Floats
    starts: list[int]

    @classmethod
    def of(cls, coarsening: Coarsening, width: int) -> "_Views":
        places = _places(coarsening, width)
        first = coarsening.views[first_view(coarsening, width)]
        views = [coarsening.views[place].after(first) for place in places]
        sizes = [view.size for view in views]
        rows = [np.eye(first.size) if view.members is None else view.members for view in views]
        starts = [sum(sizes[:place]) for place in range(len(sizes))]
        return cls({view: place for place, view in enumerate(places)}, np.concatenate(rows), starts)


def _summed(rows: Floats, views: Sequence[_Views], of: Callable[[Floats], Floats]) -> Floats:
    """Sums of a function `of` the rows in merged cells, for every combination of views; whole numbers stay exact."""
    for each in views:  # views of the first axis take the last place: after all of them the order is as before
        first, *others = rows.shape
        rows = (rows.reshape(first, -1).T @ each.members.T).reshape(*others, -1)
    sums = of(rows)
    for axis, each in enumerate(views):
        sums = np.add.reduceat(sums, each.starts, axis=axis)
    return sums


def misplaced(noisy: Floats, expected: Floats, scale: float) -> float:
    """Half the L1 distance less what the noise adds to it; an estimate from released numbers."""
    return max(0.0, float(np.abs(noisy - expected).sum()) - MEAN_NOISE * scale * noisy.size) / 2
