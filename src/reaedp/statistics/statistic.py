"""What every statistic can say: how far one unit moves it, and how to count it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.table import KeyCounts, Table


class Countable(Protocol):
    """Records, as far as statistics may know them."""

    @property
    def contract(self) -> Contract:
        """What is public about them."""

    @property
    def progress(self) -> Callable[[str], None]:
        """Where to say, in public words, what is being done."""

    def half(self, side: int) -> "Countable":
        """The rows of about half of the people; nobody is in both halves."""

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell."""

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""

    def key_parts(self, names: tuple[str, ...]) -> Iterator[KeyCounts]:
        """The same for some cells, then for others: one or more parts that have no cell in common."""

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        """The same for several groupings of the same rows, in any order."""

    def level_counts(self, name: str, longest: int) -> dict[str, int]:
        """How many rows hold each text of a column without declared levels."""

    def pixels(self) -> Integers:
        """The values of the declared picture in reading order."""

    def curve_sums(self, name: str) -> tuple[Integers, int]:
        """Sums of the lattice points of the curves of one declaration, and how many curves there are."""

    def curve_points(self, name: str) -> NDArray[np.int32]:
        """Lattice points of the curves of one declaration, a row each."""


class Statistic(Protocol):
    """A question to the records whose answer is integers."""

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
        """How many numbers are released, or, for keys, how many there could be."""

    def step(self, contract: Contract) -> float:
        """The length of the lattice's (longest) step: 1 for counts, a fraction of a bit for entropies."""

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one change of the contract's unit can move the answer, in steps of its lattice."""

    def answer(self, records: Countable) -> Any:
        """The exact answer; private."""

    def value(self, contract: Contract, noisy: Any) -> Any:
        """The noisy answer in the form in which it is released."""

    def frame(self, value: Any, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """The released numbers and what follows from them, a column each."""
