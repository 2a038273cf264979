"""A release as work with stages: audit, charge, count, add noise, write, check."""

from dataclasses import dataclass
from pathlib import Path

from reaedp.curator.curator import CHARGING, NOISE
from reaedp.errors import BudgetRefused
from reaedp.ledger.admission import shown
from reaedp.ledger.ledger import Ledger
from reaedp.plan.affordable import largest_factor, rest_of
from reaedp.plan.plan import Plan
from reaedp.release.publication import AUDITING, WRITING, publish
from reaedp.release.verification import verify
from reaedp.studio.bar import cost
from reaedp.studio.project import Project
from reaedp.studio.spending import spending
from reaedp.studio.work import Work

COUNTING, CHECKING = "counting", "checking"
#: The stages in their order, as people read them while they run and when they are over.
STAGES = {
    AUDITING: "Auditing on made-up data",
    CHARGING: "Charged",
    COUNTING: "Counting",
    NOISE: "Adding noise",
    WRITING: "Writing",
    CHECKING: "Checking",
}


@dataclass(frozen=True, slots=True)
class Released:
    """A folder, and what was checked and holds."""

    folder: Path
    checked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A release that somebody confirmed: under which state, and into which folder."""

    project: Project
    plan: Plan
    folder: Path
    state: str

    def release(self, work: Work) -> Released:
        """Release, if all is still as it was confirmed; each stage is told by its name alone."""
        with spending(self.project, self.state):
            check_affordable(self.plan)
            publish(self.plan, self.project.data_address, self.folder, lambda said: self._tell(work, said))
            work.say(CHECKING)
            return Released(self.folder, tuple(verify(self.folder, self.plan.contract.ledger)))

    @staticmethod
    def _tell(work: Work, said: str) -> None:
        """Texts of the engine room may name tables that the noise has chosen; people are told the stage."""
        stage = said if said in STAGES else WRITING if work.stage == WRITING else COUNTING
        work.say(stage, last_moment=stage == CHARGING)


def check_affordable(plan: Plan) -> None:
    """Refuse what the ledger would refuse, before the data is so much as opened."""
    rest = rest_of(plan.contract)
    if rest.admits(plan.prices()):
        return
    price, factor = shown(cost(plan), up=True), largest_factor(plan, rest)
    with Ledger.open(plan.contract.ledger) as book:
        known = plan.contract.dataset in book.datasets()
        left = book.remaining(plan.contract.dataset) if known else plan.contract.budget.epsilon
    remedy = "" if factor is None else f" With every ε multiplied by {factor:g} the plan would fit."
    raise BudgetRefused(
        f"The plan costs ε = {price}, and the budget has ε = {shown(left, up=False)} left for a release with Laplace"
        f" noise. It was refused before the data was opened, and nothing was charged.{remedy}"
    )
