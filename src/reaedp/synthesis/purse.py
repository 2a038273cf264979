"""The purse: what a model may still ask of its records, each question at a price that may follow from earlier answers.

Every question is dominated by a Gaussian loss μᵢ, and the squares of all μᵢ stay within the square of what was charged.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.mechanisms.fine_gaussian import FINEST, FineGaussian
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.selection import Selection
from reaedp.privacy.unit import Sensitivity
from reaedp.synthesis.merging import Floats

#: The key of a release's details that says how many parts a row has at most.
PARTS_OF_A_ROW = "parts_of_a_row"
#: Kept back of μ², far more than sums of squares are rounded by.
SLACK = 1e-9
#: The domination of a question is proved up to this μ², which is next to no noise.
MOST = 64.0
#: The share of μ² for the first look at columns.
FIRST_LOOK = 0.25
#: Cells of the junction tree at most, if a plan does not say: a step of its fit takes some hundredths of a second then.
MODEL_CELLS = 3_000_000
#: Cells that a plan may allow: with fewer, hardly any two columns share a table; more take hours and all memory.
FEWEST_MODEL_CELLS, MOST_MODEL_CELLS = 10_000, 100_000_000
#: Cells beyond which a column is not told apart cell by cell, whatever is spent on it.
TOLD_APART = 512
#: The share of a round's price for choosing its table; the rest is for its noise.
CHOICES = 0.08
#: Chosen tables for each column, at most. Choosing is cheap: many small tables are better than few large ones.
TABLES_PER_COLUMN = 3


class NoisyCounts(NamedTuple):
    """Counts with noise of one scale, in rows and parts of them."""

    values: Floats
    scale: float


class Purse:
    """`left` of μ²; nothing is asked that it does not hold. Counts have parts of rows, `finest` to a row at most."""

    def __init__(self, mu: float, sensitivity: Sensitivity, noise: Noise, finest: int = FINEST) -> None:
        self.sensitivity, self.noise, self.finest = sensitivity, noise, finest
        self.whole = mu**2 * (1 - SLACK)
        self.left = self.whole

    def counts(self, exact: Integers, squared: float) -> NoisyCounts:
        """Counts with discrete Gaussian noise that costs this much of μ²."""
        table = FineGaussian(self._taken(squared) ** 0.5, self.finest)
        return NoisyCounts(table.apply(exact, self.sensitivity, self.noise), table.scale(self.sensitivity))

    def choice(self, scores: Integers, squared: float) -> int:
        """The place of a score, a large one rather than a small one, for this much of μ²."""
        return Selection(self._taken(squared) ** 0.5).choose(scores, self.sensitivity, self.noise)

    def choices(self, scores: Integers, squared: float) -> NDArray[np.intp]:
        """A place in each row of scores, all for this much of μ²: every record moves the scores of one row only."""
        return Selection(self._taken(squared) ** 0.5).choose_each(scores, self.sensitivity, self.noise)

    def scale(self, squared: float) -> float:
        """The noise of counts at this price."""
        return table_scale(squared, self.sensitivity, self.finest)

    def uncertainty(self, squared: float) -> float:
        """The noise of a choice at this price, in rows."""
        return choice_scale(squared, self.sensitivity)

    def _taken(self, squared: float) -> float:
        """Take a part out of the purse, before anything is drawn."""
        part = min(squared, self.left, MOST)
        self.left -= part
        return part


def column_shares(sizes: Sequence[int]) -> Floats:
    """The shares of a look that columns of so many cells get: in proportion to the root of their cells.

    All cells of a column have its noise, so that equal shares would leave a column of many levels far worse than all
    others. The least error in all cells together would follow from shares by the power ⅔; the root is kinder to small
    columns, which occur in more tables.
    """
    roots = np.sqrt(np.minimum(sizes, TOLD_APART))
    shares: Floats = roots / roots.sum()
    return shares


def table_scale(squared: float, sensitivity: Sensitivity, finest: int = FINEST) -> float:
    """The noise of counts that cost this much of μ²."""
    return FineGaussian(min(squared, MOST) ** 0.5, finest).scale(sensitivity)


def choice_scale(squared: float, sensitivity: Sensitivity) -> float:
    """The noise of a choice that costs this much of μ², in rows."""
    return Selection(min(squared, MOST) ** 0.5).scale(sensitivity)
