"""The error of a private entropy against the number of bins, by noise on counts and by noise on the entropy."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.paper.best_entropy import contract
from reaedp.paper.datasets import SETS, DataSet
from reaedp.paper.item import Experiment, Item, Result, Specification
from reaedp.paper.line_chart import kind, lines, ordered, quantity
from reaedp.paper.published_release import entropies, laplace_counts
from reaedp.privacy.unit import Change
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.entropy import Entropy
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts
from reaedp.statistics.entropy.published import published_shannon_bound
from reaedp.statistics.marginal import Marginal

Floats = NDArray[np.float64]

BINS = (10, 20, 30, 50, 80)
EPSILON = 1.0
#: The change for which the published noise keeps ε.
CHANGE: Change = "add-remove"
_AS_PUBLISHED, _FROM_COUNTS, _DIRECT = "counts, as published", "counts, ours", "entropy itself, ours"


def run(experiment: Experiment) -> Result:
    """Every data set that can be had, at every number of bins."""
    rows = [row for each in SETS for row in _rows(each, experiment)]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    above = [row for row in rows if row["bins"] is not None and row[_AS_PUBLISHED] > row["bound"]]
    return Result(table, _CHART, "does not hold" if above else "holds", _because(rows, above))


def _rows(each: DataSet, experiment: Experiment) -> list[dict[str, Any]]:
    values = each.values(experiment)
    if values is None:
        return [{"data": each.name, "n": each.n, "note": "not checkable: the data cannot be had"} | _NOTHING]
    experiment.progress(f"bins of {each.name}")
    return [
        {"data": each.name, "n": len(values), "note": "checked"} | _measured(values, bins, experiment) for bins in BINS
    ]


_NOTHING = dict.fromkeys(("bins", "H", "bound", "exact sensitivity", _AS_PUBLISHED, _FROM_COUNTS, _DIRECT))


def _measured(values: Floats, bins: int, experiment: Experiment) -> dict[str, Any]:
    """Mean absolute errors in bits, all at the same ε for one row added or removed."""
    counts = np.histogram(values, bins=bins)[0].astype(np.int64)
    n, exact, runs = len(values), shannon_entropy(counts), experiment.runs(200, 2000)
    noise = SeededNoise(experiment.rng)
    released = {
        _AS_PUBLISHED: entropies(laplace_counts(counts, EPSILON, runs, experiment.rng)),
        _FROM_COUNTS: from_counts(counts, runs, noise),
        _DIRECT: directly(counts, runs, noise),
    }
    figures = {
        "bins": bins,
        "H": exact,
        "bound": published_shannon_bound(n),
        "exact sensitivity": Entropy(("bin",)).reach(contract(bins, n, CHANGE))[0],
    }
    return figures | {name: float(np.abs(bits - exact).mean()) for name, bits in released.items()}


def from_counts(counts: Integers, runs: int, noise: SeededNoise) -> Floats:
    """Noise on every count, then an entropy without what the noise adds."""
    terms = contract(len(counts), int(counts.sum()), CHANGE)
    calibrated = Calibrated(Laplace(EPSILON), Marginal("bin").sensitivity(terms))
    noisy = calibrated.apply(np.tile(counts, (runs, 1)), noise)
    return entropies_from_counts(noisy, calibrated, at_least=terms.unit.at_least).value


def directly(counts: Integers, runs: int, noise: SeededNoise) -> Floats:
    """Noise for the exact sensitivity on the entropy alone."""
    terms, statistic = contract(len(counts), int(counts.sum()), CHANGE), Entropy(("bin",))
    point = statistic.lattice(terms).rounded(np.array([shannon_entropy(counts)]))
    calibrated = Calibrated(Laplace(EPSILON), statistic.sensitivity(terms))
    points: Integers = calibrated.apply(np.full(runs, point.item()), noise)
    return np.clip(points * statistic.step(terms), 0.0, math.log2(len(counts)))


def _because(rows: list[dict[str, Any]], above: list[dict[str, Any]]) -> str:
    checked = [row for row in rows if row["bins"] is not None]
    worst = max(checked, key=lambda row: row[_AS_PUBLISHED] / row["bound"])
    direct = [row[_DIRECT] / row["bound"] for row in checked]
    return (
        f"The mean error is above the bound in {len(above)} of {len(checked)} settings, at worst"
        f" {worst[_AS_PUBLISHED] / worst['bound']:.1f} times ({worst['data']}, {worst['bins']} bins): the bound limits"
        " what one record does, not what noise on all counts does, and is not used in the release. Noise that is"
        f" calibrated to the entropy's own sensitivity has a mean error of {min(direct):.2f} to {max(direct):.2f} of"
        " the bound at every number of bins."
    )


_LINES = ["bound", _AS_PUBLISHED, _FROM_COUNTS, _DIRECT]
_BITS = quantity("bits", "mean error of the entropy (bits)", log=True)
_CHART: Specification = {
    "transform": [{"filter": "datum.bins !== null"}, {"fold": _LINES, "as": ["what", "bits"]}],
    "facet": kind("data", sort=[each.name for each in SETS]),
    "columns": 3,
    "resolve": {"scale": {"y": "independent"}, "axis": {"x": "independent"}},
    "spec": lines(quantity("bins", "bins"), _BITS, ordered("what", _LINES), size=(220, 200)),
}

ITEM = Item.declared("bins-ablation", run, full={"runs": "2,000"}, quick={"runs": 200})
