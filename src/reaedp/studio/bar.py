"""The budget bar: what is spent for ever, what the plan would spend, what is left; in numbers and as lengths."""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, LedgerError, LedgerMissing
from reaedp.frames.number import written
from reaedp.ledger.admission import shown
from reaedp.ledger.ledger import Ledger
from reaedp.plan.plan import Plan
from reaedp.privacy.accounting import epsilon
from reaedp.privacy.budget import Budget
from reaedp.privacy.rest import Rest
from reaedp.studio.project import Project


class Segment(NamedTuple):
    """A part of a bar: whose it is, where it begins and how long it is, in percent."""

    name: str
    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Bar:
    """ε of the whole budget, of what is spent, of the plan, and of what is left for a release with Laplace noise."""

    total: float
    delta: float
    spent: float
    planned: float
    left: float
    #: What is wrong with the ledger, if anything is.
    trouble: str = ""

    @property
    def parts(self) -> tuple[Segment, ...]:
        """The parts of the whole budget."""
        spent = min(1.0, self.spent / self.total)
        planned = min(1.0 - spent, self.planned / self.total)
        return (
            Segment("spent", 0.0, 100 * spent),
            Segment("planned", 100 * spent, 100 * planned),
            Segment("left", 100 * (spent + planned), 100 * max(0.0, 1 - spent - planned)),
        )

    @property
    def words(self) -> str:
        """The same for those who do not see it."""
        planned = f", this plan ε {shown(self.planned, up=True)}" if self.planned else ""
        spent, left = shown(self.spent, up=True), shown(self.left, up=False)
        return f"ε {spent} of {self.total:g} spent{planned}, ε {left} left"

    @property
    def short(self) -> bool:
        """Whether the plan asks for more than is left."""
        return self.planned > self.left * (1 + 1e-9)


def bar_of(project: Project, *, released: bool = False) -> Bar | None:
    """The bar of a project; None until its contract is complete. What is just `released` is planned no more."""
    contract = project.contract or _without_columns(project)
    if contract is None:
        return None
    budget = contract.budget
    planned = 0.0 if project.plan is None or released else cost(project.plan)
    try:
        spent, left, _ = standing_of(contract)
    except LedgerError as error:
        return Bar(budget.epsilon, budget.delta, 0.0, planned, 0.0, str(error))
    return Bar(max(budget.epsilon, spent + left), budget.delta, spent, planned, left)


class Standing(NamedTuple):
    """What is spent of a data set's budget, what is left for a release with Laplace noise, and what decides."""

    spent: float
    left: float
    rest: Rest


def standing_of(contract: Contract) -> Standing:
    """Nothing is spent and all is left where no ledger knows the data set."""
    return _standing(contract.ledger, contract.dataset, contract.budget)


def pictured_standing(contract: Contract) -> Standing:
    """The same for pictures that follow a slider, for which a file is opened again only when it has changed."""
    if "://" in contract.ledger:
        return standing_of(contract)
    return _pictured(contract.ledger, contract.dataset, contract.budget, _state_of(contract.ledger))


def _standing(ledger: str, dataset: str, budget: Budget) -> Standing:
    try:
        with Ledger.open(ledger) as book:
            if dataset in book.datasets():
                return Standing(book.spent(dataset), book.remaining(dataset), book.rest(dataset))
    except LedgerMissing:
        pass
    return Standing(0.0, budget.epsilon, Rest(budget))


@lru_cache(maxsize=16)
def _pictured(ledger: str, dataset: str, budget: Budget, _: object) -> Standing:
    return _standing(ledger, dataset, budget)


def _state_of(place: str) -> tuple[object, ...]:
    """What changes with every charge: the newest pages of a ledger lie in the second file."""
    found: list[object] = []
    for path in (Path(place), Path(f"{place}-wal")):
        with suppress(OSError):
            status = path.stat()
            found.append((path.name, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(found)


def registered(project: Project) -> str:
    """What the ledger has noted of the data set, in a sentence; "" while it has noted nothing."""
    contract = _without_columns(project)
    if contract is None:
        return ""
    try:
        with Ledger.open(contract.ledger) as book:
            if contract.dataset not in book.datasets():
                return ""
            budget = book.budget(contract.dataset)
    except (LedgerMissing, LedgerError):
        return ""
    return f"It allows ε = {budget.epsilon:g} and δ = {written(budget.delta)} in total."


def _without_columns(project: Project) -> Contract | None:
    """The contract without its columns, which may be open while the budget is declared."""
    try:
        return Contract.load_without_columns(project.contract_path)
    except DeclarationError:
        return None


@lru_cache(maxsize=64)
def cost(plan: Plan) -> float:
    """What all releases of a plan cost together."""
    return epsilon(plan.prices(), plan.contract.budget.delta)
