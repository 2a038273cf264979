"""Shrinkage: what noisy counts of cells without an order most likely stand for, given all of them together.

Each low cell's count is the mean of what it may be, by the prior that makes the noisy counts of all low cells most
likely (Robbins 1956; Kiefer and Wolfowitz 1956). Where most cells are empty, a count that noise could have made counts
for little; where all are alike, they are levelled. Everything here is computed from a noisy table of the column alone.
"""

import math

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.merging import Floats

#: A count of so many standard deviations of its noise speaks for itself.
_SURE = 4.0
#: Counts that a low cell may have, in standard deviations of the noise, besides none.
_POSSIBLE = np.concatenate([[0.0], np.geomspace(0.02, _SURE + 1, 48)])
#: Noisy counts are taken together in steps of a quarter of the noise, to find the prior; rounds until it is found.
_STEP, _ROUNDS = 0.25, 100


def shrunk(rows: Floats, scale: float, regular: int, total: float | None) -> Floats:
    """Likely rows of each cell, none of the first `regular` ones negative; the others stay as they are.

    How many rows the low cells have together, their own sum tells, and so does what the others leave of the `total`,
    each with the noise of its cells: the weighted mean of both is the best guess.
    """
    low: NDArray[np.bool_] = (rows < _SURE * scale) & (np.arange(len(rows)) < regular)
    if not low.any():
        return rows
    few, many, together = int((~low).sum()), int(low.sum()), float(rows[low].sum())
    if total is not None:
        together = (few * together + many * (total - float(rows[~low].sum()))) / (few + many)
    means = _posterior_means(rows[low] / scale)
    likely = rows.copy()
    likely[low] = max(together, 0.0) * means / means.sum()
    return likely


def _posterior_means(counts: Floats) -> Floats:
    """The mean of each cell's count given its noisy one, both in standard deviations of the noise; all above zero."""
    # Far below zero all possible counts are as unlikely as each other, but for rounding.
    counts = np.maximum(counts, -_SURE - math.sqrt(2 * math.log(1 + len(counts))))
    step = np.rint(counts / _STEP).astype(np.intp)
    first = int(step.min())
    weights = np.bincount(step - first).astype(np.float64)
    seen = np.flatnonzero(weights)
    likelihood, weights = _likelihood(_STEP * (seen + first).astype(np.float64)), weights[seen] / len(counts)
    prior = np.full(len(_POSSIBLE), 1 / len(_POSSIBLE))
    for _ in range(_ROUNDS):  # expectation and maximisation
        prior = prior * ((weights / (likelihood @ prior)) @ likelihood)
    given = _likelihood(counts) * prior
    means: Floats = (given @ _POSSIBLE) / given.sum(axis=1)
    return np.maximum(means, np.finfo(float).tiny)


def _likelihood(counts: Floats) -> Floats:
    """Of every possible count, a row for each noisy one; the largest of a row is one."""
    squares = (counts[:, None] - _POSSIBLE) ** 2 / 2
    found: Floats = np.exp(squares.min(axis=1, keepdims=True) - squares)
    return found
