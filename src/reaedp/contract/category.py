"""Columns of names: categories with a closed list of levels, truth values, and texts still to be learned about."""

from dataclasses import dataclass, field
from typing import ClassVar

from reaedp.contract.column import MOST_CELLS, Column, Rule, Trouble
from reaedp.contract.meaning import Meaning, meaning
from reaedp.errors import Mistakes

#: What stands between a group and one within it.
WITHIN = " > "


@dataclass(frozen=True, slots=True, kw_only=True)
class Category(Column):
    """One of the declared `levels`, compared by meaning: "1", "1.0" and "01" are the same level.

    `groups`, if declared, gives the group of each level in the same order, such as the region of a city; "Europe >
    Spain" is a group within a group. Synthetic records keep the dependences of a group where its levels are too rare.

    >>> Category(name="sex", levels=("f", "m"), provenance="public").cells
    ('f', 'm', '<null>', '<unseen>')
    """

    kind: ClassVar[str] = "category"
    troubles: ClassVar[tuple[Trouble, ...]] = ("null", "unseen")

    levels: tuple[str, ...]
    groups: tuple[str, ...] | None = field(default=None, metadata={"since": "0.2"})
    null: Rule = "cell"
    unseen: Rule = "cell"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells: the levels."""
        return self.levels

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The groups that each level lies in, the widest first; none for each if none are declared."""
        return tuple(tuple(group.split(WITHIN)) for group in self.groups or ()) or ((),) * len(self.levels)

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Column.note_mistakes(self, mistakes)
        texts = isinstance(self.levels, tuple) and all(isinstance(level, str) for level in self.levels)
        mistakes.unless(
            texts and 1 <= len(self.levels) <= MOST_CELLS,
            f"{self.where('levels')} must be a list of one or more strings",
            given=self.levels,
            remedy="If the levels are not public, buy them with `reaedp learn levels`.",
        )
        if texts:
            mistakes.unless(
                not (alike := self._alike()),
                f"{self.where('levels')} must not repeat a level; numbers and dates are compared by value",
                given=alike,
                remedy="Keep one of them; it matches every way of writing the value.",
            )
        if texts and self.groups is not None:
            good = isinstance(self.groups, tuple) and len(self.groups) == len(self.levels)
            mistakes.unless(
                good and all(isinstance(group, str) and all(group.split(WITHIN)) for group in self.groups),
                f"{self.where('groups')} must be a list with the group of each level, in the order of the levels",
                given=self.groups,
                remedy='Write groups = ["north", "north", "south"]; "Europe > Spain" is a group within another.',
            )

    def _alike(self) -> list[str]:
        """The first two levels that mean the same."""
        known: dict[Meaning, str] = {}
        for level in self.levels:
            meant = meaning(level)
            if meant in known:
                return [known[meant], level]
            known[meant] = level
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean(Column):
    """True or false; texts such as "no", "N", "0", "yes", "T" and "1" are understood.

    >>> Boolean(name="smokes", provenance="public").cells
    ('false', 'true', '<null>', '<unparsable>')
    """

    kind: ClassVar[str] = "boolean"
    troubles: ClassVar[tuple[Trouble, ...]] = ("null", "unparsable")

    null: Rule = "cell"
    unparsable: Rule = "cell"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells: false, then true."""
        return ("false", "true")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undeclared(Column):
    """A column without cells, whose texts are to be learned; no file declares it."""

    kind: ClassVar[str] = "undeclared"
    troubles: ClassVar[tuple[Trouble, ...]] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells, of which none is known yet."""
        return ()
