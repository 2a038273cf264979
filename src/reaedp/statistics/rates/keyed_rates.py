"""Rates of those groups that have enough rows, for groups that nobody can list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from reaedp.answer import Shape
from reaedp.contract import Contract
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.statistic import SharedOut
from reaedp.statistics.summary.selected import Selected


@dataclass(frozen=True, slots=True, init=False)
class KeyedRates(Selected, Rates):
    """`Rates` of only those groups that have enough rows; which groups these are is part of the release.

    `of`, `by`, `levels`, `at_least`, `below` and `per` are as in `Rates`. `standard` and `weights` must be empty, since
    it is not known which cells a selected group has.

    >>> release = curator.release(KeyedRates("smokes", by="sex"), GroupThreshold(epsilon=1.0, delta=1e-7))
    >>> sorted(set(release.frame()["sex"]))
    ['f', 'm']
    """

    answers: ClassVar[Shape] = "grouped"

    def __init__(
        self,
        of: str,
        by: str | Sequence[str],
        *,
        levels: str | Sequence[str] = (),
        at_least: float | str | date | None = None,
        below: float | str | date | None = None,
        per: str | None = None,
        standard: None = None,
        weights: tuple[()] = (),
    ) -> None:
        Rates.__init__(
            self, of, by, levels=levels, at_least=at_least, below=below, per=per, standard=standard, weights=weights
        )
        self.note_groups()

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{Rates.title.fget(self)}, frequent groups"  # type: ignore[attr-defined]

    def blocks(self, contract: Contract) -> Sequence[SharedOut]:
        """The parts of the rate."""
        return (self.shared(contract),)
