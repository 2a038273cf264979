"""Likely counts: what the noisy counts of a table most likely stand for, given what a model expects of each cell.

Most cells of a table that no model holds are empty, and a few have all rows. How often a cell has what multiple of the
rows that are expected of it, the table itself tells, as makes its noisy counts most likely (Kiefer and Wolfowitz 1956).
"""

import numpy as np

from reaedp.synthesis.merging import Floats

#: How many times the expected rows a cell may have, besides none.
_POSSIBLE = np.concatenate([[0.0], np.geomspace(1 / 32, 256, 40)])
#: Cells in which less of the noise is expected tell nothing, and stay as expected.
_TELLING = 0.02
#: A count of so many standard deviations of its noise speaks for itself: multiples are further apart than its noise.
_SURE = 10.0
#: No cell has less than this share of the rows that are expected, so that there is a law whatever the counts are.
_FLOOR = 1e-9
#: No multiple is rarer, as a cell that was not looked at may have it.
_RAREST = 1e-12
#: Rounds until it is found how often each multiple occurs, and cells from which it is found; cells read together.
_ROUNDS, _SEEN, _BLOCK = 60, 1 << 12, 1 << 14


def likely(noisy: Floats, expected: Floats, scale: float) -> Floats:
    """The mean of what each cell may have, given its noisy count; above zero where rows are expected."""
    found = expected.copy()
    telling = expected > _TELLING * scale
    # Far below zero all multiples are as unlikely as each other, but for rounding.
    counts, rows = np.maximum(noisy[telling], -_SURE * scale), expected[telling]
    if not len(rows):
        return found
    seen = np.linspace(0, len(rows) - 1, min(len(rows), _SEEN)).astype(np.intp)
    chances, prior = _chances(counts[seen], rows[seen], scale), np.full(len(_POSSIBLE), 1 / len(_POSSIBLE))
    for _ in range(_ROUNDS):  # expectation and maximisation
        prior = np.maximum(prior * ((1 / (chances @ prior)) @ chances) / len(seen), _RAREST)
    means = np.empty(len(rows))
    for first in range(0, len(rows), _BLOCK):
        block = slice(first, first + _BLOCK)
        given = _chances(counts[block], rows[block], scale) * prior
        means[block] = (given @ _POSSIBLE) / given.sum(axis=1)
    found[telling] = np.maximum(np.where(counts > _SURE * scale, counts, rows * means), _FLOOR * rows)
    return found


def _chances(counts: Floats, rows: Floats, scale: float) -> Floats:
    """Of every multiple, a row for each noisy count; the largest of a row is one."""
    squares = ((counts[:, None] - rows[:, None] * _POSSIBLE) / scale) ** 2 / 2
    found: Floats = np.exp(squares.min(axis=1, keepdims=True) - squares)
    return found
