"""Counts, sums, means and variances of those groups that have enough rows, for groups that nobody can list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reaedp.answer import Shape
from reaedp.contract import Contract
from reaedp.statistics.statistic import SharedOut
from reaedp.statistics.summary.selected import Selected
from reaedp.statistics.summary.summary import Summary


@dataclass(frozen=True, slots=True, init=False)
class KeyedSummary(Selected, Summary):
    """A `Summary` of only those groups that have enough rows; which groups these are is part of the release.

    `of`, `by`, `statistics` and `clipped` are as in `Summary`.

    >>> release = curator.release(KeyedSummary("age", by="sex"), GroupThreshold(epsilon=1.0, delta=1e-7))
    >>> len(release.top(1, "mean")["sex"])
    1
    """

    answers: ClassVar[Shape] = "grouped"

    def __init__(
        self,
        of: str | Sequence[str],
        by: str | Sequence[str],
        statistics: str | Sequence[str] = ("count", "sum", "mean"),
        *,
        clipped: bool = False,
    ) -> None:
        Summary.__init__(self, of, by, statistics, clipped=clipped)
        self.note_groups()

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{Summary.title.fget(self)}, frequent groups"  # type: ignore[attr-defined]

    def blocks(self, contract: Contract) -> Sequence[SharedOut]:
        """The parts of each column."""
        return self.parts(contract)
