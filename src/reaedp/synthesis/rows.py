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

Places = NDArray[np.intp]

#: Rows made together; few enough to stay in the processor's cache.
_BLOCK = 1 << 17


def rows(beliefs: Beliefs, coarsenings: Sequence[Coarsening], count: int, rng: np.random.Generator) -> Codes:
    """Draw a number of rows of declared cells."""
    codes: Codes = np.empty((count, len(coarsenings)), dtype=np.int32)
    for block in np.array_split(codes, max(1, -(-count // _BLOCK))):
        coarse = coarse_rows(beliefs, len(block), rng)
        for column, coarsening in enumerate(coarsenings):
            block[:, column] = _declared(coarse[column], coarsening, rng)
    return codes


def coarse_rows(beliefs: Beliefs, count: int, rng: np.random.Generator) -> list[Places]:
    """Coarse cells, an array for each column: clique by clique, each given the columns that are known by then."""
    tree = beliefs.tree
    drawn: list[Places] = [np.zeros(0, dtype=np.intp)] * len(tree.sizes)
    for clique, belief, known in zip(tree.cliques, beliefs.cliques, tree.separators, strict=True):
        new = tuple(column for column in clique if column not in known)
        order = [clique.index(column) for column in known + new]
        law = belief.transpose(order).reshape(cells(tree.sizes, known), -1)
        situation = np.zeros(count, dtype=np.intp)
        for column in known:
            situation = situation * tree.sizes[column] + drawn[column]
        owner = np.repeat(np.arange(len(law)), law.shape[1])
        chosen = systematic(_ends(law), owner, situation, rng) - situation * law.shape[1]
        for column, values in zip(new, np.unravel_index(chosen, tree.shape(new)), strict=True):
            drawn[column] = values
    return drawn


def _ends(law: Floats) -> Floats:
    """Shares of each situation up to and with each cell."""
    ends = np.cumsum(law, axis=1)
    # A situation that never occurs has no law; its rows, if rounding brings any, get the last cell.
    ends /= np.maximum(ends[:, -1:], np.finfo(np.float64).tiny)
    ends[:, -1] = 1.0
    return ends.ravel()


def _declared(coarse: Places, coarsening: Coarsening, rng: np.random.Generator) -> Places:
    """A declared cell within each coarse one, in proportion to the column's own table."""
    order = np.argsort(coarsening.merging.cell, kind="stable")
    if coarsening.size == len(order):
        return order[coarse]
    owner = coarsening.merging.cell[order]
    ends = np.cumsum(coarsening.shares[order])
    last = np.flatnonzero(np.diff(owner, append=coarsening.size))
    start = np.concatenate([[0.0], ends[last[:-1]]])
    ends = (ends - start[owner]) / (ends[last] - start)[owner]
    return order[systematic(ends, owner, coarse, rng)]


def systematic(ends: Floats, owner: Places, situation: Places, rng: np.random.Generator) -> Places:
    """A cell for each row, in proportion to its situation's law; cell i belongs to situation `owner[i]`.

    The n rows of a situation stand at (r + u) / n, r = 0, …, n - 1, with one random u, and take the cell in whose part
    of the law they stand; which row stands where is random.
    """
    situations = int(owner[-1]) + 1
    order = rng.permutation(len(situation))
    keys = situation[order]
    # Sixteen bits are sorted by counting.
    order = order[np.argsort(keys.astype(np.uint16) if situations <= 2**16 else keys, kind="stable")]
    rows_each = np.bincount(situation, minlength=situations)
    before = np.cumsum(rows_each) - rows_each
    here = rows_each[owner]
    taken = np.clip(np.ceil(ends * here - rng.random(situations)[owner]), 0, here).astype(np.intp)
    chosen = np.empty(len(situation), dtype=np.intp)
    chosen[order] = np.repeat(np.arange(len(ends)), np.diff(before[owner] + taken, prepend=0))
    return chosen
