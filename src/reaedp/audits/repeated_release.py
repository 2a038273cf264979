"""A release as a mechanism that can be run thousands of times: a file on disk in, releases out.

Every run is charged to a real ledger before its noise is drawn, and its noise is the secret one. What is counted in a
file is remembered, as the same file has the same counts; it is counted anew from time to time, and compared.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.answer import Integers
from reaedp.audits.remembered import Answers, Question, Remembered
from reaedp.contract import Contract
from reaedp.curator.curator import Curator
from reaedp.ledger.ledger import Ledger
from reaedp.ledger.state_folder import state_in
from reaedp.mechanisms.noise import Noise
from reaedp.plan.request import Request
from reaedp.privacy.accounting import tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import Price
from reaedp.privacy.merging import failure
from reaedp.release.folder import expected_bytes, new_folder
from reaedp.release.release import Release

#: Runs that are charged in one transaction, and batches after which the file is counted anew.
BATCH, RECOUNTED = 100, 10
#: The budget of made-up data: enough for any number of runs.
PLENTY, MOST_DELTA = 1e9, 0.9


class RepeatedCurator(Curator):
    """The real curator with remembered counts."""

    def __init__(self, contract: Contract, data: Any, noise: Noise | None, memory: Answers) -> None:
        super().__init__(contract, data, noise=noise)
        self._records: Any = Remembered(self._records, memory)

    def exact(self, request: Request) -> Any:
        """What the curator counts in made-up data."""
        return request.statistic.answer(self._records)

    def counts(self, names: tuple[str, ...]) -> Integers:
        """The exact counts of some columns in made-up data, cell by cell."""
        counts: Integers = self._records.counts(names).values
        return counts


@dataclass(slots=True)
class RepeatedRelease:
    """One file, one request, and as many releases as are wanted."""

    contract: Contract
    request: Request
    data: Path
    folder: Path
    noise: Noise | None = None
    _memory: Answers = field(default_factory=dict)
    _batches: Iterator[int] = field(default_factory=itertools.count)
    #: Whether every count of the file gave the same.
    steady: bool = True

    def __post_init__(self) -> None:
        self.folder.mkdir()

    def releases(self, runs: int) -> Iterator[Release]:
        """Independent releases, each charged to a ledger on its own."""
        size = _batch(self.request.charge(self.contract).price)
        while runs > 0:
            some, runs = min(size, runs), runs - size
            curator = self._opened()
            try:
                releases = curator.release_all([self.request] * some)
                curator.ledger.finish([release.entry for release in releases])
            finally:
                curator.ledger.close()
            yield from releases

    def charged(self) -> Price:
        """What the ledger says one release costs."""
        curator = self._opened()
        try:
            (release,) = curator.release_all([self.request])
            (entry,) = [entry for entry in curator.ledger.history() if entry.number == release.entry]
        finally:
            curator.ledger.close()
        assert entry.charge is not None
        return entry.charge.price

    def exact(self) -> Any:
        """What the curator counts, which the best attacker knows."""
        curator = self._opened()
        try:
            return curator.exact(self.request)
        finally:
            curator.ledger.close()

    def counts(self, names: tuple[str, ...]) -> Integers:
        """The exact counts of some columns, cell by cell, which the best attacker knows."""
        curator = self._opened()
        try:
            return curator.counts(names)
        finally:
            curator.ledger.close()

    def folder_agrees(self) -> bool:
        """Whether the folder of a release holds the numbers of the release, digit by digit."""
        curator, out = self._opened(), self.folder / "out"
        try:
            size = expected_bytes(self.contract, [self.request.statistic])
            with new_folder(out, size) as folder:
                releases = curator.release_all([self.request])
                folder.write(self.contract, releases)
        finally:
            curator.ledger.close()
        return _read_back(out, releases[0])

    def _opened(self) -> RepeatedCurator:
        number = next(self._batches)
        if number and number % RECOUNTED == 0:
            self._count_again(number)
        return self._curator(str(number), self._memory)

    def _count_again(self, number: int) -> None:
        """Compare what is remembered with new counts of the same; other noise may lead to other questions."""
        memory: Answers = {}
        again = self._curator(f"{number} again", memory)
        try:
            again.release_all([self.request])
        finally:
            again.ledger.close()
        self.steady &= all(
            _same(question, self._memory[key][1], answer)
            for key, (question, answer) in memory.items()
            if key in self._memory
        )

    def _curator(self, ledger: str, memory: Answers) -> RepeatedCurator:
        place = str(self.folder / f"{ledger}.sqlite")
        terms = replace(self.contract, budget=Budget(PLENTY, MOST_DELTA), ledger=place)
        with state_in(self.folder):
            Ledger.create(place).close()
            return RepeatedCurator(terms, self.data, self.noise, memory)


def _batch(price: Price) -> int:
    """The most runs for which δ leaves room in one ledger."""
    delta = float(failure(tally([price]))[0])
    return BATCH if delta == 0 else max(1, min(BATCH, int(MOST_DELTA / 2 / delta)))


def _same(question: Question, one: Any, other: Any) -> bool:
    """Whether two answers to a question are the same; curves come in any order, and none is used."""
    if question.method == "curve_points":
        return sorted(one.tolist()) == sorted(other.tolist())
    return bool(_plain(one) == _plain(other))


def _plain(value: Any) -> Any:
    """Numbers and words, of whatever was counted."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "counts"):
        return [value.keys.tolist(), value.counts.tolist()]
    return _plain(value.values) if hasattr(value, "axes") else value


def _read_back(out: Path, release: Release) -> bool:
    """The table in the folder against the one that the release gives."""
    from reaedp.disk.duckdb_engine import connect_for_released

    frame = release.statistic.frame(release.value, release.noise)
    connection = connect_for_released()
    try:
        read = connection.read_parquet(str(out / f"{release.name}.parquet")).fetchnumpy()
    finally:
        connection.close()
    return all(_column(read[name]) == _column(values) for name, values in frame.items())


def _column(values: Any) -> list[str]:
    return [str(value) for value in np.ma.filled(np.ma.asarray(values).astype(object), None).tolist()]
