"""Histograms that are released for their entropy, over the declared cells or over coarser ones."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Column, Contract, Integer, Number
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy import public_rows
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.noisy_entropy import entropy_from_counts
from reaedp.statistics.statistic import Countable
from reaedp.table import Table, domain_size


def coarser(column: Column, every: int) -> Column:
    """The column with `every` neighbouring bins made one; the last one may be smaller, other kinds stay as they are."""
    make = _COARSER.get(type(column))
    return column if make is None else make(column, every)


def _fewer_bins(column: Any, every: int) -> Column:
    """Every so many edges, and the last one."""
    edges = column.boundaries
    kept = (*edges[:-1:every].tolist(), float(edges[-1]))
    merged: Column = replace(column, lower=None, upper=None, bins=None, edges=kept)
    return merged


_COARSER: dict[type[Column], Callable[[Any, int], Column]] = {
    Number: _fewer_bins,
    Integer: lambda column, every: replace(column, width=column.width * every),
}


def nested(contract: Contract, columns: tuple[str, ...]) -> list[int]:
    """1, 2, 4, … as long as making so many bins one leaves at least two bins somewhere."""
    bins = max((len(column.labels) for column in contract.select(columns) if type(column) in _COARSER), default=0)
    return [1, *takewhile(lambda every: 2 * every <= bins, (2**power for power in range(1, 64)))]


@dataclass(frozen=True, slots=True)
class EntropyHistogram:
    """As `Marginal`, with `every` neighbouring bins counted as one, so that they share one noise; and the entropy.

    `at_least` is the public number of rows, which makes the entropy more accurate.
    """

    columns: tuple[str, ...]
    every: int = 1
    at_least: int | None = None
    answers: ClassVar[Shape] = "vector"

    def __post_init__(self) -> None:
        if type(self.every) is not int or self.every < 1:
            raise DeclarationError(sentence("every must be a whole number of at least 1", given=self.every))

    @classmethod
    def under(cls, contract: Contract, columns: tuple[str, ...], every: int = 1) -> "EntropyHistogram":
        """With what the contract says about rows, unless some are dropped."""
        dropping = any(column.drops for column in contract.select(columns))
        return cls(columns, every, None if dropping else public_rows(contract.unit))

    @property
    def title(self) -> str:
        """What is released, in words."""
        merged = "" if self.every == 1 else f", {self.every} bins in one,"
        return f"{Marginal(*self.columns).title}{merged} and its entropy"

    def axes(self, contract: Contract) -> tuple[Column, ...]:
        """The coarser columns."""
        return tuple(coarser(column, self.every) for column in contract.select(self.columns))

    def check(self, contract: Contract) -> None:
        """As for a histogram."""
        Marginal(*self.columns).check(contract)

    def cells(self, contract: Contract) -> int:
        """Number of coarse cells."""
        return domain_size(self.axes(contract))

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """One row."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """That of counts."""
        return Marginal(*self.columns).sensitivity(contract)

    def answer(self, records: Countable) -> Integers:
        """Exact counts of the coarse cells."""
        fine, counts = records.contract.select(self.columns), Marginal(*self.columns).answer(records)
        counts = counts.reshape(tuple(column.size for column in fine))
        for axis, column in enumerate(fine):
            counts = np.add.reduceat(counts, _starts(column, self.every), axis=axis)
        return counts.ravel()

    def value(self, contract: Contract, noisy: Integers) -> Table:
        """The noisy counts on their axes."""
        axes = self.axes(contract)
        return Table(axes, noisy.reshape(tuple(axis.size for axis in axes)))

    def frame(self, value: Table, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """As for a histogram, and the entropy of all cells beside each of them."""
        entropy = entropy_from_counts(value, noise, at_least=self.at_least)
        bits = {"entropy_bits": entropy.value, "entropy_low_95": entropy.low, "entropy_high_95": entropy.high}
        counts = Marginal(*self.columns).frame(value, noise)
        return counts | {name: np.full(value.values.size, number) for name, number in bits.items()}


def _starts(column: Column, every: int) -> list[int]:
    """Where each coarse cell begins: regular bins in groups, the cells of troubles one by one."""
    step, bins = every if type(column) in _COARSER else 1, len(column.labels)
    return [*range(0, bins, step), *range(bins, column.size)]
