"""Whose privacy is protected, against which change, and how far one such change can move an answer."""

from dataclasses import dataclass
from typing import Literal, get_args

from reaedp.errors import Mistakes

Change = Literal["add-remove", "replace"]


@dataclass(frozen=True, slots=True)
class Unit:
    """The privacy unit: neighbouring data sets differ by one row or one person's rows, added, removed or replaced.

    `change` is "add-remove" or "replace". `person` names the column that identifies people; at most `max_rows` rows of
    each person are used (the contribution bound). Without `person`, the unit is one row. `at_least` is a public lower
    bound on the number of people (or rows).

    >>> Unit("replace", person="patient", max_rows=3).noun
    'person'
    """

    change: Change
    person: str | None = None
    max_rows: int | None = None
    at_least: int | None = None

    def __post_init__(self) -> None:
        known = self.change in get_args(Change)
        mistakes = Mistakes()
        mistakes.unless(known, "unit.change must be 'add-remove' or 'replace'", given=self.change)
        mistakes.unless(
            (self.person is None) == (self.max_rows is None),
            "unit.person and unit.max_rows must be given together",
            given={"person": self.person, "max_rows": self.max_rows},
            remedy="Give both to protect people, neither to protect single rows.",
        )
        for name in ("max_rows", "at_least"):
            value = getattr(self, name)
            whole = value is None or (type(value) is int and 1 <= value < 2**40)
            mistakes.unless(whole, f"unit.{name} must be a whole number from 1 to 2^40", given=value)
        mistakes.report()

    @property
    def rows(self) -> int:
        """The largest number of rows in which two neighbours can differ."""
        return self.max_rows or 1

    @property
    def noun(self) -> str:
        """The protected unit in one word: "row" or "person"."""
        return "person" if self.person else "row"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one change of the privacy unit can move an integer vector: `l1`, `l2_squared` and `linf` distance.

    All three are exact or upper bounds. They are integers because answers lie on an integer lattice.

    >>> Marginal("age").sensitivity(contract)
    Sensitivity(l1=1, l2_squared=1, linf=1)
    """

    l1: int
    l2_squared: int
    linf: int

    def finer(self, parts: int) -> "Sensitivity":
        """The same on a lattice of which so many steps make one of this."""
        return Sensitivity(parts * self.l1, parts**2 * self.l2_squared, parts * self.linf)
