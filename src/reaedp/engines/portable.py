"""The canonical form of values in portable SQL, which has no conversion that yields nothing where it fails.

Every conversion therefore stands in a CASE behind a test that lets it succeed. All are made in steps, as what a later
step looks at several times should be computed once: the source puts them into nested selects. A moment is two doubles
on the way, days since 1970 and microseconds of that day, which hold both exactly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ibis

from reaedp.contract import Boolean, Category, Date, Integer, Number, shapes
from reaedp.contract.meaning import MICROSECONDS_OF_A_DAY, meaning
from reaedp.engines.canonical import DECIMAL, FIRST_DAY, LAST_DAY, REAL, TEXT, TIMES, TRUTH, WHOLE
from reaedp.engines.wanted import Wanted
from reaedp.statistics.by_kind import ByKind, no_way

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

#: Functions of the database itself. ibis has no MD5 for many, and its own floor is an integer, which is too narrow.
md5: Any = ibis.udf.scalar.builtin(lambda text: text, name="md5", signature=((str,), str))
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


Step = Callable[[Sequence[Known], Cell], list[Cell]]


def steps(cells: Sequence[Known]) -> list[Step]:
    """What follows the first step: each is a select from what the one before it made."""
    with_dates = [dated] if any(known.kind in TEXT and known.needs("moment") for known in cells) else []
    with_digests = [digested, hashed] if any(known.is_name for known in cells) else []
    return [read, *with_dates, valued, *with_digests]


def raw(cells: Sequence[Known]) -> list[Cell]:
    """The first step: the cells, all that is to be understood as a text as one."""
    return [(_plain_text(known.cell) if known.kind in TEXT else known.cell).name(f"c{known.place}") for known in cells]


def read(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The second step: numbers, and the parts of dates."""
    made = []
    for known in cells:
        cell = rows[f"c{known.place}"]
        parts = {"n": _number(cell, known)} if known.needs("number") else {}
        if known.kind in TEXT and known.needs("moment"):
            parts |= _parts_of_date(cell, shapes.DATE if known.is_day else shapes.MOMENT)
        elif known.kind in TIMES and known.needs("moment"):
            parts |= _parts_of_moment(cell)
        made += [part.name(f"{name}{known.place}") for name, part in parts.items()]
    return [*(rows[f"c{known.place}"] for known in cells), *made]


def dated(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The third step: days and microseconds of texts."""
    made = []
    for place in (known.place for known in cells if known.kind in TEXT and known.needs("moment")):
        days = _days_of_date(rows[f"e{place}"]) + floor(rows[f"s{place}"] / SECONDS_OF_A_DAY)
        seconds = rows[f"s{place}"] - floor(rows[f"s{place}"] / SECONDS_OF_A_DAY) * SECONDS_OF_A_DAY
        made += [days.name(f"d{place}"), (seconds * 1e6 + rows[f"f{place}"]).name(f"u{place}")]
    return [*(rows[name] for name in rows.columns if name[0] not in "esf"), *made]


def valued(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The fourth step: the canonical values, and the texts that digests are made of."""
    made = []
    for known in cells:
        cell, name = rows[f"c{known.place}"], "person" if known.column is None else f"v{known.place}"
        if known.column is not None:
            made.append(cell.notnull().name(f"filled{known.place}"))
        if known.is_name:
            named = _name(rows, known)
            made += [named.name(name), _mark(rows, known, named).name(f"mark{known.place}")]
        else:
            made.append(_VALUES.of(known.column)(rows, known).name(name))
    return made


def digested(_cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The fifth step: digests instead of their texts."""
    return [md5(rows[name]).name(name) if name.startswith("mark") else rows[name] for name in rows.columns]


def hashed(_cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The last step: numbers from digests."""
    made = []
    for name in rows.columns:
        place = name.removeprefix("mark")
        if not name.startswith("mark"):
            made.append(rows[name])
        elif place:
            made.append(_bits(rows[name], 0).name(f"h{place}"))
        else:
            made += [_bits(rows[name], start).name(f"hash{number}") for number, start in enumerate((0, 7))]
    return made


def _bits(digest: Cell, start: int) -> Cell:
    """28 bits as a number; by way of a double, as ibis believes that a sum of digits has 64 bits already."""
    digits = [ibis.literal("0123456789abcdef").find(digest.substr(start + place, 1)) for place in range(7)]
    total = sum(digit * 16 ** (6 - place) for place, digit in enumerate(digits))
    return total.cast("float64").cast("int64")


def _plain_text(cell: Cell) -> Cell:
    return cell.cast("string") + ""  # ibis takes an enumeration for a text and leaves the cast out


def _number(cell: Cell, known: Known) -> Cell:
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
    return ibis.cases((harmless, cell.cast("float64")), else_=_double_of_text(_plain_text(cell), words=False))


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


def _parts_of_date(text: Cell, shape: str) -> dict[str, Cell]:
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


def _days_of_date(date: Cell) -> Cell:
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


def _parts_of_moment(cell: Cell) -> dict[str, Cell]:
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


def _microseconds(rows: Cell, place: str) -> Cell:
    """Microseconds since 1970 of days and microseconds of a day."""
    return rows[f"d{place}"].cast("int64") * MICROSECONDS_OF_A_DAY + rows[f"u{place}"].cast("int64")


def _whole_only(rows: Cell, known: Known) -> Cell:
    """Fractions have no canonical form in an integer column; NaN and infinities keep theirs."""
    number = rows[f"n{known.place}"]
    return ibis.cases(((number == floor(number)) | number.isnan(), number))


def _truth(rows: Cell, known: Known) -> Cell:
    number, text = rows[f"n{known.place}"], rows[f"c{known.place}"]
    words = ((shapes.YES, 1.0), (shapes.NO, 0.0)) if known.kind in TEXT else ()
    short = (text.length() <= LONGEST) if words else None
    cases = [(short & text.re_search(shape), truth) for shape, truth in words]
    return ibis.cases(*cases, (number == 1, 1.0), (number == 0, 0.0)).cast("float64")


def _day(rows: Cell, known: Known) -> Cell:
    return rows[f"d{known.place}"] if known.kind in TEXT | TIMES else ibis.null("float64")


def _level(rows: Cell, known: Known) -> Cell:
    """The number of the level: of texts as they are written, then by what they mean; -1 for any other cell."""
    assert known.column is not None
    cell, levels = rows[f"c{known.place}"], known.column.labels
    found: list[tuple[Cell, list[tuple[Any, float]]]] = []
    keys: list[tuple[Any, float]]
    if known.kind in TEXT:
        found.append((cell, [(level, float(place)) for place, level in enumerate(levels)]))
    meant = [(*meaning(level), float(place)) for place, level in enumerate(levels)]
    if known.kind not in TIMES and known.needs("number"):
        keys = [(float(key), place) for sort, key, place in meant if sort == "number"]
        found.append((rows[f"n{known.place}"], keys))
    if known.kind in TEXT | TIMES and known.needs("moment"):
        keys = [(int(key), place) for sort, key, place in meant if sort == "moment"]
        found.append((_microseconds(rows, known.place), keys))
    cases = [(value.isin([key for key, _ in keys]), _halved(value, keys)) for value, keys in found]
    return ibis.cases((cell.isnull(), ibis.null("float64")), *cases, else_=-1.0)


def _halved(value: Cell, keys: Sequence[tuple[Any, float]]) -> Cell:
    """Halve the list until one is left: databases test membership by hashing."""
    if len(keys) == 1:
        return ibis.literal(keys[0][1])
    half = len(keys) // 2
    first = value.isin([key for key, _ in keys[:half]])
    return ibis.ifelse(first, _halved(value, keys[:half]), _halved(value, keys[half:]))


_VALUES = ByKind[Callable[[Cell, Known], Cell]](
    "its canonical value in a database",
    {
        Number: lambda rows, known: rows[f"n{known.place}"],
        Integer: _whole_only,
        Date: _day,
        Boolean: _truth,
        Category: _level,
    },
    otherwise=no_way,
    over="columns",
)


def _name(rows: Cell, known: Known) -> Cell:
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


def _mark(rows: Cell, known: Known, named: Cell) -> Cell:
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
    micros = "us" + _microseconds(rows, place).cast("string")
    return ibis.cases(
        (days.isnull(), ibis.null("string")),
        (~days.between(FIRST_DAY, LAST_DAY), micros),
        (rest == 0, date),
        else_=date + time + "." + _padded(rest - seconds * 1e6, 6),
    )


def _padded(number: Cell, digits: int) -> Cell:
    return (number + 10.0**digits).cast("int64").cast("string").right(digits)
