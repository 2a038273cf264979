"""Mechanism F: candidates a second, beside a scan of all seeds for each candidate.

    REAEDP_DATA=folder python benchmarks/deniability.py

The seeds are rows of Adult drawn with replacement, or of a made-up table of the same size if REAEDP_DATA is not set. A
candidate is one whole round: a uniform seed, 14 cells, the number of plausible seeds, the test. The scan is the count
alone: one vectorised comparison with all seeds for each number of cells that may be kept, for seeds whose cells are
already encoded as one number. Seconds are those of the processor, so that other work on the machine does not count.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.stopwatch import best, seconds
from harness.table import show
from reaedp.contract import Integer
from reaedp.mechanisms.noise import SecretNoise
from reaedp.mechanisms.record_plan import plan_records
from reaedp.privacy.unit import Unit
from reaedp.synthesis.deniable import deniable, trials
from reaedp.synthesis.model import Model
from reaedp.synthesis.proposal import Keep, Mixed
from reaedp.synthesis.seeds import Seeds
from reaedp.table import KeyCounts

Codes = NDArray[np.int32]
SIZES = (30_000, 300_000, 3_000_000)
KEPT = 6
ROUNDS = 1 << 19
BATCH = 1 << 14
#: Made-up columns have as many cells as Adult's, smallest first.
MADE_UP = (2, 2, 5, 6, 7, 9, 15, 16, 42, 85, 99, 100, 100, 100)


def adult(folder: Path) -> tuple[tuple[int, ...], Codes]:
    domain = json.loads((folder / "adult-domain.json").read_text())
    rows = np.loadtxt(folder / "adult.csv", delimiter=",", skiprows=1, dtype=np.int32)
    order = np.argsort(list(domain.values()), kind="stable")
    return tuple(np.array(list(domain.values()))[order].tolist()), rows[:, order]


def made_up(rng: np.random.Generator) -> tuple[tuple[int, ...], Codes]:
    shared = rng.random(48_842)
    columns = [np.where(rng.random(48_842) < 0.6, shared, rng.random(48_842)) ** 2 * size for size in MADE_UP]
    return MADE_UP, np.stack(columns, axis=1).astype(np.int32)


def chain(sizes: tuple[int, ...], rows: Codes) -> Model:
    """Every column depends on the one before; only its shape matters for speed."""
    axes = tuple(
        Integer(name=f"c{i}", lower=0, upper=n - 1, provenance="public", null="drop", nan="drop", unparsable="drop")
        for i, n in enumerate(sizes)
    )
    parents = tuple((i - 1,) if i else () for i in range(len(sizes)))
    tables = []
    for i, size in enumerate(sizes):
        counts = np.ones((*(sizes[j] for j in parents[i]), size))
        np.add.at(counts, tuple(rows[:, j] for j in (*parents[i], i)), 1)
        tables.append(counts / counts.sum(axis=-1, keepdims=True))
    return Model(axes, parents, tuple(tables))


def scan_seconds(seeds: NDArray[np.int64], rng: np.random.Generator) -> float:
    """One candidate's plausible seeds, counted among all."""
    wanted = rng.choice(seeds, 20)
    scan = {"scan": lambda: [np.count_nonzero(seeds == code) for code in wanted]}
    return best(scan, 3, time.process_time)["scan"] / len(wanted)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    rng, noise = np.random.default_rng(0), SecretNoise()
    folder = os.environ.get("REAEDP_DATA")
    sizes, rows = adult(Path(folder)) if folder else made_up(rng)
    model = chain(sizes, rows)
    proposals = {
        f"keep {KEPT}": Keep(model, KEPT),
        f"mixed 3-{KEPT}": Mixed(model, (0.0, 0.0, 0.0, *[1 / (KEPT - 2)] * (KEPT - 2)), 2.0),
    }
    lines = []
    for size in SIZES:
        sample = rows[rng.integers(0, len(rows), size)][:, :KEPT]
        comparison = scan_seconds(np.ravel_multi_index(tuple(sample.T), sizes[:KEPT]), rng)
        keys, counts = np.unique(sample, axis=0, return_counts=True)
        seeds = Seeds(KeyCounts(model.axes[:KEPT], keys.astype(np.int32), counts.astype(np.int64)))
        for name, proposal in proposals.items():
            scan = comparison * (KEPT - proposal.least + 1 if isinstance(proposal, Mixed) else 1)
            guess = proposal.plausible(seeds, places := seeds.draw(10_000, noise), _some(proposal, seeds, places))
            unit = Unit("add-remove", at_least=size // 2)
            plan = plan_records(1.0, 1e-6, 100, unit=unit, gamma=proposal.gamma, plausible=guess)

            def run(proposal=proposal, seeds=seeds, plan=plan) -> None:
                for _ in range(0, ROUNDS, BATCH):
                    trials(seeds, proposal, plan.test, BATCH, noise)

            def release(proposal=proposal, seeds=seeds, plan=plan) -> None:
                deniable(seeds, proposal, plan.test, plan.stopping, count=100, noise=noise, progress=lambda _: None)

            rate = ROUNDS / best({"run": run}, 2, time.process_time)["run"]
            whole = 100 / seconds(release, time.process_time)
            figures = (rate, 1 / scan, rate * scan, whole)
            lines.append([f"{size:,}", name, *(f"{figure:,.0f}" for figure in figures)])
    show("Mechanism F", ["seeds", "proposal", "candidates/s", "scans/s", "ratio", "records/s"], lines)


def _some(proposal: Keep | Mixed, seeds: Seeds, places: NDArray[np.int64]) -> Codes:
    words = SecretNoise().words(len(places) * proposal.words).reshape(len(places), -1)
    return proposal.propose(seeds, places, words)


if __name__ == "__main__":
    main()
