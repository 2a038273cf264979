"""The deterministic part of an audit: made-up neighbours go through the real door, with noise that forgets its input.

Everything published must then be the same for both, row for row; what was handed to the noise may differ by no more
than the declared sensitivity; and both must have cost the same. No real data is opened.
"""

import hashlib
import json
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.answer import Integers, Keyed, Routed, Shape
from reaedp.audit.constant_noise import ConstantNoise, Drawn
from reaedp.audit.finding import Finding, Verdict
from reaedp.audit.keyed_channel import aligned
from reaedp.audit.made_up_rows import Row, TablePair, small, table_pairs, write_table
from reaedp.contract import Contract
from reaedp.curator.curator import Curator
from reaedp.curator.records import Records
from reaedp.engine import connect
from reaedp.folder import expected_bytes, new_folder
from reaedp.plan import Plan
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.unit import Sensitivity
from reaedp.request import Request

#: Below every threshold, so that no key of the data is shown; and above that of a look, so that counts are.
CONSTANTS = (0, 10**9)
_METHOD = "made-up neighbours through the real door, with noise that forgets its input"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one table led to: public facts by name, what the noise was given, the exact answers."""

    facts: dict[str, str]
    drawn: tuple[Drawn, ...]
    answers: tuple[Any, ...]
    refused: str


def replay(
    contract: Contract,
    wanted: Plan | Sequence[Request],
    rng: np.random.Generator,
    *,
    most_pairs: int | None = None,
) -> tuple[Finding, ...]:
    """Whether anything but noisy numbers can depend on a row under this contract.

    One finding for each pair about what is published, one for each request about how far its answer moves. Answers of a
    shape that is not made of numbers with noise of their own are not replayed.
    """
    requests = wanted.requests() if isinstance(wanted, Plan) else tuple(wanted)
    replayed = tuple(request for request in requests if request.statistic.answers in _MOVEMENTS)
    terms, pairs = small(contract), tuple(islice(table_pairs(contract, rng), most_pairs))
    skipped = tuple(_not_replayed(request) for request in requests if request not in replayed)
    if not replayed:
        return skipped
    with tempfile.TemporaryDirectory(prefix="reaedp-") as folder:
        door = _Door(Path(folder), terms, replayed, rng)
        outcomes = [(door.outcomes(pair.first), door.outcomes(pair.second)) for pair in pairs]
    published = tuple(_published(pair, *outcome) for pair, outcome in zip(pairs, outcomes, strict=True))
    moved = tuple(_moved(place, request, terms, pairs, outcomes) for place, request in enumerate(replayed))
    return published + moved + skipped


class _Door:
    """Releases each table once for each constant, and remembers what came of it."""

    def __init__(
        self, folder: Path, contract: Contract, requests: tuple[Request, ...], rng: np.random.Generator
    ) -> None:
        self._folder, self._contract, self._requests, self._rng = folder, contract, requests, rng
        self._known: dict[tuple[Row, ...], tuple[Outcome, ...]] = {}

    def outcomes(self, rows: tuple[Row, ...]) -> tuple[Outcome, ...]:
        """One for each set of requests and its constant."""
        if rows not in self._known:
            table = self._folder / f"table{len(self._known)}.csv"
            write_table(table, self._contract, rows)
            self._known[rows] = tuple(
                self._release(table, value, requests) for value, requests in _rounds(self._requests)
            )
        return self._known[rows]

    def _release(self, table: Path, value: int, requests: tuple[Request, ...]) -> Outcome:
        """Publish as a custodian would, into a folder and a ledger that nobody else uses."""
        place = self._folder / f"{table.stem}-{value}"
        place.mkdir()
        terms, noise = replace(self._contract, ledger=str(place / "ledger.sqlite")), ConstantNoise(value, self._rng)
        try:
            facts = _publish(terms, table, place / "out", requests, noise)
            records = Records(terms, table)
            answers = tuple(request.statistic.answer(records) for request in requests)
        except Exception as error:  # whatever is raised is published, too
            said = f"{type(error).__name__}: {error}".replace(str(place), "")
            return Outcome({"error": said}, (), (), said)
        return Outcome(facts, tuple(noise.drawn), answers, "")


def _rounds(requests: tuple[Request, ...]) -> Iterator[tuple[int, tuple[Request, ...]]]:
    """All requests with the low constant; those that take another route above a threshold also with the high one."""
    yield CONSTANTS[0], requests
    routed = tuple(request for request in requests if request.statistic.answers == "routed")
    if routed:
        yield CONSTANTS[1], routed


def _publish(
    contract: Contract, table: Path, out: Path, requests: tuple[Request, ...], noise: ConstantNoise
) -> dict[str, str]:
    curator = Curator(contract, table, noise=noise)
    size = expected_bytes(contract, [request.statistic for request in requests])
    try:
        with new_folder(out, size) as folder:
            releases = curator.release_all(requests)
            folder.write(contract, releases)
        curator.ledger.finish([release.entry for release in releases])
        spent = {
            "ledger entries": repr([(entry.number, entry.act, entry.state) for entry in curator.ledger.history()]),
            "ledger total": repr(curator.ledger.spent(contract.dataset)),
            "composed price": repr(epsilon(tally([r.price for r in releases]), contract.budget.delta)),
        }
    finally:
        curator.ledger.close()
    return spent | _folder_facts(out)


def _folder_facts(folder: Path) -> dict[str, str]:
    """Every file with its mode and its rows in any order; the time of day is no fact about rows.

    The engine writes long files by several threads, so that their order, and with it their hashes, is not fixed.
    """
    paths = sorted(folder.iterdir())
    record = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    record = {key: value for key, value in record.items() if key not in ("created", "files")}
    facts = {path.name: _READERS.get(path.suffix, _lines)(path) for path in paths}
    modes = {f"mode of {path.name}": stat.filemode(path.stat().st_mode) for path in paths}
    return facts | modes | {"release.json": json.dumps(record, sort_keys=True)}


def _lines(path: Path) -> str:
    lines = path.read_bytes().splitlines()
    return hashlib.sha256(b"\n".join([*lines[:1], *sorted(lines[1:])])).hexdigest()


def _parquet(path: Path) -> str:
    """Names and types of columns, the number of rows, and a sum over rows of their hashes."""
    connection = connect()
    try:
        table = connection.read_parquet(str(path))
        rows = table.aggregate(f"count(*), sum(hash({', '.join(_quoted(name) for name in table.columns)})::HUGEINT)")
        return repr((table.columns, list(map(str, table.types)), rows.fetchall()))
    finally:
        connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_READERS: dict[str, Callable[[Path], str]] = {".parquet": _parquet}


def _published(pair: TablePair, first: tuple[Outcome, ...], second: tuple[Outcome, ...]) -> Finding:
    """Same facts, and what was charged is what the prices add up to."""
    differing = [
        name
        for one, other in zip(first, second, strict=True)
        for name in sorted(one.facts.keys() | other.facts.keys())
        if one.facts.get(name) != other.facts.get(name)
    ]
    unpaid = [o for o in first + second if o.facts.get("ledger total") != o.facts.get("composed price")]
    witness = f"differs between neighbours: {', '.join(dict.fromkeys(differing))}" if differing else ""
    if unpaid:
        witness = "; ".join(filter(None, (witness, "the ledger's total is not the price of what was released")))
    refused = next((outcome.refused for outcome in first + second if outcome.refused), "")
    verdict = Verdict.VIOLATED if witness else Verdict.WEAK if refused else Verdict.CONSISTENT
    return Finding(
        subject="everything published besides noise",
        pair=pair.label,
        verdict=verdict,
        method=_METHOD,
        witness=witness or (f"nothing was released: {refused}" if refused else ""),
    )


def _moved(
    place: int,
    request: Request,
    contract: Contract,
    pairs: tuple[TablePair, ...],
    outcomes: list[tuple[tuple[Outcome, ...], tuple[Outcome, ...]]],
) -> Finding:
    """The farthest that one unit moved the answer, against what is declared; and whether noise got the answer."""
    noise = request.calibrated(contract)
    problems = []
    for pair, (first, second) in zip(pairs, outcomes, strict=True):
        one, other = first[0], second[0]
        if one.refused or other.refused:
            continue
        move = _MOVEMENTS[request.statistic.answers](one.answers[place], other.answers[place])
        if _enough(contract, pair) and not _within(move, noise.sensitivity):
            problems.append(f"{pair.label}: the answer moves by {int(np.abs(move).sum()):,} in L1")
        if not all(_hidden(outcome, place) for outcome in (one, other)):
            problems.append(f"{pair.label}: noise was not given the exact answer as integers")
    declared = noise.sensitivity
    return Finding(
        subject=f"{request.statistic.title}: movement within L1 {declared.l1:,}, L2² {declared.l2_squared:,},"
        f" L∞ {declared.linf:,}",
        pair=f"{len(pairs)} pairs",
        verdict=Verdict.VIOLATED if problems else Verdict.CONSISTENT,
        method=_METHOD,
        witness="; ".join(problems),
    )


def _enough(contract: Contract, pair: TablePair) -> bool:
    """A sensitivity is promised only where both tables have the public number of rows."""
    return min(len(pair.first), len(pair.second)) >= (contract.unit.at_least or 0)


def _within(move: Integers, declared: Sensitivity) -> bool:
    sizes = np.abs(move)
    farthest = int(sizes.max(initial=0))
    return (
        int(sizes.sum()) <= declared.l1 and int((sizes**2).sum()) <= declared.l2_squared and farthest <= declared.linf
    )


def _hidden(outcome: Outcome, place: int) -> bool:
    """Every part of the answer that is released went into noise as it is, and as integers."""
    parts = _PARTS[type(outcome.answers[place])](outcome.answers[place])
    return any(
        np.issubdtype(drawn.exact.dtype, np.integer) and np.array_equal(drawn.exact, part)
        for part in parts
        for drawn in outcome.drawn
    )


def _routed(first: Routed, second: Routed) -> Integers:
    parts: list[tuple[Any, Any]] = list(zip(first, second, strict=True))
    return np.concatenate([after - before for before, after in parts])


def _keyed(first: Keyed, second: Keyed) -> Integers:
    before, after = aligned(first, second)
    return after - before


#: How far apart two answers of the same shape are, number by number.
_MOVEMENTS: dict[Shape, Callable[[Any, Any], Integers]] = {
    "vector": lambda first, second: second - first,
    "keyed": _keyed,
    "routed": _routed,
}
_PARTS: dict[type[Any], Callable[[Any], tuple[Integers, ...]]] = {
    np.ndarray: lambda answer: (answer,),
    Keyed: lambda answer: (answer.counts,),
    Routed: lambda answer: (answer.look,),
}


def _not_replayed(request: Request) -> Finding:
    why = "its noise is not put on numbers that were all computed before"
    return Finding(subject=request.statistic.title, pair="none", verdict=Verdict.NOT_COVERED, method=why)
