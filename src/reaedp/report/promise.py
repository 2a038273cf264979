"""The promise and the budget, in odds, in natural frequencies, and in what is spent and left."""

import math
from typing import Any

from reaedp.charts.drawing import drawn
from reaedp.charts.promises import beliefs
from reaedp.contract import Contract
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.canonical import read_price
from reaedp.readme import LIMITS, factor, posterior
from reaedp.report.number import frequency, written
from reaedp.report.panel import Figure, Grid, Panel
from reaedp.report.published import PublishedFolder

#: Beliefs that somebody may have before seeing a release.
PRIORS = (0.001, 0.01, 0.1, 0.5)


def _odds(epsilon: float) -> str:
    return written(math.exp(epsilon), 3) if epsilon < 30 else factor(epsilon)


def promise(folder: PublishedFolder) -> Panel:
    """Whose privacy, against which change, and how much anyone can learn about one of them."""
    contract, total = folder.contract, composed(folder)
    after = [posterior(prior, total) for prior in PRIORS]
    rows = tuple((frequency(prior), frequency(now)) for prior, now in zip(PRIORS, after, strict=True))
    labels = [frequency(prior) for prior in PRIORS]
    raised = ", ".join(f"{before} can become {now}" for before, now in rows)
    return Panel(
        anchor="promise",
        title="What is promised",
        words=(
            (
                f"{_whose(contract)} Whatever anyone believed about one {_noun(contract)} before, the odds for it"
                f" change by a factor of at most {_odds(total)} once they have seen everything here."
            ),
            (
                f"If somebody thought 1 in 100 before, they can think at most {frequency(posterior(0.01, total))}"
                " after, whatever else they know and however clever they are."
            ),
            (
                f"In symbols: ε = {written(total)}, except with probability δ = {written(contract.budget.delta)}."
                " The proofs and the program that keeps this promise are open."
            ),
        ),
        figures=(
            Figure(
                drawn(beliefs(PRIORS, after, labels)),
                f"Beliefs about one {_noun(contract)} before and after, at most: {raised}.",
            ),
        ),
        grids=(Grid("Belief before, and the most it can become", ("before", "after, at most"), rows, folded=True),),
    )


def composed(folder: PublishedFolder) -> float:
    """ε of all releases of the folder together."""
    prices = [read_price(release.record["price"]) for release in folder.releases]
    return epsilon(tally(prices), folder.contract.budget.delta)


def budget(folder: PublishedFolder) -> Panel:
    """What these releases cost, together and one by one."""
    total, limit = composed(folder), folder.contract.budget
    spent, left = _ledger(folder.record, total)
    rows = tuple((release.name, release.record["epsilon"], release.record["entry"]) for release in folder.releases)
    return Panel(
        anchor="budget",
        title="What it cost",
        words=(
            (
                f"All releases of this data set together may spend ε = {written(limit.epsilon)}"
                f" at δ = {written(limit.delta)}, for ever. These releases cost ε = {written(total)} together;"
                f" with everything released before them, ε = {written(spent)} was spent and ε = {written(left)}"
                " was left when they were made."
            ),
            "Costs add up to less than their sum where the theory of composition allows it.",
            *_paid_by(folder.record.get("ledger", {})),
        ),
        grids=(Grid("Cost of each release by itself", ("release", "ε", "ledger entry"), rows, folded=True),),
    )


def _paid_by(state: dict[str, Any]) -> tuple[str, ...]:
    """Which ledger added them up; folders of older programs do not say."""
    if "identity" not in state:
        return ()
    return (
        (
            f"They are charged to the ledger {state['name']}, identity {state['identity']}."
            " Releases of the same data that name another identity are not added up with these."
        ),
    )


def bar(folder: PublishedFolder) -> tuple[tuple[str, float, str], ...]:
    """The budget as parts of a whole: name, share of the budget, and words."""
    limit, total = folder.contract.budget.epsilon, composed(folder)
    spent, _ = _ledger(folder.record, total)
    earlier = max(0.0, spent - total)
    parts = (("earlier", earlier), ("here", min(total, limit)), ("left", max(0.0, limit - max(spent, total))))
    named = {"earlier": "spent before", "here": "spent here", "left": "left"}
    return tuple((name, size / limit, f"{named[name]}: ε = {written(size, 3)}") for name, size in parts if size > 0)


def _ledger(record: dict[str, Any], total: float) -> tuple[float, float]:
    """Spent and left when the folder was made; for a folder without a ledger's word, by its own releases."""
    state = record["ledger"]
    if state is None:
        return total, max(0.0, record["budget"]["epsilon"] - total)
    return float(state["spent"]), float(state["remaining"])


def limits(folder: PublishedFolder) -> tuple[str, ...]:
    """What nobody promises."""
    return tuple(line.format(unit=_noun(folder.contract)) for line in LIMITS)


def _whose(contract: Contract) -> str:
    unit, noun = contract.unit, _noun(contract)
    if contract.picture:
        return "The promise is for each single pixel and not for what the picture shows."
    if unit.change == "add-remove":
        change = f"two data sets that differ by one {noun}, present or absent, are hard to tell apart by what is here."
    else:
        change = f"two data sets that differ in all values of one {noun} are hard to tell apart by what is here."
    rows = f" Of each person at most {written(unit.rows)} rows are used." if unit.person else ""
    return f"The promise is for each {noun}: {change}{rows}"


def _noun(contract: Contract) -> str:
    return "pixel" if contract.picture else contract.unit.noun
