"""How far off an entropy will be, predicted from public facts: rows, cells, noise, and the entropy itself.

The error of an entropy derived from noisy counts depends on the counts, which are not known. It is measured on made-up
counts that have a given entropy, with fixed draws of the noise, so that a prediction repeats itself and needs no data.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.correction import c_log_c
from reaedp.statistics.entropy.entropies import renyi_entropies
from reaedp.statistics.entropy.noisy_entropy import renyi_from_counts

Floats = NDArray[np.float64]

#: Predictions for more cells take longer than one wants to wait.
MOST_CELLS = 20_000
#: Entropies at which errors are predicted, evenly spread over all that are possible.
LEVELS = 32
ALL_LEVELS = tuple(range(LEVELS))
#: Some of them, with both ends: errors change little from one to the next.
FEW_LEVELS = (*range(0, LEVELS, 4), LEVELS - 1)
#: Rarer errors than one in a hundred are not seen in the draws that are made.
MOST_CONFIDENCE = 0.99
_DRAWS, _FEWEST_DRAWS, _NUMBERS_AT_ONCE = 255, 15, 2**19


@lru_cache(maxsize=8)
def examples(rows: int, cells: int, of: tuple[int, ...] = ALL_LEVELS) -> tuple[Integers, Floats]:
    """Made-up counts, a table in each row, with entropies from near 0 to log2 cells; and those entropies.

    They have the shape of half a bell: one number, its width, takes the entropy from end to end. `of` says which of
    them are wanted.
    """
    if cells > MOST_CELLS:
        raise DeclarationError(
            f"Errors of entropies can be predicted for at most {MOST_CELLS:,} cells; given {cells:,}."
        )
    wanted = (np.array(of) + 0.5) / LEVELS * math.log2(min(cells, rows))
    counts = np.diff(np.rint(np.cumsum(_bells(wanted, cells), axis=1) * rows), axis=1, prepend=0.0)
    entropies = math.log2(rows) - c_log_c(counts).sum(axis=1) / rows
    tables = counts.astype(np.int64)
    for shared in (tables, entropies):
        shared.setflags(write=False)
    return tables, entropies


def example_shares(cells: int) -> tuple[Floats, Floats]:
    """The examples as shares of any number of rows, and their entropies, from near 0 to log2 cells."""
    wanted = (np.arange(LEVELS) + 0.5) / LEVELS * math.log2(cells)
    return _bells(wanted, cells), wanted


def example_entropies(rows: int, cells: int, order: float, of: tuple[int, ...] = ALL_LEVELS) -> Floats:
    """The entropies of this order of the examples; they rise with Shannon's, which the examples are made for."""
    counts, entropies = examples(rows, cells, of)
    return entropies if order == 1 else renyi_entropies(counts.astype(np.float64), order)


def _bells(wanted: Floats, cells: int) -> Floats:
    """Shares with these entropies, by bisection for how fast they fall: entropy decreases with it."""
    low, high = np.zeros_like(wanted), np.full_like(wanted, 60.0)
    for _ in range(60):
        middle = (low + high) / 2
        enough = -c_log_c(_bell(middle, cells)).sum(axis=1) >= wanted
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return _bell(low, cells)


def _bell(fall: Floats, cells: int) -> Floats:
    shares = np.exp(-np.outer(fall, np.arange(cells, dtype=np.float64) ** 2))
    normalised: Floats = shares / shares.sum(axis=1, keepdims=True)
    return normalised


def histogram_errors(
    noise: Calibrated, rows: int, cells: int, order: float = 1.0, *, of: tuple[int, ...] = ALL_LEVELS
) -> Floats:
    """For each of some examples many absolute errors of the entropy that is derived from its counts with this noise."""
    (counts, _), entropies = examples(rows, cells, of), example_entropies(rows, cells, order, of)
    draws = _draws(noise, cells)
    together = max(1, _NUMBERS_AT_ONCE // draws.size)
    estimates = [
        renyi_from_counts(counts[start : start + together, None] + draws, noise, order, at_least=rows).value
        for start in range(0, len(counts), together)
    ]
    errors: Floats = np.abs(np.concatenate(estimates) - entropies[:, None])
    return errors


def worst_error(noise: Calibrated, rows: int, cells: int, confidence: float) -> float:
    """The error that is not exceeded as often as `confidence` says, at the least favourable of the examples."""
    if not 0 < confidence <= MOST_CONFIDENCE:
        raise DeclarationError(
            sentence(f"confidence must lie between 0 and {MOST_CONFIDENCE} for predicted errors", given=confidence)
        )
    return float(np.quantile(histogram_errors(noise, rows, cells), confidence, axis=1).max()) if cells > 1 else 0.0


def _draws(noise: Calibrated, cells: int) -> Integers:
    return draws_of(noise, cells, max(_FEWEST_DRAWS, min(_DRAWS, _NUMBERS_AT_ONCE // cells)))


def draws_of(noise: Calibrated, cells: int, number: int) -> Integers:
    """Fixed noise: in every cell each quantile once, in an order that differs from cell to cell."""
    quantiles = np.array([_quantile(noise, (place + 0.5) / number) for place in range(number)])
    order = np.argsort(_scrambled(number * cells).reshape(number, cells), axis=0)
    return quantiles[order]


def _scrambled(number: int) -> NDArray[np.uint64]:
    """The same thorough mixture of bits every time (SplitMix64 by Steele, Lea and Flood 2014)."""
    mixed = np.arange(1, number + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _quantile(noise: Calibrated, share: float) -> int:
    """The noise is symmetric, so that its quantiles are the ends of its central ranges."""
    if share == 0.5:
        return 0
    distance = noise.error_quantile(abs(2 * share - 1))
    return distance if share > 0.5 else -distance
