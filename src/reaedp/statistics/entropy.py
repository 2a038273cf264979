"""Entropies, conditional entropies and mutual information of columns, released directly."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.entropies import renyi_entropy
from reaedp.statistics.estimates import Estimates
from reaedp.statistics.lattice import Lattice
from reaedp.statistics.sensitivities import (
    conditional_entropy_sensitivity,
    mutual_information_sensitivity,
    renyi_sensitivity,
)
from reaedp.statistics.statistic import Countable
from reaedp.table import KeyCounts, domain_size


def public_rows(unit: Unit) -> int | None:
    """The number of rows that every possible data set has at least: each person brings one or more."""
    return unit.at_least


def refuse_dropped_rows(contract: Contract, columns: tuple[str, ...]) -> None:
    """A public lower bound on rows says nothing about how many are left after some were dropped."""
    dropping = [column.name for column in contract.select(columns) if column.drops]
    if dropping:
        raise DeclarationError(
            f"Entropies need every row in some cell; the contract drops rows of {', '.join(dropping)}."
            " Give null, nan, unparsable, unseen and outside values a cell of their own."
        )


class Measured(ABC):
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
    def measure(self, records: Countable) -> NDArray[np.float64]:
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
        """In steps of the lattice, rounding included."""
        return self.lattice(contract).sensitivity

    def answer(self, records: Countable) -> Integers:
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
class Entropy(Measured):
    """Rényi entropies of the joint distribution of some columns, one for each order; order 1 is Shannon's."""

    columns: tuple[str, ...]
    orders: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        if not self.columns or not self.orders or len(set(self.orders)) < len(self.orders):
            raise DeclarationError("An entropy needs one or more columns, and one or more different orders.")

    @property
    def names(self) -> tuple[str, ...]:
        """The order and the columns."""
        joint = ", ".join(self.columns)
        return tuple(f"H({joint})" if order == 1 else f"H_{_shown(order)}({joint})" for order in self.orders)

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The exact sensitivity of each order."""
        unit, cells = contract.unit, domain_size(contract.select(self.columns))
        return tuple(
            renyi_sensitivity(public_rows(unit), cells, order, change=unit.change, max_rows=unit.rows)
            for order in self.orders
        )

    def measure(self, records: Countable) -> NDArray[np.float64]:
        """From the counts of the cells that occur; empty cells contribute nothing to any order."""
        counts = records.key_counts(self.columns).counts
        return np.array([renyi_entropy(counts, order) for order in self.orders])


def _shown(order: float) -> str:
    return "∞" if order == math.inf else f"{order:g}"


@dataclass(frozen=True, slots=True)
class ConditionalEntropy(Measured):
    """What is left to know about some columns when others are known: H(target | given)."""

    target: tuple[str, ...]
    given: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """All columns."""
        return self.target + self.given

    @property
    def names(self) -> tuple[str, ...]:
        """In the usual notation."""
        return (f"H({', '.join(self.target)} | {', '.join(self.given)})",)

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The same as for an entropy."""
        unit = contract.unit
        return (conditional_entropy_sensitivity(public_rows(unit), change=unit.change, max_rows=unit.rows),)

    def measure(self, records: Countable) -> NDArray[np.float64]:
        """H(target, given) - H(given)."""
        joint = records.key_counts(self.columns)
        return np.array([_entropy_of(joint, self.columns) - _entropy_of(joint, self.given)])


@dataclass(frozen=True, slots=True)
class MutualInformation(Measured):
    """How much some columns tell about others: I(first; second)."""

    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """All columns."""
        return self.first + self.second

    @property
    def names(self) -> tuple[str, ...]:
        """In the usual notation."""
        return (f"I({', '.join(self.first)}; {', '.join(self.second)})",)

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The exact sensitivity for the sizes of the two sides."""
        unit = contract.unit
        sizes = [domain_size(contract.select(side)) for side in (self.first, self.second)]
        return (mutual_information_sensitivity(public_rows(unit), *sizes, change=unit.change, max_rows=unit.rows),)

    def measure(self, records: Countable) -> NDArray[np.float64]:
        """H(first) + H(second) - H(first, second)."""
        joint = records.key_counts(self.columns)
        parts = [_entropy_of(joint, side) for side in (self.first, self.second, self.columns)]
        return np.array([parts[0] + parts[1] - parts[2]])


def _entropy_of(joint: KeyCounts, names: tuple[str, ...]) -> float:
    return renyi_entropy(joint.project(*names).counts, 1)
