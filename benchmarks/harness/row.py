"""A row of the results: ours beside one other, in the same unit, measured in the same run."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.table import figure

HEADS = ("what", "against", "ours", "theirs", "ours ÷ theirs", "goal", "verdict", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A comparison.

    `theirs` is missing where a peer could not be run; `note` then says why. A `limit` does less than a release (no
    noise, no ledger, no files), so that nobody can be ahead of it by much; `goal` is the largest ratio that we want.
    Where `more` is better, the ratio is turned round, so that less than 1 always means that we are ahead.
    """

    section: str
    what: str
    against: str
    ours: float | None
    theirs: float | None
    unit: str = "s"
    limit: bool = False
    goal: float | None = None
    more: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours over theirs; below 1 we are ahead."""
        if self.ours is None or self.theirs is None or not (self.theirs if not self.more else self.ours):
            return None
        return self.theirs / self.ours if self.more else self.ours / self.theirs

    @property
    def verdict(self) -> str:
        """In one or two words; empty where nothing was compared."""
        if self.ratio is None:
            return "not run" if self.against and self.theirs is None else ""
        if self.goal is not None:
            return "goal met" if self.ratio <= self.goal else "GOAL MISSED"
        if self.limit:
            return "limit"
        return "ahead" if self.ratio < 0.995 else "even" if self.ratio <= 1.005 else "BEHIND"

    @property
    def behind(self) -> bool:
        """Whether the row needs an explanation."""
        return self.verdict in ("BEHIND", "GOAL MISSED")

    def cells(self) -> tuple[str, ...]:
        """What a table shows, in the order of `HEADS`."""
        units = [f"{figure(value)} {self.unit}" if value is not None else "–" for value in (self.ours, self.theirs)]
        goal = f"≤ {self.goal:g}" if self.goal is not None else ""
        return (self.what, self.against, *units, figure(self.ratio), goal, self.verdict, self.note)


def write_rows(path: Path, rows: Iterable[Row]) -> Iterator[Row]:
    """Pass rows on and write each of them down as it comes, one line of JSON each."""
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            file.flush()
            yield row


def read_rows(path: Path) -> list[Row]:
    """What `write_rows` wrote."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
