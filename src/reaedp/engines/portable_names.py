"""Names of people and levels in portable SQL: one text for each value, however it is stored."""

import ibis

from reaedp.contract import shapes
from reaedp.engines.canonical import DECIMAL, FIRST_DAY, LAST_DAY, REAL, TIMES, TRUTH, WHOLE
from reaedp.engines.portable_texts import LONGEST, Cell, Known, floor, microseconds


def name_of(rows: Cell, known: Known) -> Cell:
    """The text that tells a person, a curve or a level that is not declared from all others."""
    cell, number = rows[f"c{known.place}"], rows[f"n{known.place}"]
    if known.kind in WHOLE:
        return cell.cast("string")
    if known.kind in DECIMAL:
        text = cell.cast("string")
        return ibis.cases(
            (text.re_search(shapes.WHOLE_NUMBER), _name_of_digits(text)),
            (cell.notnull(), _name_of_double(number)),
        )
    if known.kind in REAL:
        return _name_of_double(number)
    if known.kind in TRUTH:
        return ibis.cases((cell, "true"), (~cell, "false"))
    if known.kind in TIMES:
        return _name_of_moment(rows, known.place)
    short = cell.length() <= LONGEST
    return ibis.cases(
        (short & cell.re_search(shapes.WHOLE_NUMBER), _name_of_digits(cell.strip())),
        (short & cell.re_search(shapes.IDENTIFIER), cell),
        (number.notnull(), _name_of_double(number)),
        (short & cell.re_search(shapes.TRUE), "true"),
        (short & cell.re_search(shapes.FALSE), "false"),
        (rows[f"d{known.place}"].notnull(), _name_of_moment(rows, known.place)),
        else_=cell,
    )


def mark_of(rows: Cell, known: Known, named: Cell) -> Cell:
    """The text that digests are made of: numbers enter as doubles, as they may have been stored as such."""
    if known.kind in TRUTH | TIMES:
        return named
    parts = _parts_of_number(rows[f"n{known.place}"])
    return parts if known.kind in WHOLE | REAL else parts.coalesce(named)


def _parts_of_number(number: Cell) -> Cell:
    """Whole part and fraction as integers: arithmetic that IEEE 754 fixes, where printing differs among engines."""
    whole = floor(number)
    fraction = floor((number - whole) * 2.0**53)
    return ibis.cases(
        (number.isnan(), "nan"),
        (number.abs() < 2.0**63, whole.cast("int64").cast("string") + ":" + fraction.cast("int64").cast("string")),
        (number > 0, "inf"),
        (number < 0, "-inf"),
    )


def _name_of_digits(bare: Cell) -> Cell:
    """Digits without a sign that says nothing, zeros in front, and a point; however many there are."""
    digits = bare.re_replace("[.].*$", "").re_replace("^[+-]?0*", "")
    return ibis.cases((digits == "", "0"), (bare.startswith("-"), "-" + digits), else_=digits)


def _name_of_double(number: Cell) -> Cell:
    """The name of a double as Python prints it; databases print the same digits but move the point from 10^15 on."""
    text = number.cast("string")
    long = text.re_replace("e[+]15$", "").replace(".", "")
    place = ibis.cases((number < 0, 17), else_=16)
    return ibis.cases(
        (number.isnan(), "nan"),
        (number == float("inf"), "inf"),
        (number == float("-inf"), "-inf"),
        ((number == floor(number)) & (number.abs() < 2.0**63), number.cast("int64").cast("string")),
        (text.endswith("e+15"), long.left(place) + "." + long.right(long.length() - place)),
        else_=text,
    )


def _name_of_moment(rows: Cell, place: str) -> Cell:
    days, rest = rows[f"d{place}"], rows[f"u{place}"]
    date = (ibis.date(1970, 1, 1) + days.cast("int64").as_interval("D")).strftime("%Y-%m-%d")
    seconds = floor(rest / 1e6)
    minutes, hours = floor(seconds / 60), floor(seconds / 3600)
    clock = (hours, minutes - hours * 60, seconds - minutes * 60)
    time = " " + _padded(clock[0], 2) + ":" + _padded(clock[1], 2) + ":" + _padded(clock[2], 2)
    micros = "us" + microseconds(rows, place).cast("string")
    return ibis.cases(
        (days.isnull(), ibis.null("string")),
        (~days.between(FIRST_DAY, LAST_DAY), micros),
        (rest == 0, date),
        else_=date + time + "." + _padded(rest - seconds * 1e6, 6),
    )


def _padded(number: Cell, digits: int) -> Cell:
    return (number + 10.0**digits).cast("int64").cast("string").right(digits)
