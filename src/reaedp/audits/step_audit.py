"""The exact audit of synthetic records, step by step: each question that a model asks, on made-up neighbours.

The mechanism runs on both with noise that forgets its input, so that both runs ask the same. Given equal answers
before, the law of each step is known; what all steps cost together is composed by the accountant.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.audits.ceilings import Ceilings
from reaedp.audits.claim import Claim
from reaedp.audits.constant_noise import ConstantNoise, Drawn, Kind
from reaedp.audits.finding import ROUNDING, Finding, Verdict, judge
from reaedp.audits.loss_law import TradeOff, between, gaussian_law
from reaedp.audits.made_up import MadeUp
from reaedp.audits.worst_case import Neighbours, worst_cases
from reaedp.contract import Contract
from reaedp.mechanisms.gaussian import dominating_mu
from reaedp.mechanisms.selection import chosen_mu
from reaedp.privacy.loss import GaussianDP
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import Marginal, counting_sensitivity
from reaedp.synthesis.fitting import FEW_COLUMNS
from reaedp.synthesis.known_fits import fits_kept
from reaedp.synthesis.marginal_model import MarginalModel

_METHOD = "by formula, for the step that tells these neighbours apart best, given equal answers before"


def audit_network(
    network: MarginalModel, columns: tuple[str, ...], contract: Contract, rng: np.random.Generator, *, refine: bool
) -> tuple[Finding, ...]:
    """One finding for each kind of step, and one about all of them together; `refine` as the model is learned."""
    sensitivity = counting_sensitivity(contract.unit)
    (case,) = worst_cases(Marginal(*columns), contract)
    with fits_kept():
        asked = [_asked(network, columns, data, sensitivity, rng, refine=refine) for data in (case.first, case.second)]
    kinds = [kind for kind in _STEPS if any(one.kind == kind for one in asked[0])]
    return (*(_examined(kind, case, asked, contract) for kind in kinds), _together(network, asked, case))


def _asked(
    network: MarginalModel,
    columns: tuple[str, ...],
    data: object,
    sensitivity: Sensitivity,
    rng: np.random.Generator,
    *,
    refine: bool,
) -> list[Drawn]:
    assert isinstance(data, MadeUp)
    noise = ConstantNoise(0, rng)
    network.learn(data, columns, sensitivity, noise, lambda _: None, refine=refine)
    return noise.drawn


def _examined(kind: Kind, case: Neighbours, asked: list[list[Drawn]], contract: Contract) -> Finding:
    """The step that tells the neighbours apart best, against the loss that its own noise stands for."""
    pairs = [(one, other) for one, other in zip(*asked, strict=False) if one.kind == other.kind == kind]
    before, after = max(pairs, key=lambda pair: _DISTANCES[kind](pair[0].exact, pair[1].exact))
    claim = Claim.of((GaussianDP(loss(before, counting_sensitivity(contract.unit))),), contract.budget.delta)
    laws = _LAWS[kind](before, after)
    own = max(law.epsilon(claim.delta) for law in laws), max(law.delta(claim.epsilon) for law in laws)
    broken = own[0] > claim.epsilon * (1 + ROUNDING)
    ceilings = Ceilings.of(claim, math.inf, own)
    return Finding(
        subject=f"{_STEPS[kind]}, {len(pairs)} asked for",
        pair=case.label,
        verdict=judge(claim, own[0], broken, replace(ceilings, attainable=None)),
        method=_METHOD,
        witness=f"by formula this step has ε = {own[0]:.4g}, and δ = {own[1]:.3g} at the claimed ε" if broken else "",
        claim=claim,
        ceilings=ceilings,
    )


def loss(drawn: Drawn, sensitivity: Sensitivity) -> float:
    """The μ that a step's noise stands for."""
    if drawn.kind == "choice":
        return chosen_mu(drawn.scale, sensitivity)
    return dominating_mu(drawn.scale, sensitivity.finer(drawn.grain))


def _together(network: MarginalModel, asked: list[list[Drawn]], case: Neighbours) -> Finding:
    """Whether both neighbours are asked the same questions, whose losses stay within the charge."""
    sensitivity, (first, second) = counting_sensitivity(case.first.contract.unit), asked
    problems = {
        "what is asked depends on the records": [_question(one) for one in first] != [_question(o) for o in second],
        "more is asked than was paid for": math.fsum(loss(one, sensitivity) ** 2 for one in first)
        > network.mu**2 * (1 + ROUNDING),
        "the charge is not the loss of all steps": network.price(sensitivity) != (GaussianDP(network.mu),),
    }
    found = [words for words, true in problems.items() if true]
    return Finding(
        subject=f"all {len(first)} questions of the model together",
        pair=case.label,
        verdict=Verdict.VIOLATED if found else Verdict.CONSISTENT,
        method="the very mechanism on both neighbours, with noise that forgets its input"
        + f"; tables of {FEW_COLUMNS} of its columns" * (network.columns > FEW_COLUMNS),
        witness="; ".join(found),
    )


def _question(drawn: Drawn) -> tuple[str, float, int, tuple[int, ...]]:
    return drawn.kind, drawn.scale, drawn.grain, drawn.exact.shape


def _gaussian_laws(before: Drawn, after: Drawn) -> tuple[TradeOff, TradeOff]:
    law = gaussian_law(before.grain * (after.exact - before.exact).ravel(), before.scale)
    return law, law


def _choice_laws(before: Drawn, after: Drawn) -> tuple[TradeOff, TradeOff]:
    """Of several choices made together the one that moves most stands for all."""
    rows = np.atleast_2d(before.exact), np.atleast_2d(after.exact)
    farthest = int(np.ptp(rows[1] - rows[0], axis=1).argmax())
    first, second = (_chances(scores[farthest], before.scale) for scores in rows)
    return between(second, first), between(first, second)


def _chances(scores: Integers, scale: float) -> NDArray[np.float64]:
    """In proportion to exp(score / scale)."""
    weights = np.exp((scores - scores.max()) / scale)
    chances: NDArray[np.float64] = weights / weights.sum()
    return chances


_LAWS: dict[Kind, Callable[[Drawn, Drawn], tuple[TradeOff, TradeOff]]] = {
    "gaussian": _gaussian_laws,
    "choice": _choice_laws,
}
#: By what the steps of a kind are compared: the length of a move; the range of moves of scores.
_DISTANCES: dict[Kind, Callable[[Integers, Integers], int]] = {
    "gaussian": lambda before, after: int(((after - before) ** 2).sum()),
    "choice": lambda before, after: int(np.ptp(np.atleast_2d(after - before), axis=1).sum()),
}
_STEPS: dict[Kind, str] = {"gaussian": "noisy table", "choice": "choice of a table or cut"}
