"""Rows from a model by systematic sampling: in every situation cells get their expected share, rounded at random once.

Rows drawn independently would add the noise of sampling to that of the model; here counts differ from their
expectation by less than one row in each situation.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.cliques import cells
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.model import Codes

#: Rows made together; few enough to stay in the processor's cache.
_BLOCK = 1 << 17


def rows(beliefs: Beliefs, coarsenings: Sequence[Coarsening], count: int, rng: np.random.Generator) -> Codes:
    """So many rows of declared cells."""
    codes: Codes = np.empty((count, len(coarsenings)), dtype=np.int32)
    for block in np.array_split(codes, max(1, -(-count // _BLOCK))):
        coarse = coarse_rows(beliefs, len(block), rng)
        for column, coarsening in enumerate(coarsenings):
            block[:, column] = _declared(coarse[column], coarsening, rng)
    return codes


def coarse_rows(beliefs: Beliefs, count: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Coarse cells, an array for each column: clique by clique, each given the columns that are known by then."""
    tree = beliefs.tree
    drawn: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)] * len(tree.sizes)
    for clique, belief, known in zip(tree.cliques, beliefs.cliques, tree.separators, strict=True):
        new = tuple(column for column in clique if column not in known)
        order = [clique.index(column) for column in known + new]
        law = belief.transpose(order).reshape(cells(tree.sizes, known), -1)
        situation = np.ravel_multi_index([drawn[column] for column in known], tree.shape(known)) if known else None
        chosen = systematic(law, situation, count, rng)
        for column, values in zip(new, np.unravel_index(chosen, tree.shape(new)), strict=True):
            drawn[column] = values
    return drawn


def _declared(coarse: NDArray[np.intp], coarsening: Coarsening, rng: np.random.Generator) -> NDArray[np.intp]:
    """A declared cell within each coarse one, in proportion to the column's own table."""
    cell = coarsening.merging.cell
    if coarsening.size == len(cell):
        return np.argsort(cell)[coarse]
    law = np.zeros((coarsening.size, len(cell)))
    law[cell, np.arange(len(cell))] = coarsening.shares
    return systematic(law, coarse, len(coarse), rng)


def systematic(
    law: Floats, situation: NDArray[np.intp] | None, count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """A cell for each row from its situation's law (a row of `law`); who gets which is random."""
    order = rng.permutation(count)
    if situation is not None:
        keys = situation[order]
        # Sixteen bits are sorted by counting.
        keys = keys.astype(np.uint16) if len(law) <= 2**16 else keys
        order = order[np.argsort(keys, kind="stable")]
    rows_each = np.bincount(situation, minlength=len(law)) if situation is not None else np.array([count])
    ends = np.cumsum(law, axis=1)
    ends /= np.maximum(ends[:, -1:], np.finfo(np.float64).tiny)
    ends[:, -1] = 1.0
    # Row r of n takes the cell in which (r + u) / n falls: cell j is taken by the rows up to its end.
    taken = np.clip(np.ceil(ends * rows_each[:, None] - rng.random((len(law), 1))), 0, rows_each[:, None])
    taken[:, -1] = rows_each
    each: NDArray[np.intp] = np.diff(taken, axis=1, prepend=0).astype(np.intp)
    chosen = np.empty(count, dtype=np.intp)
    chosen[order] = np.repeat(np.tile(np.arange(law.shape[1]), len(law)), each.ravel())
    return chosen
