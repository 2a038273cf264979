"""Findings of the audit before a release, kept for the same requests, contract and code: they would say the same again.

What strangers wrote is audited each time, and so is what a program changed while it runs: no digest of files covers
them. A kept file holds findings on made-up data and nothing of any other.
"""

import hashlib
import inspect
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from reaedp.audits.finding import Verdict
from reaedp.contract import Contract
from reaedp.ledger.state_folder import state_folder
from reaedp.plan.description import request_digest
from reaedp.plan.request import Request
from reaedp.release.manifest import software

Record = dict[str, Any]
#: Methods that data classes and protocols are given by their library.
_GIVEN = frozenset(
    f"__{name}__"
    for name in ("init", "repr", "eq", "hash", "setattr", "delattr", "getstate", "setstate", "replace", "subclasshook")
)
#: The package, whose every line may decide what an audit finds.
_HERE = Path(__file__).parents[1]


def audited(contract: Contract, requests: Sequence[Request]) -> list[Record]:
    """What the audit before a release found, now or when it last ran for the very same; raises if it stops them."""
    place = _place(contract, requests)
    found = None if place is None else _read(place)
    if found is None:
        from reaedp.audits.pre_release import pre_release_audit
        from reaedp.mechanisms.noise import fresh_generator

        found = [finding.record for finding in pre_release_audit(contract, requests, rng=fresh_generator())]
        if place is not None:
            _write(place, found)
    return found


def _place(contract: Contract, requests: Sequence[Request]) -> Path | None:
    """Where the findings are kept; nowhere if a digest would not cover all that decides them."""
    settled = [request.settled(contract) for request in requests]
    parts = [*contract.columns, *contract.curves, *(part for r in settled for part in (r.statistic, r.mechanism))]
    if not all(_as_shipped(type(inner)) for part in parts for inner in _within(part)):
        return None
    digests = [request_digest(r.name, r.statistic, r.mechanism, contract.fingerprint) for r in settled]
    try:
        facts = {"requests": digests, "contract": contract.fingerprint, "code": _code(), "software": software()}
        text = json.dumps(facts, sort_keys=True).encode()
        return None if None in digests else state_folder() / "audits" / f"{hashlib.sha256(text).hexdigest()}.json"
    except (OSError, RuntimeError):  # no source to read, or no home
        return None


def _within(part: object) -> Iterator[object]:
    """A declared thing, and those that it is made of."""
    yield part
    if is_dataclass(part):
        for field in fields(part):
            value = getattr(part, field.name)
            if is_dataclass(value):
                yield from _within(value)


def _as_shipped(kind: type) -> bool:
    """Whether a class is ours and does what its file says: no method of it was written elsewhere."""
    own = [one for one in kind.__mro__ if one.__module__.partition(".")[0] not in ("builtins", "abc", "typing")]
    ours = all(one.__module__.startswith("reaedp.") for one in own)
    return ours and all(_shipped(name, member) for one in own for name, member in vars(one).items())


def _shipped(name: str, member: Any) -> bool:
    """Whether code lies in this package; what has no code is a value, and data classes get some of their methods."""
    function = member.fget if isinstance(member, property) else inspect.unwrap(getattr(member, "__func__", member))
    code = getattr(function, "__code__", None)
    return code is None or name in _GIVEN or Path(code.co_filename).is_relative_to(_HERE)


@cache
def _code() -> str:
    """A digest of every source file's name, size, number on the disk and times of change; to read them takes longer."""
    return hashlib.sha256(repr(sorted(_sources(_HERE, ""))).encode()).hexdigest()


def _sources(folder: Path, place: str) -> Iterator[tuple[str | int, ...]]:
    """The source files in a folder and within, by their places in the package; no write leaves all the rest alike."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _sources(Path(entry), f"{place}{entry.name}/")
            elif entry.name.endswith(".py"):
                file = entry.stat()
                yield f"{place}{entry.name}", file.st_size, file.st_ino, file.st_mtime_ns, file.st_ctime_ns


def _read(place: Path) -> list[Record] | None:
    """Kept findings, unless there are none, they are damaged, or they would have stopped the release."""
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        findings: list[Record] = kept["findings"]
        whole = kept["digest"] == _digest(findings)
        passed = all(finding["verdict"] in set(Verdict) - {Verdict.VIOLATED} for finding in findings)
        return findings if whole and passed and findings else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(place: Path, findings: list[Record]) -> None:
    """Whole or not at all; where nothing can be written, nothing is kept."""
    hidden = place.with_name(f".{uuid4().hex}")
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        hidden.write_text(json.dumps({"findings": findings, "digest": _digest(findings)}), encoding="utf-8")
        hidden.replace(place)


def _digest(findings: list[Record]) -> str:
    return hashlib.sha256(json.dumps(findings, sort_keys=True).encode()).hexdigest()
