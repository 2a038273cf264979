"""A synthetic release made again and again from other records, for attacks that practise on shadows of it."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reaedp.attacks.pair import Codes
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.synthesis.synthetic import RecordsToAsk
from reaedp.table import KeyCounts, Table

#: Larger tables are counted by sorting.
MOST_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class CodedRecords:
    """Records that are cell numbers already: an experiment's own, not a release's."""

    contract: Contract
    names: tuple[str, ...]
    codes: Codes
    _known: dict[tuple[str, ...], KeyCounts] = field(default_factory=dict, init=False, repr=False)

    @property
    def progress(self) -> Callable[[str], None]:
        """Nobody watches a shadow."""
        return lambda _: None

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        keys, counts = np.unique(self.codes[:, self._places(names)], axis=0, return_counts=True)
        return KeyCounts(self.contract.select(names), keys.astype(np.int32), counts.astype(np.int64))

    def key_parts(self, names: tuple[str, ...]) -> Iterator[KeyCounts]:
        """The counts of all keys, in one part."""
        yield self.key_counts(names)

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell."""
        axes = self.contract.select(names)
        shape = tuple(axis.size for axis in axes)
        cells = np.ravel_multi_index(tuple(self.codes[:, place] for place in self._places(names)), shape)
        return Table(axes, np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape))

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        """The counts of several groupings, each counted once."""
        for group in groups:
            if group not in self._known:
                small = math.prod(axis.size for axis in self.contract.select(group)) <= MOST_CELLS
                self._known[group] = self.counts(group).present() if small else self.key_counts(group)
            yield group, self._known[group]

    def half(self, side: int) -> "CodedRecords":
        """Every second row: shadows have no names to split by."""
        return CodedRecords(self.contract, self.names, self.codes[side::2])

    def _places(self, names: tuple[str, ...]) -> list[int]:
        return [self.names.index(name) for name in names]


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """Makes synthetic rows by the very mechanism of a release, from any records, with repeatable noise.

    What was counted of records that cannot change is remembered: shadows ask the same two data sets again and again.
    """

    contract: Contract
    columns: tuple[str, ...]
    noise: Calibrated
    rows: int
    _remembered: list[CodedRecords] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.noise.mechanism.hides != "records":
            raise DeclarationError(
                f"Only synthetic records can be made again for a shadow-model attack;"
                f" given {self.noise.mechanism.name}."
            )

    def __call__(self, codes: Codes, rng: np.random.Generator) -> Codes:
        """Make as many synthetic rows as the release has."""
        records: Any = self._records(codes)
        made: Codes = self.noise.apply(RecordsToAsk(records, self.columns, self.rows), SeededNoise(rng)).codes
        return made

    def _records(self, codes: Codes) -> CodedRecords:
        for known in self._remembered:
            if known.codes is codes:
                return known
        records = CodedRecords(self.contract, self.columns, codes)
        if not codes.flags.writeable:
            self._remembered[:] = [records, *self._remembered[:1]]
        return records
