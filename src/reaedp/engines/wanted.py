"""A cell whose canonical form is wanted, whatever the engine."""

from dataclasses import dataclass

from reaedp.contract import Category, Column, Date
from reaedp.contract.category import Undeclared


@dataclass(frozen=True, slots=True)
class Wanted:
    """At which place, as which column if not as a person's name, and of what type.

    Types have the names that the embedded engine has for them.
    """

    place: str
    column: Column | None
    kind: str

    @property
    def is_name(self) -> bool:
        """Whether it is a name and not a number that is wanted."""
        return self.column is None or isinstance(self.column, Undeclared)

    @property
    def is_level(self) -> bool:
        """Whether it is the number of a level that is wanted."""
        return isinstance(self.column, Category)

    @property
    def is_day(self) -> bool:
        """Whether a day is wanted."""
        return isinstance(self.column, Date)
