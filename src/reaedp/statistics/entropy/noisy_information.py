"""Mutual information of two sides of a table that is known only with noise: arithmetic, which costs nothing.

I = log2 n - (Σ f(rows) + Σ f(columns) - Σ f(cells)) / n with f(c) = c log2 c: the form of an entropy. Cells have the
noise of one count, rows and columns that of as many as they sum; each is corrected for its own.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.correction import Corrected, correction_of_sums
from reaedp.statistics.entropy.entropies import mutual_information
from reaedp.statistics.entropy.noisy_entropy import (
    AGREEMENT,
    EntropyEstimate,
    EntropyEstimates,
    with_known_sum,
    with_noisy_sum,
)
from reaedp.statistics.histogram import onto_simplex
from reaedp.statistics.names import column_names
from reaedp.table import Table

Floats = NDArray[np.float64]
_BITS_PER_NAT = 1 / math.log(2)


def information_from_counts(
    noisy: Table,
    noise: Calibrated,
    first: str | Sequence[str],
    *,
    rows: int | None = None,
    at_least: int | None = None,
    confidence: float = 0.95,
) -> EntropyEstimate:
    """I(first; all other columns) of released counts; `rows` and `at_least` as for an entropy.

    >>> release = curator.release(Marginal("age", "sex"), Laplace(1.0))
    >>> information_from_counts(release.counts, release.noise, "age").low >= 0
    True
    """
    table = _two_sided(noisy, column_names(first))
    found = information_of(table, noise, rows=rows, at_least=at_least)
    low, high = found.interval(confidence)
    return EntropyEstimate(float(found.value), float(low), float(high), confidence)


def _two_sided(noisy: Table, first: tuple[str, ...]) -> Integers:
    names = noisy.names
    if not first or not set(first) < set(names):
        rule = "The first side must be some of the table's columns, and leave at least one for the second"
        raise DeclarationError(sentence(rule, given=first, remedy=f"The columns are {', '.join(names)}."))
    order = [*(names.index(name) for name in first), *(i for i, name in enumerate(names) if name not in first)]
    cells = math.prod(noisy.values.shape[place] for place in order[: len(first)])
    return noisy.values.astype(np.int64).transpose(order).reshape(cells, -1)


class _Part(NamedTuple):
    """Corrected sums of f over cells, rows or columns; the variance beyond its slopes; and what bias is left."""

    corrected: Corrected
    beyond: float
    rest: float


def information_of(
    noisy: Integers, noise: Calibrated, *, rows: int | None = None, at_least: int | None = None
) -> EntropyEstimates:
    """The estimate for one table with two axes."""
    total = float(rows or max(int(noisy.sum()), at_least or 1))
    table = onto_simplex(noisy.ravel().astype(np.float64), np.array(total)).reshape(noisy.shape)
    of_cells, of_rows, of_columns = _slopes(table), _slopes(table.sum(axis=1)), _slopes(table.sum(axis=0))
    cells = _part(noisy.ravel(), of_cells.ravel(), noise, 1)
    sides = (
        _part(noisy.sum(axis=1), of_rows, noise, noisy.shape[1]),
        _part(noisy.sum(axis=0), of_columns, noise, noisy.shape[0]),
    )
    corrected = Corrected(
        *(sum(part.corrected[i] for part in sides) - cells.corrected[i] for i in range(len(Corrected._fields)))
    )
    slopes = (of_rows[:, None] + of_columns - of_cells).ravel()
    variance = correction_of_sums(noise, 1).noise_variance
    sums = np.array(float(noisy.sum()))
    if rows is None:
        unbiased, slope, size = with_noisy_sum(corrected, sums, noisy.size * variance)
    else:
        unbiased, slope, size = with_known_sum(corrected, sums, np.array(total), slopes)
    leverage = slopes - slope
    # What varies beyond the slopes is not independent among the three: their standard errors add up at most.
    beyond = sum(math.sqrt(part.beyond) for part in (cells, *sides))
    error = np.sqrt(variance * (leverage**2).sum() + beyond**2) / size
    rest = (sum(part.rest for part in (cells, *sides)) + 0.5 * np.abs(leverage).max()) / size
    largest, limit = math.log2(min(noisy.shape)), AGREEMENT * error + rest
    value = np.clip(np.clip(mutual_information(table), unbiased - limit, unbiased + limit), 0.0, largest)
    return EntropyEstimates(value, unbiased, error, rest, largest)


def _slopes(counts: Floats) -> Floats:
    slopes: Floats = np.log2(np.maximum(counts, 1.0)) + _BITS_PER_NAT
    return slopes


def _part(counts: Integers, slopes: Floats, noise: Calibrated, terms: int) -> _Part:
    """The part of the correction for sums of `terms` counts each."""
    undo = correction_of_sums(noise, terms)
    found = undo.apply(counts)
    beyond = abs(float((found.variance - undo.noise_variance * slopes**2).sum()))
    summed = Corrected(*(np.asarray(part.sum()) for part in found))
    return _Part(summed, beyond, undo.rest * float((counts < undo.near).sum()))
