"""Synthetic records beside other libraries: the same rows, cells, ε, δ and seeds; quality, time, memory.

    REAEDP_DATA=folder python benchmarks/synthesis_peers.py [--sets titanic …] [--epsilon .3 1 3] [--seeds 0 1 2 3 4]
        [--peers "dpmm MST" …] [--cap 7200] [--again]
    python benchmarks/synthesis_peers.py --page docs/synthesizers.md           # only writes the tables of that page

Every run is kept in synthesis_runs.jsonl beside this script; what is there with the same version of the contender is
not run again, so that a stopped comparison goes on, and what has another version is replaced. Rows are released with
δ = 10^-6, neighbours differing by one added or removed row; everyone gets the same public cells as codes and makes as
many rows as there are. Seconds are of the processor, of all cores together, from the file to the rows, with imports. A
run that is not over after the cap is ended, which is a result. Noise that a library does not let us seed, ours among
them, is new in each run.

Contenders whose code is on no registry are imported from checkouts in the folder that REAEDP_CHECKOUTS names. "1 MB" is
AIM with a small model and 100 steps a round, as its authors advise for trials. docs/synthesizers.md says how the others
are set.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from compared.axis import Codes
from compared.contenders import CONTENDERS, Contender
from compared.distances import quantile_errors
from compared.measures import MEASURES, measured
from compared.report import OURS, REFERENCES, losses, mean, page
from compared.runs import Run, keep, latest, read
from compared.tables import TABLES, Compared
from harness import machine
from harness.peer import DATA, HOME, Unavailable, run
from harness.row import Row
from harness.script import parser, present
from harness.synthesis_job import Table

DELTA = 1e-6
RUNS = HOME / "synthesis_runs.jsonl"
#: Two of these libraries compute with JAX, which must not look for other processors, and needs doubles. Threads of
#: linear algebra on small arrays mostly wait for each other, which would count as their seconds.
SETTINGS = {"JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
#: Where the tables of the page begin; what is above stays.
MARK = "<!-- tables -->\n"
#: What the suite's document shows of a comparison; the page has all measures.
SHOWN = ("processor", "tv2", "auc_boosting", "r2_boosting")


def made(table: Compared, contender: Contender, epsilon: float, seed: int, cap: float) -> Run:
    """Run a contender once and measure its rows."""
    facts: dict[str, Any] = {
        "table": table.name, "contender": contender.name, "epsilon": epsilon, "delta": DELTA, "seed": seed,
        "version": contender.version, "date": machine.today(), "load": round(machine.load(), 1),
        "machine": f"{machine.processor()}, {os.cpu_count()} cores, {machine.memory():.0f} GB",
    }  # fmt: skip
    try:
        codes, found = synthetic(table, contender, epsilon, seed, cap)
    except Unavailable as reason:
        return Run(**facts, failure=str(reason))
    figures = measured(table, codes) | {name: round(found[name], 1) for name in ("processor", "peak_mb")}
    errors = quantile_errors(table.train, codes, table.axes)
    return Run(
        **facts,
        figures=figures,
        quantiles={name: [float(f"{one:.4g}") for one in found] for name, found in errors.items()},
    )


def synthetic(
    table: Compared, contender: Contender, epsilon: float, seed: int, cap: float
) -> tuple[Codes, dict[str, Any]]:
    """The rows that a contender made, and what it says of its time and memory; rows are kept in the folder of data."""
    domain = dict(zip(table.names, table.sizes, strict=True))
    ordered = [axis.name for axis in table.axes if axis.ordered]
    with tempfile.TemporaryDirectory() as folder:
        job = Table(Path(folder), domain, ordered, len(table.train), epsilon, DELTA, seed, table.target)
        job.write(pd.DataFrame(table.train, columns=table.names))
        found = run(
            f"synthesis_{contender.script}", job.folder, *contender.arguments, peer=contender.environment, cap=cap,
            settings=SETTINGS | contender.settings,
        )  # fmt: skip
        frame = pd.read_csv(job.folder / "synthetic.csv")[table.names]
    codes = frame.apply(pd.to_numeric, errors="coerce").fillna(-1).to_numpy(np.int32)
    kept = DATA / "synthesis" / f"{table.name}-{contender.name}-{epsilon:g}-{seed}.csv.gz"
    kept.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(codes, columns=table.names).to_csv(kept, index=False)
    return codes, found


def compared(options: argparse.Namespace) -> Iterator[Run]:
    """The runs that are asked for and not in the file yet, the cheapest tables first, contenders in turns."""
    chosen = [CONTENDERS[name] for name in options.peers or CONTENDERS if not CONTENDERS[name].missing]
    for name in options.sets:
        table = TABLES[name](options.data)
        for epsilon in options.epsilon:
            for seed in options.seeds:
                for contender in chosen:
                    task = (name, contender.name, epsilon, seed)
                    done = {(one.task, one.version) for one in read(options.runs)}
                    if (task, contender.version) in done and not options.again:
                        continue
                    found = made(table, contender, epsilon, seed, options.cap)
                    keep(options.runs, found)
                    yield found


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """What the suite shows: ours beside each peer that was asked for."""
    for found in compared(options):
        told = found.failure or ", ".join(f"{name} {value:g}" for name, value in found.figures.items())
        print(machine.today()[11:16], *found.task, told, flush=True)
    every = latest(read(options.runs))
    for name in options.sets:
        for epsilon in options.epsilon:
            here = [one for one in every if (one.table, one.epsilon) == (name, epsilon)]
            ours = [one for one in here if one.contender == OURS]
            for peer in options.peers or CONTENDERS:
                if peer not in (OURS, *REFERENCES):
                    yield from _rows(f"Synthetic records of {name}, ε = {epsilon:g}", peer, ours, here)


def _rows(section: str, peer: str, ours: list[Run], here: list[Run]) -> Iterator[Row]:
    theirs = [one for one in here if one.contender == peer]
    note = theirs[-1].failure or theirs[-1].version if theirs else "not run"
    for measure in MEASURES:
        if measure.name in SHOWN and (own := mean(ours, measure.name)) is not None:
            yield Row(
                section=section, what=measure.head, against=peer, ours=own, theirs=mean(theirs, measure.name),
                unit="s" if measure.name == "processor" else "", more=measure.more, note=note,
            )  # fmt: skip


def write_page(path: Path, runs: list[Run]) -> None:
    head = path.read_text(encoding="utf-8").split(MARK)[0]
    path.write_text(f"{head}{MARK}\n{page(latest(runs), list(TABLES), list(CONTENDERS))}", encoding="utf-8")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("REAEDP_DATA"))
    options.add_argument("--sets", nargs="+", choices=TABLES, default=["adult"])
    options.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    options.add_argument("--seeds", type=int, nargs="+", default=[0])
    options.add_argument("--peers", nargs="+", choices=CONTENDERS, help="all whose code is here, if left out")
    options.add_argument("--cap", type=float, default=7200.0, help="seconds of the processor for a run")
    options.add_argument("--again", action="store_true", help="also what is in the file already")
    options.add_argument("--runs", type=Path, default=RUNS, help="the file of runs")
    options.add_argument("--page", type=Path, help="write the tables of this page from the file of runs, and stop")
    chosen = options.parse_args()
    if chosen.page:
        write_page(chosen.page, read(chosen.runs))
        return
    if chosen.data is None:
        options.error("name the folder of the data with --data or REAEDP_DATA")
    chosen.data = Path(chosen.data)
    if chosen.quick:
        chosen.sets = ["titanic"]
    present(chosen, rows)
    for table, epsilon, measure, own, name, theirs in losses(latest(read(chosen.runs))):
        if table in chosen.sets and epsilon in chosen.epsilon:
            print(f"behind: {table}, ε = {epsilon:g}, {measure.head}: ours {own:.4g}, {name} {theirs:.4g}")


if __name__ == "__main__":
    main()
