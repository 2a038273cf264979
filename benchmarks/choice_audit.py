"""A black-box audit of the exact choice among many scores, and of the same code with bugs planted in it.

    python benchmarks/choice_audit.py [--runs 20000] [--epsilon 0.5 1 2 4]

The exponential mechanism promises ε where no score moves by more than 1 and the scale is 2/ε. Of 6,000 places one in
48 has a score that rises by 1 between the two neighbours; all others fall by 1. The attacker sees which place was
chosen, and knows everything else. `by formula` is the ε of this pair from the law itself.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from harness.table import show
from reaedp import Pair, audit
from reaedp.answer import Integers
from reaedp.audits.finding import Finding
from reaedp.audits.pair import Outputs
from reaedp.mechanisms import choice
from reaedp.mechanisms.noise import SecretNoise
from reaedp.privacy.loss import PureDP

PLACES, RARE = 6_000, 48
BUGS = ("none", "weights at half the scale", "a class weighs as one place")
HEADS = ("claim", "bug", "by formula", "shown", "largest ε missed", "verdict", "runs")


def neighbours() -> Pair:
    """Scores of two neighbours: seven classes, in each of which some places rise and the others fall."""
    before = -(np.arange(PLACES, dtype=np.int64) % 7)
    return Pair(before, np.where(rising(np.arange(PLACES)), before + 1, before - 1), "one row moves every score by 1")


def rising(places: Outputs) -> Outputs:
    """Whether a place is one of those that rise."""
    return (np.asarray(places) % RARE == 0).astype(np.float64)


def by_formula(scale: float) -> float:
    """The largest log-ratio of the chances of any place."""
    pair = neighbours()
    first, second = (np.exp(scores / scale) for scores in (pair.first, pair.second))
    return float(np.abs(np.log(second / second.sum()) - np.log(first / first.sum())).max())


@contextmanager
def planted(bug: str) -> Iterator[None]:
    """The sampler with one bug; what is right stays in place behind it."""
    weighed, exponential = choice.weighed, choice.exponential
    if bug == BUGS[1]:
        with patch.object(choice, "exponential", lambda power, bits: exponential(2 * power, bits)):
            yield
    elif bug == BUGS[2]:
        with patch.object(choice, "weighed", lambda classes, counts, *rest: weighed(classes, counts * 0 + 1, *rest)):
            yield
    else:
        yield


def examined(epsilon: float, runs: int, bug: str) -> Finding:
    """The audit of one claim."""
    secret = SecretNoise()

    def choose(scores: Integers, runs: int) -> Outputs:
        return np.array([secret.choose(scores, 2 / epsilon) for _ in range(runs)])

    with planted(bug):
        return audit(
            choose,
            neighbours(),
            claim=PureDP(epsilon),
            runs=runs,
            rng=np.random.default_rng(),
            statistic=rising,
            attainable=(by_formula(2 / epsilon), 0.0),
            subject="choice",
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=20_000)
    options.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 2.0, 4.0])
    chosen = options.parse_args()
    rows = []
    for epsilon in chosen.epsilon:
        for bug in BUGS:
            found = examined(epsilon, chosen.runs, bug)
            assert found.measured is not None  # runs were made
            assert found.power is not None
            cells = f"{by_formula(2 / epsilon):.3g}", f"ε ≥ {found.measured.epsilon:.3g}", found.power.missed
            rows.append([f"ε = {epsilon:g}", bug, *cells, found.verdict, f"{found.measured.runs:,}"])
            print("  ".join(rows[-1]), flush=True)
    show("Choices among 6,000 scores", HEADS, rows)


if __name__ == "__main__":
    main()
