"""Synthetic curves: candidates a second, and how mean and variance of released curves compare with the real ones'.

    REAEDP_DATA=folder python benchmarks/synthetic_curves.py [--curves 100 1000]

100,000 curves are drawn with replacement from the growth curves of functional/berkeley-growth.csv ("copies", each of
which is there about a thousand times) or from a Gaussian with their mean and covariance ("all different"); without the
folder, from Brownian paths. Seconds are those of the processor. Errors are root mean squares over time: of the mean
curve in parts of a real curve's standard deviation, and of the standard deviation at each time in parts of itself.
Those of the first `kept` coefficients alone are beside those of the whole curves, in brackets.
"""

import argparse
import csv
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.table import show
from reaedp import Budget, Contract, Unit
from reaedp.contract import Curve
from reaedp.curator.records import Records
from reaedp.curves.curve_proposal import LawName, Steps
from reaedp.curves.curve_seeds import CurveSeeds
from reaedp.curves.deniable_curves import GAMMAS, DeniableCurves
from reaedp.curves.lattice import RADIUS
from reaedp.curves.space import CurveSpace
from reaedp.curves.synthetic_curves import ReleasedCurves, SyntheticCurves
from reaedp.mechanisms.noise import SecretNoise
from reaedp.synthesis.deniable import trials

Reals = NDArray[np.float64]
SIZE, BATCH = 100_000, 1 << 14
EPSILON, DELTA = 1.0, 1e-6
HEADS = ("law", "kept", "spread", "asked", "each", "got", "cand./s", "pass", "plausible", "needed", "seconds", "mean",
         "deviation", "narrowed")  # fmt: skip
SETTINGS: list[tuple[LawName, int, float]] = [
    ("even", 2, 0.05),
    ("even", 3, 0.05),
    ("even", 3, 0.1),
    ("even", 4, 0.1),
    ("even", 5, 0.2),
    ("gaussian", 2, 0.05),
    ("gaussian", 3, 0.1),
    ("gaussian", 4, 0.1),
]


def growth(folder: Path, rng: np.random.Generator) -> Iterator[tuple[str, Curve, Reals]]:
    """Offset and clip are round numbers that textbooks give; none was fitted to the file."""
    ages = [1, 1.25, 1.5, 1.75, 2, 3, 4, 5, 6, 7, 8, *np.arange(8.5, 18.5, 0.5).tolist()]
    offset = tuple(75.0 + 6.0 * (age - 1.0) for age in ages)
    curve = declared(tuple(map(float, ages)), 20.0, offset)
    with (folder / "functional" / "berkeley-growth.csv").open(encoding="utf-8") as file:
        heights = np.array([[float(row[f"age_{age:g}"]) for age in ages] for row in csv.DictReader(file)])
    yield "growth, copies", curve, heights[rng.integers(0, len(heights), SIZE)]
    yield "growth, all different", curve, rng.multivariate_normal(heights.mean(axis=0), np.cov(heights.T), SIZE)


def brownian(rng: np.random.Generator) -> Iterator[tuple[str, Curve, Reals]]:
    times = np.linspace(0.0, 1.0, 33)
    paths = np.cumsum(np.hstack([np.zeros((SIZE, 1)), rng.normal(0, np.sqrt(1 / 32), (SIZE, 32))]), axis=1)
    yield "Brownian paths", declared(tuple(times.tolist()), 2.0, 0.0), paths


def declared(times: tuple[float, ...], clip: float, offset: float | tuple[float, ...]) -> Curve:
    return Curve(
        name="x",
        form="wide",
        points=tuple(f"p{place}" for place in range(len(times))),
        at=times,
        interval=(times[0], times[-1]),
        basis="wiener",
        rank=20,
        clip=clip,
        offset=offset,
        provenance="public",
    )


def speed(mechanism: DeniableCurves, curve: Curve, points: NDArray[np.int32], contract: Contract) -> tuple[float, ...]:
    """Candidates a second, the share of them that pass, and how many plausible seeds the middle one has."""
    noise, proposal = SecretNoise(), Steps(mechanism.law, mechanism.kept, GAMMAS[mechanism.law])
    seeds = CurveSeeds.of(mechanism.lattice(curve), points)
    test = mechanism.plan(SyntheticCurves("x", mechanism.curves).sensitivity(contract)).test
    start = time.process_time()
    _, passed = trials(seeds, proposal, test, BATCH, noise)
    rate = BATCH / (time.process_time() - start)
    places = seeds.draw(BATCH, noise)
    made = proposal.propose(seeds, places, noise.words(BATCH * proposal.words).reshape(BATCH, -1))
    return rate, float(passed.mean()), float(np.median(proposal.plausible(seeds, places, made))), test.half


def errors(value: ReleasedCurves, real: Reals, kept: int) -> tuple[float, ...]:
    """Mean and deviation, of the kept coefficients and of the whole curves."""
    basis = CurveSpace(value.curve).basis(CurveSpace(value.curve).times)[1:]  # all curves are the offset at the start
    found = []
    for length in (kept, value.curve.rank):
        ours, theirs = (c[:, :length] @ basis[:, :length].T for c in (value.coefficients, real))
        deviation = theirs.std(axis=0)
        found.append(rms((ours.mean(axis=0) - theirs.mean(axis=0)) / deviation))
        found.append(rms(ours.std(axis=0) / deviation - 1))
    return tuple(found)


def rms(numbers: Reals) -> float:
    return float(np.sqrt((numbers**2).mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", type=int, nargs="+", default=[100, 1000])
    asked, rng = parser.parse_args().curves, np.random.default_rng(0)
    folder = os.environ.get("REAEDP_DATA")
    for name, curve, values in growth(Path(folder), rng) if folder else brownian(rng):
        contract = Contract(dataset="d", unit=Unit("add-remove", at_least=SIZE), budget=Budget(EPSILON, DELTA),
                            ledger="none", columns=(), curves=(curve,))  # fmt: skip
        records = Records(contract, pd.DataFrame(values, columns=list(curve.points)))
        points = records.curve_points("x")
        title = f"{name}: {SIZE:,} curves, epsilon {EPSILON:g} and delta {DELTA:g} for all that are asked for"
        show(
            title, HEADS, [line(contract, records, points, setting, curves) for curves in asked for setting in SETTINGS]
        )


def line(
    contract: Contract, records: Records, points: NDArray[np.int32], setting: tuple[LawName, int, float], curves: int
) -> list[str]:
    """What one setting achieves."""
    (curve,), (law, kept, spread) = contract.curves, setting
    mechanism = DeniableCurves.within(EPSILON, DELTA, contract, "x", curves, kept=kept, spread=spread, law=law)
    rate, passing, plausible, needed = speed(mechanism, curve, points, contract)
    statistic = SyntheticCurves("x", curves)
    start = time.process_time()
    value = mechanism.apply(statistic.answer(records), statistic.sensitivity(contract), SecretNoise())
    seconds = time.process_time() - start
    cells = [law, kept, spread, curves, f"{mechanism.epsilon:.4f}", len(value), f"{rate:,.0f}", f"{passing:.2f}",
             f"{plausible:,.0f}", f"{needed:,.0f}", f"{seconds:.2f}"]  # fmt: skip
    if len(value) > 1:
        real = points.astype(np.float64) * (curve.clip / RADIUS)
        own, narrow = errors(value, real, kept), errors(value.narrowed(), real, kept)
        pairs = ((own[0], own[2]), (own[1], own[3]), (narrow[1], narrow[3]))
        cells += [f"{first:.2f} ({whole:.2f})" for first, whole in pairs]
    else:
        cells += ["–"] * 3
    return list(map(str, cells))


if __name__ == "__main__":
    main()
