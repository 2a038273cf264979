"""What a text, a number or a time of a database means as a double, in portable SQL."""

from dataclasses import dataclass
from typing import Any

import ibis

from reaedp.contract import shapes
from reaedp.contract.meaning import MICROSECONDS_OF_A_DAY, meaning
from reaedp.engines.canonical import REAL, TEXT, TRUTH, WHOLE
from reaedp.engines.wanted import Wanted

#: An expression; ibis says little about its types.
Cell = Any
#: Longer texts are neither numbers nor dates: a database may fail with more.
LONGEST = 8 * 2**20
#: Plain numbers of up to this length are far from overflow and from underflow.
SHORT = 200
#: Digits of the smallest number that rounds to infinity, 2^1024 - 2^970 = 0.17976…·10^309.
OVERFLOW = str(2**1024 - 2**970)
#: Digits of the largest number that rounds to zero, 2^-1075 = 5^1075·10^-1075 = 0.24703…·10^-323.
UNDERFLOW = str(5**1075)
SECONDS_OF_A_DAY = 86_400
#: What the hours, minutes and seconds of a date with a time are found by, and its fraction.
CLOCK = "[ T]([0-9]{1,2}):([0-9]{1,2}):?([0-9]{1,2})?"
FRACTION = ":[0-9]{1,2}[.]([0-9]{1,6})"
floor: Any = ibis.udf.scalar.builtin(lambda number: number, name="floor", signature=((float,), float))
#: The same of exact numbers, for what ibis takes for an integer and the database knows to the microsecond.
exact_floor: Any = ibis.udf.scalar.builtin(lambda number: number, name="floor", signature=(("int64",), "decimal"))


@dataclass(frozen=True, slots=True)
class Known(Wanted):
    """A cell whose canonical form is wanted, and the expression for what it holds."""

    cell: Cell

    def needs(self, sort: str) -> bool:
        """Whether a "number" or a "moment" that the cell may mean is of any interest."""
        if self.is_name or self.is_day:
            return self.is_name or sort == "moment"
        assert self.column is not None
        if self.is_level:
            return any(meaning(level)[0] == sort for level in self.column.labels)
        return sort == "number"


def plain_text(cell: Cell) -> Cell:
    """The cell as a text."""
    return cell.cast("string") + ""  # ibis takes an enumeration for a text and leaves the cast out


def number_of(cell: Cell, known: Known) -> Cell:
    """The double that a cell means; words mean none where a name is wanted."""
    if known.kind in TEXT:
        return _double_of_text(cell, words=not known.is_name)
    if known.kind in WHOLE | REAL:
        return _double(cell, known.kind)
    return cell.cast("int32").cast("float64") if known.kind in TRUTH else ibis.null("float64")


def _double(cell: Cell, kind: str) -> Cell:
    if kind != "DECIMAL":
        return cell.cast("float64")
    size = cell.abs()
    harmless = (size == 0) | ((size > 1e-300) & (size < 1e300))
    return ibis.cases((harmless, cell.cast("float64")), else_=_double_of_text(plain_text(cell), words=False))


def _double_of_text(text: Cell, *, words: bool) -> Cell:
    bare = text.strip().replace("+", "")
    sign = ibis.cases((bare.startswith("-"), -1.0), else_=1.0)
    truths = ((shapes.TRUE, 1.0), (shapes.FALSE, 0.0)) if words else ()
    return ibis.cases(
        ((text.length() > LONGEST) | ~text.re_search(shapes.PROMISING), ibis.null("float64")),
        ((text.length() <= SHORT) & text.re_search(shapes.PLAIN_NUMBER), bare.cast("float64")),
        (text.re_search(shapes.NOT_A_NUMBER), float("nan")),
        (text.re_search(shapes.INFINITE), sign * float("inf")),
        (text.re_search(shapes.NUMBER), _bounded(bare, sign)),
        *((text.re_search(shape), number) for shape, number in truths),
    )


def _bounded(bare: Cell, sign: Cell) -> Cell:
    """A number beyond the doubles is infinite or zero: 0.digits·10^place is compared with their limits as text."""
    mantissa = bare.re_replace("[eE].*$", "")
    fraction = mantissa.re_replace("^[^.]*[.]?", "")
    shifted = mantissa.re_replace("[^0-9]", "").re_replace("^0+", "")
    place = shifted.length() - fraction.length() + _exponent(bare.re_replace("^[^eE]*[eE]?", ""))
    digits = shifted.re_replace("0+$", "")
    return ibis.cases(
        ((digits == "") | (place < -323) | ((place == -323) & (digits <= UNDERFLOW)), sign * 0.0),
        ((place > 309) | ((place == 309) & (digits >= OVERFLOW)), sign * float("inf")),
        else_=bare.cast("float64"),
    )


def _exponent(text: Cell) -> Cell:
    digits = text.replace("-", "").re_replace("^0+", "")
    size = ibis.cases((digits == "", 0.0), (digits.length() > 9, 1e9), else_=digits.cast("float64"))
    return ibis.cases((text.startswith("-"), -size), else_=size)


def parts_of_date(text: Cell, shape: str) -> dict[str, Cell]:
    """Of a text: year·10000 + month·100 + day, the seconds of the time less those of its zone, and microseconds."""
    dashed = text.strip().replace("/", "-").replace(" ", "-").replace("T", "-")
    parts = (dashed, dashed.re_replace("^[0-9]*-", ""), dashed.re_replace("^[0-9]*-[0-9]*-", ""))
    year, month, day = (part.re_replace("-.*$", "").cast("float64") for part in parts)
    date = ibis.cases(
        ((text.length() > LONGEST) | ~text.re_search(shapes.PROMISING), ibis.null("float64")),
        *([(text.re_search(shapes.PLAIN_DATE), text.replace("-", "").cast("float64"))] if shape == shapes.DATE else []),
        (text.re_search(shape), year * 10_000 + month * 100 + day),
    )
    timed = (text.length() <= LONGEST) & text.contains(":") & text.re_search(shape)
    digits = text.re_extract(FRACTION, 1).fill_null("")
    micros = (digits + "000000").left(6).cast("float64")
    return {
        "e": date,
        "s": ibis.cases((timed, _clock(text)), else_=0.0),
        "f": ibis.cases((timed & text.contains("."), micros), else_=0.0),
    }


def _clock(text: Cell) -> Cell:
    hours, minutes, seconds = (_digits(text, CLOCK, group) for group in (1, 2, 3))
    sign = ibis.cases((text.re_extract(shapes.ZONE, 1) == "-", -60.0), else_=60.0)
    zone = sign * (_digits(text, shapes.ZONE, 2) * 60 + _digits(text, shapes.ZONE, 3))
    return hours * 3600 + minutes * 60 + seconds - zone


def _digits(text: Cell, shape: str, group: int) -> Cell:
    return ("0" + text.re_extract(shape, group).fill_null("")).cast("float64")


def days_of_date(date: Cell) -> Cell:
    """Days since 1970, if there is such a day."""
    year = floor(date / 10_000)
    month = floor((date - year * 10_000) / 100)
    day = floor(date - year * 10_000 - month * 100)
    first = _days(year, month)
    exists = month.between(1, 12) & day.between(1, _days(year, month + 1) - first)
    return ibis.cases((exists, first + day - 1))


def _days(year: Cell, month: Cell) -> Cell:
    """Days from 1970 to the first of a month of the Gregorian calendar; month 13 is the next January.

    Years begin in March here: then leap days come last, and the lengths of months repeat every five months.
    """
    years = ibis.cases((month > 2, year), else_=year - 1)
    months = ibis.cases((month > 2, month - 3), else_=month + 9)
    leap_days = floor(years / 4) - floor(years / 100) + floor(years / 400)
    return years * 365 + leap_days + floor((months * 153 + 2) / 5) - 719_468


def parts_of_moment(cell: Cell) -> dict[str, Cell]:
    """Days and microseconds of a date or time that is neither infinite nor too far away for microseconds in 64 bits.

    Seconds are cut to whole ones before they become doubles, which cannot hold the microseconds of far years.
    """
    exact = cell.epoch_seconds()
    seconds = exact_floor(exact).cast("float64")
    days = floor(seconds / SECONDS_OF_A_DAY)
    micros = (exact_floor(exact * 1_000_000) - exact_floor(exact) * 1_000_000).cast("float64")
    near = exact_floor(exact * 1_000_000).between(-(2**63), 2**63 - 1)
    micros = micros + (seconds - days * SECONDS_OF_A_DAY) * 1e6
    return {"d": ibis.cases((near, days)), "u": ibis.cases((near, micros))}


def microseconds(rows: Cell, place: str) -> Cell:
    """Microseconds since 1970 of days and microseconds of a day."""
    return rows[f"d{place}"].cast("int64") * MICROSECONDS_OF_A_DAY + rows[f"u{place}"].cast("int64")
