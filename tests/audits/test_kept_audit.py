"""Findings are kept for the very same requests, contract and code, and for nothing else."""

import inspect
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import Budget, Contract, DeclarationError, Integer, Laplace, Marginal, Request, Unit
from reaedp.audits import kept_audit, pre_release
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.kept_audit import audited

CONTRACT = Contract(
    dataset="made up",
    unit=Unit("add-remove"),
    budget=Budget(1.0, 1e-6),
    ledger="none.sqlite",
    columns=(Integer(name="visits", lower=0, upper=4, provenance="public"),),
)
REQUEST = Request("visits", Marginal("visits"), Laplace(1.0))


class Counted:
    """An audit, and how often it ran; one that finds nothing wrong, unless the real one is wanted."""

    def __init__(self) -> None:
        sound = Finding(subject="all", pair="none", verdict=Verdict.CONSISTENT, method="none")
        self.times, self.real = 0, pre_release.pre_release_audit
        self.audit: Any = lambda *_, **__: (sound,)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.times += 1
        return self.audit(*arguments, **options)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counted:
    """An empty state folder, and a counter of audits."""
    monkeypatch.setenv("REAEDP_STATE", str(tmp_path))
    counted = Counted()
    monkeypatch.setattr(pre_release, "pre_release_audit", counted)
    return counted


def test_the_same_request_is_audited_once_and_every_other_one_by_itself(
    runs: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = audited(CONTRACT, [REQUEST])
    assert first == audited(CONTRACT, [REQUEST])
    assert 1 == runs.times
    others = [
        (CONTRACT, [replace(REQUEST, mechanism=Laplace(0.5))]),
        (CONTRACT, [REQUEST, replace(REQUEST, name="again")]),
        (replace(CONTRACT, unit=Unit("replace")), [REQUEST]),
    ]
    for times, (contract, requests) in enumerate(others, start=2):
        audited(contract, requests)
        assert times == runs.times
    monkeypatch.setattr(kept_audit, "_code", lambda: "one line was changed")
    audited(CONTRACT, [REQUEST])
    assert 2 + len(others) == runs.times
    monkeypatch.setattr(kept_audit, "software", lambda: {"duckdb": "another"})
    audited(CONTRACT, [REQUEST])
    assert 3 + len(others) == runs.times


def test_code_that_was_written_again_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "room" / "module.py"
    file.parent.mkdir()
    file.write_text("x = 1\n")
    monkeypatch.setattr(kept_audit, "_HERE", tmp_path)
    digest = kept_audit._code.__wrapped__  # which remembers nothing
    before = digest()
    (tmp_path / "notes.txt").write_text("nothing that runs")
    assert before == digest()
    other = tmp_path / "room" / "new"
    other.write_text("x = 2\n")
    other.replace(file)
    assert before != digest()


@dataclass(frozen=True, slots=True, init=False)
class Doubled(Marginal):
    """A stranger's histogram, which counts every row twice and says that it does not."""

    def answer(self, records: Any) -> Any:
        return 2 * np.asarray(Marginal.answer(self, records))


def test_what_a_stranger_wrote_is_audited_each_time(runs: Counted) -> None:
    runs.audit = runs.real
    request = Request("visits", Doubled("visits"), Laplace(1.0))
    for times in (1, 2):
        with pytest.raises(DeclarationError, match="reveals more than it promises"):
            audited(CONTRACT, [request])
        assert times == runs.times
    assert kept_audit._place(CONTRACT, [request]) is None


def test_a_statistic_that_was_changed_in_the_running_program_is_audited_anew(
    runs: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    audited(CONTRACT, [REQUEST])
    honest, runs.audit = Marginal.answer, runs.real
    monkeypatch.setattr(Marginal, "answer", lambda self, records: 2 * honest(self, records))
    with pytest.raises(DeclarationError, match="reveals more than it promises"):
        audited(CONTRACT, [REQUEST])
    assert 2 == runs.times


@pytest.mark.parametrize("spoil", ["cut", "edited", "violated", "empty"])
def test_a_file_that_is_damaged_or_convicts_is_not_believed(runs: Counted, spoil: str) -> None:
    audited(CONTRACT, [REQUEST])
    place = kept_audit._place(CONTRACT, [REQUEST])
    assert place is not None
    kept = json.loads(place.read_text(encoding="utf-8"))
    if spoil == "edited":
        kept["findings"][0]["subject"] = "something else"
    elif spoil == "violated":
        kept["findings"][0]["verdict"] = "VIOLATED"
        kept["digest"] = kept_audit._digest(kept["findings"])
    elif spoil == "empty":
        kept = {"findings": [], "digest": kept_audit._digest([])}
    place.write_text(json.dumps(kept)[: 40 if spoil == "cut" else None], encoding="utf-8")
    audited(CONTRACT, [REQUEST])
    assert 2 == runs.times


def test_where_nothing_can_be_kept_every_release_is_audited(
    runs: Counted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("REAEDP_STATE", str(tmp_path / "file"))
    assert audited(CONTRACT, [REQUEST])
    assert audited(CONTRACT, [REQUEST])
    assert 2 == runs.times


def test_no_data_takes_part() -> None:
    assert ["contract", "requests"] == list(inspect.signature(audited).parameters)
