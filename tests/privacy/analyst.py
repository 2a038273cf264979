"""Analysts who choose the next price after looking at every answer, computed exactly."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ApproxDP, Loss, Price, PureDP

#: What an analyst saw so far: one number for each elementary loss of each plan.
Answers = tuple[tuple[int, ...], ...]
#: The next plan, or None to stop.
Strategy = Callable[[Answers], Price | None]
#: Whether a plan is admitted after the plans before it.
Admits = Callable[[Sequence[Price], Price], bool]


def laws(loss: Loss) -> list[tuple[float, float]]:
    """The dominating pair of a pure or an approximate loss: the probabilities of each answer."""
    epsilon, delta = loss.epsilon, getattr(loss, "delta", 0.0)  # type: ignore[union-attr]
    truth = 1 / (1 + math.exp(-epsilon))
    answers = [((1 - delta) * truth, (1 - delta) * (1 - truth)), ((1 - delta) * (1 - truth), (1 - delta) * truth)]
    return [*answers, (delta, 0.0), (0.0, delta)] if delta else answers


def reached(strategy: Strategy, admits: Admits, epsilon: float) -> float:
    """The true δ at ε of a whole interaction, the worse of both directions, by going through all of it."""
    forward = backward = 0.0

    def walk(answers: Answers, plans: tuple[Price, ...], first: float, second: float) -> None:
        nonlocal forward, backward
        price = strategy(answers)
        if price is None or not admits(plans, price):
            forward += max(0.0, first - math.exp(epsilon) * second)
            backward += max(0.0, second - math.exp(epsilon) * first)
            return
        outcomes: list[tuple[tuple[int, ...], float, float]] = [((), first, second)]
        for loss in price:
            pair = list(enumerate(laws(loss)))
            outcomes = [((*seen, index), p * a, q * b) for seen, p, q in outcomes for index, (a, b) in pair]
        for seen, p, q in outcomes:
            if p or q:
                walk((*answers, seen), (*plans, price), p, q)

    walk((), (), 1.0, 1.0)
    return max(forward, backward)


@dataclass(frozen=True)
class Rest:
    """After so many small charges: the largest pure loss and the largest failure that are still admitted."""

    pure: float
    failure: float


def patient_delta(budget: Budget, small: float, rests: Sequence[Rest]) -> float:
    """What an analyst reaches who buys small pure losses one by one, and ends as the answers suggest.

    Dynamic programming over the number of charges and the sum of losses: after each answer one may stop, ask
    once more, take the largest pure loss that is left, or take the largest failure that is left.
    """

    def payoff(loss: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, -np.expm1(np.minimum(budget.epsilon - loss, 0.0)))

    def ended(count: int, loss: np.ndarray) -> np.ndarray:
        rest = rests[count]
        truth = 1 / (1 + math.exp(-rest.pure))
        split = truth * payoff(loss + rest.pure) + (1 - truth) * payoff(loss - rest.pure)
        return np.maximum(np.maximum(payoff(loss), split), rest.failure + (1 - rest.failure) * payoff(loss))

    truth = 1 / (1 + math.exp(-small))
    last = len(rests) - 1
    value = ended(last, np.arange(-last, last + 1) * small)
    for count in range(last - 1, -1, -1):
        here = np.arange(-count, count + 1) * small
        asked = truth * value[2:] + (1 - truth) * value[:-2]
        # After one more answer the sum is one step higher or lower; in between are sums of the other parity.
        value = np.maximum(ended(count, here), asked)
    return float(value[0])


def two_steps(answers: Answers) -> Price | None:
    """Ask a little; after "yes" buy much, after "no" buy a failure."""
    if not answers:
        return (PureDP(0.0697),)
    if len(answers) == 1:
        return (PureDP(1.069332969),) if answers[0] == (0,) else (ApproxDP(1e-12, 0.049999495),)
    return None
