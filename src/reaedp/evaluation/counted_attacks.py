"""Attacks on counts and on parts of rows, by somebody who knows everyone else's data."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.linkage import nearest_reference
from reaedp.attacks.membership import EVIDENCE, entropy_and_total, known_others
from reaedp.attacks.pair import TwoAnswers
from reaedp.evaluation.finished import Finished
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.coordinates import at_end

#: Releases that are made anew.
ROUNDS = 20_000


def on_counts(release: Finished, exact: Any, rng: np.random.Generator) -> Iterator[Attack]:
    """Someone in the emptiest cell that is not empty, against the same data without them, or with them elsewhere."""
    if release.noise.mechanism.name not in EVIDENCE or exact.sum() <= 0:
        return
    cell = int(np.argmin(np.where(exact > 0, exact, np.iinfo(np.int64).max)))
    without = exact - (np.arange(len(exact)) == cell)
    if release.contract.unit.change == "replace":
        without = without + (np.arange(len(exact)) == (cell + 1) % len(exact))
    pair = TwoAnswers(exact.astype(np.float64), without.astype(np.float64))
    yield from known_others([(pair, release.noise)], ROUNDS, rng)
    yield from entropy_and_total(pair, release.noise, ROUNDS, rng)
    yield from nearest_reference(pair, release.noise, ROUNDS, rng)


def on_parts(release: Finished, rng: np.random.Generator) -> tuple[Attack, ...]:
    """Someone whose values are at the upper ends, against the same data without them, or with them at the lower ends.

    Noise is the same in all groups, so that it does not matter in which one they are.
    """
    if release.noise.mechanism.name not in EVIDENCE:
        return ()
    statistic: Any = release.statistic
    contract = release.contract
    blocks = (statistic.shared(contract),) if isinstance(statistic, Rates) else statistic.parts(contract)
    lower, upper = (
        contract.unit.rows * np.concatenate([one.coordinates.of(at_end(one, upper=upper)) for one in blocks])
        for upper in (False, True)
    )
    absent = lower if contract.unit.change == "replace" else np.zeros_like(lower)
    pair = TwoAnswers(upper.astype(np.float64), absent.astype(np.float64))
    return known_others([(pair, release.noise)], ROUNDS, rng)
