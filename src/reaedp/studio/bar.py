"""The budget bar: what is spent for ever, what the plan would spend, what is left; in numbers and as lengths."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, LedgerError, LedgerMissing
from reaedp.frames.number import written
from reaedp.ledger.admission import shown
from reaedp.ledger.ledger import Ledger
from reaedp.plan.plan import Plan
from reaedp.privacy.accounting import epsilon
from reaedp.studio.project import Project


class Part(NamedTuple):
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
    def parts(self) -> tuple[Part, ...]:
        """The parts of the whole budget."""
        spent = min(1.0, self.spent / self.total)
        planned = min(1.0 - spent, self.planned / self.total)
        return (
            Part("spent", 0.0, 100 * spent),
            Part("planned", 100 * spent, 100 * planned),
            Part("left", 100 * (spent + planned), 100 * max(0.0, 1 - spent - planned)),
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


def bar_of(project: Project) -> Bar | None:
    """The bar of a project; None until its contract is complete."""
    contract = project.contract or _without_columns(project)
    if contract is None:
        return None
    budget = contract.budget
    planned = 0.0 if project.plan is None else cost(project.plan)
    try:
        spent, left = spent_of(contract)
    except LedgerError as error:
        return Bar(budget.epsilon, budget.delta, 0.0, planned, 0.0, str(error))
    return Bar(max(budget.epsilon, spent + left), budget.delta, spent, planned, left)


def spent_of(contract: Contract) -> tuple[float, float]:
    """What is spent of a data set's budget, and what is left; nothing and all of it where no ledger knows it."""
    try:
        with Ledger.open(contract.ledger) as book:
            if contract.dataset in book.datasets():
                return book.spent(contract.dataset), book.remaining(contract.dataset)
    except LedgerMissing:
        pass
    return 0.0, contract.budget.epsilon


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
    return f"It admits ε = {budget.epsilon:g} and δ = {written(budget.delta)} for ever."


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
