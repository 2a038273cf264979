"""What every statistic can say: how far one unit moves it, and how to count it."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import GroupedParts, Integers, Shape
from reaedp.contract import Contract
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.table import KeyCounts, Table

if TYPE_CHECKING:
    from reaedp.statistics.rates.flag import Flag
    from reaedp.statistics.rates.paired import Paired
    from reaedp.statistics.summary.parts import Parts

#: How a row is shared out among parts that add up to it.
SharedOut: TypeAlias = "Parts | Flag | Paired"


class Declared(Protocol):
    """Records of which public facts are known."""

    @property
    def contract(self) -> Contract:
        """What is public about them."""


class Cells(Declared, Protocol):
    """Records that can be counted by cells of their columns."""

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell."""

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""

    def key_parts(self, names: tuple[str, ...]) -> Iterator[KeyCounts]:
        """How many rows fall into some cells, then into others: one or more parts that have no cell in common."""

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        """How many rows fall into each cell that has any, for several groupings of the same rows, in any order."""


class Sums(Declared, Protocol):
    """Records whose columns can be added up, group by group."""

    def part_sums(self, parts: "Sequence[SharedOut]", by: tuple[str, ...]) -> Integers:
        """The parts of some columns, a row for each group."""

    def group_parts(self, parts: "Sequence[SharedOut]", by: tuple[str, ...]) -> GroupedParts:
        """The parts of some columns, of the groups that have rows."""


class RankedCells(Cells, Protocol):
    """Records whose rows, and people, can be put in order by a column."""

    def middle_counts(self, names: tuple[str, ...]) -> Table:
        """How many people's middle rows, in the order of the last column, fall into each cell."""


class Texts(Protocol):
    """Records that can be counted by the texts of a column without declared levels."""

    def level_counts(self, name: str, longest: int) -> dict[str, int]:
        """How many rows hold each text."""


class Pixelled(Declared, Protocol):
    """A record that is one picture."""

    def pixels(self) -> Integers:
        """The values of the declared picture in reading order."""


class Summable(Declared, Protocol):
    """Records with curves that can be added up."""

    def curve_sums(self, name: str) -> tuple[Integers, int]:
        """Sums of the lattice points of the curves of one declaration, and how many curves there are.

        Where bounds on the values are declared, a sum of what clipping cut off follows those of the coefficients.
        """


class Multipliable(Declared, Protocol):
    """Records whose values and products can be added up."""

    def moment_sums(self, names: tuple[str, ...]) -> Integers:
        """Sums of the coordinates of all rows, as `MomentSpace` has them."""


class Askable(Declared, Protocol):
    """Records that a mechanism asks several questions, which takes a while."""

    @property
    def progress(self) -> Callable[[str], None]:
        """Where to say, in public words, what is being done."""


class AskableCells(Askable, Cells, Protocol):
    """Records that a mechanism learns a model from."""

    def half(self, side: int) -> "AskableCells":
        """The rows of about half of the people; nobody is in both halves."""


class AskableCurves(Askable, Protocol):
    """Records whose curves a mechanism takes for seeds."""

    def curve_points(self, name: str) -> NDArray[np.int32]:
        """Lattice points of the curves of one declaration, a row each."""


class Countable(AskableCells, RankedCells, AskableCurves, Summable, Multipliable, Sums, Pixelled, Texts, Protocol):
    """Everything that statistics may ask of records."""


Records_contra = TypeVar("Records_contra", contravariant=True)


class Answers(Protocol[Records_contra]):
    """A question that needs to know so much of records and no more."""

    def answer(self, records: Records_contra) -> Any:
        """The exact answer; private."""


class Statistic(Protocol):
    """A query on the records whose answer is a vector of integers.

    >>> def numbers(statistic: Statistic) -> int:
    ...     return statistic.cells(contract)
    >>> numbers(Marginal("age")), numbers(Entropy(("age",)))
    (13, 1)
    """

    answers: ClassVar[Shape]

    @property
    def title(self) -> str:
        """What is released, in words."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns that are read."""

    def check(self, contract: Contract) -> None:
        """Refuse what cannot be answered under this contract."""

    def cells(self, contract: Contract) -> int:
        """The number of released values or, for keys, the number of possible keys."""

    def step(self, contract: Contract) -> float:
        """The length of the lattice's (longest) step: 1 for counts, a fraction of a bit for entropies."""

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one change of the contract's unit can move the answer, in steps of its lattice."""

    def answer(self, records: Countable) -> Any:
        """The exact answer; private."""

    def value(self, contract: Contract, noisy: Any) -> Any:
        """The noisy answer in the form in which it is released."""

    def frame(self, value: Any, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """The released numbers and what follows from them, as columns."""
