"""Only noise may separate the releases of made-up neighbours."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import (
    Boolean,
    Budget,
    Category,
    Contract,
    Date,
    Entropy,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    Number,
    Plan,
    PlannedRelease,
    RoutedEntropy,
    Threshold,
    TwoStage,
    Unit,
)
from reaedp.audits import rehearsal
from reaedp.audits.finding import Verdict
from reaedp.audits.made_up_rows import DataPair, data_pairs, small
from reaedp.audits.made_up_values import VARIANTS
from reaedp.audits.movement import _within
from reaedp.audits.pre_release import pre_release_audit
from reaedp.audits.replay import replay
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.plan.request import Request
from reaedp.privacy.unit import Sensitivity

COLUMNS = (
    Number(name="x", lower=0, upper=10, bins=4, nan="drop", provenance="public"),
    Category(name="y", levels=("a", "b"), provenance="public"),
    Integer(name="z", lower=0, upper=3, provenance="public"),
    Boolean(name="b", provenance="public"),
    Date(name="t", lower=date(2020, 1, 1), upper=date(2020, 3, 31), every="month", provenance="public"),
)
UNITS = [Unit("add-remove", at_least=1_000), Unit("replace", person="p", max_rows=2, at_least=1_000)]


def contract(unit: Unit, epsilon: float = 9.0) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(epsilon, 1e-3), ledger="none.sqlite", columns=COLUMNS)


def verdicts(findings: tuple[Any, ...]) -> set[Verdict]:
    return {finding.verdict for finding in findings}


REQUESTS = [
    Request("a", Marginal("x", "t", "b"), Gaussian(0.1)),
    Request("b", KeyedMarginal("y", "z"), Threshold(1.0, 1e-4)),
    Request("c", Entropy(("y", "z"), (1.0, 2.0)), Laplace(1.0)),
    Request("d", RoutedEntropy(("y",)), TwoStage(1.0, 0.1, 20)),
]


def check_replay(unit: Unit, requests: list[Request]) -> None:
    findings = replay(contract(unit), requests, np.random.default_rng(1))
    assert {Verdict.CONSISTENT} == verdicts(findings), [str(f) for f in findings]
    assert len(requests) == sum("movement" in finding.subject for finding in findings)
    assert len(VARIANTS) <= sum("published" in finding.subject for finding in findings)


@pytest.mark.slow
def test_counts_publish_nothing_that_did_not_pass_through_noise() -> None:
    check_replay(UNITS[0], REQUESTS[:2])


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=lambda u: u.change)
def test_no_statistic_publishes_anything_that_did_not_pass_through_noise(unit: Unit) -> None:
    check_replay(unit, REQUESTS)


def test_entropies_publish_nothing_that_did_not_pass_through_noise() -> None:
    findings = replay(contract(UNITS[1]), REQUESTS[2:], np.random.default_rng(1), most_pairs=2)
    assert {Verdict.CONSISTENT} == verdicts(findings), [str(f) for f in findings]


def test_a_plan_is_replayed_as_it_stands() -> None:
    planned = PlannedRelease(name="h", kind="histogram", columns=("y",), mechanism="laplace", epsilon=0.5)
    plan = Plan(contract(UNITS[0]), (planned,))
    assert {Verdict.CONSISTENT} == verdicts(replay(plan.contract, plan, np.random.default_rng(2), most_pairs=2))


class TooSure(Marginal):
    """Declares half of how far a replaced row moves counts."""

    def sensitivity(self, contract: Contract) -> Sensitivity:  # noqa: ARG002
        return Sensitivity(l1=1, l2_squared=1, linf=1)


class Talkative(Marginal):
    """Publishes the largest count beside the noisy ones."""

    def answer(self, records: Any) -> Any:
        counts = super().answer(records)
        type(self).largest = int(counts.max())
        return counts

    def frame(self, value: Any, noise: Any) -> Any:
        return super().frame(value, noise) | {"largest": np.full(value.values.size, type(self).largest)}


class Touchy(Marginal):
    """Fails on a table that has a row in its last cell."""

    def answer(self, records: Any) -> Any:
        counts = super().answer(records)
        if counts[-1]:
            raise ValueError("there is something in the last cell")
        return counts


class Shifting(Marginal):
    """Publishes as many cells as are not empty."""

    def frame(self, value: Any, noise: Any) -> Any:
        return {name: column[: type(self).full] for name, column in super().frame(value, noise).items()}

    def answer(self, records: Any) -> Any:
        counts = super().answer(records)
        type(self).full = int((counts > 0).sum())
        return counts


@pytest.mark.parametrize(
    ("statistic", "differs", "variants"),
    [(TooSure, "moves by", 1), (Talkative, "h.csv", 1), (Touchy, "error", 3), (Shifting, "h.csv", 3)],
)
def test_what_leaks_beside_the_noise_is_found(statistic: Any, differs: str, variants: int) -> None:
    terms = contract(Unit("replace", at_least=1_000))
    findings = replay(
        terms, [Request("h", statistic("y"), Laplace(1.0))], np.random.default_rng(3), most_pairs=variants
    )
    violated = [finding for finding in findings if finding.verdict is Verdict.VIOLATED]
    assert any(differs in finding.witness for finding in violated), [str(f) for f in findings]


class Nosy(Marginal):
    """Publishes whether the file has types."""

    def answer(self, records: Any) -> Any:
        type(self).types = len(set(records._source.types.values()))
        return super().answer(records)

    def frame(self, value: Any, noise: Any) -> Any:
        return super().frame(value, noise) | {"types": np.full(value.values.size, type(self).types)}


def stored_pairs(terms: Contract, rng: np.random.Generator) -> Iterator[DataPair]:
    """A pair whose neighbours are stored alike, and one whose neighbours are stored as text and by types."""
    pair = next(data_pairs(terms, rng))
    first: Any = pair.first
    yield pair
    yield replace(pair, label="typed", second=replace(first, way="by types"))


def test_how_data_is_stored_is_found_if_it_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["reaedp.audits.replay"], "data_pairs", stored_pairs)
    terms = contract(Unit("replace", at_least=1_000))
    findings = replay(terms, [Request("h", Nosy("y"), Laplace(1.0))], np.random.default_rng(3))
    assert [Verdict.CONSISTENT, Verdict.VIOLATED, Verdict.CONSISTENT] == [finding.verdict for finding in findings]


def test_data_with_the_same_counts_is_released_once(monkeypatch: pytest.MonkeyPatch) -> None:
    published = []
    publish = rehearsal._publish
    monkeypatch.setattr(rehearsal, "_publish", lambda *given: published.append(given) or publish(*given))
    monkeypatch.setattr(sys.modules["reaedp.audits.replay"], "data_pairs", stored_pairs)
    terms = contract(Unit("replace", at_least=1_000))
    findings = replay(terms, [Request("h", Marginal("y"), Laplace(1.0))], np.random.default_rng(3))
    assert {Verdict.CONSISTENT} == verdicts(findings)
    assert 2 == len(published)


@pytest.mark.parametrize("declared", [Sensitivity(2, 99, 99), Sensitivity(99, 4, 99), Sensitivity(99, 99, 2)], ids=str)
def test_a_move_must_be_within_each_of_the_three_distances(declared: Sensitivity) -> None:
    assert _within(np.array([0, 2]), declared)
    assert _within(np.array([-2, 0]), declared)
    assert not _within(np.array([0, 3]), declared)
    assert not _within(np.array([-3, 0]), declared)


def test_a_release_that_the_budget_refuses_shows_little() -> None:
    findings = replay(
        contract(UNITS[0], epsilon=0.5),
        [Request("h", Marginal("y"), Laplace(1.0))],
        np.random.default_rng(4),
        most_pairs=1,
    )
    assert Verdict.WEAK == findings[0].verdict
    assert "BudgetRefused" in findings[0].witness


def test_the_gate_lets_sound_requests_through_and_names_the_witness_of_broken_ones() -> None:
    terms, rng = contract(Unit("replace", at_least=1_000)), np.random.default_rng(5)
    findings = pre_release_audit(terms, [Request("h", Marginal("y"), Laplace(1.0))], rng=rng, runs=5_000)
    assert Verdict.VIOLATED not in verdicts(findings)
    with pytest.raises(DeclarationError, match=r"nothing was charged[\s\S]*moves by 2 in L1"):
        pre_release_audit(terms, [Request("h", TooSure("y"), Laplace(1.0))], rng=rng, runs=5_000)


def test_the_gate_says_what_is_too_long_for_it() -> None:
    wide = Integer(name="w", lower=0, upper=199_999, provenance="public")
    terms = Contract(dataset="d", unit=UNITS[0], budget=Budget(1, 1e-6), ledger="none.sqlite", columns=(wide,))
    findings = pre_release_audit(
        terms, [Request("h", Marginal("w"), Laplace(1.0))], rng=np.random.default_rng(7), runs=1_000
    )
    assert "cells are not replayed" in findings[0].method
    assert Verdict.NOT_COVERED == findings[0].verdict


def test_files_are_compared_by_their_rows_in_any_order(tmp_path: Path) -> None:
    import duckdb

    rows = ["(1, 'a')", "(2, 'b')", "(3, 'c')"]
    for name, chosen in (("one", rows), ("two", rows[::-1]), ("other", [*rows[:2], "(3, 'd')"])):
        table = duckdb.sql(f"SELECT * FROM (VALUES {', '.join(chosen)}) AS t(x, y)")
        table.write_parquet(str(tmp_path / f"{name}.parquet"))
        table.write_csv(str(tmp_path / f"{name}.csv"))
    for read, suffix in ((rehearsal.parquet, "parquet"), (rehearsal.lines, "csv")):
        one, two, other = (read(tmp_path / f"{name}.{suffix}") for name in ("one", "two", "other"))
        assert one == two
        assert one != other


def test_made_up_tables_keep_the_contract_and_leave_no_file_behind(
    tmp_path: Path, monkeypatch: Any, own_engine: Callable[[], None]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    terms = contract(UNITS[1])
    assert 40 == small(terms).unit.at_least
    pairs = list(data_pairs(terms, np.random.default_rng(6)))
    assert len({pair.label for pair in pairs}) == len(pairs)
    replay(terms, [Request("h", Marginal("y"), Laplace(1.0))], np.random.default_rng(6), most_pairs=1)
    own_engine()
    assert [] == [path for path in tmp_path.iterdir() if not path.name.startswith("reaedp-") or any(path.iterdir())]


def test_a_conviction_by_accident_does_not_stop_a_release_and_a_repeated_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from reaedp.audits.finding import Finding

    module = sys.modules["reaedp.audits.pre_release"]

    def convicting(times: int) -> Any:
        left = [times]

        def audited(*_: object, **__: object) -> tuple[Finding, ...]:
            left[0] -= 1
            verdict = Verdict.VIOLATED if left[0] >= 0 else Verdict.CONSISTENT
            return (Finding(subject="made up", pair="none", verdict=verdict, method="none"),)

        return audited

    terms = contract(Unit("replace", at_least=1_000))
    wanted = [Request("h", Marginal("y"), Laplace(1.0))]
    monkeypatch.setattr(module, "audit_request", convicting(2))
    assert Verdict.CONSISTENT == pre_release_audit(terms, wanted, rng=np.random.default_rng(1))[-1].verdict
    monkeypatch.setattr(module, "audit_request", convicting(3))
    with pytest.raises(DeclarationError, match="reveals more than it promises"):
        pre_release_audit(terms, wanted, rng=np.random.default_rng(1))


def test_somebody_who_stops_the_audit_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not told as something that releases of made-up data do, and not with entries of a made-up ledger."""

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Records, "counts", stopped)
    with pytest.raises(KeyboardInterrupt) as found:
        pre_release_audit(contract(UNITS[0]), REQUESTS[:1], rng=np.random.default_rng(1))
    assert "" == str(found.value)
