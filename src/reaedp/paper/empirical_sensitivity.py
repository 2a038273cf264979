"""The largest change of entropy among adjacent histograms: drawn at random, and among all there are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.paper.item import Experiment, Item, Result, Specification
from reaedp.statistics.entropy.correction import c_log_c
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.published import published_shannon_bound
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

SIZES = (50, 100, 200, 500, 1000)
BINS = (10, 20, 30)


def run(experiment: Experiment) -> Result:
    """Random histograms with all their neighbours, and all pairs of neighbours that exist."""
    trials = experiment.runs(20, 1000)
    settings = [(n, bins) for n in SIZES for bins in BINS]
    largest = {n: largest_of_all(n) for n in SIZES}
    drawn = [_histograms(n, bins, trials, experiment.rng) for n, bins in settings]
    changes = [replaced(counts) for counts in drawn]
    table: dict[str, list[Any]] = {
        "n": [n for n, _ in settings],
        "bins": [bins for _, bins in settings],
        "random pairs, mean": [float(np.nanmean(change)) for change in changes],
        "random pairs, largest": [float(np.nanmax(change)) for change in changes],
        "two records apart, largest": [float(np.nanmax(two_apart(counts))) for counts in drawn],
        "all pairs, largest": [largest[n][0] for n, _ in settings],
        "attained by": [largest[n][1] for n, _ in settings],
        "exact": [shannon_sensitivity(n, change="replace") for n, _ in settings],
        "as published": [published_shannon_bound(n) for n, _ in settings],
    }
    below = all(largest[n][0] <= published_shannon_bound(n) for n in SIZES)
    return Result(table, _CHART, "holds with correction" if below else "does not hold", _because(table, trials))


def _histograms(n: int, bins: int, trials: int, rng: np.random.Generator) -> Counts:
    """As in the paper's code: shares are uniform over the simplex, counts are multinomial."""
    return rng.multinomial(n, rng.dirichlet(np.ones(bins), trials)).astype(np.int64)


def _gain(counts: Counts) -> Floats:
    """By how much c log2 c grows when the c-th record arrives."""
    return c_log_c(counts.astype(np.float64)) - c_log_c(np.maximum(counts - 1, 0).astype(np.float64))


def replaced(counts: Counts) -> Floats:
    """|H - H'| for every move of a record from one bin to another; NaN where no record is."""
    arriving, leaving = _gain(counts + 1)[:, :, None], _gain(counts)[:, None, :]
    change = np.abs(arriving - leaving) / counts.sum(axis=1)[:, None, None]
    possible = (counts > 0)[:, None, :] & ~np.eye(counts.shape[1], dtype=bool)
    return np.where(possible, change, np.nan)


def two_apart(counts: Counts) -> Floats:
    """|H - H'| where one data set lacks a record of one bin and the other has one more in another."""
    n, total = counts.sum(axis=1)[:, None], c_log_c(counts.astype(np.float64)).sum(axis=1)[:, None]
    fewer = np.log2(n - 1) - (total - _gain(counts)) / (n - 1)
    more = np.log2(n + 1) - (total + _gain(counts + 1)) / (n + 1)
    return np.where((counts > 0)[:, None, :], np.abs(more[:, :, None] - fewer[:, None, :]), np.nan)


def largest_of_all(n: int) -> tuple[float, str]:
    """Over every pair of adjacent histograms of n records; only the two counts that change matter.

    The winner's entropies are computed anew from its histograms.
    """
    gains = _gain(np.arange(n + 1))
    change = np.abs(gains[1:, None] - gains[None, 1:])  # arriving as the (a+1)-th, leaving as the b-th
    a, b = np.indices(change.shape) + np.array([0, 1])[:, None, None]
    place = int(np.argmax(np.where(a + b <= n, change, -1.0)))
    into, out = int(a.flat[place]), int(b.flat[place])
    others = [n - into - out] if into + out < n else []
    before, after = [out, into, *others], [out - 1, into + 1, *others]
    return abs(shannon_entropy(after) - shannon_entropy(before)), f"{tuple(before)} → {tuple(after)}"


def _because(table: dict[str, list[Any]], trials: int) -> str:
    random, exact = np.array(table["random pairs, largest"]), np.array(table["exact"])
    published, all_pairs = np.array(table["as published"]), np.array(table["all pairs, largest"])
    apart = np.array(table["two records apart, largest"])
    return (
        f"All {trials} random histograms per setting stay below the bound: the largest change is"
        f" {(random / published).min():.2f} to {(random / published).max():.2f} of it. But nothing reaches the bound:"
        f" the maximum over all pairs is the exact h(1/n), to {np.abs(all_pairs - exact).max():.0e} bits, attained by"
        f" {table['attained by'][0]} at n = 50; random histograms find {(random / exact).min():.0%} to"
        f" {(random / exact).max():.0%} of it. Pairs whose sizes differ by two, as in the paper's attacks, are"
        f" adjacent in no sense, and differ by up to {(apart / exact).max():.1f} times the sensitivity."
    )


_X = {
    "field": "n",
    "type": "quantitative",
    "scale": {"type": "log", "nice": False},
    "title": "number of records n",
    "axis": {"values": list(SIZES)},
}
_Y = {"type": "quantitative", "scale": {"type": "log"}, "title": "change of entropy (bits)"}
_LINES = ["as published", "exact", "random pairs, largest", "random pairs, mean"]
_CHART: Specification = {
    "facet": {"column": {"field": "bins", "type": "ordinal", "title": "bins"}},
    "spec": {
        "width": 230,
        "height": 280,
        "layer": [
            {
                "transform": [{"fold": _LINES, "as": ["what", "bits"]}],
                "mark": "line",
                "encoding": {
                    "x": _X,
                    "y": {"field": "bits", **_Y},
                    "color": {"field": "what", "type": "nominal", "title": None, "sort": _LINES},
                },
            },
            {
                "transform": [{"calculate": "'all pairs, largest'", "as": "found"}],
                "mark": {"type": "point", "color": "black", "size": 60},
                "encoding": {
                    "x": _X,
                    "y": {"field": "all pairs, largest", **_Y},
                    "shape": {"field": "found", "type": "nominal", "title": None},
                },
            },
        ],
    },
}

ITEM = Item.declared("empirical-sensitivity", run, full={"histograms": "1,000"}, quick={"histograms": 20})
