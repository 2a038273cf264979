"""Entropies that belong together: the nearest ones to noisy entropies that columns of one table could have."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

#: Searches, each with the triples that the one before it broke; more than two are seldom of use.
ROUNDS = 3
#: Steps of one search. It is within its tolerance much earlier unless noise hides nearly everything.
MOST_STEPS = 1000


#: Signs and places: the sum of sign · x[place] is at most a bound, one inequality for each place.
Terms = tuple[tuple[int, Places], ...]


class Inequalities(NamedTuple):
    """Sums of a few numbers of a vector of length `size` that are at most their `bounds`, family by family."""

    families: tuple[Terms, ...]
    bounds: Floats
    size: int

    def sums(self, x: Floats, *, signed: bool = True) -> Floats:
        """The left sides, or the sums without signs."""
        return np.concatenate([_added([(sign if signed else 1) * x[place] for sign, place in terms])
                               for terms in self.families])  # fmt: skip

    def pulls(self, prices: Floats, *, signed: bool = True) -> Floats:
        """For each number of the vector the prices of its inequalities, with its signs there or without."""
        found, first = np.zeros(self.size), 0
        for terms in self.families:
            own = prices[first : first + len(terms[0][1])]
            first += len(own)
            for sign, place in terms:
                found += (sign if signed else 1) * np.bincount(place, own, self.size)
        return found


def _added(arrays: list[Floats]) -> Floats:
    found: Floats = np.add.reduce(arrays)
    return found


def consistent(noisy: Floats, limits: Floats, tolerance: float) -> Floats:
    """The nearest matrix of entropies, in least squares, with every pair counting its three entropies alike.

    Matrices have H(a, b) in row a and column b, and H(a) on the diagonal. The result satisfies
    0 ≤ H(a) ≤ limit of a and max(H(a), H(b)) ≤ H(a, b) ≤ H(a) + H(b), so 0 ≤ I(a; b) ≤ min(H(a), H(b)); and up to
    the tolerance also H(a, c) ≤ H(a, b) + H(b, c) - H(b).
    """
    return _consistent(noisy.astype(np.float64).tobytes(), limits.astype(np.float64).tobytes(), tolerance).copy()


@lru_cache(maxsize=8)
def _consistent(all_noisy: bytes, all_limits: bytes, tolerance: float) -> Floats:
    """The same of released numbers, which audits ask for again and again."""
    limits = np.frombuffer(all_limits)
    noisy = np.frombuffer(all_noisy).reshape(len(limits), len(limits))
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
    """One inequality for each place of the terms: the sum of sign · x[place] is at most the bound."""
    bounds = np.broadcast_to(np.asarray(bound, dtype=np.float64), len(terms[0][1]))
    return Inequalities((terms,), bounds, count)


def _joined(*parts: Inequalities) -> Inequalities:
    families = tuple(terms for part in parts for terms in part.families)
    return Inequalities(families, np.concatenate([part.bounds for part in parts]), parts[0].size)


def _nearest(point: Floats, weights: Floats, known: Inequalities, tolerance: float) -> Floats:
    """The nearest vector that satisfies what is known: accelerated ascent on the dual, with restarts.

    Each inequality has a price ≥ 0, and the vector follows from the prices (Beck and Teboulle 2009; O'Donoghue and
    Candès 2015). An inequality that is off by more than the tolerance changes its price.
    """
    # A bound on the largest curvature: the largest row sum of |A| W⁻¹ |A|ᵀ.
    columns = known.pulls(np.ones(len(known.bounds)), signed=False)
    curvature = float(known.sums(columns / weights, signed=False).max())
    prices = ahead = np.zeros(len(known.bounds))
    pace = 1.0
    for _ in range(MOST_STEPS):
        off = known.sums(point - known.pulls(ahead) / weights) - known.bounds
        stepped = np.maximum(ahead + off / curvature, 0.0)
        settled = np.abs(stepped - ahead).max() * curvature <= tolerance
        overshot = (ahead - stepped) @ (stepped - prices) > 0
        faster = 1.0 if overshot else (1 + np.sqrt(1 + 4 * pace**2)) / 2
        momentum = 0.0 if overshot else (pace - 1) / faster
        prices, ahead, pace = stepped, stepped + momentum * (stepped - prices), faster
        if settled:
            break
    nearest: Floats = point - known.pulls(prices) / weights
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
