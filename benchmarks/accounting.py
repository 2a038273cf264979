"""What releases cost together: our accountant against dp-accounting used by hand, in time and in tightness.

    python benchmarks/accounting.py [--rounds 3]

Both give an upper bound on ε at δ = 10^-6; the smaller one is the better one. dp-accounting composes privacy loss
distributions on its default grid; neither its import (seconds) nor ours is counted.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any

from dp_accounting.pld import common, privacy_loss_distribution

from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import best, versions
from reaedp.privacy.accounting import epsilon
from reaedp.privacy.loss import ApproxDP, GaussianDP, Loss, PureDP

DELTA = 1e-6
CASES: dict[str, dict[Loss, int]] = {
    "10 pure, 0.1 each": {PureDP(0.1): 10},
    "1,000 pure, 0.01 each": {PureDP(0.01): 1_000},
    "100 Gaussian, μ 0.05 each": {GaussianDP(0.05): 100},
    "100,000 pure, 0.001 each": {PureDP(0.001): 100_000},
    "200 of three kinds": {PureDP(0.02): 100, GaussianDP(0.05): 50, ApproxDP(0.02, 1e-10): 50},
}


def by_hand(losses: Mapping[Loss, int]) -> float:
    parts = [_DISTRIBUTIONS[type(loss)](loss).self_compose(count) for loss, count in losses.items()]
    composed = reduce(lambda first, second: first.compose(second), parts)
    return float(composed.get_epsilon_for_delta(DELTA))


def _parameters(loss: Any) -> Any:
    known = common.DifferentialPrivacyParameters(loss.epsilon, getattr(loss, "delta", 0.0))
    return privacy_loss_distribution.from_privacy_parameters(known)


def _gaussian(loss: Any) -> Any:
    return privacy_loss_distribution.from_gaussian_mechanism(1 / loss.mu)


_DISTRIBUTIONS: dict[type[Loss], Callable[[Any], Any]] = {
    PureDP: _parameters,
    ApproxDP: _parameters,
    GaussianDP: _gaussian,
}


def rows(options: argparse.Namespace) -> Iterator[Row]:
    section = "Accounting, ε at δ = 1e-6"
    for what, losses in CASES.items():
        ours = epsilon(losses, DELTA)
        found: list[float] = []
        times = best(
            {
                "ours": lambda losses=losses: _afresh(losses),
                "theirs": lambda losses=losses, found=found: found.append(by_hand(losses)),
            },
            options.rounds,
        )
        shared = {"section": section, "against": "dp-accounting by hand", "note": versions("dp-accounting")}
        yield Row(what=f"{what}: time", ours=times["ours"], theirs=times["theirs"], **shared)
        yield Row(what=f"{what}: ε", ours=ours, theirs=found[-1], unit="", **shared)


def _afresh(losses: Mapping[Loss, int]) -> float:
    """Without what an earlier call of the same process kept."""
    for cached in _caches():
        cached.cache_clear()
    return epsilon(losses, DELTA)


def _caches() -> list[Any]:
    from reaedp.privacy import accounting, conversion, dominating, merging, product

    modules = (accounting, conversion, dominating, merging, product)
    return [value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
