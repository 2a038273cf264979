"""Columns of names: categories with a closed list of levels, truth values, and texts still to be learned about."""

from dataclasses import dataclass
from typing import ClassVar

from reaedp.contract.column import MOST_CELLS, Column, Rule, Trouble, repetitions
from reaedp.errors import Mistakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Category(Column):
    """One of the declared `levels`, compared as text."""

    kind: ClassVar[str] = "category"
    troubles: ClassVar[tuple[Trouble, ...]] = ("null", "unseen")

    levels: tuple[str, ...]
    null: Rule = "cell"
    unseen: Rule = "cell"

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels."""
        return self.levels

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Column.note_mistakes(self, mistakes)
        texts = isinstance(self.levels, tuple) and all(isinstance(level, str) for level in self.levels)
        mistakes.unless(
            texts and 1 <= len(self.levels) <= MOST_CELLS,
            f"{self.where('levels')} must be a list of one or more texts",
            given=self.levels,
            remedy="If the levels are not public, `reaedp learn levels` buys them.",
        )
        if texts:
            twice = repetitions(self.levels)
            mistakes.unless(not twice, f"{self.where('levels')} must not repeat a level", given=twice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean(Column):
    """False or true; texts such as "no", "N", "0", "yes", "T", "1" are understood."""

    kind: ClassVar[str] = "boolean"
    troubles: ClassVar[tuple[Trouble, ...]] = ("null", "unparsable")

    null: Rule = "cell"
    unparsable: Rule = "cell"

    @property
    def labels(self) -> tuple[str, ...]:
        """False, then true."""
        return ("false", "true")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undeclared(Column):
    """A column without cells, whose texts are to be learned; no file declares it."""

    kind: ClassVar[str] = "undeclared"
    troubles: ClassVar[tuple[Trouble, ...]] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """None yet."""
        return ()
