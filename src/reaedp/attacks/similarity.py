"""How much synthetic records look like true ones: copies and distances.

Similarity says nothing about privacy: a release may be close because the population is, and far although it leaks. The
figures have no noise and are computed from the truth, so that publishing them would break the promise.
"""

from dataclasses import dataclass

import numpy as np

from reaedp.attacks.attack import CustodianOnly
from reaedp.attacks.pair import Codes
from reaedp.attacks.people import People
from reaedp.rate import Rate, share


@dataclass(frozen=True, slots=True)
class Similarity(CustodianOnly):
    """How like real people synthetic records are, beside outsiders, who cannot have been copied."""

    #: Share of synthetic records that equal some member's, and some outsider's.
    copies: Rate
    chance_copies: Rate
    #: Share of synthetic records nearer to a member than to any of as many outsiders, ties half; 0.5 by chance.
    nearer_to_members: float
    #: Median distance to the closest member, and to the closest outsider.
    distance: float
    chance_distance: float


def similarity(people: People, synthetic: Codes, rng: np.random.Generator, most: int = 2_000) -> Similarity:
    """Compare at most this many synthetic records with as many members as there are outsiders."""
    size = min(len(people.members), len(people.outsiders))
    drawn = synthetic[rng.integers(len(synthetic), size=most)]
    inside, outside = (
        people.space.nearest(drawn, rng.permutation(codes)[:size], 1)[1][:, 0]
        for codes in (people.members, people.outsiders)
    )
    nearer = (inside < outside).mean() + (inside == outside).mean() / 2
    return Similarity(
        share(int((inside == 0).sum()), most),
        share(int((outside == 0).sum()), most),
        float(nearer),
        float(np.median(inside)),
        float(np.median(outside)),
    )
