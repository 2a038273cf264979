"""Made-up records that are counted once: what is asked of them again, as every audit does, is known by then."""

from collections.abc import Iterator, Sequence
from typing import Any

from reaedp.curator.records import Records
from reaedp.table import KeyCounts, Table

Grouped = tuple[tuple[str, ...], KeyCounts]


class Remembered:
    """Records of a real curator with a memory; for made-up data alone, as what it holds are exact numbers.

    Counts are handed out so that nobody can change them: a mechanism that tried would fail, and the audit would say so.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._keys: dict[tuple[str, ...], KeyCounts] = {}
        self._groups: dict[tuple[tuple[str, ...], ...], list[Grouped]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell of these columns, zeros included."""
        return self.key_counts(names).dense()

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        if names not in self._keys:
            self._keys[names] = _fixed(self._records.key_counts(names))
        return self._keys[names]

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[Grouped]:
        """The same for several groupings of the same rows."""
        asked = tuple(groups)
        if asked not in self._groups:
            self._groups[asked] = [(group, _fixed(found)) for group, found in self._records.group_counts(asked)]
        return iter(self._groups[asked])


def _fixed(found: KeyCounts) -> KeyCounts:
    for numbers in (found.keys, found.counts):
        numbers.setflags(write=False)
    return found
