"""Histograms that are released for their entropy, over the declared cells or over coarser ones."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import takewhile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Column, Contract, Integer, Number
from reaedp.errors import DeclarationError, sentence, whole_number
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.correction import check_correctable
from reaedp.statistics.entropy.entropy import Entropy, MutualInformation, named, public_rows, shown_order
from reaedp.statistics.entropy.noisy_entropy import entropy_from_counts
from reaedp.statistics.entropy.noisy_information import information_from_counts
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.statistic import Cells
from reaedp.table import Table, domain_size


def coarser(column: Column, every: int) -> Column:
    """The column with `every` neighbouring bins made one; the last one may be smaller, other kinds stay as they are."""
    make = _COARSER.of(column)
    return column if make is None else make(column, every)


def _fewer_bins(column: Any, every: int) -> Column:
    """Every n-th edge, and the last one."""
    edges = column.boundaries
    kept = (*edges[:-1:every].tolist(), float(edges[-1]))
    return _changed(Number, column, lower=None, upper=None, bins=None, edges=kept)


def _wider(column: Any, every: int) -> Column:
    return _changed(Integer, column, width=column.width * every)


def _changed(kind: type[Column], column: Column, **values: Any) -> Column:
    """A column of the kind from which that of the given one is derived, if it is not this kind itself."""
    kept = {field.name: getattr(column, field.name) for field in fields(kind)}
    return kind(**kept | values)


_COARSER = ByKind[Callable[[Any, int], Column] | None](
    "neighbouring bins made one",
    {Number: _fewer_bins, Integer: _wider},
    otherwise=None,
    plain=("Category", "Boolean", "Date"),
    over="columns",
)


def nested(contract: Contract, columns: tuple[str, ...]) -> list[int]:
    """1, 2, 4, … as long as making this many bins one leaves at least two bins somewhere."""
    bins = max((len(column.labels) for column in contract.select(columns) if _COARSER.of(column)), default=0)
    return [1, *takewhile(lambda every: 2 * every <= bins, (2**power for power in range(1, 64)))]


@dataclass(frozen=True, slots=True)
class EntropyHistogram:
    """A histogram with `every` adjacent bins merged, and entropies computed from its noisy counts.

    `at_least` is a public lower bound on the number of rows, which makes the entropy more accurate. `orders` lists the
    Rényi orders written to the files; 1 is Shannon entropy. If `first` names some of the columns, the files also hold
    the mutual information between these and the others.

    >>> release = curator.release(EntropyHistogram.under(contract, ("age",), every=2), Laplace(1.0))
    >>> release.counts.axes[0].labels[0], release.entropy().low < release.entropy().high
    ('[0, 20)', True)
    """

    columns: tuple[str, ...]
    every: int = 1
    at_least: int | None = None
    orders: tuple[float, ...] = field(default=(1.0,), metadata={"since": "0.2"})
    first: tuple[str, ...] = field(default=(), metadata={"since": "0.2"})
    answers: ClassVar[Shape] = "vector"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", named(self.columns, "A histogram"))
        object.__setattr__(self, "orders", Entropy(self.columns, self.orders).orders)
        if self.first:
            object.__setattr__(self, "first", named(self.first, "Mutual information"))
            if not set(self.first) < set(self.columns):
                raise DeclarationError(
                    sentence("first must be some of the columns, and leave others", given=self.first)
                )
        whole_number("every", self.every)

    @classmethod
    def under(
        cls,
        contract: Contract,
        columns: tuple[str, ...],
        every: int = 1,
        orders: tuple[float, ...] = (1.0,),
        first: tuple[str, ...] = (),
    ) -> "EntropyHistogram":
        """The same statistic with the contract's lower bound on rows, unless the contract drops rows."""
        dropping = any(column.drops for column in contract.select(columns))
        return cls(columns, every, None if dropping else public_rows(contract.unit), orders, first)

    @property
    def title(self) -> str:
        """What is released, in words."""
        merged = "" if self.every == 1 else f", {self.every} bins in one,"
        entropies = "its entropy" if self.orders == (1.0,) else Entropy(self.columns, self.orders).title
        if self.first:
            others = tuple(name for name in self.columns if name not in self.first)
            return f"{Marginal(*self.columns).title}{merged} and {MutualInformation(self.first, others).title}"
        return f"{Marginal(*self.columns).title}{merged} and {entropies}"

    def axes(self, contract: Contract) -> tuple[Column, ...]:
        """The columns with their bins merged."""
        return tuple(coarser(column, self.every) for column in contract.select(self.columns))

    def check(self, contract: Contract) -> None:
        """Refuse what a histogram of the same columns would refuse, and more rows than the contract promises."""
        Marginal(*self.columns).check(contract)
        promised = contract.unit.at_least or 0
        if self.at_least is not None and self.at_least > promised:
            rule = f"at_least must not exceed the {promised:,} rows that the contract promises"
            raise DeclarationError(sentence(rule, given=self.at_least))

    def check_noise(self, noise: Calibrated) -> None:
        """Refuse noise from which no entropy follows."""
        check_correctable(noise)

    def cells(self, contract: Contract) -> int:
        """Number of coarse cells."""
        return domain_size(self.axes(contract))

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """The length of a step of the lattice: one row."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one unit moves the counts."""
        return Marginal(*self.columns).sensitivity(contract)

    def answer(self, records: Cells) -> Integers:
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
        """The columns of a histogram, and the entropies of all cells beside each of them."""
        bits: dict[str, float] = {}
        for order in self.orders:
            found = entropy_from_counts(value, noise, at_least=self.at_least, order=order)
            prefix = "entropy" if order == 1 else f"renyi_{shown_order(order)}"
            bits |= {f"{prefix}_bits": found.value, f"{prefix}_low_95": found.low, f"{prefix}_high_95": found.high}
        if self.first:
            told = information_from_counts(value, noise, self.first, at_least=self.at_least)
            names = ("information_bits", "information_low_95", "information_high_95")
            bits |= dict(zip(names, (told.value, told.low, told.high), strict=True))
        counts = Marginal(*self.columns).frame(value, noise)
        return counts | {name: np.full(value.values.size, number) for name, number in bits.items()}


def _starts(column: Column, every: int) -> list[int]:
    """Where each coarse cell begins: regular bins in groups, the cells of troubles one by one."""
    step, bins = every if _COARSER.of(column) else 1, len(column.labels)
    return [*range(0, bins, step), *range(bins, column.size)]
