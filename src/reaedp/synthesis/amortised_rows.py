"""Rows from released keys and a model: any number of them, at no further cost."""

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.model import Codes
from reaedp.table import KeyCounts

#: How often rows are drawn anew whose key was released, where rows of other keys are wanted.
_ROUNDS = 20


def amortised_rows(learned: LearnedModel, keys: KeyCounts, count: int, rng: np.random.Generator) -> Codes:
    """Rows of released keys, and of the model where the keys fall short of the noisy total; in random order."""
    model = learned.model(keys.names)
    found = float(keys.counts.sum())
    share = min(1.0, found / learned.total) if found else 0.0
    of_keys = round(count * share)
    chosen = keys.keys[_in_proportion(keys.counts, of_keys, rng)]
    words = rng.integers(0, 2**64, (of_keys, len(model.axes) - len(keys.names)), dtype=np.uint64)
    places = [model.names.index(name) for name in learned.names]
    completed = model.draw(words, chosen)[:, places]
    return rng.permutation(np.concatenate([completed, _rest(learned, keys, count - of_keys, rng)]))


def _in_proportion(counts: NDArray[np.int64], draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Places evenly spaced from a random start, so that each comes as often as expected, or once more or less."""
    ends = np.cumsum(counts, dtype=np.float64)
    spots = (np.arange(draws) + rng.random()) * (ends[-1] / draws if draws else 1.0)
    return np.minimum(np.searchsorted(ends, spots, side="right"), len(ends) - 1)


def _rest(learned: LearnedModel, keys: KeyCounts, count: int, rng: np.random.Generator) -> Codes:
    """Rows of the model, by preference of keys that were not released."""
    rows = learned.rows(count, rng)
    places = [learned.names.index(name) for name in keys.names]
    for _ in range(_ROUNDS):
        again = np.flatnonzero(_known(rows[:, places], keys))
        if not again.size:
            break
        rows[again] = learned.rows(again.size, rng)
    return rows


def _known(codes: Codes, keys: KeyCounts) -> NDArray[np.bool_]:
    """Which rows have a released key."""
    stacked = np.concatenate([keys.keys, codes])
    numbers = np.unique(stacked, axis=0, return_inverse=True)[1].ravel()
    return np.isin(numbers[len(keys.keys) :], numbers[: len(keys.keys)])
