"""The canonical form of values in Spark, whose settings may be anyone's: no expression here depends on them.

Conversions that could fail are `try_cast`s behind a test of shape, as Java reads `1d` and `0x1p3` as numbers. Spark
orders NaN above all numbers and equal to itself. Its `floor` is an integer and cuts large numbers; `rint` is not.
"""

from collections.abc import Callable
from typing import Any

from pyspark.sql import functions as f

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number, shapes
from reaedp.contract.category import Undeclared
from reaedp.curator.canonical import REAL, TEXT, TIMES, WHOLE
from reaedp.errors import DeclarationError

#: A column of Spark; its types are loose.
Cell = Any
Convert = Callable[[Cell, str], Cell]

ZONED = "TIMESTAMP WITH TIME ZONE"
#: Days of the dates and moments that stand for infinity in Parquet.
INFINITE_DAYS = (2**31 - 1, -(2**31 - 1), 106_751_991, -106_751_992)


def value(column: Column, cell: Cell, kind: str) -> Cell:
    """The canonical value; a category is still its text, or a double where the data holds numbers."""
    for kinds, convert in _CONVERSIONS[column.kind].items():
        if kind in kinds:
            return convert(cell, kind)
    raise DeclarationError(
        f"Column {column.name!r} is declared as {column.kind}, but the data holds it as {kind}."
        f" Declare another kind, or convert the column."
    )


def keys(column: Column, kind: str) -> list[tuple[str | float, float]]:
    """What the canonical values of a category are compared with, and the number of the level that each one means."""
    if kind not in REAL:
        return [(text, float(number)) for number, text in enumerate(column.labels)]
    numbers = ((_read(text), float(place), text) for place, text in enumerate(column.labels))
    return [(number, place) for number, place, text in numbers if number is not None and printed(number) == text]


def printed(number: float) -> str:
    """A double as the embedded engine prints it, whole numbers without a fraction."""
    return str(int(number)) if abs(number) < 1e15 and number.is_integer() else repr(number)


def person_text(cell: Cell, kind: str) -> Cell:
    """The name of a person: texts as they are, numbers as the embedded engine prints them."""
    return _shortest(cell.cast("double")) if needs_python(kind) else _plain_text(cell, kind)


def needs_python(person: str) -> bool:
    """Whether names of people are printed by Python."""
    return person in ("FLOAT", "DOUBLE")


def ordering_text(cell: Cell, kind: str) -> Cell:
    """The text whose digest orders a person's rows."""
    return parts_of_number(cell.cast("double")) if kind in REAL else _plain_text(cell, kind)


def _shortest(number: Cell) -> Cell:
    """Java's own digits of a double are not always the shortest; Python's are. Workers need nothing of this package."""
    return f.udf(lambda value: None if value is None else repr(value), "string")(number)


def first_bits(text: Cell) -> Cell:
    """28 bits of MD5."""
    return f.conv(f.substring(f.md5(text.cast("binary")), 1, 7), 16, 10).cast("bigint")


def _read(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _matches(text: Cell, shape: str) -> Cell:
    """The whole text has this shape; Java's `$` also stands before a last line break."""
    return text.rlike(shape.removesuffix("$") + r"\z")


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


def _plain_text(cell: Cell, kind: str) -> Cell:
    if kind == ZONED:
        micros = f.unix_micros(cell)
        moment = f.timestamp_add("MICROSECOND", micros, f.lit("1970-01-01").cast("timestamp_ntz"))
        return _date_text(cell, kind, f.concat(moment.cast("string"), f.lit("+00")))
    return (
        _date_text(cell, kind, cell.cast("string")) if kind in TIMES else f.collate(cell.cast("string"), "UTF8_BINARY")
    )


def _date_text(cell: Cell, kind: str, text: Cell) -> Cell:
    """Dates as the embedded engine prints them: no plus before long years, words for infinity."""
    days = _raw_days(cell, kind)
    infinite = days.isin(*INFINITE_DAYS)
    return f.when(infinite, f.when(days > 0, "infinity").otherwise("-infinity")).otherwise(f.ltrim(text, f.lit("+")))


def _text(cell: Cell, kind: str) -> Cell:
    return _plain_text(cell, kind)


def _text_of_number(cell: Cell, _kind: str) -> Cell:
    number = cell.cast("double")
    whole = (f.rint(number) == number) & (f.abs(number) < 1e15)
    return f.when(whole, f.floor(number).cast("string")).otherwise(_shortest(number))


def _double(cell: Cell, _kind: str) -> Cell:
    return cell.cast("double")


def _double_of_text(cell: Cell, _kind: str) -> Cell:
    negative = f.startswith(f.trim(cell, f.lit(" \t\n\v\f\r")), f.lit("-"))
    return (
        f.when(_matches(cell, shapes.FINITE_NUMBER), cell.try_cast("double"))
        .when(_matches(cell, shapes.NOT_A_NUMBER), float("nan"))
        .when(_matches(cell, shapes.INFINITE), f.when(negative, float("-inf")).otherwise(float("inf")))
    )


def _whole_only(convert: Convert) -> Convert:
    """Fractions have no canonical form in an integer column; NaN and infinities keep theirs."""

    def converted(cell: Cell, kind: str) -> Cell:
        number = convert(cell, kind)
        return f.when(f.rint(number) == number, number)

    return converted


def _raw_days(cell: Cell, kind: str) -> Cell:
    if kind == ZONED:
        return f.floor(f.unix_seconds(cell).cast("double") / 86_400.0)
    return f.unix_date(cell.cast("date"))


def _days(cell: Cell, kind: str) -> Cell:
    days = _raw_days(cell, kind)
    return f.when(~days.isin(*INFINITE_DAYS), days.cast("double"))


def _days_of_text(cell: Cell, _kind: str) -> Cell:
    """Year, month and day by themselves; 24:00 belongs to the day after."""
    parts = f.split(f.trim(f.regexp_replace(cell, "[ \t\n\v\f\rT/-]+", " ")), " ")
    year = f.element_at(parts, 1)
    text = f.concat_ws("-", f.lpad(year, 5, "0"), f.element_at(parts, 2), f.element_at(parts, 3))
    next_day = f.when(cell.rlike("[ T]24:"), 1.0).otherwise(0.0)
    return f.when(_matches(cell, shapes.DATE), f.unix_date(text.try_cast("date")).cast("double") + next_day)


def _truth_of_text(cell: Cell, _kind: str) -> Cell:
    return f.when(_matches(cell, shapes.YES), 1.0).when(_matches(cell, shapes.NO), 0.0)


def _truth_of_number(cell: Cell, _kind: str) -> Cell:
    return f.when(cell == 1, 1.0).when(cell == 0, 0.0)


_TRUTH = frozenset({"BOOLEAN"})
_CONVERSIONS: dict[str, dict[frozenset[str], Convert]] = {
    Number.kind: {frozenset(TEXT): _double_of_text, frozenset(WHOLE | REAL) | _TRUTH: _double},
    Integer.kind: {
        frozenset(TEXT): _whole_only(_double_of_text),
        frozenset(REAL): _whole_only(_double),
        frozenset(WHOLE) | _TRUTH: _double,
    },
    Date.kind: {frozenset(TEXT): _days_of_text, frozenset(TIMES): _days},
    Boolean.kind: {
        _TRUTH: _double,
        frozenset(TEXT): _truth_of_text,
        frozenset(WHOLE | REAL): _truth_of_number,
    },
    Category.kind: {frozenset(TEXT | WHOLE | TIMES) | _TRUTH: _text, frozenset(REAL): _double},
    Undeclared.kind: {frozenset(TEXT | WHOLE | TIMES) | _TRUTH: _text, frozenset(REAL): _text_of_number},
}
