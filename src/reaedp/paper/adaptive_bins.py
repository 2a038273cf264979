"""Bins from the least to the largest value, as published, against bins that are bought: entropy and shape."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Ordered
from reaedp.contract import Number
from reaedp.curator.learning import LADDER, standing_out
from reaedp.curator.quantile_bins import edges_of
from reaedp.mechanisms.exponential import Exponential
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.paper.datasets import BINS, DIFFERENCES, FEATURES, POWER
from reaedp.paper.item import Experiment, Item, Result, Specification, Verdict
from reaedp.paper.line_chart import kind, ordered, quantity
from reaedp.privacy.unit import Unit
from reaedp.statistics.entropy.binning import GRID, ranks_of_edges
from reaedp.statistics.entropy.differential import differential_entropy
from reaedp.statistics.histogram import estimate
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.quantiles.chosen_quantiles import ChosenValues, parts_of
from reaedp.statistics.quantiles.ranks import shares
from reaedp.table import Table

Floats = NDArray[np.float64]

EPSILON = 1.0
#: What of ε = 1 buys round bounds, edges between them, and counts.
FOR_BOUNDS, FOR_EDGES, FOR_COUNTS = 0.1, 0.2, 0.7
#: Incomes as in Home Credit, whose file cannot be shared: lognormal about 150,000, one applicant with 117 million.
_MEDIAN, _SPREAD, _LARGEST, _APPLICANTS = 150_000.0, 0.5, 117e6, 100_000
_INCOMES = "incomes, made up"
_ONE = counting_sensitivity(Unit("add-remove"))
_PUBLISHED, _PUBLIC, _BOUGHT = "least to largest", "equal bins", "bought quantiles"
#: Nothing is missing in these columns.
_NO_TROUBLES: dict[str, Any] = dict.fromkeys(("null", "nan", "unparsable"), "drop")


class Measured(NamedTuple):
    """Bits by which the differential entropy is off, and the largest error of a share of rows below a value."""

    entropy: float
    shape: float


def run(experiment: Experiment) -> Result:
    """Every data set whose values are nearly all different, by every kind of bins."""
    rows = []
    for name, values in _data(experiment).items():
        experiment.progress(f"bins of {name}")
        truth = spacing_entropy(values)
        for kind_of_bins, make in _WAYS.items():
            found = _measured(values, truth, make, experiment)
            rows.append({"data": name, "n": len(values), "bins": kind_of_bins, "bits": truth} | found._asdict())
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return Result(table, _CHART, *_verdict(rows))


def _data(experiment: Experiment) -> dict[str, Floats]:
    incomes = np.exp(experiment.rng.normal(np.log(_MEDIAN), _SPREAD, _APPLICANTS))
    incomes[0] = _LARGEST
    found = {each.name: each.values(experiment) for each in (DIFFERENCES, POWER, FEATURES)}
    return {_INCOMES: incomes} | {name: values for name, values in found.items() if values is not None}


def spacing_entropy(values: Floats) -> float:
    """Differential entropy from the distances between values √n places apart in order (Vasicek 1976)."""
    ordered, apart = np.sort(values), round(len(values) ** 0.5)
    places = np.arange(len(values))
    low, high = np.maximum(places - apart, 0), np.minimum(places + apart, len(values) - 1)
    distances = np.maximum(ordered[high] - ordered[low], np.finfo(np.float64).tiny)
    return float(np.mean(np.log2(distances * len(values) / (high - low))))


def _measured(values: Floats, truth: float, make: Any, experiment: Experiment) -> Measured:
    noise, errors = SeededNoise(experiment.rng), []
    for _ in range(experiment.runs(10, 50)):
        edges, epsilon = make(values, noise)
        column = Number(name="x", edges=tuple(edges.tolist()), provenance="public", **_NO_TROUBLES)
        counts = np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)[0].astype(np.int64)
        calibrated = Calibrated(Laplace(epsilon), _ONE)
        noisy = Table((column,), calibrated.apply(counts, noise))
        bits = differential_entropy(noisy, calibrated, at_least=len(values)).value
        errors.append(Measured(abs(bits - truth), _shape_error(values, edges, estimate(noisy).values)))
    return Measured(*(float(np.mean(part)) for part in zip(*errors, strict=True)))


def _shape_error(values: Floats, edges: Floats, rows: Any) -> float:
    """The largest difference between the shares of rows below a value, in the data and in the histogram."""
    ordered = np.sort(values)
    below = np.concatenate([[0.0], np.cumsum(rows) / max(float(rows.sum()), 1.0)])
    return float(np.abs(np.interp(ordered, edges, below) - (np.arange(len(ordered)) + 0.5) / len(ordered)).max())


def _published(values: Floats, noise: SeededNoise) -> tuple[Floats, float]:  # noqa: ARG001
    """Not private: two of the edges are people's values."""
    return np.histogram_bin_edges(values, bins=BINS), EPSILON


def _bounds(values: Floats, noise: SeededNoise) -> tuple[float, float]:
    counts = np.histogram(values, bins=np.array(LADDER))[0].astype(np.int64)
    calibrated = Calibrated(Laplace(FOR_BOUNDS), _ONE)
    return standing_out(calibrated.apply(counts, noise), calibrated) or (LADDER[0], LADDER[-1])


def _equal(values: Floats, noise: SeededNoise) -> tuple[Floats, float]:
    lower, upper = _bounds(values, noise)
    return np.linspace(lower, upper, BINS + 1), FOR_EDGES + FOR_COUNTS


def _bought(values: Floats, noise: SeededNoise) -> tuple[Floats, float]:
    lower, upper = _bounds(values, noise)
    fine = Number(name="x", lower=lower, upper=upper, bins=GRID, provenance="public", **_NO_TROUBLES)
    counts = np.histogram(np.clip(values, lower, upper), bins=fine.boundaries)[0].astype(np.int64)
    ordered = Ordered(counts[None, :], parts_of(fine), shares(ranks_of_edges(BINS)))
    chosen = Exponential(FOR_EDGES).apply(ordered, _ONE, noise)
    return np.array(edges_of(ChosenValues((fine,), chosen), fine)), FOR_COUNTS


_WAYS = {_PUBLISHED: _published, _PUBLIC: _equal, _BOUGHT: _bought}


def _verdict(rows: list[dict[str, Any]]) -> tuple[Verdict, str]:
    """The claim is about histograms of this kind in general; skewed data decides it."""
    found = {(row["data"], row["bins"]): row for row in rows}
    said = "; ".join(
        f"{name}: {published['entropy']:.3f} bits and {published['shape']:.3f} of all rows as published,"
        f" {bought['entropy']:.3f} and {bought['shape']:.3f} at bought quantiles"
        for name in dict.fromkeys(row["data"] for row in rows)
        for published, bought in [(found[name, _PUBLISHED], found[name, _BOUGHT])]
    )
    worse = [row for row in rows if row["bins"] == _PUBLISHED and row["shape"] > 0.25]
    why = f"Mean errors of the differential entropy and of the shape at ε = 1: {said}."
    return "does not hold" if worse else "holds", why


_COLOUR = ordered("bins", list(_WAYS))
_CHART: Specification = {
    "facet": kind("data", sort=None),
    "columns": 2,
    "spec": {
        "width": 240,
        "height": 180,
        "mark": {"type": "point", "size": 80},
        "encoding": {
            "x": quantity("shape", "largest error of a share of rows", log=True),
            "y": quantity("entropy", "error of the entropy (bits)", log=True),
            "color": _COLOUR,
            "shape": _COLOUR,
        },
    },
}

ITEM = Item.declared("adaptive-bins", run, full={"runs": 50}, quick={"runs": 10})
