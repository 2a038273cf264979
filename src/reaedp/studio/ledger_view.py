"""A ledger as people read it: entries in words, what is left of each data set, and what that still buys."""

from dataclasses import dataclass

from reaedp.ledger.admission import shown
from reaedp.ledger.entry import Charge, Decision, Entry, Finish, Raise, Recovery, Registration, TwoPeople
from reaedp.ledger.ledger import Ledger
from reaedp.mechanisms.laplace import Laplace
from reaedp.privacy.accounting import epsilon, tally
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.studio.bar import Bar

#: Entries on one page; an export has all.
MOST_ENTRIES = 200


@dataclass(frozen=True, slots=True)
class Line:
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


def lines_of(book: Ledger) -> list[Line]:
    """The newest entries, the newest first."""
    deltas = {name: book.budget(name).delta for name in book.datasets()}
    entries = list(book.history())[-MOST_ENTRIES:]
    return [_line(entry, deltas) for entry in reversed(entries)]


def affordable(book: Ledger, dataset: str, price: float) -> int:
    """How many more histograms with Laplace noise at this ε fit."""
    mechanism = Laplace(price)
    return book.copies_left(dataset, mechanism.price(counting_sensitivity(book.unit(dataset))))


def _line(entry: Entry, deltas: dict[str, float]) -> Line:
    when = entry.time[:16].replace("T", " ")
    state = entry.state if entry.charge is not None else ""
    return Line(entry.number, when, entry.user, _words(entry, deltas), state)


def _words(entry: Entry, deltas: dict[str, float]) -> str:
    act = entry.act
    match act:
        case Registration():
            return f"{act.dataset}: budget ε = {act.budget.epsilon:g}, δ = {act.budget.delta:g}"
        case Charge():
            price = shown(epsilon(tally([act.price]), deltas[act.dataset]), up=True)
            return f"{act.dataset}: charged ε = {price} for {act.statistic}, {act.mechanism}"
        case Finish():
            listed = ", ".join(map(str, act.entries))
            return f"Published: {'entry' if len(act.entries) == 1 else 'entries'} {listed}"
        case Raise():
            budget = act.budget
            return f"{act.dataset}: raised to ε = {budget.epsilon:g}, δ = {budget.delta:g}. Reason: {act.reason}"
        case Decision():
            answer = "approved" if act.approved else "refused"
            return f"{act.dataset}: a plan of {act.asked_by} was {answer}. Reason: {act.reason}"
        case TwoPeople():
            rule = "needs two people" if act.required else "no longer needs two people"
            return f"{act.dataset}: {rule} from here on. Reason: {act.reason}"
        case Recovery():
            return f"Entries {act.kept + 1} to {act.lost} are lost. Reason: {act.reason}"
