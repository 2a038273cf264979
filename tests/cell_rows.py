"""Records as an array of cell numbers, and noise that remembers what it was asked: for tests of models."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from reaedp import Contract, Unit
from reaedp.answer import Integers
from reaedp.mechanisms.noise import SeededNoise
from reaedp.table import KeyCounts

UNITS = {
    "add-remove": Unit("add-remove"),
    "replace": Unit("replace", at_least=100),
    "three rows": Unit("add-remove", person="who", max_rows=3),
    "three rows replaced": Unit("replace", person="who", max_rows=3),
}
units = pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())


@dataclass
class Rows:
    """Records as an array of cell numbers, a column for each of the contract's."""

    contract: Contract
    codes: np.ndarray

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        names = [column.name for column in self.contract.columns]
        for group in groups:
            keys, counts = np.unique(self.codes[:, [names.index(name) for name in group]], axis=0, return_counts=True)
            yield group, KeyCounts(self.contract.select(group), keys.astype(np.int32), counts.astype(np.int64))

    @property
    def progress(self) -> Callable[[str], None]:
        return lambda _: None


class Asked(NamedTuple):
    """Exact numbers, and the scale of their noise in parts of one."""

    kind: str
    exact: Integers
    scale: float
    grain: int = 1


@dataclass
class Recorded:
    """What was asked of a noise, and what it answered; `script` makes it answer as another one did."""

    noise: SeededNoise
    script: list[object] | None = None
    asked: list[Asked] = field(default_factory=list)
    answers: list[object] = field(default_factory=list)

    def _answer(self, kind: str, exact: Integers, scale: float, *grain: int) -> object:
        self.asked.append(Asked(kind, exact.copy(), scale, *grain))
        answer = (
            getattr(self.noise, kind)(exact, scale, *grain) if self.script is None else self.script[len(self.answers)]
        )
        self.answers.append(answer)
        return answer

    def gaussian(self, exact: Integers, scale: float, grain: int) -> object:
        return self._answer("gaussian", exact, scale, grain)

    def choose(self, scores: Integers, scale: float) -> object:
        return self._answer("choose", scores, scale)

    def choose_each(self, scores: Integers, scale: float) -> object:
        return self._answer("choose_each", scores, scale)
