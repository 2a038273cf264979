"""Date columns: days, weeks, months or years between two public dates."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar, Literal, get_args

import numpy as np

from reaedp.contract.column import Column, Ends, Rule, Trouble
from reaedp.errors import Mistakes

Every = Literal["day", "week", "month", "year"]

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Date(Column):
    """Dates from `lower` to `upper`, both included, with one cell for `every` day, week, month or year.

    Weeks are counted from `lower`; months and years are calendar months and years.

    >>> Date(name="seen", lower=date(2020, 1, 1), upper=date(2020, 3, 31), every="month", provenance="public").labels
    ('2020-01', '2020-02', '2020-03')
    """

    kind: ClassVar[str] = "date"
    troubles: ClassVar[tuple[Trouble, ...]] = ("null", "unparsable", "outside")

    lower: date
    upper: date
    every: Every
    null: Rule = "cell"
    unparsable: Rule = "cell"
    outside: Rule = "nearest"

    @property
    def starts(self) -> tuple[date, ...]:
        """The first day of every cell."""
        days = (self.upper - self.lower).days
        if self.every in ("day", "week"):
            step = 1 if self.every == "day" else 7
            return tuple(self.lower + timedelta(days=offset) for offset in range(0, days + 1, step))
        later = range(self.first + 1, self.first + self.regular)
        if self.every == "year":
            return (self.lower, *(date(year, 1, 1) for year in later))
        return (self.lower, *(date(month // 12, month % 12 + 1, 1) for month in later))

    @property
    def first(self) -> int:
        """The number of the first month or year, counted from the beginning of our era."""
        return self.lower.year if self.every == "year" else self.lower.year * 12 + self.lower.month - 1

    @property
    def regular(self) -> int:
        """The number of days, weeks, months or years, including incomplete ones."""
        if self.every in ("day", "week"):
            return (self.upper - self.lower).days // (1 if self.every == "day" else 7) + 1
        last = self.upper.year if self.every == "year" else self.upper.year * 12 + self.upper.month - 1
        return last - self.first + 1

    @property
    def ends(self) -> Ends:
        """The first and the last day of every cell; both belong to it."""
        low = np.array(self.starts, dtype="datetime64[D]")
        return Ends(low, np.append(low[1:] - np.timedelta64(1, "D"), np.datetime64(self.upper, "D")))

    @property
    def labels(self) -> tuple[str, ...]:
        """ISO dates of the first days; a month as 2020-05, a year as 2020."""
        length = {"day": 10, "week": 10, "month": 7, "year": 4}[self.every]
        return tuple(start.isoformat()[:length] for start in self.starts)

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Column.note_mistakes(self, mistakes)
        for key in ("lower", "upper"):
            value = getattr(self, key)
            mistakes.unless(
                isinstance(value, date) and not isinstance(value, datetime),
                f"{self.where(key)} must be a date such as 2020-12-31",
                given=value,
            )
        mistakes.unless(
            self.every in get_args(Every), f"{self.where('every')} must be day, week, month or year", given=self.every
        )
        if not mistakes:
            mistakes.unless(
                self.lower <= self.upper,
                f"{self.where('lower')} must not come after upper",
                given=(str(self.lower), str(self.upper)),
            )
