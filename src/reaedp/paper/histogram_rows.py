"""Synthetic rows from noisy histograms alone: what a model of the dependences must beat.

Both start from tables that a release has made public, so that nothing here costs anything more.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.contract.column import whole
from reaedp.errors import DeclarationError, sentence
from reaedp.table import Table

#: Row numbers stay exact as doubles.
MOST_ROWS = 2**53 - 1


def multinomial_rows(counts: Table, rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Independent draws of whole records from one joint histogram, a cell number for each axis.

    Negative counts are cut at zero; where nothing is left, every cell is as likely as any other.
    """
    if not whole(rows, 0, MOST_ROWS):
        raise DeclarationError(sentence("rows must be a whole number of at least 0", given=rows))
    kept = counts.with_values(np.maximum(counts.values.astype(np.float64), 0.0))
    shares = kept.normalise().values.ravel().astype(np.float64)
    # How often each cell is drawn, in an order of its own: the same law as drawing row by row.
    cells = rng.permutation(np.repeat(np.arange(shares.size), rng.multinomial(rows, shares)))
    return np.column_stack(np.unravel_index(cells, counts.values.shape)).astype(np.int32)


def independent_rows(tables: Sequence[Table], rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Independent draws from each histogram; columns of different histograms know nothing of each other."""
    names = [name for table in tables for name in table.names]
    if not names or len(set(names)) < len(names):
        raise DeclarationError(sentence("Independent histograms must have one or more different columns", given=names))
    return np.column_stack([multinomial_rows(table, rows, rng) for table in tables])
