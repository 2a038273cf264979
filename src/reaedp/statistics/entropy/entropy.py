"""Entropies, conditional entropies and mutual information of columns, released directly."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.contract.column import finite
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.entropy.entropies import renyi_entropy
from reaedp.statistics.entropy.estimates import Estimates
from reaedp.statistics.entropy.lattice import Lattice
from reaedp.statistics.entropy.sensitivities import (
    conditional_entropy_sensitivity,
    mutual_information_sensitivity,
    renyi_sensitivity,
)
from reaedp.statistics.names import column_names
from reaedp.statistics.resolution import CONFIDENCE, Resolution
from reaedp.statistics.statistic import Cells
from reaedp.table import KeyCounts, domain_size


def public_rows(unit: Unit) -> int | None:
    """The number of rows that every possible data set has at least: each person brings one or more."""
    return unit.at_least


def refuse_dropped_rows(contract: Contract, columns: tuple[str, ...]) -> None:
    """A public lower bound on rows says nothing about how many are left after some were dropped."""
    dropping = [column.name for column in contract.select(columns) if column.drops]
    if dropping:
        raise DeclarationError(
            f"Entropies need every row to fall in a cell, but the contract drops rows for {', '.join(dropping)}."
            " Give null, nan, unparsable, unseen and outside values a cell of their own."
        )


class EntropyStatistic(ABC):
    """A few real numbers computed from counts; how far one unit moves each of them decides its lattice."""

    __slots__ = ()
    answers: ClassVar[Shape] = "vector"
    columns: tuple[str, ...]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What each number is."""

    @abstractmethod
    def reach(self, contract: Contract) -> tuple[float, ...]:
        """How far one unit moves each number, in bits."""

    @abstractmethod
    def measure(self, records: Cells) -> NDArray[np.float64]:
        """The exact numbers, in bits; private."""

    @property
    def title(self) -> str:
        """What is released, in words."""
        return ", ".join(self.names)

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns, dropped rows and an unknown number of rows."""
        refuse_dropped_rows(contract, self.columns)
        self.reach(contract)

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        """Number of released numbers."""
        return len(self.names)

    def lattice(self, contract: Contract) -> Lattice:
        """The points on which the numbers are released."""
        return Lattice(self.reach(contract))

    def step(self, contract: Contract) -> float:
        """The longest step, in bits."""
        return float(self.lattice(contract).steps.max())

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """The sensitivity in steps of the lattice, rounding included."""
        return self.lattice(contract).sensitivity

    @abstractmethod
    def largest(self, contract: Contract) -> float:
        """The most bits that one of the numbers can have."""

    def resolution(self, contract: Contract, noise: Calibrated) -> Resolution:
        """The error of a number, rounding included, beside its largest value."""
        error = (noise.error_quantile(CONFIDENCE) + 0.5) * self.step(contract)
        return Resolution(error, self.largest(contract), "bits")

    def answer(self, records: Cells) -> Integers:
        """The numbers rounded to the lattice."""
        return self.lattice(records.contract).rounded(self.measure(records))

    def value(self, contract: Contract, noisy: Integers) -> Estimates:
        """Noisy points of the lattice as bits."""
        lattice = self.lattice(contract)
        return Estimates(self.names, lattice.values(noisy), lattice.steps)

    def frame(self, value: Estimates, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """What is written to files."""
        return value.columns(noise)


@dataclass(frozen=True, slots=True)
class Entropy(EntropyStatistic):
    """Rényi entropies of the joint distribution of some columns, one for each of `orders`; order 1 is Shannon entropy.

    `Entropy("race")` is the entropy of one column, `Entropy(["age", "race"])` the joint entropy of two.

    >>> curator.release(Entropy(("age",), orders=(1.0, 2.0)), Laplace(1.0)).value.names
    ('H(age)', 'H_2(age)')
    """

    columns: tuple[str, ...]
    orders: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", named(self.columns, "An entropy"))
        orders = tuple(self.orders) if isinstance(self.orders, list | tuple) else (self.orders,)
        numbers = all(finite(order) or order == math.inf for order in orders)
        if not orders or not numbers or len(set(orders)) < len(orders):
            raise DeclarationError(
                sentence(
                    "An entropy needs one or more different orders, which are numbers",
                    given=self.orders,
                    remedy='Write Entropy(["age", "sex"]) for two columns, Entropy("age", (1, 2)) for two orders.',
                )
            )
        object.__setattr__(self, "orders", orders)

    @property
    def names(self) -> tuple[str, ...]:
        """The order and the columns."""
        joint = ", ".join(self.columns)
        return tuple(f"H({joint})" if order == 1 else f"H_{shown_order(order)}({joint})" for order in self.orders)

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The exact sensitivity of each order."""
        unit, cells = contract.unit, domain_size(contract.select(self.columns))
        return tuple(
            renyi_sensitivity(public_rows(unit), cells, order, change=unit.change, max_rows=unit.rows)
            for order in self.orders
        )

    def largest(self, contract: Contract) -> float:
        """The entropy of equally full cells, which is the largest of every order."""
        return most_bits(contract, self.columns)

    def measure(self, records: Cells) -> NDArray[np.float64]:
        """The entropies of the counts of cells that occur; empty cells contribute nothing to any order."""
        counts = records.key_counts(self.columns).counts
        return np.array([renyi_entropy(counts, order) for order in self.orders])


def most_bits(contract: Contract, columns: tuple[str, ...]) -> float:
    """The entropy of these columns if all their cells were equally full."""
    return math.log2(domain_size(contract.select(columns)))


def named(columns: object, what: str) -> tuple[str, ...]:
    """The names of columns, or what to write."""
    names = column_names(columns)
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise DeclarationError(
            sentence(
                f"{what} must have one or more columns, each named once",
                given=columns,
                remedy='Write "age" for one column, ["age", "sex"] for two.',
            )
        )
    return names


def shown_order(order: float) -> str:
    """An order as names have it."""
    return "∞" if order == math.inf else f"{order:g}"


class _OfTwoSides(EntropyStatistic):
    """One number about two lists of columns, which are the fields of the statistic."""

    __slots__ = ()
    #: The usual notation.
    notation: ClassVar[str]

    @property
    def sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both lists, in the order of the notation."""
        first, second = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return first, second

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            names = named(getattr(self, field.name), f"Each side of {type(self).__name__}")
            object.__setattr__(self, field.name, names)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """All columns, of both sides."""
        return self.sides[0] + self.sides[1]

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the number in the usual notation."""
        return (self.notation.format(*map(", ".join, self.sides)),)


@dataclass(frozen=True, slots=True)
class ConditionalEntropy(_OfTwoSides):
    """How uncertain the columns `target` still are when the columns `given` are known: H(target | given).

    >>> curator.release(ConditionalEntropy(target=("age",), given=("sex",)), Laplace(1.0)).value.names
    ('H(age | sex)',)
    """

    notation: ClassVar[str] = "H({} | {})"

    target: tuple[str, ...]
    given: tuple[str, ...]

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The farthest that one unit moves the number, which is that of an entropy."""
        unit = contract.unit
        return (conditional_entropy_sensitivity(public_rows(unit), change=unit.change, max_rows=unit.rows),)

    def largest(self, contract: Contract) -> float:
        """The largest entropy of the target, reached if it does not depend on the other columns."""
        return most_bits(contract, self.target)

    def measure(self, records: Cells) -> NDArray[np.float64]:
        """H(target, given) - H(given)."""
        joint = records.key_counts(self.columns)
        return np.array([_entropy_of(joint, self.columns) - _entropy_of(joint, self.given)])


@dataclass(frozen=True, slots=True)
class MutualInformation(_OfTwoSides):
    """How much the columns `first` and `second` tell about each other, in bits: I(first; second).

    >>> curator.release(MutualInformation(first=("age",), second=("sex",)), Laplace(1.0)).value.names
    ('I(age; sex)',)
    """

    notation: ClassVar[str] = "I({}; {})"

    first: tuple[str, ...]
    second: tuple[str, ...]

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The exact sensitivity for the sizes of the two sides."""
        unit = contract.unit
        sizes = [domain_size(contract.select(side)) for side in self.sides]
        return (mutual_information_sensitivity(public_rows(unit), *sizes, change=unit.change, max_rows=unit.rows),)

    def largest(self, contract: Contract) -> float:
        """The smaller of the two sides' largest entropies."""
        return min(most_bits(contract, side) for side in self.sides)

    def measure(self, records: Cells) -> NDArray[np.float64]:
        """H(first) + H(second) - H(first, second)."""
        joint = records.key_counts(self.columns)
        parts = [_entropy_of(joint, side) for side in (self.first, self.second, self.columns)]
        return np.array([parts[0] + parts[1] - parts[2]])


def _entropy_of(joint: KeyCounts, names: tuple[str, ...]) -> float:
    return renyi_entropy(joint.project(*names).counts, 1)
