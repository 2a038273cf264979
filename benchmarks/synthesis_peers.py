"""Synthetic records of Adult at ε = 1: ours beside other libraries, time and quality on the same rows.

    REAEDP_DATA=folder python benchmarks/synthesis_peers.py [--epsilon 1] [--cap 600] [--only "dpmm MST" …]

The folder holds adult.csv and adult-domain.json. A fixed 80 % of the rows is released with δ = 10^-6, neighbours
differing by one added or removed row; everyone gets the same public domain and codes, and makes as many rows. Pairs are
the mean total variation over all pairs of columns, less being better; AUC is that of gradient boosting trained on the
synthetic rows and tested on the other 20 %, more being better. Seconds are of the processor, of all cores together,
from the file to the rows, with imports. "1 MB" is AIM with a small model, as its authors advise for trials: with its
own settings it runs for hours. A run that is not over after the cap is ended, which is a result.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from harness.peer import DATA, OURS, Unavailable, run
from harness.row import Row
from harness.script import parser, present
from harness.synthesis_job import Table
from reaedp.evaluation.utility import utility
from synthesis import ORDERED, Data, adult

DELTA = 1e-6
#: Name → contender, environment, method.
PEERS = {
    "dpmm MST": ("dpmm", "dpmm", "MST"),
    "dpmm PrivBayes": ("dpmm", "dpmm", "PrivBayes"),
    "dpmm AIM, 1 MB": ("dpmm", "dpmm", "AIM"),
    "OpenDP MST": ("opendp", "opendp", "MST"),
    "OpenDP AIM, 1 MB": ("opendp", "opendp", "AIM"),
    "SmartNoise MST": ("smartnoise", "smartnoise_synth", "MST"),
    "SmartNoise AIM, 1 MB": ("smartnoise", "smartnoise_synth", "AIM"),
}
#: Two of these libraries compute with JAX, which must not look for other processors, and needs doubles.
SETTINGS = {"JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}


def measured(who: tuple[str, str, str], table: Table, data: Data, cap: float) -> dict[str, Any]:
    """Seconds, pairs and AUC of one run."""
    contender, environment, method = who
    made = table.folder / "synthetic.csv"
    made.unlink(missing_ok=True)
    found = run(f"synthesis_{contender}", table.folder, method, peer=environment, cap=cap, settings=SETTINGS)
    codes = pd.read_csv(made)[list(data.names)].apply(pd.to_numeric, errors="coerce").fillna(-1).to_numpy(np.int32)
    quality = utility(data.train, codes, data.sizes, rng=np.random.default_rng(0), label=data.label, test=data.test)
    assert quality.prediction is not None
    return found | {"pairs": quality.distances[1].mean, "auc": quality.prediction.synthetic_auc.value}


def compared(name: str, table: Table, data: Data, cap: float) -> Iterator[Row]:
    ours = measured(("reaedp", OURS, "network"), table, data, cap)
    note = ""
    try:
        theirs: dict[str, Any] = measured(PEERS[name], table, data, cap)
        clock = f"by the clock {theirs['seconds']:,.0f} s, ours {ours['seconds']:,.0f} s"
        note = f"{theirs['versions']}; {clock}; memory {theirs['peak_mb']:,.0f} MB, ours {ours['peak_mb']:,.0f} MB"
    except Unavailable as reason:
        theirs, note = {}, str(reason)
    section, shared = f"Synthetic records of Adult, ε = {table.epsilon:g}", {"against": name}
    spent = [found.get("processor") for found in (ours, theirs)]
    yield Row(section=section, what="seconds of the processor", ours=spent[0], theirs=spent[1], note=note, **shared)
    if theirs:
        yield Row(section=section, what="pairs", ours=ours["pairs"], theirs=theirs["pairs"], unit="", **shared)
        yield Row(section=section, what="AUC", ours=ours["auc"], theirs=theirs["auc"], unit="", more=True, **shared)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    data = adult(options.data)
    table = Table(
        DATA / "synthesis", dict(zip(data.names, data.sizes, strict=True)), list(ORDERED), len(data.train),
        options.epsilon, DELTA,
    )  # fmt: skip
    table.write(data.frame)
    for name in options.only or (["dpmm MST"] if options.quick else PEERS):
        yield from compared(name, table, data, options.cap)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("REAEDP_DATA"))
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--cap", type=float, default=600.0)
    options.add_argument("--only", nargs="+", choices=PEERS)
    chosen = options.parse_args()
    if chosen.data is None:
        options.error("name the folder of the data with --data or REAEDP_DATA")
    present(chosen, rows)


if __name__ == "__main__":
    main()
