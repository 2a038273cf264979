"""Entropies that belong together: the nearest ones to noisy entropies that columns of one table could have."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

#: Searches, each with the triples that the one before it broke; more than two are seldom of use.
ROUNDS = 3
#: Steps of one search. It is within its tolerance much earlier unless noise hides nearly everything.
MOST_STEPS = 1000


class Inequalities(NamedTuple):
    """`rows` · x ≤ `bounds`; the rows are a sparse matrix."""

    rows: Any
    bounds: Floats


def consistent(noisy: Floats, limits: Floats, tolerance: float) -> Floats:
    """The nearest matrix of entropies, in least squares, with every pair counting its three entropies alike.

    Matrices have H(a, b) in row a and column b, and H(a) on the diagonal. The result satisfies
    0 ≤ H(a) ≤ limit of a and max(H(a), H(b)) ≤ H(a, b) ≤ H(a) + H(b), so 0 ≤ I(a; b) ≤ min(H(a), H(b)); and up to
    the tolerance also H(a, c) ≤ H(a, b) + H(b, c) - H(b).
    """
    places = _places(len(limits))
    first, second = _pairs(len(limits))
    point = np.concatenate([np.diagonal(noisy), noisy[first, second]])
    # A single entropy is one of the three of each of its d - 1 pairs.
    weights = np.concatenate([np.full(len(limits), max(len(limits) - 1.0, 1.0)), np.ones(len(first))])
    known = _about_pairs(places, limits)
    for _ in range(ROUNDS):
        found: Floats = _nearest(point, weights, known, tolerance)[places]
        broken = _broken_triples(found, tolerance)
        if not broken.size:
            break
        known = _joined(known, _about_triples(places, broken))
    return _repaired(found, limits)


def _pairs(size: int) -> tuple[Places, Places]:
    return np.triu_indices(size, 1)


def _places(size: int) -> Places:
    """Where H(a, b) stands in a vector of all single entropies followed by those of all pairs."""
    places = np.diag(np.arange(size))
    first, second = _pairs(size)
    places[first, second] = places[second, first] = size + np.arange(len(first))
    return places


def _about_pairs(places: Places, limits: Floats) -> Inequalities:
    single = np.arange(len(limits))
    first, second = _pairs(len(limits))
    pair, count = places[first, second], len(limits) + len(first)
    return _joined(
        _at_most(limits, count, (1, single)),
        _at_most(0, count, (-1, single)),
        _at_most(0, count, (1, first), (-1, pair)),
        _at_most(0, count, (1, second), (-1, pair)),
        _at_most(0, count, (1, pair), (-1, first), (-1, second)),
    )


def _about_triples(places: Places, triples: Places) -> Inequalities:
    """H(a, c) + H(b) ≤ H(a, b) + H(b, c): entropy is submodular."""
    a, b, c = triples.T
    return _at_most(0, places.max() + 1, (1, places[a, c]), (1, b), (-1, places[a, b]), (-1, places[b, c]))


def _at_most(bound: float | Floats, count: int, *terms: tuple[int, Places]) -> Inequalities:
    """One row for each place of the terms: the sum of sign · x[place] is at most the bound."""
    from scipy.sparse import csr_array

    height = len(terms[0][1])
    signs = np.repeat([float(sign) for sign, _ in terms], height)
    columns = np.concatenate([place for _, place in terms])
    rows = csr_array((signs, (np.tile(np.arange(height), len(terms)), columns)), shape=(height, count))
    return Inequalities(rows, np.broadcast_to(np.asarray(bound, dtype=np.float64), height))


def _joined(*parts: Inequalities) -> Inequalities:
    from scipy.sparse import vstack

    return Inequalities(
        vstack([part.rows for part in parts], format="csr"), np.concatenate([part.bounds for part in parts])
    )


def _nearest(point: Floats, weights: Floats, known: Inequalities, tolerance: float) -> Floats:
    """The nearest vector that satisfies what is known: accelerated ascent on the dual, with restarts.

    Each inequality has a price ≥ 0, and the vector follows from the prices (Beck and Teboulle 2009; O'Donoghue and
    Candès 2015). An inequality that is off by more than the tolerance changes its price.
    """
    rows, back = known.rows, known.rows.T.tocsr()
    # A bound on the largest curvature: the largest row sum of |A| W⁻¹ |A|ᵀ.
    curvature = float((abs(rows) @ (abs(rows).sum(axis=0) / weights)).max())
    prices = ahead = np.zeros(len(known.bounds))
    pace = 1.0
    for _ in range(MOST_STEPS):
        off = rows @ (point - back @ ahead / weights) - known.bounds
        stepped = np.maximum(ahead + off / curvature, 0.0)
        settled = np.abs(stepped - ahead).max() * curvature <= tolerance
        overshot = (ahead - stepped) @ (stepped - prices) > 0
        faster = 1.0 if overshot else (1 + np.sqrt(1 + 4 * pace**2)) / 2
        momentum = 0.0 if overshot else (pace - 1) / faster
        prices, ahead, pace = stepped, stepped + momentum * (stepped - prices), faster
        if settled:
            break
    nearest: Floats = point - back @ prices / weights
    return nearest


def _broken_triples(entropies: Floats, tolerance: float) -> Places:
    """Rows (a, b, c) with H(a, c) + H(b) above H(a, b) + H(b, c)."""
    broken = []
    for middle, beside in enumerate(entropies):
        excess = entropies + entropies[middle, middle] - beside[:, None] - beside
        a, c = np.nonzero(np.triu(excess > 2 * tolerance, 1))
        others = (a != middle) & (c != middle)
        broken.append(np.column_stack([a[others], np.full(others.sum(), middle), c[others]]))
    return np.concatenate(broken)


def _repaired(entropies: Floats, limits: Floats) -> Floats:
    """What the search left open within its tolerance is closed for single columns and pairs."""
    single = np.clip(np.diagonal(entropies), 0.0, limits)
    repaired = np.clip(entropies, np.maximum(single[:, None], single), single[:, None] + single)
    np.fill_diagonal(repaired, single)
    return repaired
