"""The promise and the budget, in odds, in natural frequencies, and in what is spent and left."""

import math
from typing import Any

from reaedp.contract import Contract
from reaedp.frames.number import frequency, written
from reaedp.label import shown as visible
from reaedp.ledger.admission import shown
from reaedp.ledger.canonical_json import read_price
from reaedp.privacy.accounting import epsilon, tally
from reaedp.release.readme import LIMITS, factor, posterior
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.promises import beliefs
from reaedp.report.panel import Figure, Grid, Panel
from reaedp.report.published import PublishedFolder

#: Beliefs that somebody may have before seeing a release.
PRIORS = (0.001, 0.01, 0.1, 0.5)


def odds(epsilon: float) -> str:
    """The factor by which odds can change at most."""
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
                f"{_whose(contract)} Whatever anyone believed about one {noun(contract)} beforehand, seeing everything"
                f" here changes the odds by a factor of at most {odds(total)}."
            ),
            (
                f"For example, a belief of 1 in 100 can become {frequency(posterior(0.01, total))} at most, whatever"
                " else someone knows and however much they compute."
            ),
            (
                f"In symbols: ε = {shown(total, up=True)}, except with probability"
                f" δ = {written(contract.budget.delta)}. The proofs and the source code behind this promise are public."
            ),
        ),
        figures=(
            Figure(
                drawn(beliefs(PRIORS, after, labels)),
                f"How far beliefs about one {noun(contract)} can rise at most: {raised}.",
            ),
        ),
        grids=(Grid("Beliefs before and after", ("before", "after, at most"), rows, folded=True),),
    )


def composed(folder: PublishedFolder) -> float:
    """ε of all releases of the folder together."""
    prices = [read_price(release.record["price"]) for release in folder.releases]
    return epsilon(tally(prices), folder.contract.budget.delta)


def budget(folder: PublishedFolder) -> Panel:
    """What these releases cost, together and one by one."""
    total, limit = composed(folder), folder.contract.budget
    spent, left = ledger_state(folder.record, total)
    rows = tuple((release.called, release.record["epsilon"], release.record["entry"]) for release in folder.releases)
    return Panel(
        anchor="budget",
        title="What it cost",
        words=(
            (
                f"The budget for all releases of this data set, past and future, is ε = {written(limit.epsilon)}"
                f" at δ = {written(limit.delta)}. These releases cost ε = {shown(total, up=True)} together. Counting"
                f" everything released before, ε = {shown(spent, up=True)} was spent, and ε = {shown(left, up=False)}"
                " was left for a release with Laplace noise."
            ),
            "Together, releases can cost less than the sum of their ε: composition theorems give tighter totals.",
            *_less_than_the_rest(limit.epsilon - spent, left),
            *_paid_by(folder.record.get("ledger", {})),
        ),
        grids=(Grid("Cost of each release by itself", ("release", "ε", "ledger entry"), rows, folded=True),),
    )


def _less_than_the_rest(rest: float, left: float) -> tuple[str, ...]:
    """Why what is left is less than what was not spent, where anybody would notice."""
    if left >= 0.99 * rest:
        return ()
    return (
        (
            "What is left is less than the budget minus what was spent, because every next release may be chosen after"
            " looking at the last one. For the budget to hold even then, different kinds of noise are added up more"
            " cautiously than in a list that was fixed beforehand."
        ),
    )


def _paid_by(state: dict[str, Any]) -> tuple[str, ...]:
    """Which ledger added them up; folders of older programs do not say."""
    if "identity" not in state:
        return ()
    return (
        (
            f"Charged to the ledger {visible(state['name'])}, identity {state['identity']}. Releases of the same data"
            " that name a different ledger identity are not counted in this total."
        ),
    )


def bar(folder: PublishedFolder) -> tuple[tuple[str, float, str], ...]:
    """The budget as parts of a whole: name, share of the budget, and words."""
    limit, total = folder.contract.budget.epsilon, composed(folder)
    spent, left = ledger_state(folder.record, total)
    earlier = max(0.0, spent - total)
    parts = (
        ("earlier", earlier, f"spent before: ε = {written(earlier, 3)}"),
        ("here", min(total, limit), f"spent here: ε = {written(min(total, limit), 3)}"),
        # What is not spent is not all for sale: prices may be chosen after looking, and that is paid for.
        ("left", max(0.0, limit - max(spent, total)), f"left: ε = {shown(left, up=False)}"),
    )
    return tuple((name, size / limit, words) for name, size, words in parts if size > 0)


def ledger_state(record: dict[str, Any], total: float) -> tuple[float, float]:
    """Spent and left when the folder was made; for a folder without a ledger's word, by its own releases."""
    state = record["ledger"]
    if state is None:
        return total, max(0.0, record["budget"]["epsilon"] - total)
    return float(state["spent"]), float(state["remaining"])


def limits(folder: PublishedFolder) -> tuple[str, ...]:
    """What no release promises."""
    return tuple(line.format(unit=noun(folder.contract)) for line in LIMITS)


def _whose(contract: Contract) -> str:
    unit, one = contract.unit, noun(contract)
    if contract.picture:
        return "Each single pixel is protected, but not what the picture shows."
    if unit.change == "add-remove":
        change = f"this release would look much the same with or without any one {one} in the data."
    else:
        change = f"this release would look much the same if any one {one} had entirely different values."
    rows = f" At most {written(unit.rows)} rows per person are used (the contribution bound)." if unit.person else ""
    return f"Each {one} is protected: {change}{rows}"


def noun(contract: Contract) -> str:
    """Whose privacy is protected: a person, a row or a pixel."""
    return "pixel" if contract.picture else contract.unit.noun
