"""Which columns a synthetic record keeps from its seed: as much entropy as the counts support."""

import numpy as np
from numpy.typing import NDArray

from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.model import Codes

#: Rows of the model by which columns are judged, and columns that are kept at most.
_SAMPLE, _MOST = 50_000, 12
#: A set of columns is supported if keys expected in so many times the needed number of records hold this share of all.
_ROOM, _SHARE = 2.0, 0.9


def kept_columns(learned: LearnedModel, needed: float, rng: np.random.Generator) -> tuple[str, ...]:
    """Names of columns whose keys will mostly be found in `needed` records or more; at least one."""
    sizes = tuple(axis.size for axis in learned.axes)
    places = supported_columns(learned.rows(_SAMPLE, rng), sizes, learned.total, needed, _MOST)
    smallest = min(range(len(sizes)), key=lambda place: sizes[place])
    return tuple(learned.names[place] for place in places or (smallest,))


def supported_columns(rows: Codes, sizes: tuple[int, ...], total: float, needed: float, most: int) -> tuple[int, ...]:
    """Places of columns whose joint cells mostly have `needed` records of `total`; added while entropy grows.

    `rows` are drawn from a released model, so that the choice follows from released numbers alone.
    """
    chosen: list[int] = []
    codes = np.zeros(len(rows), dtype=np.int64)
    while len(chosen) < most:
        joined = {
            place: _joined(codes, rows[:, place], sizes[place]) for place in range(len(sizes)) if place not in chosen
        }
        gains = {
            place: shannon_entropy(np.bincount(cells))
            for place, cells in joined.items()
            if _supported(cells, total, needed)
        }
        best = max(gains, key=lambda place: gains[place], default=None)
        if best is None:
            break
        chosen.append(best)
        codes = joined[best]
    return tuple(chosen)


def _joined(codes: NDArray[np.int64], column: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Numbers of the joint cells that occur."""
    numbers: NDArray[np.int64] = np.unique(codes * size + column, return_inverse=True)[1].astype(np.int64)
    return numbers


def _supported(cells: NDArray[np.int64], total: float, needed: float) -> bool:
    counts = np.bincount(cells) * (total / len(cells))
    return float(counts[counts >= _ROOM * needed].sum()) >= _SHARE * total
