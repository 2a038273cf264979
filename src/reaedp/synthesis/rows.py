"""Rows from a model by systematic sampling: in every situation cells get their expected share, rounded at random once.

Rows drawn independently would add the noise of sampling to that of the model; here counts differ from their
expectation by less than one row in each situation.
"""

from collections.abc import Sequence

import numpy as np

from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.draws import Draw, InnerLaw, Places, draws
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.model import Codes

#: Rows made together; few enough to stay in the processor's cache.
_BLOCK = 1 << 17


def rows(
    beliefs: Beliefs,
    coarsenings: Sequence[Coarsening],
    count: int,
    rng: np.random.Generator,
    inner: Sequence[InnerLaw] = (),
) -> Codes:
    """Draw a number of rows of declared cells."""
    codes: Codes = np.empty((count, len(coarsenings)), dtype=np.int32)
    order = draws(beliefs, coarsenings, inner)
    for block in np.array_split(codes, max(1, -(-count // _BLOCK))):
        drawn: dict[int, Places] = {}
        for draw in order:
            places = _drawn(draw, drawn, len(block), rng)
            drawn.update({variable: cells[places] for variable, cells in zip(draw.new, draw.cells, strict=True)})
        for column in range(len(coarsenings)):
            block[:, column] = drawn[len(beliefs.tree.sizes) + column]
    return codes


def _drawn(draw: Draw, drawn: dict[int, Places], count: int, rng: np.random.Generator) -> Places:
    situation = np.zeros(count, dtype=np.intp)
    for variable, size in zip(draw.known, draw.sizes, strict=True):
        situation *= size
        situation += drawn[variable]
    return systematic(draw.ends, draw.owner, situation, rng) if draw.certain is None else draw.certain[situation]


def systematic(ends: Floats, owner: Places, situation: Places, rng: np.random.Generator) -> Places:
    """A cell for each row, in proportion to its situation's law; cell i belongs to situation `owner[i]`.

    The n rows of a situation stand at (r + u) / n, r = 0, …, n - 1, with one random u, and take the cell in whose part
    of the law they stand; which row stands where is random.
    """
    situations = int(owner[-1]) + 1
    order = rng.permutation(len(situation))
    if situations > 1:
        # Eight bits, and sixteen, are sorted by counting.
        small = situation.astype(np.uint8 if situations <= 2**8 else np.uint16 if situations <= 2**16 else np.intp)
        order = order[np.argsort(small[order], kind="stable")]
    rows_each = np.bincount(situation, minlength=situations)
    before = np.cumsum(rows_each) - rows_each
    here = rows_each[owner]
    taken = np.clip(np.ceil(ends * here - rng.random(situations)[owner]), 0, here).astype(np.intp)
    chosen = np.empty(len(situation), dtype=np.intp)
    chosen[order] = np.repeat(np.arange(len(ends)), np.diff(before[owner] + taken, prepend=0))
    return chosen
