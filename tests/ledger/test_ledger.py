"""What the ledger promises to one process, on a file and on a server."""

import contextlib
import json
import math
import os
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger_worker import CONTRACT, ROWS, release
from reaedp.errors import BudgetRefused, DeclarationError, LedgerBusy, LedgerDamaged, LedgerMissing
from reaedp.ledger import admission, entry, posting, reader, storage
from reaedp.ledger.canonical_json import digest, write
from reaedp.ledger.ledger import Charge, Ledger
from reaedp.ledger.state_folder import state_in
from reaedp.privacy import accounting
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, Loss, PureDP, UnitGaussian
from reaedp.privacy.spending import NOTHING, Spending, admit, copies
from reaedp.privacy.unit import Unit

#: So small a δ leaves composition of a few pure losses no better than their sum.
ONE = Budget(1.0, 1e-12)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with Ledger.create(path) as new:
        new.register("census", ONE, ROWS)
    return path


def change(path: Path, *statements: str) -> None:
    """What a person with an SQL tool can do."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


# Budgets


def test_ten_tenths_fit_one_and_nothing_more(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        numbers = [book.charge([release(0.1)]) for _ in range(10)]
        assert [(number,) for number in range(2, 12)] == numbers
        assert book.remaining("census") == 0.0
        with pytest.raises(BudgetRefused):
            book.charge([release(1e-300)])


def test_a_refusal_states_cost_and_rest_and_spends_nothing(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(0.75)])
        before = book.checkpoint()
        with pytest.raises(
            BudgetRefused, match=re.escape("costs ε = 0.5, but the ledger has only ε = 0.25 left at δ = 1e-12.")
        ):
            book.charge([release(0.5)])
        assert before == book.checkpoint()
        assert book.spent("census") == 0.75


def test_charges_enter_all_or_none_across_data_sets(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        book.register("survey", ONE, ROWS)
        with pytest.raises(BudgetRefused):
            book.charge([release(0.5), release(1.5, "survey")])
        assert (book.spent("census"), book.spent("survey")) == (0.0, 0.0)
        assert book.charge([release(0.5), release(1.0, "survey"), release(0.5)]) == (3, 4, 5)
        assert (book.spent("census"), book.spent("survey")) == (1.0, 1.0)
        assert book.datasets() == ("census", "survey")
        assert book.verify() == 5


def test_the_budget_outlives_the_process_that_spent_it(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(0.75)])
    with Ledger.open(address) as book:
        assert (book.budget("census"), book.spent("census"), book.remaining("census")) == (ONE, 0.75, 0.25)


def test_a_second_declaration_must_be_the_same_as_the_first(file: Path) -> None:
    with Ledger.open(file) as book:
        book.register("census", ONE, ROWS)
        book.register("census", ONE, replace(ROWS, at_least=100))
        assert book.checkpoint()["number"] == 1
        with pytest.raises(DeclarationError, match=r"ε = 1\.0.*ε = 2\.0.*`reaedp ledger raise`"):
            book.register("census", Budget(2.0, 1e-12), ROWS)
        with pytest.raises(DeclarationError, match="same privacy unit"):
            book.register("census", ONE, Unit("replace"))
        with pytest.raises(DeclarationError, match="same privacy unit"):
            book.charge([replace(release(), unit=Unit("add-remove", "person", 3))])


def test_an_unknown_data_set_is_named_with_the_known_ones(file: Path) -> None:
    with Ledger.open(file) as book:
        for ask in (book.spent, book.remaining, book.budget, lambda name: list(book.history(name))):
            with pytest.raises(DeclarationError, match="Did you mean 'census'"):
                ask("cenus")
        with pytest.raises(DeclarationError, match="Known: census"):
            book.charge([release(dataset="survey")])


def test_a_raise_is_recorded_with_its_reason_and_gives_room(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(1.0)])
        number = book.raise_budget("census", Budget(1.5, 1e-12), "the board agreed on 3 May")
        assert book.charge([release(0.5)]) == (number + 1,)
        with pytest.raises(BudgetRefused):
            book.charge([release(0.1)])
        raised = next(one for one in book.history("census") if one.kind == "raise")
        assert (number, "the board agreed on 3 May") == (raised.number, raised.act.reason)  # type: ignore[union-attr]
        assert book.verify() == 4


@pytest.mark.parametrize("budget", [ONE, Budget(0.5, 1e-12), Budget(2.0, 1e-13)])
def test_a_budget_is_never_lowered(file: Path, budget: Budget) -> None:
    with Ledger.open(file) as book, pytest.raises(DeclarationError, match="raised but not lowered"):
        book.raise_budget("census", budget, "thrift")


@pytest.mark.parametrize("reason", ["", " ", "a\nb", "x" * 1001])
def test_a_raise_needs_a_reason(file: Path, reason: str) -> None:
    with Ledger.open(file) as book, pytest.raises(DeclarationError, match="reason"):
        book.raise_budget("census", Budget(2.0, 1e-12), reason)


# Entries


def test_an_entry_says_what_was_charged_when_by_whom_and_with_which_program(address: str | Path) -> None:
    price = (
        PureDP(0.1),
        PureDP(0.1),
        GaussianDP(0.2),
        PureDP(0.1),
        ApproxDP(0.1, 1e-20),
        ZCDP(1e-3),
        UnitGaussian(40),
    )
    charge = Charge("données", "histogram of age × sex", "several", price, ROWS, CONTRACT, "sex=F")
    with Ledger.create(address) as book:
        book.register("données", Budget(10, 1e-6), ROWS)
        (number,) = book.charge([charge])
        entries = list(book.history("données"))
    assert [1, number] == [one.number for one in entries]
    assert charge == entries[1].charge
    assert ("charge", "charged, not finished") == (entries[1].kind, entries[1].state)
    assert entries[0].hash == entries[1].previous
    assert abs(datetime.now(UTC) - datetime.fromisoformat(entries[1].time)) < timedelta(minutes=1)
    assert entries[1].version == "0.1.0"
    assert entries[1].user


def test_a_chain_can_be_checked_with_json_and_sha256_alone(file: Path) -> None:
    with Ledger.open(file) as book:
        numbers = book.charge([release(0.1), release(0.2)])
        book.finish(numbers)
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT number, body, hash FROM reaedp_entries ORDER BY number").fetchall()
    assert [digest(body) for _, body, _ in rows] == [hashed for _, _, hashed in rows]
    assert [hashed for _, _, hashed in rows[:-1]] == [json.loads(body)["previous"] for _, body, _ in rows[1:]]


def test_a_charge_stays_open_until_its_release_is_finished(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        first, second = book.charge([release(0.1), release(0.1)])
        book.finish([second, second])
        book.finish([second])
        assert [one.state for one in book.history("census")] == ["recorded", "charged, not finished", "finished"]
        assert book.checkpoint()["number"] == 4
        book.finish([first, second])
        assert all(one.finished for one in book.history("census") if one.charge)
        assert book.verify() == 5
        book.finish([])


@pytest.mark.parametrize("number", [1, 3, 0, -1, True, 2.0])
def test_only_charges_can_be_finished(file: Path, number: Any) -> None:
    with Ledger.open(file) as book:
        book.charge([release(0.1)])
        with pytest.raises(DeclarationError):
            book.finish([number])


def test_time_may_run_backwards(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime):
        year_now = 2030

        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            cls.year_now -= 40
            return datetime(cls.year_now, 1, 1, tzinfo=tz)

    monkeypatch.setattr(entry, "datetime", Clock)
    with Ledger.open(file) as book:
        numbers = [number for _ in range(3) for number in book.charge([release(0.1)])]
        times = [one.time for one in book.history() if one.charge]
        assert sorted(times, reverse=True) == times
        assert (numbers, book.verify()) == ([2, 3, 4], 4)


def test_history_is_complete_over_several_pages(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "PAGE", 3)
    with Ledger.open(file) as book:
        book.register("survey", ONE, ROWS)
        book.charge([release(0.1, name) for name in ("census", "survey") * 4])
        assert list(range(1, 11)) == [one.number for one in book.history()]
        assert [2, 4, 6, 8, 10] == [one.number for one in book.history("survey")]


# Parts of the data


def test_parts_are_charged_in_parallel_and_all_rows_in_every_part(address: str | Path) -> None:
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(0.5, part="sex=F"), release(0.25, part="sex=M")])
        assert book.spent("census") == 0.5
        book.charge([release(0.25)])
        assert (book.spent("census"), book.remaining("census")) == (0.75, 0.25)
        book.charge([release(0.5, part="sex=M"), release(0.25, part="sex=F")])
        for part in ("sex=M", "sex=F", None):
            with pytest.raises(BudgetRefused):
                book.charge([release(0.01, part=part)])
        book.charge([release(0.75, part="sex=X")])
        assert book.copies_left("census", (PureDP(0.01),)) == 0
        assert book.verify() == 7


def test_parts_must_be_disjoint_by_one_split_and_by_unit(file: Path) -> None:
    with Ledger.open(file) as book:
        book.charge([release(0.1, part="sex=F")])
        for part in ("age=30", "north", "sex=F,age=30"):
            with pytest.raises(DeclarationError, match="the same split"):
                book.charge([release(0.1, part=part)])
        for unit in (Unit("replace"), Unit("add-remove", "person", 2)):
            book.register(unit.change, ONE, unit)
            with pytest.raises(DeclarationError, match="without a part"):
                book.charge([replace(release(0.1, unit.change, "sex=F"), unit=unit)])


def test_there_is_a_limit_to_the_number_of_parts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "MOST_PARTS", 20)
    with Ledger.open(file) as book:
        book.charge([release(0.1, part=f"place={place}") for place in range(20)])
        assert book.spent("census") == 0.1
        with pytest.raises(DeclarationError, match="at most 20 parts"):
            book.charge([release(0.1, part="place=20")])


# Composition

LOSSES: st.SearchStrategy[Loss] = st.sampled_from(
    [
        PureDP(0.05),
        PureDP(0.3),
        ApproxDP(0.2, 1e-8),
        ApproxDP(0.01, 3e-7),
        ZCDP(0.002),
        GaussianDP(0.15),
        UnitGaussian(50.0),
    ]
)
CHARGES = st.builds(
    lambda price, part: release(part=part, price=tuple(price)),
    st.lists(LOSSES, min_size=1, max_size=2),
    st.sampled_from([None, None, "sex=F", "sex=M"]),
)


@settings(max_examples=7, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(CHARGES, min_size=1, max_size=3), min_size=1, max_size=8))
def test_what_is_admitted_fits_and_what_fits_is_admitted(tmp_path: Path, batches: list[list[Charge]]) -> None:
    budget = Budget(1.0, 1e-6)
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
    losses: dict[str, Counter[Loss]] = {"": Counter()}
    spent: dict[str, Spending] = {"": NOTHING}
    with Ledger.create(path) as book:
        book.register("census", budget, ROWS)
        for batch in batches:
            prices: dict[str, Counter[Loss]] = {}
            for charge in batch:
                prices.setdefault(charge.part or "", Counter()).update(charge.price)
            names = set(prices) | (set(spent) if "" in prices else set())
            added = {name: sum((prices.get(part, Counter()) for part in {"", name}), Counter()) for name in names}
            after = {name: admit(spent.get(name, spent[""]), added[name], budget) for name in names}
            try:
                book.charge(batch)
            except BudgetRefused:
                assert None in after.values()
                continue
            whole = losses[""]
            for name, spending in after.items():
                assert spending is not None
                losses[name] = losses.get(name, whole) + added[name]
                spent[name] = spending
                # Prices that were fixed in advance cost no more than prices that were not.
                assert accounting.epsilon(losses[name], 1e-6) <= book.spent("census") * (1 + 1e-6)
        assert book.spent("census") <= 1
        book.verify()
        if rest := book.remaining("census"):
            book.charge([release(rest)])


def test_what_is_left_fits_all_rows_also_where_a_part_has_more_room(file: Path) -> None:
    """The plan of the part is composed exactly; that of all rows is within the filters, which leave nothing."""
    with Ledger.open(file) as book:
        book.register("survey", Budget(1.0, 1e-6), ROWS)
        part = replace(release(dataset="survey"), part="sex=F", price=(PureDP(0.05), PureDP(0.05)))
        whole = replace(release(dataset="survey"), price=(PureDP(0.3), GaussianDP(0.15)))
        book.charge([part, whole])
        if rest := book.remaining("survey"):
            book.charge([release(rest, "survey")])
        else:
            with pytest.raises(BudgetRefused):
                book.charge([release(0.01, "survey")])


@pytest.mark.parametrize("price", [(PureDP(0.07),), (GaussianDP(0.1),), (ApproxDP(0.1, 1e-8), UnitGaussian(90.0))])
def test_a_forecast_comes_true(file: Path, price: tuple[Loss, ...]) -> None:
    with Ledger.open(file) as book:
        book.register("survey", Budget(1.0, 1e-6), ROWS)
        expected = book.copies_left("survey", price)
        for _ in range(expected):
            book.charge([release(dataset="survey", price=price)])
        with pytest.raises(BudgetRefused):
            book.charge([release(dataset="survey", price=price)])
        assert 0 < expected == book.verify() - 2


def test_charges_near_exhaustion_are_decided_from_sums(file: Path) -> None:
    with Ledger.open(file) as book:
        book.register("survey", Budget(0.2, 1e-6), ROWS)
        charged = 0
        with contextlib.suppress(BudgetRefused):
            while charged < 100_000:
                charged += len(book.charge([release(0.002, "survey")]))
        assert charged == copies(NOTHING, {PureDP(0.002): 1}, Budget(0.2, 1e-6), 10**6) > 0.2 / 0.002


def test_many_different_losses_leave_the_account_as_short_as_one(file: Path) -> None:
    with Ledger.open(file) as book:
        book.register("survey", Budget(50.0, 1e-6), ROWS)
        prices = [GaussianDP(0.01 + index / 1e6) for index in range(200)]
        book.charge([release(dataset="survey", price=(price,)) for price in prices])
        for index in range(30):
            book.charge([release(dataset="survey", price=(GaussianDP(0.02 + index / 1e6),))])
        with closing(sqlite3.connect(file)) as connection:
            (state,) = connection.execute("SELECT state FROM reaedp_accounts WHERE dataset = 'survey'").fetchone()
        assert len(state) < 600
        assert book.verify() == 232


@pytest.mark.parametrize("epsilon", [math.nan, -1.0, -0.0, 1e-400, 5e-324, math.inf, "0.1", "١", True, None, 0.1j])
def test_no_loss_can_be_made_of_what_is_not_a_positive_normal_number(epsilon: Any) -> None:
    with pytest.raises(DeclarationError):
        release(price=(PureDP(epsilon),))


@pytest.mark.parametrize("epsilon", [math.nan, -1.0, 0.0, "0.1", None])
def test_a_loss_that_was_bent_after_it_was_made_is_refused(file: Path, epsilon: Any) -> None:
    loss = PureDP(0.1)
    charge = release(price=(loss,))
    object.__setattr__(loss, "epsilon", epsilon)
    with Ledger.open(file) as book:
        with pytest.raises(DeclarationError, match="read the same"):
            book.charge([charge])
        assert book.spent("census") == 0.0


@pytest.mark.parametrize("price", [(), [PureDP(0.1)], PureDP(0.1), (0.1,), ("Pure",), None])
def test_a_price_is_a_tuple_of_losses(price: Any) -> None:
    with pytest.raises(DeclarationError, match="price"):
        Charge("census", "count", "noise", price, ROWS, CONTRACT)


def test_a_loss_of_a_foreign_kind_is_refused() -> None:
    class Cheap(PureDP):
        pass

    with pytest.raises(DeclarationError, match="price"):
        release(price=(Cheap(0.1),))


@pytest.mark.slow
def test_a_million_tiny_losses_are_counted_exactly(file: Path) -> None:
    tiny = (PureDP(1e-6),) * 500_000
    with Ledger.open(file) as book:
        book.register("survey", Budget(1.0, 1e-300), ROWS)
        for _ in range(2):
            book.charge([release(dataset="survey", price=tiny)])
        # At so small a δ a million ε of 1e-6 compose to no less than 0.03, and to no more than their sum.
        assert 0.03 < book.spent("survey") <= 1.0
        assert sum(len(one.charge.price) for one in book.history("survey") if one.charge) == 1_000_000
        assert book.verify() == 4


def test_a_loss_too_small_to_change_a_double_still_counts(file: Path) -> None:
    with Ledger.open(file) as book:
        book.charge([release(1.0 - 1e-15)])
        for _ in range(10):
            book.charge([release(1e-16)])
        with pytest.raises(BudgetRefused):
            book.charge([release(1e-300)])


@pytest.mark.parametrize(
    "name", ["", " ", "a" * 201, "a\nb", "a\0b", "a\x1b[2J", "a\u202eb", " a", "a ", "e\u0301", "\ud800", 5, None]
)
def test_hostile_names_are_refused(file: Path, name: Any) -> None:
    with Ledger.open(file) as book, pytest.raises(DeclarationError, match="name"):
        book.register(name, ONE, ROWS)
    with pytest.raises(DeclarationError, match="name"):
        release(dataset=name)
    if name is not None:
        with pytest.raises(DeclarationError, match="name"):
            release(part=name)


@pytest.mark.parametrize("name", ["'; DROP TABLE reaedp_entries; --", "%s", ":of", "données 表", "a" * 200, "\\", '"'])
def test_strange_names_are_just_names(address: str | Path, name: str) -> None:
    with Ledger.create(address) as book:
        book.register(name, ONE, ROWS)
        book.charge([release(0.5, name, part=name)])
        assert (0.5, (name,), 2) == (book.spent(name), book.datasets(), book.verify())


@pytest.mark.parametrize("contract", ["", "0" * 63, "G" * 64, "A" * 64, "٠" * 64, None])
def test_a_contract_is_named_by_its_hash(contract: Any) -> None:
    with pytest.raises(DeclarationError, match="SHA-256"):
        replace(release(), contract=contract)


# Edits

EDITS = {
    "an edited charge": (
        "Entry 3 .* hash",
        ["UPDATE reaedp_entries SET body = replace(body, '0.1', '0.01') WHERE number = 3"],
    ),
    "an edited hash": ("Entry 3 .* hash", [f"UPDATE reaedp_entries SET hash = '{'0' * 64}' WHERE number = 3"]),
    "a body that is no text": ("Entry 3 .* hash", ["UPDATE reaedp_entries SET body = x'00' WHERE number = 3"]),
    "a deleted entry": ("Entry 3 .* missing", ["DELETE FROM reaedp_entries WHERE number = 3"]),
    "a deleted first entry": ("Entry 1 .* missing", ["DELETE FROM reaedp_entries WHERE number = 1"]),
    "a cut off end": ("should end with entry 8; it ends with entry 7", ["DELETE FROM reaedp_entries WHERE number = 8"]),
    "an exchange": (
        "Entry 3 .*not in the form|Entry 3 .*read",
        [
            "UPDATE reaedp_entries SET number = -3 WHERE number = 3",
            "UPDATE reaedp_entries SET number = 3 WHERE number = 4",
            "UPDATE reaedp_entries SET number = 4 WHERE number = -3",
        ],
    ),
    "a shift": (
        "Entry 3 .*not in the form",
        [
            "DELETE FROM reaedp_entries WHERE number = 3",
            *(f"UPDATE reaedp_entries SET number = {number - 1} WHERE number = {number}" for number in range(4, 9)),
        ],
    ),
    "a false address": (
        "Entry 3 .*another data set",
        ["UPDATE reaedp_entries SET dataset = 'survey' WHERE number = 3"],
    ),
    "a false finish": ("Entry 4 .*finished", ["UPDATE reaedp_entries SET finished = 7 WHERE number = 4"]),
    "a lost finish": ("Entry 3 .*finished", ["UPDATE reaedp_entries SET finished = NULL WHERE number = 3"]),
    "a false account": (
        "account of data set 'census'",
        ["UPDATE reaedp_accounts SET state = replace(state, '1/5', '1/9')"],
    ),
    "no account": ("account", ["DELETE FROM reaedp_accounts WHERE dataset = 'census'"]),
    "a false tally": ("tally of data set 'census'", ["UPDATE reaedp_tallies SET count = 1 WHERE dataset = 'census'"]),
    "a tally of nothing": ("no entries", ["INSERT INTO reaedp_tallies VALUES ('ghost', '', 'x', 1)"]),
    "no tally": ("tally", ["DELETE FROM reaedp_tallies"]),
    "a false head": ("should end with entry 7", ["UPDATE reaedp_ledger SET number = 7"]),
    "two heads": ("exactly one row", ["INSERT INTO reaedp_ledger SELECT * FROM reaedp_ledger"]),
    "no head": ("exactly one row", ["DELETE FROM reaedp_ledger"]),
    "another identity": ("Entry 1 .*follow", [f"UPDATE reaedp_ledger SET identity = '{'f' * 32}'"]),
    "a missing table": ("reaedp_tallies", ["DROP TABLE reaedp_tallies"]),
}


@pytest.fixture
def used(file: Path) -> Path:
    """Entries: 1 register, 2 register, 3 to 5 and 7 charge, 6 finish, 8 raise."""
    with Ledger.open(file) as book:
        book.register("survey", ONE, ROWS)
        numbers = book.charge([release(0.1), release(0.1), release(0.5, "survey", "sex=F")])
        book.finish(numbers[:1])
        book.charge([release(0.5, "survey", "sex=M")])
        book.raise_budget("survey", Budget(2.0, 1e-12), "why not")
        assert book.verify() == 8
    return file


@pytest.mark.parametrize("name", EDITS)
def test_verification_names_what_was_changed(used: Path, name: str) -> None:
    said, statements = EDITS[name]
    change(used, *statements)
    with pytest.raises(LedgerDamaged, match=said), Ledger.open(used) as book:
        book.verify()


@pytest.mark.parametrize("name", EDITS)
def test_no_edit_lets_more_be_spent(used: Path, name: str) -> None:
    change(used, *EDITS[name][1])
    with pytest.raises((LedgerDamaged, BudgetRefused)), Ledger.open(used) as book:
        book.charge([release(0.81)])


def forge(path: Path, edit: str) -> None:
    """Edit the account of the census and compute its seal anew."""
    with closing(sqlite3.connect(path)) as connection:
        (state,) = connection.execute("SELECT state FROM reaedp_accounts WHERE dataset = 'census'").fetchone()
        record = json.loads(state)
        exec(edit, {"account": record, "scope": record["scopes"][""]})
        forged = write(record)
        row = (forged, digest(f"census\n{forged}"))
        connection.execute("UPDATE reaedp_accounts SET state = ?, seal = ? WHERE dataset = 'census'", row)
        connection.commit()


@pytest.mark.parametrize(
    "edit",
    [
        "scope['pure'] = '1/10'",
        "scope['pure'] = '2/10'",
        "scope['pure'] = '-1/5'",
        "scope['certificate'] = [0.01, 1e-12, 5]; scope['pure'] = '0'",
        "scope['certificate'] = [0.0, 1e-12, 5]; scope['pure'] = '0'",
        "scope['certificate'] = [float(-1), 0.0, 0]",
        "scope['others'] = [[{'loss': 'Pure', 'epsilon': 0.1}, 1]]",
        "scope['others'] = [[{'loss': 'Gaussian', 'mu': 0.1}, -1]]",
        "scope['fingerprint'] = 64 * '0'",
        "account['scopes']['sex=F'] = scope",
        "account['last'] = 3",
        "account['last'] = 4.0",
        "account['terms'] = 4",
        "account['more'] = 1",
        "del account['scopes']['']",
    ],
)
def test_verification_finds_a_forged_account_with_a_right_seal(used: Path, edit: str) -> None:
    forge(used, edit)
    with Ledger.open(used) as book, pytest.raises(LedgerDamaged, match=r"account|tally"):
        book.verify()


@pytest.mark.parametrize(
    "text", ["NaN", "-0.1", "1e-400", "0.10", "1e-1", '"0.1"', "null", "true", "\u0661", "[]", "1e999"]
)
def test_a_stored_amount_is_read_as_it_was_written_or_not_at_all(used: Path, text: str) -> None:
    with closing(sqlite3.connect(used)) as connection:
        (body,) = connection.execute("SELECT body FROM reaedp_entries WHERE number = 3").fetchone()
        bent = body.replace('"epsilon":0.1', f'"epsilon":{text}')
        assert bent != body
        connection.execute("UPDATE reaedp_entries SET body = ?, hash = ? WHERE number = 3", (bent, digest(bent)))
        connection.commit()
    with Ledger.open(used) as book:
        with pytest.raises(LedgerDamaged, match="Entry 3"):
            book.verify()
        with pytest.raises(LedgerDamaged, match="Entry 3"):
            list(book.history("census"))


@pytest.mark.parametrize(("name", "wrong"), [("covered", "1"), ("rho", "1"), ("pure", "1/100"), ("aside", "1/10")])
def test_an_account_that_says_less_than_its_entries_is_found(file: Path, name: str, wrong: str) -> None:
    with Ledger.open(file) as book:
        book.register("survey", Budget(0.5, 1e-6), ROWS)
        for _ in range(7):
            book.charge([release(0.01, "survey")] * 2)
        assert book.verify() == 16
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT state FROM reaedp_accounts WHERE dataset = 'survey'"
        record = json.loads(connection.execute(query).fetchone()[0])
        record["scopes"][""][name] = wrong
        row = (write(record), digest(f"survey\n{write(record)}"))
        connection.execute("UPDATE reaedp_accounts SET state = ?, seal = ? WHERE dataset = 'survey'", row)
        connection.commit()
    with Ledger.open(file) as book, pytest.raises(LedgerDamaged, match="does not sum up its entries"):
        book.verify()


# Checkpoints


def test_a_checkpoint_finds_a_ledger_that_was_cut_off_or_rewritten(used: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "elsewhere.json"
    old = used.read_bytes()
    with Ledger.open(used) as book:
        book.charge([release(0.1)])
        checkpoint.write_text(json.dumps(book.checkpoint()))
        assert book.verify(checkpoint) == 9
        book.charge([release(0.1)])
        assert book.verify(checkpoint) == 10
    used.write_bytes(old)
    used.with_name("ledger.db-witness").unlink()
    with state_in(tmp_path), Ledger.open(used) as book:
        assert book.verify() == 8
        with pytest.raises(LedgerDamaged, match="lacks entry 9"):
            book.verify(checkpoint)
        book.charge([release(0.2)])
        with pytest.raises(LedgerDamaged, match="lacks entry 9"):
            book.verify(checkpoint)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"ledger": "x"}', "null"])
def test_a_checkpoint_must_be_one(used: Path, tmp_path: Path, text: str) -> None:
    checkpoint = tmp_path / "elsewhere.json"
    with Ledger.open(used) as book:
        with pytest.raises(DeclarationError, match="checkpoint"):
            book.verify(checkpoint)
        checkpoint.write_text(text)
        with pytest.raises(DeclarationError, match="checkpoint"):
            book.verify(checkpoint)


# Versions

VERSION_0 = [
    ("census", '{"epsilon":1.0,"delta":1e-12}', '[[{"loss":"Pure","epsilon":0.1},2]]'),
    ("survey", '{"epsilon":5.0,"delta":1e-6}', '[[{"loss":"Gaussian","mu":0.1},1]]'),
    ("census", '{"epsilon":1.0,"delta":1e-12}', '[[{"loss":"Pure","epsilon":0.3},1]]'),
    ("census", '{"epsilon":2.0,"delta":1e-12}', '[[{"loss":"Pure","epsilon":0.75},1]]'),
]


def write_version_0(address: str | Path, numbers: list[int] | None = None) -> None:
    """A ledger as the program wrote it before entries were chained."""
    rows = [
        {
            "number": number,
            "dataset": dataset,
            "budget": budget,
            "unit": '{"change":"add-remove","person":null,"max_rows":null,"at_least":null}',
            "statistic": "count of rows",
            "mechanism": "noise",
            "price": price,
            "contract": CONTRACT,
            "time": "2020-01-01T00:00:00+00:00",
            "author": "grandmother",
        }
        for number, (dataset, budget, price) in zip(numbers or [1, 2, 3, 4], VERSION_0, strict=True)
    ]
    columns = ", ".join(f"{name} {'INTEGER PRIMARY KEY' if name == 'number' else 'TEXT NOT NULL'}" for name in rows[0])
    with closing(connected(address)) as connection:
        connection.execute(f"CREATE TABLE reaedp_charges ({columns})")
        mark = "?" if isinstance(address, Path) else "%s"
        for row in rows:
            connection.execute(
                f"INSERT INTO reaedp_charges VALUES ({', '.join([mark] * len(row))})", tuple(row.values())
            )
        connection.commit()


def connected(address: str | Path) -> Any:
    if isinstance(address, Path):
        return sqlite3.connect(address)
    import psycopg

    return psycopg.connect(address)


def test_a_ledger_of_version_0_is_carried_forward(address: str | Path) -> None:
    write_version_0(address)
    for _ in range(2):
        with Ledger.open(address) as book:
            assert ["register", "charge", "register", "charge", "charge", "raise", "charge"] == [
                one.kind for one in book.history()
            ]
            assert {("grandmother", "2020-01-01T00:00:00+00:00", "0")} == {
                (one.user, one.time, one.version) for one in book.history()
            }
            assert book.budget("census") == Budget(2.0, 1e-12)
            assert (book.spent("census"), book.remaining("census"), book.verify()) == (1.25, 0.75, 7)
    with Ledger.open(address) as book:
        with pytest.raises(BudgetRefused):
            book.charge([release(0.8)])
        book.charge([release(0.75)])
        assert book.verify() == 8


def test_a_ledger_of_version_0_with_gaps_or_nonsense_is_refused_and_left_alone(tmp_path: Path) -> None:
    write_version_0(tmp_path / "gap.db", [1, 2, 4, 5])
    write_version_0(tmp_path / "nonsense.db")
    change(tmp_path / "nonsense.db", "UPDATE reaedp_charges SET price = replace(price, '0.3', '-0.3')")
    for name, said in (("gap.db", "gaps"), ("nonsense.db", "Charge 3")):
        before = (tmp_path / name).read_bytes()[100:]
        for _ in range(2):
            with pytest.raises(LedgerDamaged, match=said):
                Ledger.open(tmp_path / name)
        assert before == (tmp_path / name).read_bytes()[100:]


@pytest.mark.parametrize("version", [0, 3, 99, -1])
def test_another_version_is_refused_at_opening_and_in_the_middle_of_use(used: Path, version: int) -> None:
    with Ledger.open(used) as book:
        change(used, f"UPDATE reaedp_ledger SET version = {version}")
        for act in (
            lambda: book.charge([release(0.1)]),
            lambda: book.register("new", ONE, ROWS),
            lambda: book.finish([4]),
            lambda: book.spent("census"),
            book.verify,
        ):
            with pytest.raises(LedgerDamaged, match=f"layout {version}"):
                act()
    with pytest.raises(LedgerDamaged, match=f"layout {version}; this version of reaedp knows layout 2"):
        Ledger.open(used)


# Creation


def test_a_ledger_is_made_by_create_alone_and_once(address: str | Path) -> None:
    with pytest.raises(LedgerMissing, match="reaedp ledger create"):
        Ledger.open(address)
    with Ledger.create(address) as book:
        assert (0, ()) == (book.verify(), book.datasets())
        book.register("census", ONE, ROWS)
        identity = book.identity
    with pytest.raises(DeclarationError, match="already"):
        Ledger.create(address)
    with Ledger.open(address) as book:
        assert (identity, ("census",)) == (book.identity, book.datasets())


def test_looking_for_a_ledger_leaves_nothing_and_names_the_absolute_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LedgerMissing, match=re.escape(f"There is no ledger at {tmp_path / 'budget.sqlite'}.")):
        Ledger.open("budget.sqlite")
    assert [] == list(tmp_path.iterdir())


def test_what_is_no_ledger_is_left_as_it_is_and_without_a_mark(tmp_path: Path) -> None:
    place = tmp_path / "contract.toml"
    place.write_text("[dataset]")
    with pytest.raises(DeclarationError, match="already"):
        Ledger.create(place)
    (tmp_path / "budget.sqlite-wal").write_bytes(b"what is left of a ledger")
    with pytest.raises(LedgerDamaged, match="is missing"):
        Ledger.create(tmp_path / "budget.sqlite")
    assert {place, tmp_path / "budget.sqlite-wal"} == set(tmp_path.iterdir())


def test_an_old_ledger_counts_as_one_when_a_new_one_is_to_be_made(address: str | Path) -> None:
    write_version_0(address)
    with pytest.raises(DeclarationError, match="already"):
        Ledger.create(address)
    with Ledger.open(address) as book:
        assert 7 == book.verify()


def test_what_a_ledger_is_called_in_public_says_nothing_of_folders_users_or_servers(file: Path) -> None:
    with Ledger.open(file) as book:
        assert ("ledger.db", str(file), 32) == (book.name, book.place, len(book.identity))


# Addresses


@pytest.mark.parametrize("address", ["mysql://host/name", "sqlite:///x", "http://x", "://", "postgresql:// :x"])
def test_an_address_is_a_file_or_a_postgresql_server(address: str) -> None:
    with pytest.raises(DeclarationError, match="address"):
        Ledger.create(address)


def test_a_password_is_not_repeated_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PATIENCE_SECONDS", 0.5)
    with pytest.raises(LedgerBusy) as caught:
        Ledger.open("postgresql://keeper:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_closed_ledger_says_so(file: Path) -> None:
    with Ledger.open(file) as book:
        pass
    with pytest.raises(LedgerBusy, match="closed"):
        book.charge([release()])


def test_a_ledger_is_not_shared_with_a_forked_child(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(file) as book:
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(LedgerBusy, match="fork"):
            book.charge([release()])
        monkeypatch.undo()


def test_no_charge_is_no_entry(file: Path) -> None:
    with Ledger.open(file) as book:
        assert book.charge([]) == ()
        assert book.checkpoint()["number"] == 1


def test_numbers_in_messages_are_rounded_against_the_reader() -> None:
    assert ("0.3334", "0.3333") == (admission.shown(1 / 3, up=True), admission.shown(1 / 3, up=False))
    assert ("20", "123500") == (admission.shown(20.0, up=True), admission.shown(123456.0, up=True))
    assert ("1.5", "∞", "0") == tuple(admission.shown(number, up=False) for number in (1.5, math.inf, 0.0))
