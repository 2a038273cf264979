"""Where each method of making synthetic records wins: Adult resampled to 10^4 … 10^7 rows, one price for all.

    python benchmarks/methods.py [--data DIR] [--most 1000000] [--epsilon 1]

Prints, for each size and method, how many rows came out, which columns are kept, and the mean total variation over all
pairs of columns, beside that of as many rows drawn from the data itself, which no private method can beat by much; and
the total variation of the kept columns jointly, beside that of the network's rows.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from harness.ledger import ledger_in
from harness.table import show
from reaedp import Budget, Contract, Curator, Integer, Unit
from reaedp.evaluation.utility import column_sets, marginal_distances
from reaedp.plan.kinds.synthetic import PlannedSynthetic

#: Rows asked for; each deniable one costs something, the others do not.
ROWS = {"network": 20_000, "amortised": 20_000, "deniable": 1_000}
DELTA = 1e-7
HEADS = ("method", "rows out", "pairs", "as many real rows", "kept jointly", "by network", "s", "kept")


def load(folder: Path) -> tuple[dict[str, int], np.ndarray]:
    """Domain sizes and codes of Adult."""
    sizes: dict[str, int] = json.loads((folder / "adult-domain.json").read_text())
    header, *_ = (folder / "adult.csv").read_text().split("\n", 1)
    codes = np.loadtxt(folder / "adult.csv", delimiter=",", skiprows=1, dtype=np.int32)
    return sizes, codes[:, [header.split(",").index(name) for name in sizes]]


def contract(sizes: dict[str, int], rows: int, folder: str) -> Contract:
    """All is public but the rows; at least half of them are known to be there."""
    columns = tuple(
        Integer(name=name, lower=0, upper=size - 1, null="drop", nan="drop", unparsable="drop", provenance="public")
        for name, size in sizes.items()
    )
    return Contract(
        dataset="adult",
        unit=Unit("add-remove", at_least=rows // 2),
        budget=Budget(100, 1e-5),
        ledger=ledger_in(folder),
        columns=columns,
    )


def run(method: str, sizes: dict[str, int], codes: np.ndarray, epsilon: float) -> tuple[Any, float]:
    """The released records and the seconds they took."""
    import pandas as pd

    names = tuple(sizes)
    with tempfile.TemporaryDirectory() as folder:
        terms = contract(sizes, len(codes), folder)
        planned = PlannedSynthetic(
            name=method,
            kind="synthetic",
            columns=names,
            rows=ROWS[method],
            method=method,  # type: ignore[arg-type]
            epsilon=epsilon,
            delta=DELTA,
        )
        curator = Curator(terms, pd.DataFrame(codes, columns=list(names)))
        start = time.perf_counter()
        request = planned.request(terms)
        release = curator.release(request.statistic, request.mechanism)
        return release.value, time.perf_counter() - start


def pairs(real: np.ndarray, synthetic: np.ndarray, sizes: dict[str, int]) -> float:
    """Mean total variation over all pairs of columns."""
    sets = column_sets(len(sizes), 2)
    return float(marginal_distances(real, synthetic, tuple(sizes.values()), sets).mean())


def joint(real: np.ndarray, synthetic: np.ndarray, sizes: dict[str, int], kept: list[str]) -> str:
    """Total variation of the kept columns together."""
    if not kept or not len(synthetic):
        return "–"
    places = tuple(list(sizes).index(name) for name in kept)
    return f"{marginal_distances(real, synthetic, tuple(sizes.values()), [places])[0]:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("REAEDP_DATA", ".")))
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    options = parser.parse_args()
    sizes, adult = load(options.data)
    rng = np.random.default_rng(0)
    for rows in (10**power for power in range(4, 8) if 10**power <= options.most):
        real = adult[rng.integers(0, len(adult), rows)]
        network = np.empty((0, len(sizes)), dtype=np.int32)
        lines = []
        for method in ROWS:
            value, seconds = run(method, sizes, real, options.epsilon)
            out = len(value)
            found = pairs(real, value.codes, sizes) if out else 1.0
            floor = pairs(real, real[rng.integers(0, rows, max(out, 1))], sizes)
            network = value.codes if method == "network" else network
            kept = value.details.get("kept", ())
            jointly = [joint(real, codes, sizes, kept) for codes in (value.codes, network)]
            figures = (f"{found:.3f}", f"{floor:.3f}", *jointly, f"{seconds:.1f}")
            lines.append((method, f"{out:,}", *figures, ", ".join(kept) or "none"))
        show(f"{rows:,} rows in the data", HEADS, lines)


if __name__ == "__main__":
    main()
