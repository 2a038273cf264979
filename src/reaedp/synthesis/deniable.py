"""Mechanism F: a synthetic record leaves only if enough seeds could have made it.

What is done, and for how long, depends on public numbers and on secret random words alone: every round proposes,
counts and tests, also after a record has been answered, and also without any seed.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.acceptance import PrivacyTest
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.stopping import Stopping
from reaedp.synthesis.proposal import Proposal, SeedSource

Seeds = TypeVar("Seeds", bound=SeedSource)

#: Rounds run together; they take about 10 MB.
_BATCH = 1 << 14


def deniable(
    seeds: Seeds,
    proposal: Proposal[Seeds],
    test: PrivacyTest,
    stopping: Stopping,
    *,
    count: int,
    noise: Noise,
    progress: Callable[[str], None],
) -> NDArray[Any]:
    """The answers for `count` records, without those that are "nothing".

    Rounds are run in instalments of a public length. One is enough but for a probability of 10^-18, so that the time
    taken does not tell when a record was stopped.
    """
    answers = [proposal.propose(seeds, seeds.draw(0, noise), _words(noise, 0, proposal.words))]
    stopped, answered = 0, -1
    instalment = stopping.rounds(count)
    while stopped < count:
        for start in range(0, instalment, _BATCH):
            progress(f"round {start:,} of {instalment:,}")
            rounds = min(_BATCH, instalment - start)
            stops = stopping.stops(noise.words(rounds))
            records = stopped + np.cumsum(stops) - stops
            candidates, passed = trials(seeds, proposal, test, rounds, noise)
            first = _first_of_each(records, passed & ~stops & (records > answered) & (records < count))
            answers.append(candidates[first])
            answered = int(records[first[-1]]) if first.size else answered
            stopped += int(stops.sum())
    return np.concatenate(answers)


def trials(
    seeds: Seeds, proposal: Proposal[Seeds], test: PrivacyTest, count: int, noise: Noise
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Independent candidates, and whether each passes the test."""
    places = seeds.draw(count, noise)
    candidates = proposal.propose(seeds, places, _words(noise, count, proposal.words))
    return candidates, test.passes(proposal.plausible(seeds, places, candidates), noise.words(count))


def _words(noise: Noise, rows: int, columns: int) -> NDArray[np.uint64]:
    return noise.words(rows * columns).reshape(rows, columns)


def _first_of_each(records: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where each record is chosen for the first time; records are in increasing order."""
    places = np.flatnonzero(chosen)
    first: NDArray[np.int64] = places[np.diff(records[places], prepend=-1) != 0]
    return first
