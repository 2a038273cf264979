"""The canonical form of values in Spark, whose settings may be anyone's: no expression here depends on them or fails.

Conversions that could fail are `try_cast`s behind a test of shape, as Java reads `1d` and `0x1p3` as numbers. Spark
orders NaN above all numbers and equal to itself. Its `floor` is an integer and cuts large numbers; `rint` is not. What
is looked at several times is a column that an earlier select made, as Spark computes those once.
"""

from collections.abc import Callable
from typing import Any

from pyspark.sql import functions as f

from reaedp.contract import Boolean, Column, Date, Integer, shapes
from reaedp.contract.meaning import MICROSECONDS_OF_A_DAY
from reaedp.engines.canonical import DECIMAL, FIRST_DAY, LAST_DAY, REAL, TEXT, TIMES, TRUTH, WHOLE, ZONED

#: A column of Spark; its types are loose.
Cell = Any
#: From a double that is not a whole number to its text.
Print = Callable[[Cell], Cell]

#: Microseconds that stand for infinity in Parquet.
INFINITE = (2**63 - 1, -(2**63 - 1))


def text(cell: Cell, kind: str) -> Cell:
    """A cell; one that is a text is compared by its bytes, whatever its collation."""
    return f.collate(cell.cast("string"), "UTF8_BINARY") if kind in TEXT else cell


def number(cell: Cell, kind: str, *, words: bool = True) -> Cell:
    """The double that a cell means, null where it means none; words for 1 and 0 are none in a name."""
    if kind in TEXT:
        truth = f.when(_matches(cell, shapes.TRUE), 1.0).when(_matches(cell, shapes.FALSE), 0.0)
        return f.coalesce(_digits(cell), truth) if words else _digits(cell)
    return cell.cast("double") if kind in WHOLE | REAL | TRUTH else f.lit(None).cast("double")


def moment(cell: Cell, kind: str, shape: str = shapes.MOMENT) -> Cell:
    """The microseconds since 1970 that a cell means, null where it means no moment."""
    if kind in TEXT:
        return f.when(_matches(cell, shape), _micros_of_text(cell))
    if kind not in TIMES:
        return f.lit(None).cast("bigint")
    micros = f.unix_micros(cell) if kind == ZONED else _micros_without_zone(cell, kind)
    return f.when(~micros.isin(*INFINITE), micros)


def value(column: Column, cell: Cell, kind: str, found: Cell) -> Cell:
    """The canonical value of a column of numbers, days or truth values: a double, from the cell and what it means."""
    if isinstance(column, Date):
        return _days(found).cast("double")
    if isinstance(column, Integer) and kind in TEXT | REAL:
        # Fractions have no canonical form; NaN and infinities keep theirs. Other types hold none.
        return f.when(f.rint(found) == found, found)
    return _truth(cell, kind, found) if isinstance(column, Boolean) else found


def name(cell: Cell, kind: str, number: Cell, micros: Cell, printed: Print) -> Cell:
    """The text that tells a person, a curve or a level that is not declared from all others."""
    if kind in TEXT:
        return _name_of_text(cell, number, micros, printed)
    if kind in DECIMAL:
        text = cell.cast("string")
        whole = f.when(_matches(text, shapes.WHOLE_NUMBER), _name_of_digits(text))
        return f.coalesce(whole, _name_of_double(number, printed))
    if kind in REAL:
        return _name_of_double(number, printed)
    return _name_of_moment(micros) if kind in TIMES else cell.cast("string")


def mark(kind: str, number: Cell, named: Cell) -> Cell:
    """The text that digests are made of: numbers enter as doubles, as they may have been stored as such."""
    if kind in WHOLE | REAL:
        return parts_of_number(number)
    return f.coalesce(parts_of_number(number), named) if kind in TEXT else named


def hashed(marked: Cell) -> tuple[Cell, Cell]:
    """Two whole numbers of 28 bits each from the hexadecimal digits of an MD5 hash."""
    digest = f.md5(marked.cast("binary"))
    first, second = (f.conv(f.substring(digest, start, 7), 16, 10).cast("bigint") for start in (1, 8))
    return first, second


def shortest(number: Cell) -> Cell:
    """The text of a double as Python prints it: Java's digits are not always the shortest. Workers need only Python."""
    return f.udf(lambda value: None if value is None else repr(value), "string")(number)


def javas(number: Cell) -> Cell:
    """The text of a double as Java prints it: different for each double, which is enough to tell people apart."""
    return number.cast("string")


def parts_of_number(number: Cell) -> Cell:
    """Whole part and fraction as integers: arithmetic that IEEE 754 fixes, where printing differs among engines."""
    whole = f.floor(number)
    fraction = f.floor((number - whole.cast("double")) * 2.0**53)
    return (
        f.when(f.isnan(number), "nan")
        .when(f.abs(number) < 2.0**63, f.concat(whole.cast("string"), f.lit(":"), fraction.cast("string")))
        .when(number > 0, "inf")
        .when(number < 0, "-inf")
    )


def _matches(text: Cell, shape: str) -> Cell:
    """The whole text has this shape; Java's `$` also stands before a last line break."""
    return text.rlike(shape.removesuffix("$") + r"\z")


def _digits(text: Cell) -> Cell:
    """The nearest double of a text that is a number."""
    negative = f.startswith(f.trim(text, f.lit(shapes.BLANKS)), f.lit("-"))
    return (
        f.when(_matches(text, shapes.FINITE_NUMBER), text.try_cast("double"))
        .when(_matches(text, shapes.NOT_A_NUMBER), float("nan"))
        .when(_matches(text, shapes.INFINITE), f.when(negative, float("-inf")).otherwise(float("inf")))
    )


def _micros_without_zone(cell: Cell, kind: str) -> Cell:
    """Null where days are too many for microseconds in 64 bits, as infinite ones are."""
    midnight = f.try_multiply(f.unix_date(cell.cast("date")).cast("bigint"), f.lit(MICROSECONDS_OF_A_DAY))
    if kind == "DATE":
        return midnight
    seconds = (f.hour(cell) * 3600 + f.minute(cell) * 60).cast("bigint") * 1_000_000
    return f.try_add(midnight, seconds + (f.date_part(f.lit("SECOND"), cell) * 1_000_000).cast("bigint"))


def _micros_of_text(text: Cell) -> Cell:
    """Microseconds of a text that has the shape of a date, less its zone."""
    parts = f.split(f.trim(f.regexp_replace(text, "[ \t\n\v\f\rT/-]+", " ")), " ")
    date = f.concat_ws("-", f.lpad(_at(parts, 1), 5, "0"), _at(parts, 2), _at(parts, 3)).try_cast("date")
    clock = f.regexp_extract(text, "[ T]([0-9:]+)", 1)
    times = f.split(clock, ":")
    hours, minutes, seconds = (_whole(_at(times, place)) for place in (1, 2, 3))
    fraction = _whole(f.rpad(f.regexp_extract(text, ":[0-9]+[.]([0-9]{1,6})", 1), 6, "0"))
    sign, *zone = (f.regexp_extract(text, shapes.ZONE, group) for group in (1, 2, 3))
    offset = _whole(zone[0]) * 60 + _whole(zone[1])
    offset = f.when(sign == "-", -offset).otherwise(offset)
    total = ((hours * 60 + minutes - offset) * 60 + seconds) * 1_000_000 + fraction
    timed = f.when(f.contains(text, f.lit(":")), total).otherwise(f.lit(0).cast("bigint"))
    return f.unix_date(date).cast("bigint") * MICROSECONDS_OF_A_DAY + timed


def _at(parts: Cell, place: int) -> Cell:
    return f.try_element_at(parts, f.lit(place))


def _whole(digits: Cell) -> Cell:
    """A few digits as a number, 0 where there are none."""
    return f.coalesce(digits.try_cast("bigint"), f.lit(0).cast("bigint"))


def _name_of_text(text: Cell, number: Cell, micros: Cell, printed: Print) -> Cell:
    """Texts that are numbers, moments or truth values by their names as such; digits however many there are."""
    return (
        f.when(_matches(text, shapes.WHOLE_NUMBER), _name_of_digits(f.trim(text, f.lit(shapes.BLANKS))))
        .when(_matches(text, shapes.IDENTIFIER), text)
        .when(number.isNotNull(), _name_of_double(number, printed))
        .when(_matches(text, shapes.TRUE), "true")
        .when(_matches(text, shapes.FALSE), "false")
        .otherwise(f.coalesce(_name_of_moment(micros), text))
    )


def _name_of_digits(bare: Cell) -> Cell:
    digits = f.regexp_replace(f.regexp_replace(bare, "[.].*", ""), "^[+-]?0*", "")
    signed = f.when(f.startswith(bare, f.lit("-")), f.concat(f.lit("-"), digits)).otherwise(digits)
    return f.when(digits == "", "0").otherwise(signed)


def _name_of_double(number: Cell, printed: Print) -> Cell:
    whole = (f.rint(number) == number) & (f.abs(number) < 2.0**63)
    return f.when(whole, f.floor(number).cast("string")).otherwise(printed(f.when(~whole, number)))


def _days(micros: Cell) -> Cell:
    """Whole days, rounded down; nothing on the way is larger than the number."""
    cut = f.call_function("div", micros, f.lit(MICROSECONDS_OF_A_DAY))
    return cut - f.when(micros - cut * MICROSECONDS_OF_A_DAY < 0, 1).otherwise(0)


def _name_of_moment(micros: Cell) -> Cell:
    days = _days(micros)
    rest = f.pmod(micros, f.lit(MICROSECONDS_OF_A_DAY))
    date = f.date_add(f.lit("1970-01-01").cast("date"), days.cast("int")).cast("string")
    seconds = f.floor(rest / 1_000_000)
    clock = f.format_string(
        " %02d:%02d:%02d.%06d", f.floor(seconds / 3600), f.floor(seconds / 60) % 60, seconds % 60, rest % 1_000_000
    )
    return (
        f.when(micros.isNull(), f.lit(None).cast("string"))
        .when(~days.between(FIRST_DAY, LAST_DAY), f.concat(f.lit("us"), micros.cast("string")))
        .when(rest == 0, date)
        .otherwise(f.concat(date, clock))
    )


def _truth(cell: Cell, kind: str, found: Cell) -> Cell:
    truth = f.when(found == 1, 1.0).when(found == 0, 0.0)
    if kind not in TEXT:
        return truth
    yes, no = (_matches(cell, shape) for shape in (shapes.YES, shapes.NO))
    return f.when(yes, 1.0).when(no, 0.0).otherwise(truth)
