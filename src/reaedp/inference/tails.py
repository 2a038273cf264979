"""Tails: how the chance of an error is shared between the ends of an interval, and among several bounds of one end.

What cannot err needs no share: an end without noise, the far one of two ends that lie far apart, and a bound that lies
far above another one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from reaedp.inference.counted import Floats

#: The part of the chance of an error that pays for telling what is far from what is near.
_TELLING = 0.05


@cache
def reach(tail: float, copies: int, *, laplace: bool) -> float:
    """Standard deviations beyond which noise lies on one side with this chance, found by so many copies.

    By Student's law, since few copies tell deviations roughly. Of all sums of Laplace noise that of one term reaches
    farthest.
    """
    from scipy.stats import t

    found = float(t.ppf(1 - tail, copies - 1))
    return max(found, -math.log(2 * tail) / math.sqrt(2)) if laplace else found


def tail_of_each_end(gap: float, noise: tuple[float, float], outside: float, copies: int, *, laplace: bool) -> float:
    """The chance of an error that each end may have, so that both together err with the chance `outside` at most.

    Merged cells leave the truth between two ends, which lie about `gap` apart.
    """
    if min(noise) == 0:
        return outside
    sure = reach(_TELLING * outside / 2, copies, laplace=laplace)
    far = gap >= sure * (sum(noise) + 2 * max(noise))
    return (1 - _TELLING) * outside if far else outside / 2


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """Noisy upper bounds of all groups, their standard deviations, and by how many copies these were found."""

    value: Floats
    noise: Floats
    copies: int
    laplace: bool = False

    def beyond(self, tails: Floats) -> Floats:
        """What lies below the bound without noise with these chances, group by group."""
        different, place = np.unique(tails, return_inverse=True)
        reaches = [reach(float(tail), self.copies, laplace=self.laplace) for tail in different]
        return self.value + np.array(reaches)[place] * self.noise


def lowest(bounds: Sequence[Bound], outside: Floats) -> Floats:
    """What lies above a number that all these bounds lie above, but for the chance `outside`; group by group."""
    values = np.array([bound.value for bound in bounds])
    surely = np.array([bound.beyond(_TELLING * outside / len(bounds)) for bound in bounds])
    near = values <= np.take_along_axis(surely, values.argmin(axis=0)[None], axis=0)
    tails = (1 - _TELLING) * outside / near.sum(axis=0)
    found: Floats = np.where(near, [bound.beyond(tails) for bound in bounds], np.inf).min(axis=0)
    return found
