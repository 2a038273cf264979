"""How far synthetic rows are from real ones: tables of columns, impossible pairs, rare levels, quantiles.

All are computed on true rows without noise, of public data: they are for developers and must not be published about
private data. A code outside its column counts as one cell more, so that lost rows show as error.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from compared.axis import Axis, Codes, Floats
from reaedp.evaluation.utility import column_sets, marginal_distances, sampled_sets

#: So many sets of four columns are compared at most, the same for everybody.
SETS_OF_FOUR = 300
#: A level with a smaller share of the rows is rare.
RARE = 0.01
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def total_variations(real: Codes, synthetic: Codes, sizes: Sequence[int]) -> dict[str, float]:
    """Mean and worst total variation of tables of 1 to 4 columns, and AIM's workload error of all tables of three.

    That error is the mean L1 distance of the tables of shares, which is twice their total variation.
    """
    found = {}
    for ways in (1, 2, 3, 4):
        if ways == 4:
            sets = sampled_sets(len(sizes), ways, SETS_OF_FOUR, np.random.default_rng(0))
        else:
            sets = column_sets(len(sizes), ways)
        if sets:
            distances = marginal_distances(real, synthetic, sizes, sets)
            found |= {f"tv{ways}": float(distances.mean()), f"tv{ways}_worst": float(distances.max())}
    return found | ({"workload3": 2 * found["tv3"]} if "tv3" in found else {})


def k_marginal(real: Codes, synthetic: Codes, sizes: Sequence[int], area: int) -> float:
    """NIST's k-marginal score, 0 to 1000, as `sdnist` defines it for its excerpts: the area with every pair of others.

    1000 times one minus the mean total variation. `sdnist` bins numbers in its own way; here they have our cells.
    """
    others = [column for column in range(len(sizes)) if column != area]
    sets = [(area, *pair) for pair in combinations(others, 2)]
    return 1000 * (1 - float(marginal_distances(real, synthetic, sizes, sets).mean()))


def impossible_pairs(real: Codes, synthetic: Codes, sizes: Sequence[int]) -> tuple[float, float]:
    """The share of synthetic rows whose values in two columns no real row has together: mean over pairs, and worst."""
    shares = [
        _unseen(real[:, pair], synthetic[:, pair], [sizes[column] for column in pair])
        for pair in map(list, combinations(range(len(sizes)), 2))
    ]
    return float(np.mean(shares)), float(np.max(shares))


def _unseen(real: Codes, synthetic: Codes, sizes: Sequence[int]) -> float:
    limits = np.array(sizes)
    inside = ((synthetic >= 0) & (synthetic < limits)).all(axis=1)
    seen = np.zeros(sizes, dtype=bool)
    seen[tuple(real.T)] = True
    return 1 - float(seen[tuple(synthetic[inside].T)].sum()) / len(synthetic)


def rare_levels(real: Codes, synthetic: Codes, sizes: Sequence[int]) -> float | None:
    """How far the shares of rare levels are off, relative to these shares: 0 is exact, 1 lost or doubled and beyond.

    The mean over all levels of all columns that some real rows have, but less than 1 % of them.
    """
    errors: list[float] = []
    for column, size in enumerate(sizes):
        truth, made = (_shares(table[:, column], size) for table in (real, synthetic))
        rare = (truth > 0) & (truth < RARE)
        errors.extend(np.minimum(1, np.abs(made[rare] - truth[rare]) / truth[rare]))
    return float(np.mean(errors)) if errors else None


def _shares(codes: Codes, size: int) -> Floats:
    inside = codes[(codes >= 0) & (codes < size)]
    return np.bincount(inside, minlength=size)[:size] / max(len(codes), 1)


def quantile_errors(real: Codes, synthetic: Codes, axes: Sequence[Axis]) -> dict[str, list[float]]:
    """For each number, how far each of QUANTILES is off in the column's own unit; real rows are read in the same way.

    Values lie evenly within their cell, missing ones are left out. A column that lost all its values has none.
    """
    found = {}
    for column, axis in enumerate(axes):
        if axis.ordered:
            truth, made = (_shares(table[:, column], axis.size)[axis.null :] for table in (real, synthetic))
            if truth.sum() and made.sum():
                errors = quantiles(made, axis.edges) - quantiles(truth, axis.edges)
                found[axis.name] = [float(error) for error in errors]
    return found


def quantiles(shares: Floats, edges: Sequence[float]) -> Floats:
    """QUANTILES of values that lie evenly within cells."""
    below = np.concatenate([[0.0], np.cumsum(shares)]) / shares.sum()
    cells = np.clip(np.searchsorted(below, QUANTILES, side="left") - 1, 0, len(shares) - 1)
    part = (np.array(QUANTILES) - below[cells]) / (below[cells + 1] - below[cells])
    starts, ends = np.array(edges)[cells], np.array(edges)[cells + 1]
    return starts + part * (ends - starts)


def spread(real: Codes, axis: Axis, column: int) -> float:
    """The standard deviation of a number in real rows, in its own unit."""
    values = axis.middles[real[:, column]]
    return float(np.nanstd(values))


def quantile_error(real: Codes, synthetic: Codes, axes: Sequence[Axis]) -> float | None:
    """The mean over numbers and QUANTILES of the error in standard deviations of the column, at most 1 each."""
    found = quantile_errors(real, synthetic, axes)
    parts = []
    for column, axis in enumerate(axes):
        if axis.ordered and (deviation := spread(real, axis, column)):
            errors = np.abs(found.get(axis.name, [np.inf]))
            parts.append(float(np.minimum(1, errors / deviation).mean()))
    return float(np.mean(parts)) if parts else None
