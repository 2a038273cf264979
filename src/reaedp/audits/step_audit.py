"""The exact audit of synthetic records, step by step: each question that a model asks, on made-up neighbours.

The mechanism runs on both with noise that forgets its input, so that both runs ask the same. Given equal answers
before, the law of each step is known; what all steps cost together is composed by the accountant.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.audits.ceilings import Ceilings
from reaedp.audits.claim import Claim
from reaedp.audits.constant_noise import ConstantNoise, Drawn, Kind
from reaedp.audits.finding import ROUNDING, Finding, Verdict, judge
from reaedp.audits.loss_law import Curve, between, gaussian_law
from reaedp.audits.made_up import MadeUp
from reaedp.audits.worst_case import Neighbours, worst_cases
from reaedp.contract import Contract
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.selection import Selection
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import Marginal, counting_sensitivity
from reaedp.synthesis.fitting import fits_kept
from reaedp.synthesis.marginal_model import MarginalModel

_METHOD = "by formula, for the step that tells these neighbours apart best, given equal answers before"


class Step(NamedTuple):
    """One kind of question: what noise it gets, what one of them was priced, and how many were."""

    name: str
    kind: Kind
    scale: float
    price: Price
    times: int


def steps(network: MarginalModel, sensitivity: Sensitivity) -> tuple[Step, ...]:
    """All that a network may ask."""
    own, choices, tables = Gaussian(network.column_rho), Selection(network.choice_mu), Gaussian(network.table_rho)
    return (
        Step("table of one column", "gaussian", own.scale(sensitivity), own.price(sensitivity), network.columns),
        Step("choice of a table", "choice", choices.scale(sensitivity), choices.price(sensitivity), network.tables),
        Step("chosen table", "gaussian", tables.scale(sensitivity), tables.price(sensitivity), network.tables),
    )


def audit_network(
    network: MarginalModel, columns: tuple[str, ...], contract: Contract, rng: np.random.Generator
) -> tuple[Finding, ...]:
    """One finding for each kind of step, and one about their number."""
    sensitivity = counting_sensitivity(contract.unit)
    (case,) = worst_cases(Marginal(*columns), contract)
    with fits_kept():
        asked = [_asked(network, columns, data, sensitivity, rng) for data in (case.first, case.second)]
    planned = steps(network, sensitivity)
    exact = (_examined(step, case, asked, contract) for step in planned if _of(step, asked[0]))
    return (*exact, _numbers(network, planned, asked, case))


def _asked(
    network: MarginalModel, columns: tuple[str, ...], data: object, sensitivity: Sensitivity, rng: np.random.Generator
) -> list[Drawn]:
    assert isinstance(data, MadeUp)
    noise = ConstantNoise(0, rng)
    network.learn(data, columns, sensitivity, noise, lambda _: None)
    return noise.drawn


def _of(step: Step, asked: list[Drawn]) -> list[int]:
    """The positions of the steps of one kind among all steps."""
    return [place for place, one in enumerate(asked) if (one.kind, one.scale) == (step.kind, step.scale)]


def _examined(step: Step, case: Neighbours, asked: list[list[Drawn]], contract: Contract) -> Finding:
    claim = Claim.of(step.price, contract.budget.delta)
    pairs = [(asked[0][place].exact.ravel(), asked[1][place].exact.ravel()) for place in _of(step, asked[0])]
    worst = max(pairs, key=_DISTANCES[step.kind])
    laws = _LAWS[step.kind](*worst, step.scale)
    own = max(law.epsilon(claim.delta) for law in laws), max(law.delta(claim.epsilon) for law in laws)
    broken = own[0] > claim.epsilon * (1 + ROUNDING)
    ceilings = Ceilings.of(claim, math.inf, own)
    return Finding(
        subject=f"{step.name}, {len(pairs)} asked for and {step.times} paid for",
        pair=case.label,
        verdict=judge(claim, own[0], broken, replace(ceilings, attainable=None)),
        method=_METHOD,
        witness=f"by formula this step has ε = {own[0]:.4g}, and δ = {own[1]:.3g} at the claimed ε" if broken else "",
        claim=claim,
        ceilings=ceilings,
    )


def _numbers(network: MarginalModel, planned: tuple[Step, ...], asked: list[list[Drawn]], case: Neighbours) -> Finding:
    """Whether both neighbours are asked the same questions, all of them paid for."""
    known, (first, second) = {(step.kind, step.scale): 0 for step in planned}, asked
    for step in planned:
        known[step.kind, step.scale] += step.times
    sensitivity = counting_sensitivity(case.first.contract.unit)
    problems = {
        "what is asked depends on the records": [_question(one) for one in first] != [_question(o) for o in second],
        "something is asked that was not paid for": any((one.kind, one.scale) not in known for one in first),
        "more is asked than was paid for": any(len(_of(s, first)) > known[s.kind, s.scale] for s in planned),
        "the charge is not the sum of the steps": tally([network.price(sensitivity)])
        != tally([step.price * step.times for step in planned]),
    }
    found = [words for words, true in problems.items() if true]
    return Finding(
        subject=f"all {len(first)} questions of the model together",
        pair=case.label,
        verdict=Verdict.VIOLATED if found else Verdict.CONSISTENT,
        method="the very mechanism on both neighbours, with noise that forgets its input",
        witness="; ".join(found),
    )


def _question(drawn: Drawn) -> tuple[str, float, tuple[int, ...]]:
    return drawn.kind, drawn.scale, drawn.exact.shape


def _gaussian_laws(before: Integers, after: Integers, scale: float) -> tuple[Curve, Curve]:
    law = gaussian_law(after - before, scale)
    return law, law


def _choice_laws(before: Integers, after: Integers, scale: float) -> tuple[Curve, Curve]:
    first, second = _chances(before, scale), _chances(after, scale)
    return between(second, first), between(first, second)


def _chances(scores: Integers, scale: float) -> NDArray[np.float64]:
    """In proportion to exp(score / scale)."""
    weights = np.exp((scores - scores.max()) / scale)
    chances: NDArray[np.float64] = weights / weights.sum()
    return chances


_LAWS: dict[Kind, Callable[[Integers, Integers, float], tuple[Curve, Curve]]] = {
    "gaussian": _gaussian_laws,
    "choice": _choice_laws,
}
#: By what the steps of a kind are compared: the length of a move; the range of moves of scores.
_DISTANCES: dict[Kind, Callable[[tuple[Integers, Integers]], int]] = {
    "gaussian": lambda pair: int(((pair[1] - pair[0]) ** 2).sum()),
    "choice": lambda pair: int(np.ptp(pair[1] - pair[0])),
}
