"""Membership from synthetic records alone: a record is suspect where they are denser than people like it should be."""

from collections.abc import Sequence

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes
from reaedp.attacks.people import People
from reaedp.attacks.roc import judged
from reaedp.attacks.trials import Floats, Trials, coins
from reaedp.privacy.permitted import Permitted


def density_ratio(candidates: Codes, synthetic: Codes, reference: Codes, groups: Sequence[Sequence[int]]) -> Floats:
    """The sum over groups of columns of ln(synthetic share / reference share) of each candidate's cell."""
    tables = (candidates, synthetic, reference)
    return sum(
        (_log_ratio(*(table[:, group] for table in tables)) for group in groups), start=np.zeros(len(candidates))
    )


def density_attack(
    people: People,
    synthetic: Codes,
    reference: Codes,
    promise: Permitted,
    *,
    rounds: int,
    rng: np.random.Generator,
    groups: Sequence[Sequence[int]] | None = None,
) -> tuple[Attack, ...]:
    """Tell members from outsiders by the ratio, of whole records or of groups; the reference is yet other people.

    Each round draws one of the members or one of the outsiders: ranges are for these two groups and this release.
    """
    member = coins(rounds, rng)
    drawn = people.members[rng.integers(len(people.members), size=rounds)]
    strangers = people.outsiders[rng.integers(len(people.outsiders), size=rounds)]
    every = (tuple(range(synthetic.shape[1])),) if groups is None else groups
    score = density_ratio(np.where(member[:, None], drawn, strangers), synthetic, reference, every)
    return judged("density of synthetic records over a reference", Trials(member, score), promise, rng)


def _log_ratio(candidates: Codes, synthetic: Codes, reference: Codes) -> Floats:
    """Half a record is added to every cell, as an empty one is no certainty."""
    _, cells = np.unique(np.concatenate([candidates, synthetic, reference]), axis=0, return_inverse=True)
    ours, theirs, others = np.split(cells.ravel(), np.cumsum([len(candidates), len(synthetic)]))
    shares = [(np.bincount(table, minlength=cells.max() + 1) + 0.5) / (len(table) + 0.5) for table in (theirs, others)]
    ratio: Floats = np.log(shares[0][ours] / shares[1][ours])
    return ratio
