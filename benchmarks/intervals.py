"""How often intervals of `ask` cover the truth, and how wide they are: cells of one and of two columns of a network.

    REAEDP_DATA=folder python benchmarks/intervals.py [--runs 2] [--epsilon 0.5 1 4] [--tables adult acs] [--replays 20]

Releases are made as in benchmarks/synthesis.py. Of each the same questions are asked: `count by A` of every column, and
`count by A, B` of pairs that some table joins and that have at most 1,000 cells; 12 of them by the noisy tables and 6
by replaying the noise through the fit. Cells in which neither truth nor interval differs from zero are left out, as
they are covered by whoever says nothing. "As if data" treats synthetic rows as a sample (Wilson's interval).
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.table import show
from reaedp import Curator
from reaedp.inference.ask import Sources, ask
from reaedp.inference.sources import model_tables
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic
from synthesis import DELTA, Data, acs, adult, contract

Counts = NDArray[np.float64]
#: Pairs that are asked about by tables and by replays, and cells of each.
PAIRS, REPLAYED, MOST_CELLS = 12, 6, 1_000


class Covered:
    """Intervals of one kind, gathered over releases."""

    def __init__(self) -> None:
        self.hits: list[float] = []
        self.widths: list[float] = []

    def add(self, low: Counts, high: Counts, truth: Counts) -> None:
        told = ~((truth == 0) & (high <= 0.5)) & np.isfinite(high - low)
        # Half a row: truth is whole, and intervals are not.
        inside = (low - 0.5 <= truth) & (truth <= high + 0.5)
        self.hits += inside[told].tolist()
        self.widths += (high - low)[told].tolist()

    @property
    def words(self) -> list[str]:
        if not self.hits:
            return ["–", "–", "–", "0"]
        widths = np.array(self.widths)
        return [
            f"{np.mean(self.hits):.3f}",
            f"{np.median(widths):,.0f}",
            f"{widths.mean():,.0f}",
            f"{len(self.hits):,}",
        ]


def counted(data: Data, codes: NDArray[np.int32], columns: Sequence[str]) -> Counts:
    places = [data.names.index(name) for name in columns]
    shape = tuple(data.sizes[place] for place in places)
    cells = np.ravel_multi_index(tuple(codes[:, place] for place in places), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).astype(np.float64)


def joined(data: Data, learned: LearnedModel) -> list[tuple[str, str]]:
    """Pairs of columns that some table joins."""
    sizes = dict(zip(data.names, data.sizes, strict=True))
    tables = list(model_tables("rows", learned))[len(data.names) :]
    found = {pair for table in tables for pair in combinations(sorted(table.names), 2)}
    return sorted((a, b) for a, b in found if sizes[a] * sizes[b] <= MOST_CELLS)


def wilson(count: Counts, total: float, rows: int) -> tuple[Counts, Counts]:
    share, z = count / total, 1.96
    middle, reach = share + z * z / (2 * total), z * np.sqrt(share * (1 - share) / total + z * z / (4 * total**2))
    return rows * (middle - reach) / (1 + z * z / total), rows * (middle + reach) / (1 + z * z / total)


def measure(data: Data, epsilon: float, replays: int, rng: np.random.Generator, into: dict[str, Covered]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        terms = contract(data, folder)
        network = MarginalModel.within(epsilon, DELTA, terms, data.names)
        release = Curator(terms, data.frame).release(Synthetic(data.names, len(data.train)), network)
    learned = release.value.model.learned
    sources = Sources(data.columns, (), {"rows": learned}, ())
    rows = len(data.train)
    for name, size in zip(data.names, data.sizes, strict=True):
        if size > MOST_CELLS:
            continue
        answer, truth = ask(sources, f"count by `{name}`", replays=0), counted(data, data.train, [name])
        into["one column"].add(answer.low, answer.high, truth)
        into["one column, as if data"].add(*wilson(counted(data, release.value.codes, [name]), rows, rows), truth)
    pairs = joined(data, learned)
    chosen = [pairs[place] for place in rng.permutation(len(pairs))[:PAIRS]]
    start, asked = time.process_time(), 0
    for number, pair in enumerate(chosen):
        question, truth = f"count by `{pair[0]}`, `{pair[1]}`", counted(data, data.train, pair)
        answer = ask(sources, question, replays=0)
        into["two columns, tables"].add(answer.low, answer.high, truth)
        into["two columns, as if data"].add(*wilson(counted(data, release.value.codes, pair), rows, rows), truth)
        if number < REPLAYED and replays:
            start = time.process_time() if not asked else start
            asked += 1
            answer = ask(sources, question, replays=replays)
            into["two columns, best of tables and replays"].add(answer.low, answer.high, truth)
    return (time.process_time() - start) / max(asked, 1)


KINDS = (
    "one column",
    "one column, as if data",
    "two columns, tables",
    "two columns, best of tables and replays",
    "two columns, as if data",
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("REAEDP_DATA"))
    options.add_argument("--runs", type=int, default=2)
    options.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    options.add_argument("--tables", nargs="+", default=["adult", "acs"], choices=["adult", "acs"])
    options.add_argument("--replays", type=int, default=20)
    chosen = options.parse_args()
    if chosen.data is None:
        options.error("name the folder of the data with --data or REAEDP_DATA")
    for name in chosen.tables:
        data = {"adult": adult, "acs": acs}[name](chosen.data)
        for epsilon in chosen.epsilon:
            rng, into = np.random.default_rng(0), {kind: Covered() for kind in KINDS}
            seconds = [measure(data, epsilon, chosen.replays, rng, into) for _ in range(chosen.runs)]
            took = f"a replayed answer {np.mean(seconds):.1f} s of processor"
            title = f"{name}, {len(data.train):,} rows, ε = {epsilon:g}; {took}"
            heads = ["cells of", "covered", "median width", "mean width", "cells"]
            show(title, heads, [[kind, *into[kind].words] for kind in KINDS])


if __name__ == "__main__":
    main()
