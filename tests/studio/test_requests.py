"""Two people: an analyst asks by a file, the custodian answers with a reason; both stand in the ledger."""

import io
import zipfile
from pathlib import Path

import pytest

from project_support import PLAN, ready
from reaedp import Contract, Ledger
from reaedp.drafting.analyst_package import made_up
from reaedp.drafting.plan_request import PlanRequest, requests_of
from reaedp.ledger import entry
from reaedp.plan.plan import Plan
from studio_support import Guest, form_fields, text_of

PLACE = "/p/own/requests"
FILE = "own-1.request.toml"


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    ready(tmp_path)
    return Guest(tmp_path)


def asked(guest: Guest, **changes: str) -> Path:
    """A request of somebody who has the contract only."""
    fields = {"asked_by": "Ann Alyst", "note": "For the yearly report.", **changes}
    guest.done(f"{PLACE}/ask", fields, at=PLACE)
    return guest.folder / "own" / FILE


def decided(guest: Guest, answer: str, reason: str = "As agreed.", file: str = FILE) -> int:
    """Answer the request that the page shows, if it shows one."""
    page = guest.page(PLACE)
    seen = form_fields(page, f"{PLACE}/decide").get("seen", "") if "/decide" in page else ""
    form = {"file": file, "answer": answer, "reason": reason, "seen": seen}
    return int(guest.act(f"{PLACE}/decide", form).status_code)


def test_an_analyst_gets_the_contract_and_made_up_rows_and_nothing_else(guest: Guest) -> None:
    saved = guest.ask(f"{PLACE}/package")
    with zipfile.ZipFile(io.BytesIO(saved.content)) as archive:
        assert ["contract.toml", "made-up.csv", "README.txt"] == archive.namelist()
        archive.extractall(guest.folder / "analyst")
    contract = Contract.load(guest.folder / "own" / "contract.toml")
    theirs = Contract.load(guest.folder / "analyst" / "contract.toml")
    assert contract.fingerprint == theirs.fingerprint
    assert "budget.sqlite" == Path(theirs.ledger).name.removeprefix("trial-")
    assert contract.ledger != theirs.ledger
    assert made_up(contract) == (guest.folder / "analyst" / "made-up.csv").read_text()
    (guest.folder / "own" / "people.csv").write_text("age,sex\n1,f\n")
    assert saved.content == guest.ask(f"{PLACE}/package").content


def test_the_custodian_sees_price_error_risk_and_what_is_left(guest: Guest) -> None:
    asked(guest)
    words = text_of(guest.page(PLACE))
    assert "Requested by Ann Alyst : For the yearly report." in words
    assert "It would spend ε 0.5 for ever. 0.5 would be left." in words
    assert "a person was 10 in 100, these releases can raise it to at most 15 in 100" in words
    assert "Counts" in words or "off by" in words


def test_an_approved_plan_becomes_the_plan_and_both_stand_in_the_ledger(guest: Guest) -> None:
    path = asked(guest)
    own = guest.folder / "own"
    (own / "plan.toml").write_text(PLAN.replace("0.5", "0.1"))
    assert 400 == decided(guest, "approve", reason="")
    assert 303 == decided(guest, "approve")
    assert 0.5 == Plan.load(own / "plan.toml").releases[0].epsilon
    assert "approved = true" in path.with_name("own-1.answer.toml").read_text()
    with Ledger.open(own / "budget.sqlite") as book:
        (decision,) = (one.act for one in book.history("own") if one.kind == "decide")
    assert (True, "Ann Alyst", "As agreed.") == (decision.approved, decision.asked_by, decision.reason)
    assert tuple(requests_of(Plan.load(own / "plan.toml"))) == decision.requests
    assert 400 == decided(guest, "approve")
    assert "No request waits" in guest.page(PLACE)


def test_what_was_not_on_the_page_is_not_approved(guest: Guest) -> None:
    """Whoever asks may write to the file while the custodian reads it."""
    path, own = asked(guest), guest.folder / "own"
    seen = form_fields(guest.page(PLACE), f"{PLACE}/decide") | {"answer": "approve", "reason": "As agreed."}
    path.write_text(path.read_text().replace("epsilon = 0.5", "epsilon = 0.9"))
    before = (own / "plan.toml").read_bytes()
    answer = guest.act(f"{PLACE}/decide", seen)
    assert 400 == answer.status_code
    assert "changed after this page was opened" in answer.text
    assert before == (own / "plan.toml").read_bytes()
    with Ledger.open(own / "budget.sqlite") as book:
        assert [] == [one for one in book.history() if one.kind == "decide"]


def test_a_refusal_keeps_the_plan_and_goes_back_with_its_reason(guest: Guest) -> None:
    path = asked(guest)
    before = (guest.folder / "own" / "plan.toml").read_bytes()
    assert 303 == decided(guest, "refuse", reason='Too much for "one" table.')
    assert before == (guest.folder / "own" / "plan.toml").read_bytes()
    answer = path.with_name("own-1.answer.toml").read_text()
    assert "approved = false" in answer
    assert "Too much for" in answer


def test_a_request_for_another_contract_cannot_be_approved(guest: Guest) -> None:
    asked(guest)
    contract = guest.folder / "own" / "contract.toml"
    contract.write_text(contract.read_text().replace('"f", "m"', '"f", "m", "x"'))
    assert "written for another contract" in text_of(guest.page(PLACE))
    assert 400 == decided(guest, "approve")


@pytest.mark.parametrize(
    "text",
    ["", "[request]\n", "x = [", "[request]\nasked_by = 3\n", "\x00", "[" * 5_000,
     '[request]\nasked_by = "a\\nb"\nnote = "n"\ncontract = "c"\n',
     '[request]\nasked_by = "<script>"\nnote = "n"\ncontract = "c"\n[[release]]\nname = "<script>"\n'],
)  # fmt: skip
def test_hostile_requests_are_said_to_be_wrong_and_change_nothing(guest: Guest, text: str) -> None:
    (guest.folder / "own" / FILE).write_text(text)
    page = guest.page(PLACE)
    assert "to be fixed" in page
    assert "<script>" not in page.replace('<script src="/static/', "")
    before = (guest.folder / "own" / "plan.toml").read_bytes()
    assert 400 == decided(guest, "approve")
    assert before == (guest.folder / "own" / "plan.toml").read_bytes()


def test_a_request_cannot_name_a_contract_of_its_own(guest: Guest) -> None:
    path = asked(guest)
    other = ready(guest.folder, "other")
    (other / "contract.toml").write_text(
        (other / "contract.toml").read_text().replace("epsilon = 1.0", "epsilon = 9.0")
    )
    path.write_text(path.read_text().replace('"contract.toml"', '"../other/contract.toml"', 1))
    request = PlanRequest.read(path, guest.folder / "own" / "contract.toml")
    assert 1.0 == request.plan.contract.budget.epsilon
    assert 'contract = "contract.toml"' in request.text


@pytest.mark.parametrize("name", ["../own-1.request.toml", "plan.toml", "", "x.request.toml", "/etc/passwd"])
def test_only_requests_that_wait_are_answered(guest: Guest, name: str) -> None:
    asked(guest)
    assert 400 == decided(guest, "approve", file=name)


def test_under_the_rule_one_person_cannot_release_alone(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_user(name: str) -> None:
        monkeypatch.setattr(entry, "user_name", lambda: name)

    as_user("ann")
    own = guest.folder / "own"
    contract = Contract.load(own / "contract.toml")
    with Ledger.open(contract.ledger) as book:
        book.register(contract.dataset, contract.budget, contract.unit)
        book.require_two_people("own", "Decided by the board.")
    assert "needs two people" in guest.page("/p/own/release")
    asked(guest)
    assert 303 == decided(guest, "approve")
    assert "needs two people" in guest.page("/p/own/release")
    as_user("bob")
    assert "Spend and release" in guest.page("/p/own/release")
