"""Linkage: which of two data sets a release came from, and which halves of records belong together."""

from collections.abc import Sequence

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes, Hiding, TwoAnswers
from reaedp.attacks.people import People
from reaedp.attacks.roc import judged
from reaedp.attacks.space import Places
from reaedp.attacks.trials import Flags, Trials, coins
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.permitted import Permitted, permitted_by


def nearest_reference(pair: TwoAnswers, noise: Hiding, rounds: int, rng: np.random.Generator) -> tuple[Attack, ...]:
    """Guess the data set whose own release is nearer to the observed one; all three have noise of their own.

    If the observed release were one of the two references, its distance would be zero and the guess right at any price.
    """
    member = coins(rounds, rng)
    everyone = np.ones(rounds, dtype=np.bool_)
    observed, present, absent = (
        noise.apply(pair.either(which), SeededNoise(rng)) for which in (member, everyone, ~everyone)
    )
    score = ((observed - absent) ** 2 - (observed - present) ** 2).sum(axis=1).astype(np.float64)
    return judged("nearest reference release", Trials(member, score), permitted_by(noise.price), rng, threshold=0.0)


def linkability(
    people: People,
    synthetic: Codes,
    halves: tuple[Sequence[int], Sequence[int]],
    promise: Permitted,
    *,
    rng: np.random.Generator,
    candidates: int = 10,
    most: int = 1_000,
) -> Attack:
    """Given half of a record, find the other among candidates: the one whose join has the nearest synthetic record.

    The other candidates are halves of people who are not in the data, for members and for the control alike; every
    second outsider serves as one of them, and is not attacked.
    """
    first, second = halves
    strangers, decoys = np.array_split(rng.permutation(people.outsiders), 2)
    space = people.space.on([*first, *second])
    records = synthetic[:, [*first, *second]]

    def success(targets: Codes) -> Flags:
        others = decoys[rng.integers(len(decoys), size=(len(targets), candidates - 1))]
        pool = np.concatenate([targets[:, None], others], axis=1)
        known = np.broadcast_to(targets[:, None, list(first)], (*pool.shape[:2], len(first)))
        joined = np.concatenate([known, pool[:, :, list(second)]], axis=2)
        _, distances = space.nearest(joined.reshape(-1, joined.shape[2]), records, 1)
        return _first_is_smallest(distances.reshape(pool.shape[:2]), rng)

    name, figure = "linking two halves through the nearest synthetic record", f"correct match among {candidates}"
    attacked = People(people.members, strangers, people.space)
    return attacked.attacked(name, figure, success, baseline=1 / candidates, promise=promise, most=most, rng=rng)


def _first_is_smallest(distances: Places, rng: np.random.Generator) -> Flags:
    """Ties are broken at random."""
    order = np.lexsort((rng.random(distances.shape), distances), axis=1)
    first: Flags = order[:, 0] == 0
    return first
