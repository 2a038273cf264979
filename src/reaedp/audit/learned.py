"""A score learned from runs, for mechanisms whose likelihood ratio nobody knows.

Outputs are projected onto the direction that separates the two worlds best (Fisher's discriminant, which also finds
directions without any noise), and the likelihood ratio is read off histograms of both worlds along it.
"""

import numpy as np

from reaedp.audit.pair import Floats, Outputs, Score

#: Bins of the histograms; values that occur often have bins of their own.
BINS = 64
#: Added to each variance, relative to the largest: a direction without noise stays a direction.
_RIDGE = 1e-12
#: Added to each count, so that an empty bin is weak evidence.
_HALF = 0.5


def learned_score(first: Outputs, second: Outputs) -> Score:
    """Fit on outputs of both worlds; judge it on others."""
    direction = _direction(_features(first), _features(second))

    def along(outputs: Outputs) -> Floats:
        return _features(outputs) @ direction

    low, high = along(first), along(second)
    edges = _edges(np.concatenate([low, high]))
    counts = [np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1) + _HALF for values in (low, high)]
    ratio = np.log(counts[1] / counts[1].sum()) - np.log(counts[0] / counts[0].sum())
    return lambda outputs: ratio[np.searchsorted(edges, along(outputs))]


def _features(outputs: Outputs) -> Floats:
    """Numbers, and whether each of them is one."""
    flat = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
    finite = np.isfinite(flat)
    return np.concatenate([np.where(finite, flat, 0.0), ~finite], axis=1)


def _direction(first: Floats, second: Floats) -> Floats:
    """Pooled covariance⁻¹ (mean of the second - mean of the first), in units of each feature's spread."""
    both = np.concatenate([first, second])
    spread = both.std(axis=0)
    kept = spread > 0
    direction = np.zeros(both.shape[1])
    if not kept.any():
        return direction
    scaled = [world[:, kept] / spread[kept] for world in (first, second)]
    means = [world.mean(axis=0) for world in scaled]
    centred = np.concatenate([world - mean for world, mean in zip(scaled, means, strict=True)])
    covariance = centred.T @ centred / len(centred) + _RIDGE * np.eye(int(kept.sum()))
    direction[kept] = np.linalg.solve(covariance, means[1] - means[0]) / spread[kept]
    return direction


def _edges(values: Floats) -> Floats:
    """Between neighbouring quantiles; each of few distinct values has a bin of its own."""
    distinct = np.unique(values)
    if len(distinct) > BINS:
        distinct = np.unique(np.quantile(values, np.linspace(0, 1, BINS)))
    middle: Floats = (distinct[1:] + distinct[:-1]) / 2
    return middle
