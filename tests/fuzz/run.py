"""Releases generated inputs of every format and says which laws they break.

    python tests/fuzz/run.py --inputs 100000 --seed 1 [--processes 2] [--only csv,arrow] [--case arrow:17]

An input is a file (CSV, Parquet, JSON lines, Arrow, ORC, Excel, Stata, SPSS, SAS, TOML) or a table (Arrow,
pandas, Polars). Each worker is a process of its own: one that crashes, or that is silent for ten minutes, is reported
with the case that it was at, and replaced. An input that takes more than ten seconds of the processor is reported as a
hang.
"""

import argparse
import faulthandler
import multiprocessing
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.arrow_tables import arrow_case, parquet_case, polars_case
from fuzz.case import Case
from fuzz.csv_files import csv_case
from fuzz.documents import documents
from fuzz.laws import Finding, chance_of, judged
from fuzz.other_files import binary_case, json_case, sheet_case, statistical_case, text_case
from fuzz.pandas_frames import pandas_case
from fuzz.releases import Releases

#: Seconds of the processor that no input may take, and seconds of silence after which a worker is given up.
LIMIT, SILENCE = 10.0, 600.0
#: Spoilt contracts and plans that are tried together.
DOCUMENTS = 50
CASES: dict[str, Callable[[Random, str], Case]] = {
    "csv": csv_case,
    "parquet": parquet_case,
    "arrow": arrow_case,
    "pandas": pandas_case,
    "polars": polars_case,
    "text": text_case,
    "json": json_case,
    "binary": binary_case,
    "sheet": sheet_case,
    "statistical": statistical_case,
}
#: Of a hundred inputs so many are of this format.
SHARES = {"toml": 41, "csv": 33, "parquet": 5, "arrow": 5, "pandas": 5, "polars": 5} | {
    "text": 2,
    "json": 1,
    "binary": 1,
    "sheet": 1,
    "statistical": 1,
}


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one case."""

    format: str
    number: int
    inputs: int
    seconds: float
    findings: list[Finding]


def tried(format_: str, number: int, seed: int, releases: Releases, folder: Path) -> Tried:
    """Try one case of a format, which is made of these numbers alone."""
    started = time.process_time()
    label = f"{format_}:{number}"
    if format_ == "toml":
        place = 1_000_000 * seed + number
        findings = [one for found in documents(place, DOCUMENTS, folder) for one in found]
        shutil.rmtree(folder)
        return Tried(format_, number, DOCUMENTS, (time.process_time() - started) / DOCUMENTS, findings)
    case = CASES[format_](chance_of(seed, format_, number), label)
    started = time.process_time()
    with releases.opened():
        findings = judged(case, releases, folder)
    inputs = sum(rows.inputs for rows in case.rows)
    return Tried(format_, number, inputs, (time.process_time() - started) / len(case.rows), findings)


def tasks(formats: list[str]) -> Iterator[tuple[str, int]]:
    """Cases without end, in turns: the format that is furthest behind its share comes next."""
    done: Counter[str] = Counter()
    weights = {"toml": DOCUMENTS, "csv": 41, "parquet": 4}
    while True:
        format_ = min(formats, key=lambda name: done[name] * weights.get(name, 3) / SHARES[name])
        yield format_, done[format_]
        done[format_] += 1


def work(pipe: Connection, seed: int) -> None:
    """Try what the parent sends, until it sends nothing."""
    faulthandler.enable()
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_memory()) as name:
        tempfile.tempdir = name
        releases = Releases(Path(name))
        while (task := pipe.recv()) is not None:
            try:
                pipe.send(tried(*task, seed, releases, Path(name) / "case"))
            except BaseException:  # a generator that is wrong is a finding too
                words = traceback.format_exc()
                pipe.send(Tried(*task, 1, 0.0, [Finding("the fuzzer itself works", f"{task[0]}:{task[1]}", words)]))
                shutil.rmtree(Path(name) / "case", ignore_errors=True)


def _memory() -> str | None:
    """A disk in memory, if there is one: ledgers sync at every charge."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


class Worker:
    """A process that tries one case at a time, and since when it is at it."""

    def __init__(self, seed: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, seed), daemon=True)
        self.process.start()
        other.close()
        self.task: tuple[str, int] | None = None
        self.since = 0.0

    def give(self, task: tuple[str, int]) -> None:
        """Hand it a case."""
        self.task, self.since = task, time.monotonic()
        self.pipe.send(task)

    def lost(self, law: str) -> Tried:
        """End it, and say at which case it was."""
        self.process.kill()
        self.process.join()
        assert self.task is not None
        label = f"{self.task[0]}:{self.task[1]}"
        return Tried(*self.task, 1, 0.0, [Finding(law, label, f"exit code {self.process.exitcode}")])


def fuzzed(inputs: int, seed: int, processes: int, formats: list[str], stop: float) -> Iterator[Tried]:
    """Try so many inputs, or as many as there is time for."""
    queue, given = tasks(formats), 0
    workers = [Worker(seed) for _ in range(processes)]
    for worker in workers:
        worker.give(next(queue))
    while workers:
        ready = wait([worker.pipe for worker in workers], timeout=5)
        for worker in list(workers):
            result = None
            if worker.pipe in ready:
                try:
                    result = worker.pipe.recv()
                except EOFError:
                    result = worker.lost("no crash")
            elif time.monotonic() - worker.since > SILENCE:
                result = worker.lost("no hang")
            if result is None:
                continue
            given += result.inputs
            yield result
            workers.remove(worker)
            if given < inputs and time.monotonic() < stop:
                workers.append(worker if worker.process.is_alive() else Worker(seed))
                workers[-1].give(next(queue))
            elif worker.process.is_alive():
                worker.pipe.send(None)
                worker.process.join()


def main() -> None:
    """Print findings as they come, and a table at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--only", default=",".join(SHARES), help="formats, separated by commas")
    parser.add_argument("--case", help="try one case again, such as arrow:17")
    options = parser.parse_args()
    results = _one(options) if options.case else fuzzed(
        options.inputs, options.seed, options.processes, options.only.split(","),
        time.monotonic() + 60 * options.minutes,
    )  # fmt: skip
    raise SystemExit(_reported(results))


def _one(options: Any) -> Iterator[Tried]:
    format_, _, number = options.case.partition(":")
    with tempfile.TemporaryDirectory(dir=_memory()) as name:
        yield tried(format_, int(number), options.seed, Releases(Path(name)), Path(name) / "case")


def _reported(results: Iterator[Tried]) -> int:
    inputs: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    longest: dict[str, float] = {}
    for count, result in enumerate(results):
        found = list(result.findings)
        if result.seconds > LIMIT:
            found.append(Finding("no hang", f"{result.format}:{result.number}", f"{result.seconds:.1f} s"))
        inputs[result.format] += result.inputs
        broken[result.format] += len(found)
        longest[result.format] = max(result.seconds, longest.get(result.format, 0.0))
        for one in found:
            print(f"{one.law} | {one.label} | {one.words}", flush=True)
        if count % 500 == 499:
            print(f"… {sum(inputs.values()):,} inputs, {sum(broken.values())} findings", flush=True)
    print("| format | inputs | findings | longest, s |\n|---|---|---|---|")
    for name in inputs:
        print(f"| {name} | {inputs[name]:,} | {broken[name]} | {longest[name]:.2f} |")
    print(f"| all | {sum(inputs.values()):,} | {sum(broken.values())} | {max(longest.values()):.2f} |", flush=True)
    return 1 if sum(broken.values()) else 0


if __name__ == "__main__":
    main()
