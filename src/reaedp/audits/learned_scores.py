"""Scores learned from runs, for mechanisms whose likelihood ratio nobody knows.

Two are tried. One adds up the evidence of single numbers, read off histograms of both worlds: the likelihood ratio of
independent noise. The other looks along the direction that separates the worlds best (Fisher's discriminant), which
also finds directions without any noise.
"""

import numpy as np

from reaedp.audits.pair import Floats, Outputs, Score

#: Bins of a histogram; values that occur often have bins of their own.
BINS = 32
#: Added to each variance, relative to the largest: a direction without noise stays a direction.
_RIDGE = 1e-12
#: Added to each count, so that an empty bin is weak evidence.
_HALF = 0.5
#: Distances of two empirical laws beyond this, times the root of 1/n + 1/m, are seen by chance once in a hundred.
_SEEN_BY_CHANCE = 1.63


def learned_scores(first: Outputs, second: Outputs) -> tuple[Score, Score]:
    """Fit on outputs of both worlds; choose and judge on others."""
    return _number_by_number(first, second), _along_a_direction(first, second)


def _number_by_number(first: Outputs, second: Outputs) -> Score:
    worlds = _features(first), _features(second)
    tables = {column: _ratios(*(world[:, column] for world in worlds)) for column in range(worlds[0].shape[1])}
    kept = {column: table for column, table in tables.items() if table is not None}

    def score(outputs: Outputs) -> Floats:
        features, total = _features(outputs), np.zeros(len(outputs))
        for column, (edges, ratios) in kept.items():
            total += ratios[np.searchsorted(edges, features[:, column])]
        return total

    return score


def _along_a_direction(first: Outputs, second: Outputs) -> Score:
    direction = _direction(_features(first), _features(second))

    def along(outputs: Outputs) -> Floats:
        return _features(outputs) @ direction

    table = _ratios(along(first), along(second))
    if table is None:
        return lambda outputs: np.zeros(len(outputs))
    edges, ratios = table
    return lambda outputs: ratios[np.searchsorted(edges, along(outputs))]


def _features(outputs: Outputs) -> Floats:
    """Numbers, and whether each of them is one."""
    flat = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
    finite = np.isfinite(flat)
    return np.concatenate([np.where(finite, flat, 0.0), ~finite], axis=1)


def _ratios(first: Floats, second: Floats) -> tuple[Floats, Floats] | None:
    """Edges and the logarithms of the ratios between them; nothing if chance alone may have made the difference."""
    edges = _edges(np.concatenate([first, second]))
    counts = [np.bincount(np.searchsorted(edges, world), minlength=len(edges) + 1) for world in (first, second)]
    shares = [count / max(count.sum(), 1) for count in counts]
    noise = _SEEN_BY_CHANCE * np.sqrt(1 / max(len(first), 1) + 1 / max(len(second), 1))
    if np.abs(np.cumsum(shares[1] - shares[0])).max() <= noise:
        return None
    smooth = [np.log((count + _HALF) / (count + _HALF).sum()) for count in counts]
    return edges, smooth[1] - smooth[0]


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
