"""Histograms over one or several columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Keyed, KeyedParts, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics import histogram
from reaedp.statistics.names import listed
from reaedp.statistics.resolution import CONFIDENCE, Resolution
from reaedp.statistics.statistic import Cells
from reaedp.table import MOST_DENSE_CELLS, KeyCounts, Table, domain_size, labels


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

    #: What its title calls the answer.
    noun: ClassVar[str]

    columns: tuple[str, ...]

    def __init__(self, *columns: str | Sequence[str]) -> None:
        names = listed(columns)
        if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise DeclarationError(
                sentence(
                    "A histogram must have one or more columns, each named once",
                    given=columns,
                    remedy='Write Marginal("age", "sex") or Marginal(["age", "sex"]).',
                )
            )
        object.__setattr__(self, "columns", names)

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{self.noun} of {' × '.join(self.columns)}"

    def cells(self, contract: Contract) -> int:
        """Number of cells of the product of the columns."""
        return domain_size(contract.select(self.columns))

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """The length of a step of the lattice: one row."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one unit moves the counts."""
        return counting_sensitivity(contract.unit)


@dataclass(frozen=True, slots=True, init=False)
class Marginal(_Counting):
    """A histogram or contingency table: the number of rows in every cell of the product of some columns.

    >>> release = curator.release(Marginal("age", "sex"), Laplace(1.0))
    >>> release.counts.project("sex").names
    ('sex',)
    """

    answers: ClassVar[Shape] = "vector"
    noun: ClassVar[str] = "histogram"

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns and domains too large to write out."""
        cells = self.cells(contract)
        if cells > MOST_DENSE_CELLS:
            raise DeclarationError(
                f"A histogram of all cells can have at most {MOST_DENSE_CELLS:,} cells;"
                f" {' × '.join(self.columns)} has {cells:,}."
                " Use partition selection (mechanism = 'threshold'), or declare coarser columns."
            )

    def answer(self, records: Cells) -> Integers:
        """Exact counts in the order of the cells."""
        return records.counts(self.columns).values.astype(np.int64).ravel()

    def value(self, contract: Contract, noisy: Integers) -> Table:
        """The noisy counts on their axes."""
        axes = contract.select(self.columns)
        return Table(axes, noisy.reshape(tuple(axis.size for axis in axes)))

    def resolution(self, contract: Contract, noise: Calibrated) -> Resolution | None:
        """The error of a cell relative to an average cell; nothing if the number of rows is not public."""
        rows = contract.unit.at_least
        if rows is None:
            return None
        return Resolution(noise.error_quantile(CONFIDENCE), rows / self.cells(contract), "rows")

    def frame(self, value: Table, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """Counts as released, then estimates, shares and intervals."""
        views = histogram.views(value, noise)
        return labels(value.axes, value.codes, views) | {name: view.values.ravel() for name, view in views.items()}


@dataclass(frozen=True, slots=True, init=False)
class KeyedMarginal(_Counting):
    """Partition selection: the number of rows in each cell that has enough of them, if there are too many to list.

    >>> [axis.name for axis in curator.release(KeyedMarginal("age", "sex"), Threshold(1.0, 1e-7)).value.axes]
    ['age', 'sex']
    """

    answers: ClassVar[Shape] = "keyed"
    noun: ClassVar[str] = "frequent cells"

    def check(self, contract: Contract) -> None:
        """Refuse columns that the contract does not declare."""
        contract.select(self.columns)

    def answer(self, records: Cells) -> Keyed | KeyedParts:
        """Exact counts of the cells that occur, in batches if there are many."""
        parts = (Keyed(found.keys, found.counts) for found in records.key_parts(self.columns))
        first = next(parts)
        second = next(parts, None)
        return first if second is None else KeyedParts(chain([first, second], parts))

    def value(self, contract: Contract, noisy: Keyed) -> KeyCounts:
        """The cells that passed the threshold."""
        return KeyCounts(contract.select(self.columns), noisy.keys.astype(np.int32), noisy.counts)

    def frame(self, value: KeyCounts, noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """Counts as released. Cells near the threshold appear only if their noise is high, so no interval is given."""
        return labels(value.axes, value.keys.T, ("count",)) | {"count": value.counts}
