"""The real curator with noise that forgets: what made-up data leads to, as far as anybody outside could see it."""

import hashlib
import json
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.audits.constant_noise import ConstantNoise, Drawn
from reaedp.audits.made_up_rows import Data
from reaedp.audits.remembered import Remembered
from reaedp.contract import Contract
from reaedp.curator.curator import Curator, several_questions
from reaedp.disk.duckdb_engine import connect_for_released
from reaedp.errors import ReaedpError, Stopped
from reaedp.ledger.sqlite_file import create_file
from reaedp.ledger.state_folder import state_in
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon, tally
from reaedp.release.folder import expected_bytes, new_folder
from reaedp.statistics.by_kind import derived_from

#: A mechanism that shows keys, which is not imported for other ones.
AMORTISED = "reaedp.synthesis.amortised.Amortised"
#: A file with fewer bytes is written by one thread.
FEW_BYTES = 2**16
#: Below every threshold, so that no key of the data is shown; and above every one, so that counts and keys are.
LOW, HIGH = 0, 10**9


@dataclass(frozen=True, slots=True)
class Outcome:
    """What data led to: public facts by name; for each request what the noise was given, and the exact answer."""

    facts: dict[str, str]
    drawn: tuple[tuple[Drawn, ...], ...]
    answers: tuple[Any, ...]
    refused: str
    #: Whether it was not refused on purpose: a statistic or a mechanism failed.
    crashed: bool = False


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Releases all data it is shown, once for each constant.

    `known` is what came of it, so that the same data is released once; `told` are the records of what was released, so
    that data whose every count is the same, however it is stored, is counted and not released again.
    """

    folder: Path
    contract: Contract
    requests: tuple[Request, ...]
    rng: np.random.Generator
    known: dict[tuple[Data, int, tuple[Request, ...]], Outcome] = field(default_factory=dict)
    told: list[tuple[int, tuple[Request, ...], Remembered, Outcome]] = field(default_factory=list)

    def outcomes(self, data: Data, *, keys: bool) -> tuple[Outcome, ...]:
        """One for each set of requests and its constant; with `keys`, the keys of the data are shown in one of them."""
        return tuple(self._outcome(data, *step) for step in _rounds(self.requests, keys=keys))

    def _outcome(self, data: Data, value: int, requests: tuple[Request, ...]) -> Outcome:
        key = (data, value, requests)
        if key not in self.known:
            place = self.folder / str(len(self.known))
            place.mkdir()
            self.known[key] = self._release(data.opened(place / "table.csv"), place, value, requests)
        return self.known[key]

    def _release(self, opened: Any, place: Path, value: int, requests: tuple[Request, ...]) -> Outcome:
        """Publish as a custodian would, into a folder and a ledger that nobody else uses."""
        terms, noise = replace(self.contract, ledger=str(place / "ledger.sqlite")), ConstantNoise(value, self.rng)
        watch = _Watch(requests, noise)
        try:
            curator, records = _curator(terms, opened, noise)
            with closing(curator.ledger), records.at_once(*several_questions(requests)):
                for same, wanted, others, outcome in self.told:
                    if (same, wanted) == (value, requests) and records.answers_like(others):
                        return outcome
                facts = _publish(curator, place / "out", watch)
            answers = tuple(request.statistic.answer(records) for request in requests)
        except Stopped:  # by a person, whom the entries of a made-up ledger do not concern
            raise KeyboardInterrupt from None
        except Exception as error:  # whatever is raised is published, too
            said = f"{type(error).__name__}: {error}".replace(str(place), "")
            return Outcome({"error": said}, (), (), said, not isinstance(error, ReaedpError))
        found = Outcome(facts, watch.drawn(), answers, "")
        self.told.append((value, requests, records, found))
        return found


def _rounds(requests: tuple[Request, ...], *, keys: bool) -> Iterator[tuple[int, tuple[Request, ...]]]:
    """All requests with the low constant; those that take another route above a threshold also with the high one."""
    yield LOW, requests
    above = tuple(
        request
        for request in requests
        if request.statistic.answers == "routed"
        or (keys and (request.statistic.answers in ("keyed", "grouped") or derived_from(request.mechanism, AMORTISED)))
    )
    if above:
        yield HIGH, above


class _Watch:
    """Notes which draws belong to which request: the curator says the title of each before it answers it."""

    def __init__(self, requests: tuple[Request, ...], noise: ConstantNoise) -> None:
        self.requests, self.noise = requests, noise
        self._starts: list[int] = []

    def progress(self, said: str) -> None:
        begun = len(self._starts)
        if begun < len(self.requests) and said == self.requests[begun].statistic.title:
            self._starts.append(len(self.noise.drawn))

    def drawn(self) -> tuple[tuple[Drawn, ...], ...]:
        ends = [*self._starts[1:], len(self.noise.drawn)]
        return tuple(tuple(self.noise.drawn[a:b]) for a, b in zip(self._starts, ends, strict=True))


def _curator(contract: Contract, opened: Any, noise: ConstantNoise) -> tuple[Curator, Remembered]:
    """A curator with a new ledger, and the made-up records, of which the exact answers can be asked."""
    with state_in(Path(contract.ledger).parent):
        create_file(Path(contract.ledger))
        curator = Curator(contract, opened, noise=noise)
    records = Remembered(curator._records)  # noqa: SLF001 - which no other part of the program may see
    curator._records = records  # type: ignore[assignment]  # noqa: SLF001
    return curator, records


def _publish(curator: Curator, out: Path, watch: _Watch) -> dict[str, str]:
    """What is published."""
    contract = curator.contract
    size = expected_bytes(contract, [request.statistic for request in watch.requests])
    with new_folder(out, size) as folder:
        releases = curator.release_all(watch.requests, watch.progress)
        folder.write(contract, releases)
    curator.ledger.finish([release.entry for release in releases])
    spent = {
        "ledger entries": repr([(entry.number, entry.act, entry.state) for entry in curator.ledger.history()]),
        "ledger total": repr(curator.ledger.spent(contract.dataset)),
        "composed price": repr(epsilon(tally([r.price for r in releases]), contract.budget.delta)),
    }
    return spent | _folder_facts(out)


def _folder_facts(folder: Path) -> dict[str, str]:
    """Every file with its mode and its rows in any order; the time of day is no fact about rows.

    The engine writes long files by several threads, so that their order, and with it their hashes, is not fixed.
    """
    paths = sorted(folder.iterdir())
    record = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    record = {key: value for key, value in record.items() if key not in ("created", "files")}
    facts = {path.name: _content(path) for path in paths}
    modes = {f"mode of {path.name}": stat.filemode(path.stat().st_mode) for path in paths}
    return facts | modes | {"release.json": json.dumps(record, sort_keys=True)}


def _content(path: Path) -> str:
    """All of a file: its bytes, which one thread wrote if there are few."""
    read = digest if path.stat().st_size <= FEW_BYTES else READERS.get(path.suffix, lines)
    return read(path)


def digest(path: Path) -> str:
    """A hash of the bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def lines(path: Path) -> str:
    """A hash of the first line and of the others in order."""
    found = path.read_bytes().splitlines()
    return hashlib.sha256(b"\n".join([*found[:1], *sorted(found[1:])])).hexdigest()


def parquet(path: Path) -> str:
    """Names and types of columns, the number of rows, and a sum over rows of their hashes."""
    connection = connect_for_released()
    try:
        table = connection.read_parquet(str(path))
        rows = table.aggregate(f"count(*), sum(hash({', '.join(_quoted(name) for name in table.columns)})::HUGEINT)")
        return repr((table.columns, list(map(str, table.types)), rows.fetchall()))
    finally:
        connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


READERS: dict[str, Callable[[Path], str]] = {".parquet": parquet}
