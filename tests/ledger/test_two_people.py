"""The two-person rule: what is charged was approved by somebody else, for these very requests, and once."""

import sqlite3
from pathlib import Path

import pytest

from reaedp import Ledger
from reaedp.errors import DeclarationError, LedgerDamaged
from reaedp.ledger import entry
from reaedp.ledger.approvals import lifting
from reaedp.ledger.ledger import Charge
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import PureDP
from reaedp.privacy.unit import Unit

UNIT = Unit("add-remove")
FIRST, SECOND = "1" * 64, "2" * 64


def charge(request: str | None, epsilon: float = 0.1) -> Charge:
    return Charge("own", "counts", "laplace", (PureDP(epsilon),), UNIT, contract="a" * 64, request=request)


class People:
    """Two people at one ledger."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.book = Ledger.create(path)
        self.book.register("own", Budget(1.0, 1e-6), UNIT)

    def by(self, name: str) -> Ledger:
        self.monkeypatch.setattr(entry, "user_name", lambda: name)
        return self.book

    def approve(self, name: str, *requests: str, approved: bool = True) -> int:
        return self.by(name).decide("own", requests, "an analyst", approved=approved, reason="As agreed.")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    return People(tmp_path / "budget.sqlite", monkeypatch)


def refused(book: Ledger, *charges: Charge) -> None:
    with pytest.raises(DeclarationError, match="needs two people"):
        book.charge(charges)


def test_without_the_rule_decisions_are_recorded_and_bind_nobody(people: People) -> None:
    people.approve("ann", FIRST, approved=False)
    people.by("bob").charge([charge(FIRST), charge(None)])
    assert not people.book.needs_two_people("own")
    assert ["register", "decide", "charge", "charge"] == [one.kind for one in people.book.history("own")]
    assert 4 == people.book.verify()


def test_under_the_rule_a_charge_needs_somebody_elses_approval_of_these_very_requests(people: People) -> None:
    people.approve("ann", FIRST)
    people.by("ann").require_two_people("own", "Decided by the board.")
    refused(people.by("bob"), charge(FIRST))  # approved before the rule
    people.approve("bob", FIRST)
    refused(people.by("bob"), charge(FIRST))  # by the same person
    people.approve("ann", FIRST)
    for wrong in ([charge(SECOND)], [charge(FIRST), charge(SECOND)], [charge(None)]):
        refused(people.by("bob"), *wrong)
    people.approve("ann", FIRST, approved=False)
    refused(people.by("bob"), charge(FIRST))  # taken back
    assert people.book.lacks_approval("own", [FIRST])
    people.approve("ann", SECOND, FIRST)
    assert not people.by("bob").lacks_approval("own", [FIRST, SECOND])
    people.by("bob").charge([charge(FIRST), charge(SECOND)])
    refused(people.by("bob"), charge(FIRST), charge(SECOND))  # used up
    assert people.book.verify() > 0
    assert 2 == sum(one.charge is not None for one in people.book.history("own"))


def test_an_approval_that_shares_a_request_with_a_charge_is_used_up(people: People) -> None:
    people.by("ann").require_two_people("own", "Decided by the board.")
    people.approve("ann", FIRST)
    people.approve("ann", FIRST, SECOND)
    people.by("bob").charge([charge(FIRST)])
    refused(people.by("bob"), charge(FIRST), charge(SECOND))


def test_the_rule_is_lifted_by_two_people(people: People) -> None:
    people.by("ann").require_two_people("own", "Decided by the board.")
    for name in ("ann", "bob"):
        with pytest.raises(DeclarationError, match="needs two people"):
            people.by(name).require_two_people("own", "No longer needed.", required=False)
    people.approve("ann", lifting("own"))
    people.by("bob").require_two_people("own", "No longer needed.", required=False)
    assert not people.book.needs_two_people("own")
    people.by("bob").charge([charge(FIRST)])
    assert 5 == people.book.verify()


def test_verify_finds_a_charge_that_nobody_else_approved(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    people.by("ann").require_two_people("own", "Decided by the board.")
    with monkeypatch.context() as patched:
        patched.setattr("reaedp.ledger.ledger.check_approved", lambda *_: None)
        people.by("bob").charge([charge(FIRST)])
    with pytest.raises(LedgerDamaged, match="Entry 3 of the ledger needs two people"):
        people.book.verify()


def test_accounts_without_a_rule_keep_the_text_that_they_always_had(people: People, tmp_path: Path) -> None:
    people.by("bob").charge([charge(FIRST)])
    rows = sqlite3.connect(tmp_path / "budget.sqlite").execute("SELECT state FROM reaedp_accounts").fetchall()
    assert all('"rule"' not in text for (text,) in rows)
    people.book.require_two_people("own", "Decided by the board.")
    (state,) = sqlite3.connect(tmp_path / "budget.sqlite").execute("SELECT state FROM reaedp_accounts").fetchone()
    assert '"rule":3' in state


@pytest.mark.parametrize(
    "change",
    [{"reason": ""}, {"asked_by": "two\nlines"}, {"requests": ()}, {"requests": ("x",)}, {"requests": (SECOND, FIRST)}],
)
def test_decisions_are_complete(change: dict[str, object]) -> None:
    facts = {"dataset": "own", "requests": (FIRST,), "asked_by": "ann", "approved": True, "reason": "Fine."}
    with pytest.raises(DeclarationError):
        entry.Decision(**{**facts, **change})  # type: ignore[arg-type]


def test_an_unknown_data_set_has_no_rule(people: People) -> None:
    for act in (lambda: people.book.needs_two_people("x"), lambda: people.book.require_two_people("x", "Why.")):
        with pytest.raises(DeclarationError, match="Unknown data set"):
            act()
