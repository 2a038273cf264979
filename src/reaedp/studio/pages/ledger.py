"""Ledger: history, what is left, what it still buys; verification, checkpoint, a larger budget, two people."""

import json
from typing import Any

from starlette.responses import Response

from reaedp.errors import BudgetRefused, DeclarationError, LedgerMissing, ReaedpError, mistakes_of, unknown
from reaedp.ledger.ledger import Ledger
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import positive
from reaedp.studio.ledger_view import MOST_ENTRIES, affordable, datasets_of, lines_of
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

JSON = "application/json"
NEEDS = "The ledger is named in the contract, which is not complete yet."


def show(visit: Visit) -> Response:
    """What is in the ledger that the contract names."""
    return _page(visit)


def create(visit: Visit) -> Response:
    """Make the ledger, if there is none: an act of its own."""

    def made(address: str) -> str:
        Ledger.create(address).close()
        return "made"

    return _acting(visit, made)


def verify(visit: Visit) -> Response:
    """Check every entry."""

    def checked(address: str) -> str:
        with Ledger.open(address) as book:
            number = book.verify()
        return "intact-one" if number == 1 else f"intact-{number}"

    return _acting(visit, checked)


def raise_budget(visit: Visit) -> Response:
    """A larger budget, for a reason that stays."""
    form = visit.form

    def raised(address: str) -> str:
        with Ledger.open(address) as book:
            _known(book, form.text("dataset"))
            now = book.budget(form.text("dataset"))
            if form.text("seen") != _seen(now.epsilon, now.delta):
                raise DeclarationError("The budget changed after this page was opened. Check it again.")
            new_epsilon = positive("ε", form.number("epsilon", "ε"))
            new_delta = form.number("delta", "δ")
            wanted = Budget(float(new_epsilon), now.delta if new_delta is None else float(new_delta))
            book.raise_budget(form.text("dataset"), wanted, form.text("reason"))
        return "raised"

    return _acting(visit, raised)


def rule(visit: Visit) -> Response:
    """Set the two-person rule, approve its end, or lift it."""
    form = visit.form

    def ruled(address: str) -> str:
        name, reason, what = form.text("dataset"), form.text("reason"), form.text("what")
        with Ledger.open(address) as book:
            _known(book, name)
            if what == "approve":
                book.approve_lifting(name, reason)
                return "approved"
            if book.needs_two_people(name) != (what == "lift"):
                raise DeclarationError("The rule changed after this page was opened. Check it again.")
            book.require_two_people(name, reason, required=what != "lift")
        return "ruled"

    return _acting(visit, ruled)


def checkpoint(visit: Visit) -> Response:
    """The newest entry's number and hash, as a file to be kept elsewhere."""
    with Ledger.open(_address(visit.project)) as book:
        content = json.dumps(book.checkpoint()) + "\n"
    return visit.download(content, "checkpoint.json", JSON)


def export(visit: Visit) -> Response:
    """All entries as `reaedp ledger export` prints them."""
    with Ledger.open(_address(visit.project)) as book:
        content = json.dumps([entry.record for entry in book.history()], indent=1, ensure_ascii=False) + "\n"
    return visit.download(content, "ledger.json", JSON)


_DONE = {
    "made": "The ledger was created. Guard it as carefully as the data.",
    "raised": "The budget was raised and the reason recorded. Write the new budget into the contract as well.",
    "ruled": "The rule is recorded.",
    "approved": "Your approval is recorded. Someone else can lift the rule now.",
    "intact-one": "1 entry is intact.",
}


def _acting(visit: Visit, act: Any) -> Response:
    try:
        return visit.to("ledger", done=act(_address(visit.project)))
    except (DeclarationError, BudgetRefused) as error:
        return _page(visit, mistakes_of(error))


def _page(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    project = visit.project
    facts: dict[str, Any] = {"datasets": [], "lines": [], "missing": "", "place_of": "", "forecast": None}
    try:
        facts["place_of"] = _address(project)
        with Ledger.open(_address(project)) as book:
            facts |= {"datasets": datasets_of(book), "lines": lines_of(book), "place_of": book.place}
            facts["forecast"] = _forecast(visit, book)
    except LedgerMissing:
        facts["missing"] = "There is no ledger at this place yet."
    except ReaedpError as error:
        mistakes = mistakes or mistakes_of(error)
    return visit.page(
        "ledger",
        mistakes,
        done="" if mistakes else _done(visit.query.text("done")),
        most=MOST_ENTRIES,
        seen=_seen,
        **facts,
    )


def _done(key: str) -> str:
    """What was done, by a word of the address: nothing that is not a number gets onto the page."""
    number = key.removeprefix("intact-")
    if key.startswith("intact-") and number.isascii() and number.isdigit():
        return f"{int(number[:18]):,} entries are intact."
    return _DONE.get(key, "")


def _forecast(visit: Visit, book: Ledger) -> dict[str, int] | None:
    price = visit.query.number("epsilon", "ε")
    if price is None:
        return None
    positive("ε", price)
    return {name: affordable(book, name, float(price)) for name in book.datasets()}


def _address(project: Project) -> str:
    if project.contract is None:
        raise DeclarationError(NEEDS)
    return project.contract.ledger


def _known(book: Ledger, dataset: str) -> None:
    if dataset not in book.datasets():
        raise DeclarationError(unknown("data set", dataset, book.datasets()))


def _seen(epsilon: float, delta: float) -> str:
    """The budget on the page, so that one of two windows does not raise what the other raised already."""
    return f"{float(epsilon)!r} {float(delta)!r}"


def state(project: Project) -> State:
    """A ledger is needed before anything is released."""
    if project.contract is None:
        return "locked"
    return "done" if project.has_ledger else "empty"


_ACTS = {"create": create, "verify": verify, "raise": raise_budget, "rule": rule}
LEDGER = Step("ledger", "Ledger", state, show, {"checkpoint": checkpoint, "export": export}, _ACTS, needed=False)
