"""A synthetic release made again and again from other records, for attacks that practise on shadows of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reaedp.attacks.pair import Codes
from reaedp.attacks.people import Synthesize
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.synthesis.synthetic import Question
from reaedp.table import KeyCounts, Table


@dataclass(frozen=True, slots=True, eq=False)
class CodedRecords:
    """Records that are cell numbers already: an experiment's own, not a release's."""

    contract: Contract
    names: tuple[str, ...]
    codes: Codes

    @property
    def progress(self) -> Callable[[str], None]:
        """Nobody watches a shadow."""
        return lambda _: None

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        keys, counts = np.unique(self.codes[:, self._places(names)], axis=0, return_counts=True)
        return KeyCounts(self.contract.select(names), keys.astype(np.int32), counts.astype(np.int64))

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell."""
        axes = self.contract.select(names)
        shape = tuple(axis.size for axis in axes)
        cells = np.ravel_multi_index(tuple(self.codes[:, place] for place in self._places(names)), shape)
        return Table(axes, np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape))

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        """The same for several groupings."""
        return ((group, self.counts(group).present()) for group in groups)

    def half(self, side: int) -> "CodedRecords":
        """Every second row: shadows have no names to split by."""
        return CodedRecords(self.contract, self.names, self.codes[side::2])

    def _places(self, names: tuple[str, ...]) -> list[int]:
        return [self.names.index(name) for name in names]


def refit(contract: Contract, columns: tuple[str, ...], noise: Calibrated, rows: int) -> Synthesize:
    """Make synthetic rows by the very mechanism of a release, from any records, with repeatable noise."""
    if noise.mechanism.hides != "records":
        raise DeclarationError(f"Only synthetic records are made again; given {noise.mechanism.name}.")

    def synthesize(codes: Codes, rng: np.random.Generator) -> Codes:
        records: Any = CodedRecords(contract, columns, codes)
        made: Codes = noise.apply(Question(records, columns, rows), SeededNoise(rng)).codes
        return made

    return synthesize
