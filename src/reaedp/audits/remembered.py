"""Made-up records that are counted once: what is asked of them again, as every audit does, is known by then."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

from reaedp.curator.records import Records
from reaedp.table import KeyCounts, Table

Answer = TypeVar("Answer")
Grouped = tuple[tuple[str, ...], KeyCounts]


class Remembered:
    """Records of a real curator with a memory; for made-up data alone, as what it holds are exact numbers.

    Counts are handed out so that nobody can change them: a mechanism that tried would fail, and the audit would say so.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._known: dict[tuple[str, Hashable], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell of these columns, zeros included."""
        return self._once("counts", names, lambda: self._records.counts(names))

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        return self._once("key_counts", names, lambda: _fixed(self._records.key_counts(names)))

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[Grouped]:
        """The same for several groupings of the same rows."""
        asked = tuple(groups)
        count = self._records.group_counts
        return iter(
            self._once("group_counts", asked, lambda: [(group, _fixed(found)) for group, found in count(asked)])
        )

    def _once(self, question: str, asked: Hashable, answer: Callable[[], Answer]) -> Answer:
        if (question, asked) not in self._known:
            self._known[question, asked] = answer()
        found: Answer = self._known[question, asked]
        return found


def _fixed(found: KeyCounts) -> KeyCounts:
    for numbers in (found.keys, found.counts):
        numbers.setflags(write=False)
    return found
