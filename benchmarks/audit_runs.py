"""How many runs an audit needs: ours, the usual way, and what others publish.

    python benchmarks/audit_runs.py [--audits 4000]

An audit of Laplace noise with the likelihood ratio shall show at least 0.9 ε with 95 % confidence, in nine of ten
audits. Runs are of both worlds together. Ours counts right guesses and abstains where the ratio is not at its end: one
binomial. The usual way bounds the chance of one event from below in one world and from above in the other: two
binomials, each with half of the error probability. The power of both is simulated from the laws of their counts.
"""

import argparse
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from harness.row import Row
from harness.script import parser, present

SHOWN, POWER, LEVEL = 0.9, 0.9, 0.05
EPSILONS = (0.5, 1.0, 2.0, 4.0)
Floats = NDArray[np.float64]
#: Bounds on ε of so many audits of so many runs.
Bounds = Callable[[float, int, int, np.random.Generator], Floats]

#: What others run by default, from their code, read in 2026: name → runs of both worlds, where it says so.
PUBLISHED = {
    "StatDP (Ding et al. 2018)": (
        2 * (100_000 + 500_000),
        "its defaults: 100,000 runs a world choose an event, 500,000 test it; black box, so that it must search",
    ),
    "DP-Sniper (Bichsel et al. 2021)": (
        2 * 200_000_000,
        "its default for the last bound, after 3 × 10.7 million runs to train, choose and check; black box",
    ),
}


def lower(hits: NDArray[np.int64], runs: NDArray[np.int64] | int, level: float) -> Floats:
    """Clopper and Pearson's one-sided bounds."""
    found: Floats = np.where(hits > 0, betaincinv(np.maximum(hits, 1), runs - hits + 1, level), 0.0)
    return found


def one_binomial(epsilon: float, runs: int, audits: int, rng: np.random.Generator) -> Floats:
    guesses = rng.binomial(runs, (1 + math.exp(-epsilon)) / 2, audits)
    chance = lower(rng.binomial(guesses, 1 / (1 + math.exp(-epsilon))), guesses, LEVEL)
    return np.log(np.maximum(chance, 1e-300)) - np.log1p(-chance)


def two_intervals(epsilon: float, runs: int, audits: int, rng: np.random.Generator) -> Floats:
    each = runs // 2
    more = lower(rng.binomial(each, 0.5, audits), each, LEVEL / 2)
    less = 1 - lower(each - rng.binomial(each, math.exp(-epsilon) / 2, audits), each, LEVEL / 2)
    return np.log(np.maximum(more, 1e-300)) - np.log(less)


def needed(bounds: Bounds, epsilon: float, audits: int) -> int:
    """The fewest runs with the power, found by halving; power grows with runs."""

    def enough(runs: int) -> bool:
        rng = np.random.default_rng(1)
        return float((bounds(epsilon, runs, audits, rng) >= SHOWN * epsilon).mean()) >= POWER

    low, high = 10, 20
    while not enough(high):
        low, high = high, 2 * high
    while high - low > high // 200:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def rows(options: argparse.Namespace) -> Iterator[Row]:
    section = "Audit, runs to show 0.9 ε of Laplace noise"
    audits = 1_000 if options.quick else options.audits
    ours = {epsilon: needed(one_binomial, epsilon, audits) for epsilon in EPSILONS}
    for epsilon, runs in ours.items():
        usual = needed(two_intervals, epsilon, audits)
        yield Row(section=section, what=f"ε = {epsilon:g}", against="two intervals", ours=runs, theirs=usual,
                  unit="runs", note="same likelihood ratio, same event")  # fmt: skip
    for name, (runs, note) in PUBLISHED.items():
        yield Row(section=section, what="ε = 1", against=name, ours=ours[1.0], theirs=runs, unit="runs", note=note)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--audits", type=int, default=4_000)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
