"""Months and years of days by arithmetic, the same on every engine and for as many years as there are.

A year begins in March here, so that the leap day is its last: day `d` of a year lies in month (5 d + 2) // 153, and
days of years, of centuries and of four centuries follow each other by divisions alone. All numbers are whole and below
2^32, for which divisions of doubles that are then rounded down are exact: a quotient that is not whole differs from the
next whole number by more than one part in 2^20, and a double by less than one in 2^52.
"""

import narwhals as nw

#: From the first of March of the year 0 to the first of January 1970.
_EPOCH = 719_468.0
_FOUR_CENTURIES, _CENTURY, _FOUR_YEARS, _YEAR = 146_097.0, 36_524.0, 1_461.0, 365.0


def number(day: nw.Expr, *, years: bool) -> nw.Expr:
    """The number of the month, or of the year, of a day since 1970 from the year 1 on; January of the year 0 is 0."""
    since = day + _EPOCH
    era = _divided(since, _FOUR_CENTURIES)
    of_era = since - era * _FOUR_CENTURIES
    # The last day of four years, of a century and of four centuries is the leap day, which begins no year.
    leaps = _divided(of_era, _FOUR_YEARS - 1.0) - _divided(of_era, _CENTURY) + _divided(of_era, _FOUR_CENTURIES - 1.0)
    year = _divided(of_era - leaps, _YEAR)
    of_year = of_era - (year * _YEAR + _divided(year, 4.0) - _divided(year, 100.0))
    month = _divided(of_year * 5.0 + 2.0, 153.0)  # 0 is March
    months = (era * 400.0 + year) * 12.0 + month + 2.0
    return _divided(months, 12.0) if years else months


def _divided(dividend: nw.Expr, divisor: float) -> nw.Expr:
    return (dividend / divisor).floor().cast(nw.Float64)
