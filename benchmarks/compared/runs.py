"""The file of runs: one line of JSON for each, kept as soon as it is over, so that a stopped comparison goes on."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Run:
    """One release of one contender: what it was asked, with what it was made, and what came out.

    `figures` are measures by name, `quantiles` the errors of each number in its own unit. Where there is no result,
    `failure` says why.
    """

    table: str
    contender: str
    epsilon: float
    delta: float
    seed: int
    version: str
    date: str
    machine: str
    load: float
    figures: dict[str, float] = field(default_factory=dict)
    quantiles: dict[str, list[float]] = field(default_factory=dict)
    failure: str = ""

    @property
    def task(self) -> tuple[str, str, float, int]:
        return (self.table, self.contender, self.epsilon, self.seed)


def keep(path: Path, run: Run) -> None:
    """Add a run to the file, in place of one of the same task with another version."""
    runs = [*(one for one in read(path) if one.task != run.task), run]
    written = path.with_suffix(".new")
    written.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in runs), encoding="utf-8")
    written.replace(path)


def read(path: Path) -> list[Run]:
    """All runs of the file; none if there is no file yet."""
    if not path.exists():
        return []
    return [Run(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def latest(runs: list[Run]) -> list[Run]:
    """Of each contender on each table at each ε, the runs with the version measured last, one for each seed."""
    version = {(run.table, run.contender, run.epsilon): run.version for run in runs if not run.failure}
    kept = {run.task: run for run in runs if run.version == version.get(run.task[:3], run.version)}
    return list(kept.values())
