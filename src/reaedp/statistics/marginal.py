"""Histograms over one or several columns."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reaedp.answer import Integers, Keyed, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.statistic import Countable
from reaedp.table import MOST_DENSE_CELLS, KeyCounts, Table, domain_size


def counting_sensitivity(unit: Unit) -> Sensitivity:
    """How far one unit moves a vector of counts.

    k rows added or removed: L1 = L2 = L∞ = k when they share a cell. k rows replaced: k leave cells and k enter
    others, so L1 doubles, L2² doubles, and L∞ is still k.
    """
    k = unit.rows
    sides = 2 if unit.change == "replace" else 1
    return Sensitivity(l1=sides * k, l2_squared=sides * k * k, linf=k)


@dataclass(frozen=True, slots=True)
class _Counting:
    """A question about how many rows fall where."""

    columns: tuple[str, ...]

    def __init__(self, *columns: str) -> None:
        if not columns or len(set(columns)) < len(columns) or not all(isinstance(name, str) for name in columns):
            raise DeclarationError(f"A histogram needs one or more different column names; given {columns!r}.")
        object.__setattr__(self, "columns", columns)

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """That of counts."""
        return counting_sensitivity(unit)


@dataclass(frozen=True, slots=True, init=False)
class Marginal(_Counting):
    """The number of rows in every cell of the product of some columns."""

    answers: ClassVar[Shape] = "vector"

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"histogram of {' × '.join(self.columns)}"

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns and domains too large to write out."""
        cells = self.cells(contract)
        if cells > MOST_DENSE_CELLS:
            raise DeclarationError(
                f"A dense histogram has at most {MOST_DENSE_CELLS:,} cells; {' × '.join(self.columns)} has {cells:,}."
                " Release it by keys (mechanism = 'threshold'), or declare coarser columns."
            )

    def cells(self, contract: Contract) -> int:
        """Number of released numbers."""
        return domain_size(contract.select(self.columns))

    def answer(self, records: Countable) -> Integers:
        """Exact counts in the order of the cells."""
        return records.counts(self.columns).values.astype(np.int64).ravel()

    def value(self, contract: Contract, noisy: Integers) -> Table:
        """The noisy counts on their axes."""
        axes = contract.select(self.columns)
        return Table(axes, noisy.reshape(tuple(axis.size for axis in axes)))


@dataclass(frozen=True, slots=True, init=False)
class KeyedMarginal(_Counting):
    """The number of rows in those cells that have enough of them, for products too large to write out."""

    answers: ClassVar[Shape] = "keyed"

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"frequent cells of {' × '.join(self.columns)}"

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns."""
        contract.select(self.columns)

    def answer(self, records: Countable) -> Keyed:
        """Exact counts of the cells that occur."""
        found = records.key_counts(self.columns)
        return Keyed(found.keys, found.counts)

    def value(self, contract: Contract, noisy: Keyed) -> KeyCounts:
        """The cells that passed the threshold."""
        return KeyCounts(contract.select(self.columns), noisy.keys.astype(np.int32), noisy.counts)
