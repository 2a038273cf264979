"""The privacy questions of a contract, as far as they are answered: whose data, whose privacy, how much to spend."""

from dataclasses import dataclass
from typing import Any

from reaedp.errors import Mistakes
from reaedp.privacy.budget import Budget
from reaedp.privacy.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What only the custodian can say; None is an open question. Nothing here has a default."""

    name: str | None = None
    change: str | None = None
    person: str | None = None
    max_rows: int | None = None
    at_least: int | None = None
    epsilon: float | None = None
    delta: float | None = None
    ledger: str | None = None

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        change: Any = "replace" if self.change is None else self.change  # what is open is not wrong
        rows = 1 if self.person is not None and self.max_rows is None else self.max_rows
        with mistakes.gathered():
            Unit(change, self.person, rows, self.at_least)
        with mistakes.gathered():
            Budget(1.0 if self.epsilon is None else self.epsilon, 0.5 if self.delta is None else self.delta)
        mistakes.report()

    @property
    def open(self) -> tuple[str, ...]:
        """The questions that must be answered and are not."""
        bound = () if self.person is None else ("max_rows",)
        needed = ("name", "change", *bound, "epsilon", "delta", "ledger")
        return tuple(key for key in needed if getattr(self, key) is None)
