"""Bands of mean curves that contain the truth: how often they do, and how wide they are.

    python benchmarks/curve_bands.py [--runs 100] [--data FOLDER]

The paper's process, squared Brownian paths, and real curves: FOLDER (or the environment variable REAEDP_DATA) holds
functional/berkeley-growth.csv, canadian-weather-temp.csv and dti-cca.csv. The truth is the mean of the curves as they
are, missing points filled as the contract says. "noise only" are the bands that do not ask for the truth.
"""

import argparse
import csv
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from curves import contract, samples
from harness.table import show
from reaedp import Contract, Unit
from reaedp.contract import Curve
from reaedp.curator.records import Records
from reaedp.curves.mean_curve import MeanCurve
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise

Reals = NDArray[np.float64]
STEPS, DELTA, EPSILONS = 80, 1e-5, (1.0, 4.0)


class Case(NamedTuple):
    """Curves under a contract, and their mean as it is."""

    name: str
    terms: Contract
    records: Records
    truth: Reals


def paths(number: int, smoothness: float, rng: np.random.Generator) -> Case:
    """The paper's process: B(t)² on 80 steps. B(t) stays within ±4√t but for a few of ten thousand paths."""
    at = np.arange(1, STEPS + 1) / STEPS
    curve = Curve(
        name="path",
        form="wide",
        points=tuple(f"p{place}" for place in range(STEPS)),
        at=tuple(at.tolist()),
        interval=(0.0, 1.0),
        basis="wiener",
        rank=40,
        clip=2.0,
        smoothness=smoothness,
        lower=0.0,
        upper=tuple((16 * at).tolist()),
        provenance="public",
    )
    values = np.cumsum(rng.normal(size=(number, STEPS)), axis=1) ** 2 / STEPS
    terms = contract(curve, Unit("replace", at_least=number))
    frame = pd.DataFrame(values, columns=list(curve.points))
    return Case(f"B(t)², {number:,} paths", terms, Records(terms, frame), values.mean(axis=0))


#: Bounds that no curve of the files exceeds, and slopes that no mean does: facts that one could know of such curves.
FACTS: dict[str, Any] = {
    "height": lambda at: {
        "smoothness": 60.0,
        "lower": tuple(50.0 + 5.0 * (age - 1.0) for age in at),
        "upper": tuple(100.0 + 7.0 * (age - 1.0) for age in at),
    },
    "temperature": lambda _: {"smoothness": 120.0, "lower": -45.0, "upper": 30.0},
    "anisotropy": lambda _: {"smoothness": 1.5, "lower": 0.0, "upper": 1.0},
}


def real(folder: Path) -> Iterator[Case]:
    for sample in samples(folder):
        curve = replace(sample.curve, rank=40, **FACTS[sample.curve.name](sample.curve.at))
        unit = sample.unit if sample.unit.person is None else replace(sample.unit, max_rows=8)  # all visits
        terms = contract(curve, unit)
        name = sample.name.split(",")[0]
        yield Case(name, terms, Records(terms, sample.file), mean(sample.file, curve))


def mean(file: str, curve: Curve) -> Reals:
    """The mean of the file's curves, straight between the points that they have."""
    with Path(file).open(encoding="utf-8") as rows:
        values = np.array([[float(row[point] or "nan") for point in curve.points] for row in csv.DictReader(rows)])
    at = np.array(curve.at)
    for row in values:
        missing = np.isnan(row)
        row[missing] = np.interp(at[missing], at[~missing], row[~missing])
    return np.asarray(values.mean(axis=0))


def row(case: Case, epsilon: float, runs: int, rng: np.random.Generator) -> list[str]:
    curve = case.terms.curves[0]
    least, all_of_it, found = {}, {}, {}
    for bands in ("truth", "noise"):
        statistic = MeanCurve(curve.name, bands=bands)  # type: ignore[arg-type]
        sensitivity = statistic.sensitivity(case.terms)
        noise = Calibrated(Gaussian.within(epsilon, DELTA, sensitivity), sensitivity)
        exact, source = statistic.answer(case.records), SeededNoise(rng)
        frames = [statistic.frame(statistic.value(case.terms, noise.apply(exact, source)), noise) for _ in range(runs)]
        inside = [(frame["low_95"] <= case.truth) & (case.truth <= frame["high_95"]) for frame in frames]
        whole = [(frame["all_low_95"] <= case.truth) & (case.truth <= frame["all_high_95"]) for frame in frames]
        least[bands], all_of_it[bands] = np.mean(inside, axis=0).min(), np.mean(np.all(whole, axis=1))
        found[bands] = frames
    widths = [
        float(np.mean([frame[name] for frame in found["truth"]]))
        for name in ("noise_width", "bias_width", "clipping_width")
    ]
    half = [float(np.mean([f["high_95"] - f["low_95"] for f in found[bands]])) / 2 for bands in ("truth", "noise")]
    error = float(np.sqrt(np.mean([(frame["mean"] - case.truth) ** 2 for frame in found["truth"]])))
    numbers = [f"{number:.3g}" for number in (half[0], *widths, error, half[1])]
    return [
        case.name, f"{epsilon:g}", f"{least['truth']:.3f}", f"{all_of_it['truth']:.3f}", *numbers,
        f"{least['noise']:.3f}",
    ]  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=100)
    options.add_argument("--data", default=os.environ.get("REAEDP_DATA"))
    given = options.parse_args()
    rng = np.random.default_rng(30)
    cases = [paths(50, 3.0, rng), paths(5_000, 1.5, rng)]
    if given.data:
        cases += real(Path(given.data) / "functional")
    heads = ["curves", "ε", "least coverage", "whole curve", "half width", "noise", "bias", "clipping", "RMSE of mean",
             "half width, noise only", "coverage, noise only"]  # fmt: skip
    rows = []
    for case in cases:
        for epsilon in EPSILONS:
            rows.append(row(case, epsilon, given.runs, rng))
            print(*rows[-1], file=sys.stderr, flush=True)
    show(f"95 % bands and the truth, {given.runs} runs, δ = {DELTA:g}", heads, rows)


if __name__ == "__main__":
    main()
