"""An item of the paper: its claim in our words, how it is checked, and what came of it."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np

from reaedp.errors import DeclarationError, sentence

Verdict = Literal["holds", "holds with correction", "does not hold", "cannot be checked here"]
#: A Vega-Lite specification whose data is the item's table.
Specification = Mapping[str, Any]
#: What stands for the names in braces of a setting.
Values = Mapping[str, object]
_NOTHING: Values = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """How an item is run: repeatable, on public data only, and at two lengths."""

    rng: np.random.Generator
    quick: bool
    data: Path | None
    progress: Callable[[str], None] = lambda _: None

    def runs(self, quick: int, full: int) -> int:
        """The number of runs at this length."""
        return quick if self.quick else full

    def file(self, name: str) -> Path | None:
        """An optional file of public data; nothing if it is not there."""
        path = None if self.data is None else self.data / name
        return path if path is not None and path.is_file() else None


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A table of equally long columns, its chart, and what it says about the claim."""

    table: Mapping[str, Sequence[Any]]
    chart: Specification
    verdict: Verdict
    because: str

    def __post_init__(self) -> None:
        lengths = {name: len(values) for name, values in self.table.items()}
        if len(set(lengths.values())) != 1 or self.verdict not in get_args(Verdict):
            rule = "A result needs columns of one length and a verdict"
            raise DeclarationError(sentence(rule, given=(lengths, self.verdict)))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table row by row, in plain numbers and texts."""
        return [
            {name: _plain(value) for name, value in zip(self.table, row, strict=True)}
            for row in zip(*self.table.values(), strict=True)
        ]


Run = Callable[[Experiment], Result]


@dataclass(frozen=True, slots=True)
class Item:
    """One figure or table; `errata` are the numbers under which docs/errata.md says what is wrong with it.

    `quick_setting` says what a quick run does.
    """

    number: int
    name: str
    title: str
    claim: str
    setting: str
    quick_setting: str
    errata: tuple[int, ...]
    run: Run

    @classmethod
    def declared(cls, name: str, run: Run, *, full: Values = _NOTHING, quick: Values = _NOTHING, **both: Any) -> "Item":
        """The item of this name in items.toml, whose setting is told with the values of `full` and `quick` runs."""
        facts = _declarations()[name]
        fully, quickly = (facts["setting"].format(**values, **both) for values in (full, quick))
        return cls(facts["number"], name, facts["title"], facts["claim"], fully, quickly, tuple(facts["errata"]), run)

    def what_was_run(self, quick: bool) -> str:
        """The setting of this length."""
        return self.quick_setting if quick else self.setting


@cache
def _declarations() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("items.toml").read_text(encoding="utf-8"))


def _plain(value: Any) -> Any:
    """What JSON and CSV know."""
    return value.item() if isinstance(value, np.generic) else value
