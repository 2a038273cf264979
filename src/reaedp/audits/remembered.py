"""Made-up records that are counted once: what is asked of them again, as every audit does, is known by then."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from reaedp.curator.records import Records
from reaedp.table import KeyCounts

#: What records are asked for; whether their header has some columns is asked before every charge.
_COUNTING = frozenset(
    {"counts", "key_counts", "key_parts", "group_counts", "level_counts", "curve_sums", "curve_points", "pixels"}
    | {"part_sums", "group_parts", "middle_counts", "moment_sums", "check", "check_curve"}
)
#: What is public about them, and what tells nothing of them.
_PUBLIC = frozenset({"contract", "at_once"})


class Question(NamedTuple):
    """Which halves of halves are asked, the method, and its arguments."""

    halves: tuple[int, ...]
    method: str
    arguments: tuple[Any, ...]


Answers = dict[str, tuple[Question, Any]]


class Remembered:
    """Records of a real curator with a memory; for made-up data alone, as what it holds are exact numbers.

    Counts are handed out so that nobody can change them: a mechanism that tried would fail, and the audit would say so.
    """

    def __init__(self, records: Records, memory: Answers | None = None, halves: tuple[int, ...] = ()) -> None:
        self._records, self._halves = records, halves
        self.memory: Answers = {} if memory is None else memory
        self.seen: set[str] = set()
        self.progress: Callable[[str], None] = lambda _: None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._records, name)
        if name not in _COUNTING:
            self.seen.add(name)
            return found

        def counted(*arguments: Any) -> Any:
            key = f"{self._halves}{name}{arguments!r}"
            if key not in self.memory:
                answer = found(*arguments)
                fixed = _fixed(list(answer) if isinstance(answer, Iterator) else answer)
                self.memory[key] = Question(self._halves, name, arguments), fixed
            _, kept = self.memory[key]
            return iter(kept) if isinstance(kept, list) else kept

        return counted

    def half(self, side: int) -> "Remembered":
        """The rows of half of the people."""
        part = Remembered(self._records.half(side), self.memory, (*self._halves, side))
        part.seen = self.seen
        return part

    def answers_like(self, others: "Remembered") -> bool:
        """Whether these records answer all that others were asked in the very same way, and no more was seen of those.

        Whoever asks records and nothing else then learns the same from both.
        """
        return others.seen <= _PUBLIC and all(
            pickle.dumps(self._asked(question)) == pickle.dumps(answer) for question, answer in others.memory.values()
        )

    def _asked(self, question: Question) -> Any:
        halves, name, arguments = question
        records = self
        for side in halves:
            records = records.half(side)
        answer = getattr(records, name)(*arguments)
        return list(answer) if isinstance(answer, Iterator) else answer


def _fixed(found: Any) -> Any:
    if isinstance(found, list | tuple):
        for part in found:
            _fixed(part)
    for numbers in (found, *((found.keys, found.counts) if isinstance(found, KeyCounts) else ())):
        if isinstance(numbers, np.ndarray):
            numbers.setflags(write=False)
    return found
