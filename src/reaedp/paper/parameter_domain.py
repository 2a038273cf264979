"""The paper's domain of parameters for mechanism F: which settings lie in it, and what they promise in truth."""

import math
from itertools import product
from typing import Any

import numpy as np

from reaedp.errors import DeclarationError
from reaedp.mechanisms.published_acceptance import PublishedTest
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.paper.item import Experiment, Item, Result, Specification, Verdict
from reaedp.paper.line_chart import lines, ordered, quantity
from reaedp.privacy.unit import Unit

KS = (10, 20, 30, 50)
T = 2
#: The first and the last γ of the published code, and one between them.
GAMMAS = (1.0, 4.0, 12.0)
#: That of the published code, and a larger one.
EPSILON0S = (0.1, 1.0)
#: The smallest size that the domain allows is k; and one that is common.
COMMON_SIZE = 10_000
STOPPING = Stopping(2.0**-10)
#: How much less often than one certain seed all rare ones of a counterexample pass.
RARER = 1e-3


def run(experiment: Experiment) -> Result:
    """Every reported k with t = 2; the paper gives neither γ, nor ε0, nor the size, so that several are shown."""
    rows = []
    for epsilon0, k, gamma in product(EPSILON0S, KS, GAMMAS):
        experiment.progress(f"ε0 = {epsilon0:g}, k = {k}, γ = {gamma:g}")
        rows += [_row(PublishedTest(k, T, epsilon0), gamma, size) for size in (k, COMMON_SIZE)]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return Result(table, _CHART, _verdict(rows), _because(rows))


def _row(test: PublishedTest, gamma: float, size: int) -> dict[str, Any]:
    conditions = {
        "γ > 1": gamma > 1,
        "t ≤ k": test.t <= test.k,
        "k ≤ |D|": test.k <= size,
        "pt grows by e^ε0 at most (needed)": grows_slowly(test),
        "pt never grows (lemma as printed)": never_grows(test),
    }
    return {
        "ε0": test.epsilon0,
        "k": test.k,
        "t": test.t,
        "γ": gamma,
        "|D|": size,
        **conditions,
        "ε": test.epsilon(gamma),
        "δ as published": test.delta(),
        "δ of the loop, rare proposals": rare_delta(test, size),
        "δ of the loop, certain proposals": certain_delta(test, size),
        "δ with geometric stopping": stopped_delta(test, gamma, size),
    }


def grows_slowly(test: PublishedTest) -> bool:
    """One more plausible seed raises the chance to pass by e^ε0 at most, up to rounding."""
    rates = _rates(test)
    return bool((rates[1:] <= math.exp(test.epsilon0) * rates[:-1] * (1 + 1e-12)).all())


def never_grows(test: PublishedTest) -> bool:
    """One more plausible seed never raises it, which the third lemma states."""
    rates = _rates(test)
    return bool((rates[1:] <= rates[:-1]).all())


def _rates(test: PublishedTest) -> Any:
    """Chances to pass with 1, 2, … plausible seeds, up to twice the threshold."""
    return test.rate(np.arange(1, 2 * test.k))


def rare_delta(test: PublishedTest, size: int) -> float:
    """The true δ of the published loop, at every ε, for two neighbours that satisfy all conditions.

    All seeds of D make the same record, but rarely: the paper lets a proposal add up to less than one. D' has one seed
    more, which makes another record, always. D never answers that record; D', going on until one passes, nearly always.
    """
    alone, together = test.rate(np.array([1, size])).tolist()
    rarely = RARER * alone / (together * size)
    return float(alone / (alone + size * rarely * together))


def certain_delta(test: PublishedTest, size: int) -> float:
    """The same where each seed makes its own record, always: then every answer is some seed itself."""
    alone = float(test.rate(np.array([1]))[0])
    return alone / (alone + size * alone)


def stopped_delta(test: PublishedTest, gamma: float, size: int) -> float | None:
    """What holds for all neighbours from this size on if F stops before a trial with probability 2^-10."""
    unit = Unit("add-remove", at_least=size)
    try:
        return guarantee(test.table(), STOPPING, gamma, unit, test.epsilon(gamma)).delta
    except DeclarationError:
        return None


def _inside(row: dict[str, Any]) -> bool:
    """All conditions that are not the lemmas themselves."""
    return bool(row["γ > 1"] and row["t ≤ k"] and row["k ≤ |D|"] and row["pt grows by e^ε0 at most (needed)"])


def _broken(row: dict[str, Any]) -> bool:
    return bool(row["δ of the loop, rare proposals"] > row["δ as published"])


def _verdict(rows: list[dict[str, Any]]) -> Verdict:
    """The claim is that the theorem applies."""
    applies = all(_inside(row) for row in rows) and not any(_broken(row) for row in rows if _inside(row))
    return "holds" if applies else "does not hold"


def _because(rows: list[dict[str, Any]]) -> str:
    inside = [row for row in rows if _inside(row)]
    broken = [row for row in inside if _broken(row)]
    certain = sum(row["δ of the loop, certain proposals"] > row["δ as published"] for row in inside)
    common = [row for row in inside if row["|D|"] == COMMON_SIZE and row["ε0"] == EPSILON0S[0]]
    published = [row["δ as published"] for row in common]
    stopped = [row["δ with geometric stopping"] or 1.0 for row in common]
    printed = sum(row["pt never grows (lemma as printed)"] for row in rows)
    return (
        f"{len(inside)} of {len(rows)} settings satisfy the explicit conditions (γ = 1, with which the published code"
        f" begins, does not), and {printed} satisfy the lemmas as printed, which the domain also asks for. In"
        f" {len(broken)} of those {len(inside)} the loop has two neighbours with δ = {1 / (1 + RARER):.3f} at every ε,"
        f" and in {certain} also if all proposals add up to one: the theorem does not apply. With the code's ε0 = 0.1"
        f" even the claimed δ is {min(published):.4f} to {max(published):.2f}, at ε = {min(r['ε'] for r in common):.2f}"
        f" to {max(r['ε'] for r in common):.2f}; with geometric stopping a record on {COMMON_SIZE:,} rows really has"
        f" {min(stopped):.4f} to {max(stopped):.3f} there."
    )


_DELTAS = [
    "δ as published",
    "δ of the loop, rare proposals",
    "δ of the loop, certain proposals",
    "δ with geometric stopping",
]
_CHART: Specification = {
    "transform": [
        {"filter": f"datum['|D|'] == {COMMON_SIZE} && datum['γ'] > 1"},
        {"fold": _DELTAS, "as": ["what", "delta"]},
        {"filter": "isValid(datum.delta)"},
    ],
    "facet": {
        "row": {"field": "γ", "type": "ordinal", "title": "γ"},
        "column": {"field": "ε0", "type": "ordinal", "title": f"ε0, |D| = {COMMON_SIZE:,}"},
    },
    "spec": lines(quantity("k", "k"), quantity("delta", "δ", log=True), ordered("what", _DELTAS), size=(300, 200)),
}

ITEM = Item.declared("parameter-domain", run)
