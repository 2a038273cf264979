"""Made-up records that are counted once: what is asked of them again, as every audit does, is known by then."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reaedp.curator.records import Records
from reaedp.table import KeyCounts

#: What records are asked for; whether their header has some columns is asked before every charge.
_COUNTING = frozenset(
    {"counts", "key_counts", "key_parts", "group_counts", "level_counts", "curve_sums", "curve_points", "pixels"}
    | {"part_sums", "group_parts", "middle_counts", "moment_sums", "check", "check_curve"}
)


class Remembered:
    """Records of a real curator with a memory; for made-up data alone, as what it holds are exact numbers.

    Counts are handed out so that nobody can change them: a mechanism that tried would fail, and the audit would say so.
    """

    def __init__(self, records: Records, memory: dict[str, Any] | None = None, prefix: str = "") -> None:
        self._records, self._prefix = records, prefix
        self._memory = {} if memory is None else memory
        self.progress: Callable[[str], None] = lambda _: None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._records, name)
        if name not in _COUNTING:
            return found

        def counted(*arguments: Any) -> Any:
            key = f"{self._prefix}{name}{arguments!r}"
            if key not in self._memory:
                answer = found(*arguments)
                self._memory[key] = _fixed(list(answer) if isinstance(answer, Iterator) else answer)
            kept = self._memory[key]
            return iter(kept) if isinstance(kept, list) else kept

        return counted

    def half(self, side: int) -> "Remembered":
        """The rows of half of the people."""
        return Remembered(self._records.half(side), self._memory, f"{self._prefix}half {side}: ")


def _fixed(found: Any) -> Any:
    if isinstance(found, list | tuple):
        for part in found:
            _fixed(part)
    for numbers in (found, *((found.keys, found.counts) if isinstance(found, KeyCounts) else ())):
        if isinstance(numbers, np.ndarray):
            numbers.setflags(write=False)
    return found
