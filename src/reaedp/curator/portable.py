"""The canonical form of values in portable SQL, which has no conversion that yields nothing where it fails.

Every conversion therefore stands in a CASE behind a test that lets it succeed. Each is made in two steps, as what
the second looks at several times should be computed once: the source puts them into nested selects.
"""

from collections.abc import Callable, Sequence
from typing import Any

import ibis

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number, shapes
from reaedp.contract.category import Undeclared
from reaedp.curator.canonical import REAL, TEXT, TIMES, WHOLE
from reaedp.errors import DeclarationError

#: An expression; ibis says little about its types.
Cell = Any
#: A declared column, its expression, and the type of that by the name that the embedded engine has for it.
Known = tuple[Column, Cell, str]
Step = Callable[[Cell, str], Cell]

#: Longer texts are neither numbers nor dates, and only so much of a text orders rows: a database may fail with more.
LONGEST = 8 * 2**20
#: Plain numbers of up to this length are far from overflow and from underflow.
SHORT = 200
#: Digits of the smallest number that rounds to infinity, 2^1024 - 2^970 = 0.17976…·10^309.
OVERFLOW = str(2**1024 - 2**970)
#: Digits of the largest number that rounds to zero, 2^-1075 = 5^1075·10^-1075 = 0.24703…·10^-323.
UNDERFLOW = str(5**1075)

#: Functions of the database itself. ibis has no MD5 for many, and its own floor is an integer, which is too narrow.
md5: Any = ibis.udf.scalar.builtin(lambda text: text, name="md5", signature=((str,), str))
floor: Any = ibis.udf.scalar.builtin(lambda number: number, name="floor", signature=((float,), float))


def prepared(cells: Sequence[Known], person: Cell | None) -> list[Cell]:
    """The first step: every column's value, whether there is any, and a digest of it and the person."""
    named = [] if person is None else [person.name("person"), md5(person.left(LONGEST)).name("digest")]
    for number, (column, cell, kind) in enumerate(cells):
        named.append(_steps(column, kind)[0](cell, kind).name(f"v{number}"))
        named.append(cell.notnull().name(f"filled{number}"))
        if person is not None:
            text = _ordering_text(cell, kind).coalesce("")
            named.append(md5(person.left(LONGEST) + "/" + text.left(LONGEST)).name(f"digest{number}"))
    return named


def finished(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The second step: the canonical values and orders, from what the first step made."""
    named = [rows["person"], _first_bits(rows["digest"]).name("side")] if "person" in rows.columns else []
    for number, (column, _, kind) in enumerate(cells):
        value = _steps(column, kind)[1](rows[f"v{number}"], kind)
        named.append((_level(value, column.labels) if column.kind == Category.kind else value).name(f"v{number}"))
        named.append(rows[f"filled{number}"])
        if f"digest{number}" in rows.columns:
            named.append(_first_bits(rows[f"digest{number}"]).name(f"s{number}"))
    return named


def _level(text: Cell, levels: Sequence[str]) -> Cell:
    """The number of the level, -1 for any other text, null for none."""
    other = ibis.ifelse(text.notnull(), -1.0, ibis.null("float64"))
    return ibis.ifelse(text.isin(levels), _halved(text, levels, 0), other)


def _halved(text: Cell, levels: Sequence[str], first: int) -> Cell:
    """Halve the list until one is left: databases test membership by hashing."""
    if len(levels) == 1:
        return ibis.literal(float(first))
    half = len(levels) // 2
    return ibis.ifelse(
        text.isin(levels[:half]), _halved(text, levels[:half], first), _halved(text, levels[half:], first + half)
    )


def printed(cell: Cell, kind: str) -> Cell:
    """The name of a person as the embedded engine prints it."""
    if kind not in ("FLOAT", "DOUBLE"):
        return _plain_text(cell)
    number = cell.cast("float64")
    return _printed_number(number.cast("string"), number)


def _ordering_text(cell: Cell, kind: str) -> Cell:
    """The text whose digest orders a person's rows; of a number, whole part and fraction as integers."""
    if kind not in REAL:
        return _plain_text(cell)
    number = _double(cell, kind)
    whole = floor(number)
    fraction = floor((number - whole) * 2.0**53)
    return ibis.cases(
        (number.isnan(), "nan"),
        (number.abs() < 2.0**63, whole.cast("int64").cast("string") + ":" + fraction.cast("int64").cast("string")),
        (number > 0, "inf"),
        (number < 0, "-inf"),
    )


def _steps(column: Column, kind: str) -> tuple[Step, Step]:
    for kinds, steps in _CONVERSIONS[column.kind].items():
        if kind in kinds:
            return steps
    raise DeclarationError(
        f"Column {column.name!r} is declared as {column.kind}, but the data holds it as {kind}."
        f" Declare another kind, or convert the column."
    )


def _first_bits(digest: Cell) -> Cell:
    """28 bits as a number; by way of a double, as ibis believes that a sum of digits has 64 bits already."""
    digits = [ibis.literal("0123456789abcdef").find(digest.substr(place, 1)) for place in range(7)]
    total = sum(digit * 16 ** (6 - place) for place, digit in enumerate(digits))
    return total.cast("float64").cast("int64")


def _as_is(cell: Cell, _kind: str) -> Cell:
    return cell


def _plain_text(cell: Cell, _kind: str = "") -> Cell:
    return cell.cast("string") + ""  # ibis takes an enumeration for a text and leaves the cast out


def _text_of_number(number: Cell, _kind: str) -> Cell:
    """Text that does not depend on how an engine prints: whole numbers without a fraction."""
    whole = (number == floor(number)) & (number.abs() < 1e15)
    return ibis.cases(
        (whole, number.cast("int64").cast("string")), else_=_printed_number(number.cast("string"), number)
    )


def _printed_number(text: Cell, number: Cell) -> Cell:
    """A floating-point number as the embedded engine prints it, from the text that the database prints."""
    return ibis.cases(
        (number.isnan(), "nan"),
        (number == float("inf"), "inf"),
        (number == float("-inf"), "-inf"),
        (number != floor(number), text),
        (number == 0, text + ".0"),  # a negative zero keeps its sign
        (number.abs() < 1e16, number.cast("int64").cast("string") + ".0"),
        else_=text,
    )


def _double(cell: Cell, kind: str) -> Cell:
    if kind != "DECIMAL":
        return cell.cast("float64")
    size = cell.abs()
    harmless = (size == 0) | ((size > 1e-300) & (size < 1e300))
    return ibis.cases((harmless, cell.cast("float64")), else_=_double_of_text(cell))


def _double_of_truth(cell: Cell, _kind: str) -> Cell:
    return cell.cast("int32").cast("float64")


def _double_of_text(cell: Cell, _kind: str = "") -> Cell:
    text = _plain_text(cell)
    bare = text.strip().replace("+", "")
    sign = ibis.cases((bare.startswith("-"), -1.0), else_=1.0)
    return ibis.cases(
        (text.length() > LONGEST, ibis.null("float64")),
        ((text.length() <= SHORT) & text.re_search(shapes.PLAIN_NUMBER), bare.cast("float64")),
        (text.re_search(shapes.NOT_A_NUMBER), float("nan")),
        (text.re_search(shapes.INFINITE), sign * float("inf")),
        (text.re_search(shapes.NUMBER), _bounded(bare, sign)),
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


def _whole_only(number: Cell, _kind: str) -> Cell:
    """Fractions have no canonical form in an integer column; NaN and infinities keep theirs."""
    return ibis.cases(((number == floor(number)) | number.isnan(), number))


def _days_of_moment(cell: Cell, _kind: str) -> Cell:
    """Days since 1970 of a date or time that is not infinite.

    Seconds are cut to whole ones before they become doubles, which cannot hold the microseconds of far years.
    """
    days = floor(floor(cell.epoch_seconds()).cast("float64") / 86_400)
    return ibis.cases((days.abs() < 1e15, days))


def _date_of_text(cell: Cell, _kind: str) -> Cell:
    """Year·10000 + month·100 + day, and a half where the time is 24:00."""
    text = _plain_text(cell)
    dashed = text.strip().replace("/", "-").replace(" ", "-").replace("T", "-")
    parts = (dashed, dashed.re_replace("^[0-9]*-", ""), dashed.re_replace("^[0-9]*-[0-9]*-", ""))
    year, month, day = (part.re_replace("-.*$", "").cast("float64") for part in parts)
    half = ibis.cases((text.re_search("[ T]24:"), 0.5), else_=0.0)
    date = year * 10_000 + month * 100 + day + half
    return ibis.cases(
        (text.length() > LONGEST, ibis.null("float64")),
        (text.re_search(shapes.PLAIN_DATE), text.replace("-", "").cast("float64")),
        (text.re_search(shapes.DATE), date),
    )


def _days_of_date(date: Cell, _kind: str) -> Cell:
    """Days since 1970, if there is such a day; a half means the day after."""
    year = floor(date / 10_000)
    month = floor((date - year * 10_000) / 100)
    day = floor(date - year * 10_000 - month * 100)
    first = _days(year, month)
    exists = month.between(1, 12) & day.between(1, _days(year, month + 1) - first)
    return ibis.cases((exists, first + day - 1 + (date - floor(date)) * 2))


def _days(year: Cell, month: Cell) -> Cell:
    """Days from 1970 to the first of a month of the Gregorian calendar; month 13 is the next January.

    Years begin in March here: then leap days come last, and the lengths of months repeat every five months.
    """
    years = ibis.cases((month > 2, year), else_=year - 1)
    months = ibis.cases((month > 2, month - 3), else_=month + 9)
    leap_days = floor(years / 4) - floor(years / 100) + floor(years / 400)
    return years * 365 + leap_days + floor((months * 153 + 2) / 5) - 719_468


def _truth_of_text(cell: Cell, _kind: str) -> Cell:
    text = _plain_text(cell)
    truth = ibis.cases(
        (text.length() > LONGEST, ibis.null("int64")), (text.re_search(shapes.YES), 1), (text.re_search(shapes.NO), 0)
    )
    return truth.cast("float64")


def _truth_of_number(cell: Cell, _kind: str) -> Cell:
    return ibis.cases((cell == 1, 1), (cell == 0, 0)).cast("float64")


_TRUTH = frozenset({"BOOLEAN"})
_TEXTS: dict[frozenset[str], tuple[Step, Step]] = {
    frozenset(TEXT | WHOLE | TIMES | _TRUTH): (_plain_text, _as_is),
    frozenset(REAL): (_double, _text_of_number),
}
_CONVERSIONS: dict[str, dict[frozenset[str], tuple[Step, Step]]] = {
    Number.kind: {
        frozenset(TEXT): (_double_of_text, _as_is),
        frozenset(WHOLE | REAL): (_double, _as_is),
        _TRUTH: (_double_of_truth, _as_is),
    },
    Integer.kind: {
        frozenset(TEXT): (_double_of_text, _whole_only),
        frozenset(WHOLE | REAL): (_double, _whole_only),
        _TRUTH: (_double_of_truth, _as_is),
    },
    Date.kind: {
        frozenset(TEXT): (_date_of_text, _days_of_date),
        frozenset(TIMES): (_days_of_moment, _as_is),
    },
    Boolean.kind: {
        _TRUTH: (_double_of_truth, _as_is),
        frozenset(TEXT): (_truth_of_text, _as_is),
        frozenset(WHOLE | REAL): (_truth_of_number, _as_is),
    },
    Category.kind: _TEXTS,
    Undeclared.kind: _TEXTS,
}
