"""Whether a row meets a condition: two parts of a row, and a cell for each way to have no value."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Boolean, Category, Column, Date
from reaedp.contract.day import EPOCH
from reaedp.errors import DeclarationError, sentence, unknown
from reaedp.statistics.summary.coordinates import Coordinates, all_parts, centred
from reaedp.statistics.summary.parts import MOST_STEPS, bounds

Limit = float | date | None


@dataclass(frozen=True, slots=True)
class Flag:
    """A row says yes if its cell is one of `levels`, or if its value is at least `at_least` and below `below`.

    A truth value without levels says yes if it is true. A row is many steps of a lattice so fine that the law of its
    noise is that of real numbers. A `centred` one is released as sums.
    """

    column: Column
    levels: tuple[str, ...]
    at_least: Limit
    below: Limit
    centred: bool = False

    @property
    def steps(self) -> int:
        """How many steps make a row."""
        return MOST_STEPS

    @property
    def rounding(self) -> float:
        """By how many steps a row's share may be rounded."""
        return 0.0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are read."""
        return (self.column,)

    @property
    def missing(self) -> tuple[str, ...]:
        """Cells of rows without a value."""
        return self.column.own_cells

    @property
    def names(self) -> tuple[str, ...]:
        """All parts in the order in which they are counted."""
        return ("no", "yes", *self.missing)

    @property
    def coordinates(self) -> Coordinates:
        """The numbers that are released of them."""
        return centred(2, 0, len(self.missing)) if self.centred else all_parts(len(self.names))

    @property
    def condition(self) -> str:
        """The condition in words."""
        if self.levels:
            return f"{self.column.name} in {', '.join(self.levels)}"
        if self.at_least is None and self.below is None:
            return self.column.name
        low = "" if self.at_least is None else f"{self.at_least} ≤ "
        high = "" if self.below is None else f" < {self.below}"
        return f"{low}{self.column.name}{high}"

    @property
    def cells(self) -> tuple[int, ...] | None:
        """The cells that say yes; none where values decide."""
        if isinstance(self.column, Boolean):
            return tuple(self.column.labels.index(level) for level in self.levels or ("true",))
        if isinstance(self.column, Category):
            return tuple(self.column.labels.index(level) for level in self.levels)
        return None

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The ends of the values that say yes, as numbers; dates are days since 1970."""
        low, high = (_number(limit) for limit in (self.at_least, self.below))
        return low, high

    def check(self) -> None:
        """Refuse a condition that the column cannot meet in one way and miss in another."""
        limited = self.at_least is not None or self.below is not None
        if isinstance(self.column, Boolean | Category):
            self._check_levels(limited)
            return
        if self.levels or not limited:
            raise DeclarationError(
                f"{self.column.name} is of kind {self.column.kind}: the share of its rows needs at_least or below, and"
                " no levels."
            )
        found, dated = bounds(self.column), isinstance(self.column, Date)
        for key in ("at_least", "below"):
            limit = getattr(self, key)
            kind = isinstance(limit, date) == dated
            if limit is not None and not (kind and found.lower < float(_number(limit) or 0.0) <= found.upper):
                rule = f"{key} must be a {'date' if dated else 'number'} above the lower bound of {self.column.name}"
                raise DeclarationError(sentence(f"{rule} and not above its upper bound", given=limit))
        low, high = self.limits
        if low is not None and high is not None and low >= high:
            raise DeclarationError(sentence("at_least must be less than below", given=(self.at_least, self.below)))

    def _check_levels(self, limited: bool) -> None:
        labels = self.column.labels
        if limited:
            raise DeclarationError(f"{self.column.name} is of kind {self.column.kind}, which has levels and no limits.")
        for level in self.levels:
            if level not in labels:
                raise DeclarationError(unknown(f"level of {self.column.name}", level, labels))
        if isinstance(self.column, Category) and not self.levels:
            raise DeclarationError(
                f"{self.column.name} is of kind category: levels must say which of its levels are meant, some of"
                f" {', '.join(labels)}."
            )

    def assembled(self, rows: Integers, sums: Sequence[Integers], others: Sequence[Integers]) -> Integers:
        """All parts of some groups, from rows with a value, steps of those that say yes, and rows in other cells."""
        (yes,) = sums
        return np.stack([rows * self.steps - yes, yes, *(count * self.steps for count in others)], axis=-1)

    def weights(self, **of: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A number for each part, zero for those that are not named."""
        return np.array([of.get(name, 0.0) for name in self.names])


def _number(limit: Limit) -> float | None:
    if isinstance(limit, date):
        return float((limit - EPOCH).days)
    return None if limit is None else float(limit)
