"""Inner cells: the declared cells within a column's merged ones, counted in each of a few cells of another column.

A merged cell of departure times says little of the minute; together with the column of minutes it says nearly all. Most
of such tables are empty, and a few cells have all rows: counts are read by how many others of the table are alike. All
in here was released or is public.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.likely_counts import likely
from reaedp.synthesis.merging import Floats

#: Rounds of scaling rows and columns of a table to what the model expects of both.
_SCALINGS = 20
#: Rows that keep every law positive.
_FLOOR = 1e-9


class Known(NamedTuple):
    """The law of coarse cells, what they are made of, and the number of rows."""

    beliefs: Beliefs
    coarsenings: Sequence[Coarsening]
    total: float

    def joint(self, column: int, other: int) -> Floats:
        """The law of two columns' coarse cells."""
        law = self.beliefs.marginal((min(column, other), max(column, other)))
        return law if column < other else law.T

    def expected(self, column: int, other: int, law: Floats | None = None) -> Floats:
        """Rows in declared cells of a column, in each coarse cell of another: at least a trace.

        Within coarse cells they have this `law`, or the column's own shares.
        """
        coarse, joint = self.coarsenings[column], self.joint(column, other)
        cell = coarse.merging.cell
        own = (coarse.shares / coarse.coarse_shares[cell])[:, None] if law is None else law
        found: Floats = np.maximum(self.total * joint[cell] * own, _FLOOR)
        return found


@dataclass(frozen=True, eq=False)
class InnerCells:
    """Noisy counts of all declared cells of a column, with a column for each coarse cell of its `parent`."""

    column: int
    parent: int
    counts: Floats
    scale: float

    def law(self, known: Known) -> Floats:
        """The shares of declared cells within their coarse ones, in each coarse cell of the parent.

        All together have the column's own shares.
        """
        coarse = known.coarsenings[self.column]
        order = np.argsort(coarse.merging.cell, kind="stable")
        cell, inside = coarse.merging.cell[order], inner(coarse)[order]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        expected = known.expected(self.column, self.parent)[order]
        rows = expected.copy()
        rows[inside] = likely(self.counts[order][inside], expected[inside], self.scale)
        for _ in range(_SCALINGS):
            rows *= (expected.sum(axis=1) / rows.sum(axis=1))[:, None]
            rows *= (np.add.reduceat(expected, starts) / np.add.reduceat(rows, starts))[cell]
        law = np.empty_like(rows)
        law[order] = rows / np.add.reduceat(rows, starts)[cell]
        return law

    def replayed(self, known: Known, rng: np.random.Generator) -> "InnerCells":
        """The counts that the model expects, with fresh noise."""
        expected = known.expected(self.column, self.parent, self.law(known))
        return replace(self, counts=rng.normal(expected, self.scale))


def inner(coarse: Coarsening) -> NDArray[np.bool_]:
    """Which declared cells share a coarse one with others."""
    found: NDArray[np.bool_] = np.bincount(coarse.merging.cell)[coarse.merging.cell] > 1
    return found
