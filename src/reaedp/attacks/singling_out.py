"""Singling out: a description drawn from synthetic records that fits exactly one person in the data.

A description that fits one outsider among as many is what chance gives; the control measures it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes
from reaedp.attacks.people import People
from reaedp.rate import mean, share

Integers = NDArray[np.int64]
#: Truth values held at a time.
_BLOCK = 2**24


@dataclass(frozen=True, slots=True, eq=False)
class Descriptions:
    """Ranges of cells: the i-th fits a record whose `columns[i]` lie between `low[i]` and `high[i]`, both included."""

    columns: Integers
    low: Integers
    high: Integers

    def fitting(self, codes: Codes) -> Integers:
        """How many records each description fits."""
        step = max(1, _BLOCK // max(1, len(codes)))
        starts = range(0, len(self.columns), step)
        return np.concatenate([self._fitting(codes, slice(start, start + step)) for start in starts])

    def _fitting(self, codes: Codes, part: slice) -> Integers:
        by_column = np.ascontiguousarray(codes.T)
        fits = np.ones((len(self.columns[part]), len(codes)), dtype=np.bool_)
        for column, low, high in zip(self.columns[part].T, self.low[part].T, self.high[part].T, strict=True):
            values = by_column[column]
            fits &= (values >= low[:, None]) & (values <= high[:, None])
        fitting: Integers = fits.sum(axis=1)
        return fitting


def rare_values(synthetic: Codes, sizes: tuple[int, ...], most: int, rng: np.random.Generator) -> Descriptions:
    """One column each: a value that one synthetic record has, or everything from an end to the first that occurs."""
    found = [_rare(synthetic[:, column], column, size) for column, size in enumerate(sizes)]
    columns, low, high = np.concatenate(found, axis=1)[:, :, None]
    drawn = rng.permutation(len(columns))[:most]
    return Descriptions(columns[drawn], low[drawn], high[drawn])


def combinations(synthetic: Codes, width: int, count: int, rng: np.random.Generator) -> Descriptions:
    """What a random synthetic record has in some random columns."""
    columns = rng.random((count, synthetic.shape[1])).argsort(axis=1)[:, :width]
    values = synthetic[rng.integers(len(synthetic), size=(count, 1)), columns].astype(np.int64)
    return Descriptions(columns, values, values)


def blind(like: Descriptions, sizes: tuple[int, ...], rng: np.random.Generator) -> Descriptions:
    """Descriptions of the same columns by cells that were drawn without looking at anything."""
    values = rng.integers(np.array(sizes)[like.columns])
    return Descriptions(like.columns, values, values)


def single_out(
    people: People,
    descriptions: Descriptions,
    *,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    name: str = "singling out",
) -> Attack:
    """The share of descriptions that fit exactly one record, among the members and among as many outsiders.

    If there are fewer outsiders, among as many members as there are of them. What (ε, δ) permits is an estimate:
    e^ε times the mean number of outsiders that a description fits which fits at most one member (see PROOFS.md).
    """
    size = min(len(people.members), len(people.outsiders))
    members, outsiders = (rng.permutation(codes)[:size] for codes in (people.members, people.outsiders))
    inside, outside = descriptions.fitting(members), descriptions.fitting(outsiders)
    guessed = blind(descriptions, people.space.sizes, rng).fitting(members)
    most = min(1.0, math.exp(epsilon) * _at_most(outside * (inside <= 1)) + size * delta)
    trials = len(inside)
    alone = [int((fitting == 1).sum()) for fitting in (inside, outside, guessed)]
    main, control = share(alone[0], trials), share(alone[1], trials)
    return Attack(name, "descriptions that fit exactly one", main, control, alone[2] / trials, most)


def _at_most(fitting: Integers) -> float:
    """The mean is not larger, with 97.5 % confidence: by Student's range, and by Poisson's, which zeros do not fool."""
    from scipy.special import gammaincinv

    poisson = float(gammaincinv(fitting.sum() + 1, 0.975)) / len(fitting)
    return max(poisson, mean(fitting.tolist()).high)


def _rare(values: Codes, column: int, size: int) -> Integers:
    """Column, lowest and highest cell of each description, one below another."""
    lonely = np.flatnonzero(np.bincount(values, minlength=size) == 1)
    low = np.concatenate([lonely, [0, values.max()]])
    high = np.concatenate([lonely, [values.min(), size - 1]])
    return np.stack([np.full(len(low), column), low, high]).astype(np.int64)
