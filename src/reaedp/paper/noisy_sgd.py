"""Noisy gradient descent, which the paper keeps as background, as a yardstick for training on synthetic rows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.pair import Codes
from reaedp.evaluation.prediction_utility import auc
from reaedp.paper.item import Experiment, Item, Result
from reaedp.paper.population import AXES, DELTA, LABEL, ORDERED, by_independent_columns, by_network, population
from reaedp.privacy.second_opinion import check_installed
from reaedp.rate import Rate, share

Floats = NDArray[np.float64]

SGD, SYNTHETIC, HISTOGRAMS = (
    "noisy gradient descent",
    "trained on the network's rows",
    "trained on resampled histograms",
)
CLEAR, CONSTANT = "trained on the rows, no privacy", "constant guess"
#: By this factor a range is drawn beside another one at the same ε.
APART = 1.06
#: A gradient longer than this is cut; with features of length at most one, none is.
CLIP = 1.0
#: Expected rows of a step, as a share; steps; step length in units of the mean gradient.
SAMPLED, STEPS, LEARNING_RATE = 0.1, 400, 32.0
#: Whole orders have a closed form; any set of orders gives a valid ε.
ORDERS = (*range(2, 33), 40, 48, 64, 96, 128)


def run(experiment: Experiment) -> Result:
    """The same linear model, trained four ways, on the same test rows."""
    crowd = population(experiment, experiment.runs(8_000, 40_000))
    train, test = np.split(crowd.codes, [3 * len(crowd.codes) // 4])
    rows = [_row(crowd.name, *trained) for trained in _trained(train, test, experiment)]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return Result(table, _chart(), "holds with correction", _because(rows))


def _trained(train: Codes, test: Codes, experiment: Experiment) -> Iterator[tuple[str, float | None, Rate, Rate]]:
    known, truth, rng = features(test), test[:, LABEL], experiment.rng

    def judged(name: str, epsilon: float | None, scores: Floats) -> tuple[str, float | None, Rate, Rate]:
        right = int(((scores > 0) == truth).sum())
        return name, epsilon, share(right, len(truth)), auc(truth, np.column_stack([-scores, scores]))

    commonest = float(train[:, LABEL].mean() > 0.5) - 0.5
    yield judged(CONSTANT, None, np.full(len(test), commonest))
    yield judged(CLEAR, None, _regression(train, known))
    for epsilon in (1.0,) if experiment.quick else (0.1, 0.3, 1.0, 3.0):
        experiment.progress(f"ε = {epsilon:g}")
        descent = NoisyDescent.within(epsilon, DELTA)
        yield judged(SGD, epsilon, known @ descent.train(features(train), train[:, LABEL], rng))
        yield judged(SYNTHETIC, epsilon, _regression(by_network(epsilon)(train, rng), known))
        drawn = by_independent_columns(epsilon)(train, rng)
        yield judged(HISTOGRAMS, epsilon, _regression(drawn, known))


def features(codes: Codes) -> Floats:
    """Places of ordered cells, a 0 or 1 for every other cell, and a constant; divided so that no row is longer than 1.

    All of it is fixed by the declared columns.
    """
    parts = [np.ones((len(codes), 1))]
    for place, axis in enumerate(AXES):
        if place == LABEL:
            continue
        cells = codes[:, [place]]
        parts.append(cells / (axis.size - 1) if axis.name in ORDERED else (cells == np.arange(axis.size)).astype(float))
    return np.column_stack(parts) / math.sqrt(len(AXES))


@dataclass(frozen=True, slots=True)
class NoisyDescent:
    """Logistic regression by steps on Poisson samples, with Gaussian noise on the sum of clipped gradients.

    `noise` is in units of the clipping length. Floating-point noise: an experiment on public data, not a release.
    """

    noise: float

    @classmethod
    def within(cls, epsilon: float, delta: float) -> "NoisyDescent":
        """The least noise, within a thousandth, for which dp-accounting's Rényi accountant gives at most (ε, δ)."""
        check_installed()
        import dp_accounting
        from dp_accounting.rdp import RdpAccountant

        def event(noise: float) -> Any:
            step = dp_accounting.PoissonSampledDpEvent(SAMPLED, dp_accounting.GaussianDpEvent(noise))
            return dp_accounting.SelfComposedDpEvent(step, STEPS)

        def accountant() -> Any:
            return RdpAccountant(orders=ORDERS)

        bracket = dp_accounting.ExplicitBracketInterval(0.3, 100.0)
        return cls(float(dp_accounting.calibrate_dp_mechanism(accountant, event, epsilon, delta, bracket, tol=1e-3)))

    def train(self, known: Floats, truth: Codes, rng: np.random.Generator) -> Floats:
        """The mean of the second half of all weights; the number of rows is public, as in any expected batch size."""
        weights, signs = np.zeros(known.shape[1]), 2.0 * truth - 1
        late = np.zeros_like(weights)
        lengths = np.linalg.norm(known, axis=1)
        for step in range(STEPS):
            chosen = np.flatnonzero(rng.random(len(known)) < SAMPLED)
            pull = signs[chosen] / (1 + np.exp(np.minimum(signs[chosen] * (known[chosen] @ weights), 500.0)))
            cut = np.minimum(1.0, CLIP / np.maximum(np.abs(pull) * lengths[chosen], 1e-12))
            total = (pull * cut) @ known[chosen] + self.noise * CLIP * rng.standard_normal(len(weights))
            weights = weights + LEARNING_RATE * total / (SAMPLED * len(known))
            late += weights if step >= STEPS // 2 else 0.0
        return late / (STEPS - STEPS // 2)


def _regression(train: Codes, known: Floats) -> Floats:
    """The same model without noise, from whatever rows are given, with a weak penalty."""
    from scipy.optimize import minimize

    rows, signs = features(train), 2.0 * train[:, LABEL] - 1

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (rows @ weights)
        pull = signs / (1 + np.exp(np.minimum(margins, 500.0)))
        penalty = weights @ weights / 200
        return float(np.logaddexp(0.0, -margins).sum() + penalty), weights / 100 - pull @ rows

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    scores: Floats = known @ found.x
    return scores


def _row(data: str, method: str, epsilon: float | None, accuracy: Rate, area: Rate) -> dict[str, Any]:
    return {
        "data": data,
        "method": method,
        "epsilon": epsilon,
        "accuracy": accuracy.value,
        "accuracy, low": accuracy.low,
        "accuracy, high": accuracy.high,
        "AUC": area.value,
        "AUC, low": area.low,
        "AUC, high": area.high,
    }


def _because(rows: list[dict[str, Any]]) -> str:
    at = {row["method"]: row for row in rows if row["epsilon"] in (None, 1.0)}
    descent, synthetic, clear = at[SGD], at[SYNTHETIC], at[CLEAR]
    return (
        f"Noisy gradient descent gives one model and no records, so that it is no substitute for a release; but the two"
        f" can be compared on one task. On {rows[0]['data']} at (1, {DELTA:g}) it reaches an AUC of"
        f" {descent['AUC']:.3f} and an accuracy of {descent['accuracy']:.3f}; the same model trained on synthetic rows"
        f" reaches {synthetic['AUC']:.3f} and {synthetic['accuracy']:.3f}, and on the true rows {clear['AUC']:.3f} and"
        f" {clear['accuracy']:.3f}. Resampled histograms, the paper's only synthetic baselines, give"
        f" {at[HISTOGRAMS]['accuracy']:.3f} where a constant guess gives {at[CONSTANT]['accuracy']:.3f}."
    )


def _chart() -> dict[str, Any]:
    # Side by side, as ranges at one ε would hide each other.
    epsilon = {
        "field": "apart",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [0.08, 4], "nice": False},
        "title": "ε",
    }
    moved = {"calculate": f"datum.epsilon * (datum.method == '{SGD}' ? 1 : {APART})", "as": "apart"}
    area = {"type": "quantitative", "title": "AUC on test rows, 95 % ranges", "scale": {"zero": False}}
    method = {"field": "method", "type": "nominal", "title": None, "legend": {"labelLimit": 300}}
    private = {"filter": {"field": "method", "oneOf": [SGD, SYNTHETIC]}}
    public = {"filter": {"field": "method", "equal": CLEAR}}
    lines = {"x": epsilon, "y": area | {"field": "AUC"}, "color": method}
    ends = {"x": epsilon, "y": area | {"field": "AUC, low"}, "y2": {"field": "AUC, high"}, "color": method}
    rules = {"y": area | {"field": "AUC"}, "color": method}
    return {
        "width": 420,
        "height": 300,
        "layer": [
            {"transform": [private, moved], "mark": {"type": "line", "point": True}, "encoding": lines},
            {"transform": [private, moved], "mark": "rule", "encoding": ends},
            {"transform": [public], "mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": rules},
        ],
    }


ITEM = Item.declared(
    "noisy-sgd",
    run,
    full={"rows": "40,000", "epsilons": "0.1, 0.3, 1, 3"},
    quick={"rows": "8,000", "epsilons": "1"},
    sampled=SAMPLED,
    steps=STEPS,
    clip=CLIP,
    delta=DELTA,
)
