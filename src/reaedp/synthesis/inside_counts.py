"""Counts inside merged cells: which columns could be counted in declared cells together with another, and what for.

When most tables are there, the declared cells of columns whose cells were merged are looked at together with the few
columns that the model says are closest to them, and offered beside further tables.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from reaedp.answer import Integers
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.dependencies import MEAN_NOISE, price_of
from reaedp.synthesis.inner_cells import Known, inner
from reaedp.synthesis.known_fits import rough
from reaedp.synthesis.merging import Floats
from reaedp.table import KeyCounts

#: Columns that are tried as the parent of each: those that the model says tell most about it.
PARENTS, FEW_PARENTS = 6, 2
#: Merged cells with a smaller share of the rows are left as they are.
LEAST = 0.02
#: Declared cells times coarse cells of a parent, at most.
MOST_CELLS = 1 << 18
#: Expected rows are rounded to such parts of one.
PARTS = 64


class InnerOffer(NamedTuple):
    """Inner cells that could be counted: exact counts and the score in rows are private, the price is public."""

    column: int
    parent: int
    exact: Integers
    score: int
    price: float


@dataclass(frozen=True, eq=False)
class InsideCounts:
    """Exact counts of declared cells of a column and coarse cells of its parent, by the numbers of both; private."""

    counts: Mapping[tuple[int, int], Integers] = field(repr=False)

    @classmethod
    def of(cls, records: Cells, names: tuple[str, ...], known: Known) -> "InsideCounts":
        """Of columns with merged cells, each with those that the model says are closest to it."""
        asked: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for pair in _pairs(known):
            asked.setdefault(tuple(sorted(names[each] for each in pair)), []).append(pair)
        counted = records.group_counts(list(asked)) if asked else ()
        return cls(
            {
                pair: _table(found, [key.index(names[each]) for each in pair], *(known.coarsenings[e] for e in pair))
                for key, found in counted
                for pair in asked[key]
            },
        )

    def offers(self, known: Known, scale: float, own: Sequence[float]) -> list[InnerOffer]:
        """What each of them would win: rows (L1) that lie otherwise than expected, beyond chance and noise.

        Noise is that of the table, and `own`, that of each column's own counts: of rows that lie otherwise for that
        reason no table of two columns is better. Expected rows are rounded to 64ths. One row more or less moves the sum
        by at most 64 of them, and whole rows by at most one.
        """
        found = []
        for (column, parent), exact in self.counts.items():
            inside = inner(known.coarsenings[column])
            expected = known.expected(column, parent)[inside]
            moved = int(np.abs(PARTS * exact[inside] - np.rint(PARTS * expected).astype(np.int64)).sum()) // PARTS
            added = float(np.minimum(expected, MEAN_NOISE * scale).sum())
            price = float(price_of(np.array(added), scale))
            noise = np.minimum(expected.sum(axis=1), MEAN_NOISE * own[column]).sum()
            score = moved - round(_by_chance(expected) + noise + added / math.sqrt(price))
            found.append(InnerOffer(column, parent, exact, score, price))
        return found


def _pairs(known: Known) -> Iterator[tuple[int, int]]:
    """Columns with merged cells, each with columns that may tell where in them rows lie; by public numbers."""
    columns = range(len(known.coarsenings))
    for column, coarse in enumerate(known.coarsenings):
        if coarse.shares[inner(coarse)].sum() >= LEAST:
            most = MOST_CELLS // len(coarse.shares)
            others = [other for other in columns if other != column and 1 < known.coarsenings[other].size <= most]
            closest = sorted(others, key=lambda other: (-_closeness(known.joint(column, other)), other))
            yield from ((column, other) for other in closest[: FEW_PARENTS if rough() else PARENTS])


def _closeness(law: Floats) -> float:
    """How far two columns are from independence."""
    return float(np.abs(law - law.sum(axis=1)[:, None] * law.sum(axis=0)).sum())


def _table(found: KeyCounts, places: Sequence[int], coarse: Coarsening, parent: Coarsening) -> Integers:
    """Declared cells of the first column by coarse cells of the second; sums of whole numbers below 2^53 are exact."""
    shape = len(coarse.shares), parent.size
    own, other = (found.keys[:, place].astype(np.intp) for place in places)
    counts = np.bincount(own * parent.size + parent.merging.cell[other], found.counts, math.prod(shape))
    return counts.astype(np.int64).reshape(shape)


def _by_chance(expected: Floats) -> float:
    """About how many rows lie otherwise if all are independent: the mean distance of Poisson's law from its mean."""
    return float(np.minimum(MEAN_NOISE * np.sqrt(expected), 2 * expected).sum())
