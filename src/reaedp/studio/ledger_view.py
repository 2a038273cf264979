"""A ledger as people read it: entries in words, what is left of each data set, and what that still buys."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from reaedp.frames.number import written
from reaedp.ledger.admission import shown
from reaedp.ledger.entry import Charge, Decision, Entry, Finish, Raise, Recovery, Registration, TwoPeople
from reaedp.ledger.ledger import Ledger
from reaedp.mechanisms.laplace import Laplace
from reaedp.privacy.accounting import epsilon, tally
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.studio.bar import Bar

#: Entries on one page; an export has all.
MOST_ENTRIES = 200


class EntryLine(NamedTuple):
    """One entry in words."""

    number: int
    when: str
    who: str
    what: str
    state: str


@dataclass(frozen=True, slots=True)
class DatasetView:
    """One data set of a ledger."""

    name: str
    bar: Bar
    two_people: bool
    overdrawn: bool


def datasets_of(book: Ledger) -> list[DatasetView]:
    """All data sets with their bars."""
    found = []
    for name in book.datasets():
        budget, spent, left = book.budget(name), book.spent(name), book.remaining(name)
        bar = Bar(budget.epsilon, budget.delta, spent, 0.0, left)
        found.append(DatasetView(name, bar, book.needs_two_people(name), not book.holds(name)))
    return found


def lines_of(book: Ledger) -> list[EntryLine]:
    """The newest entries, the newest first."""
    deltas = {name: book.budget(name).delta for name in book.datasets()}
    entries = list(book.history())[-MOST_ENTRIES:]
    return [_line(entry, deltas) for entry in reversed(entries)]


def affordable(book: Ledger, dataset: str, price: float) -> int:
    """How many more histograms with Laplace noise at this ε fit."""
    mechanism = Laplace(price)
    return book.copies_left(dataset, mechanism.price(counting_sensitivity(book.unit(dataset))))


def _line(entry: Entry, deltas: dict[str, float]) -> EntryLine:
    when = entry.time[:16].replace("T", " ")
    state = entry.state if entry.charge is not None else ""
    return EntryLine(entry.number, when, entry.user, _words(entry, deltas), state)


def _words(entry: Entry, deltas: dict[str, float]) -> str:
    act: Any = entry.act
    if isinstance(act, Charge):
        price = shown(epsilon(tally([act.price]), deltas[act.dataset]), up=True)
        return f"{act.dataset}: charged ε = {price} for {act.statistic}, {act.mechanism}"
    about = "" if entry.dataset is None else f"{entry.dataset}: "
    reason = f". Reason: {act.reason}" if hasattr(act, "reason") else ""
    return f"{about}{_WORDS[type(act)](act)}{reason}"


#: What is said of each act that is no charge; its data set and its reason are said of all.
_WORDS: dict[type[Any], Callable[[Any], str]] = {
    Registration: lambda act: f"budget ε = {act.budget.epsilon:g}, δ = {written(act.budget.delta)}",
    Raise: lambda act: f"raised to ε = {act.budget.epsilon:g}, δ = {written(act.budget.delta)}",
    Finish: lambda act: f"Published: {'entry' if len(act.entries) == 1 else 'entries'} {_listed(act.entries)}",
    Decision: lambda act: f"a plan of {act.asked_by} was {'approved' if act.approved else 'refused'}",
    TwoPeople: lambda act: f"{'needs' if act.required else 'no longer needs'} two people from here on",
    Recovery: lambda act: f"Entries {act.kept + 1} to {act.lost} are lost",
}


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
