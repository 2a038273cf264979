"""The canonical form of values in the embedded engine's SQL: no expression here fails on any row.

A value is the same whatever type the container chose for it: which type that is depends on the other rows.
"""

from collections.abc import Callable

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number, shapes
from reaedp.contract.category import Undeclared
from reaedp.contract.meaning import MICROSECONDS_OF_A_DAY
from reaedp.errors import DeclarationError

TEXT = frozenset({"VARCHAR", "ENUM", "UUID"})
SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
WHOLE = frozenset(SIGNED | {f"U{kind}" for kind in SIGNED})
REAL = frozenset({"FLOAT", "DOUBLE", "DECIMAL", "WIDE DECIMAL"})
TRUTH = frozenset({"BOOLEAN"})
#: Held in 128 bits, from which the engine's own conversion to doubles is at times a step off.
WIDE = {"HUGEINT", "UHUGEINT", "WIDE DECIMAL"}
NANOSECONDS = {"TIMESTAMP_NS", "TIMESTAMPTZ_NS"}
ZONED = "TIMESTAMP WITH TIME ZONE"
TIMES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", ZONED} | NANOSECONDS)
#: The type of a column that holds nothing but nulls, where nothing else says what it is.
NOTHING = frozenset({"NULL"})
#: What every kind of column can be made from.
KNOWN = TEXT | WHOLE | REAL | TRUTH | TIMES | NOTHING

#: From a cell and its type to its canonical value, all in SQL.
Convert = Callable[[str, str], str]


def known_type(kind: str) -> str:
    """The engine's name of a type without its parameters."""
    wide = kind.startswith("DECIMAL(") and int(kind[8:].split(",", maxsplit=1)[0]) > 18
    return "WIDE DECIMAL" if wide else kind.split("(", maxsplit=1)[0].strip('"')


def refused(column: str, kind: str) -> DeclarationError:
    """The answer to lists, structures and bytes, which hold no single value."""
    return DeclarationError(
        f"Column {column!r} must hold texts, numbers, truth values, dates or times; the data holds it as {kind}."
        " Convert the column, or leave it out."
    )


def value(column: Column, cell: str, kind: str) -> str:
    """The canonical value of a column that is not a category: a double, or the name where levels are not declared."""
    return _VALUES[column.kind](cell, kind)


def name(cell: str, kind: str) -> str:
    """The text that tells a person, a curve or a level that is not declared from all others.

    Whole numbers are their digits, whatever type holds them; moments and truth values are written in one way.
    """
    if kind in TEXT:
        return _name_of_text(_text(cell))
    if kind in REAL:
        return _name_of_double(double(cell, kind))
    if kind in TIMES:
        return _name_of_moment(microseconds(cell, kind))
    return "NULL::VARCHAR" if kind in NOTHING else f"CAST({cell} AS VARCHAR)"


def mark(cell: str, kind: str, named: str) -> str:
    """A text from which orders and halves are made; `named` is the cell's name, or a column that holds it.

    Unlike the name it need not tell all values apart. Numbers enter as doubles, as they may have been stored as such.
    """
    if kind in WHOLE | REAL:
        return parts_of_number(double(cell, kind))
    if kind in TEXT:
        text = _text(cell)
        digits = f"CASE WHEN regexp_matches({text}, '{shapes.PROMISING}') THEN {_read_double(text, kind)} END"
        return f"coalesce({parts_of_number(digits)}, {named})"
    return named


def hashed(text: str) -> tuple[str, str]:
    """Twice 28 bits of MD5."""
    return tuple(f"CAST('0x' || substr({text}, {start}, 7) AS BIGINT)" for start in (1, 8))  # type: ignore[return-value]


def double(cell: str, kind: str) -> str:
    """The nearest double of a number or a truth value."""
    return f"TRY_CAST(CAST({cell} AS VARCHAR) AS DOUBLE)" if kind in WIDE else f"CAST({cell} AS DOUBLE)"


def number(cell: str, kind: str) -> str:
    """The double that a cell means, null where it means none."""
    if kind in TEXT:
        text = _text(cell)
        words = " ".join(f"WHEN regexp_matches({text}, '{shape}') THEN {truth}" for shape, truth in _WORDS)
        return f"coalesce({_read_double(text, kind)}, CASE {words} END)"
    return double(cell, kind) if kind in WHOLE | REAL | TRUTH else "NULL::DOUBLE"


_WORDS = ((shapes.TRUE, "1.0::DOUBLE"), (shapes.FALSE, "0.0::DOUBLE"))


def moment(cell: str, kind: str) -> str:
    """The microseconds since 1970 that a cell means, null where it means no moment."""
    if kind in TEXT:
        text = _text(cell)
        return f"CASE WHEN regexp_matches({text}, '{shapes.MOMENT}') THEN {_microseconds_of_text(text)} END"
    return microseconds(cell, kind) if kind in TIMES else "NULL::BIGINT"


def microseconds(cell: str, kind: str) -> str:
    """Microseconds since 1970; null of infinity and of moments too far away to be counted so."""
    return f"TRY({_floored(f'epoch_ns({cell})', 1_000)})" if kind in NANOSECONDS else f"TRY(epoch_us({cell}))"


def parts_of_number(number: str) -> str:
    """Whole part and fraction of a double as integers: IEEE 754 fixes them, while engines print in several ways.

    Numbers that agree in 53 bits behind the point have the same text, and are ordered by their cells.
    """
    fraction = f"floor(({number} - floor({number})) * {2**53}::DOUBLE)"
    return (
        f"CASE WHEN isnan({number}) THEN 'nan' WHEN abs({number}) < {2**63}::DOUBLE "
        f"THEN CAST(CAST(floor({number}) AS BIGINT) AS VARCHAR) || ':' || CAST(CAST({fraction} AS BIGINT) AS VARCHAR) "
        f"WHEN {number} > 0 THEN 'inf' WHEN {number} < 0 THEN '-inf' END"
    )


def _text(cell: str) -> str:
    return f"CAST({cell} AS VARCHAR)"


def _floored(number: str, step: int) -> str:
    """A quotient of integers rounded down; nothing on the way is larger than the number."""
    return f"(CASE WHEN {number} >= 0 THEN {number} // {step} ELSE -(-({number} + 1) // {step}) - 1 END)"


def _read_double(text: str, _kind: str) -> str:
    """What the cast understands, less `1_000`, `nan(1)` and `+-5`, which are no numbers elsewhere.

    Looking for three texts costs a tenth of matching the shape of a number, which means the same. What begins with a
    digit or a point can only be of the first kind, and the first byte is compared in no time.
    """
    strange = " OR ".join(f"contains({text}, '{part}')" for part in ("_", "(", "+-"))
    usual = f"NOT contains({text}, '_') AND {text} >= '.' AND {text} < ':'"
    found = f"TRY_CAST({text} AS DOUBLE)"
    return f"CASE WHEN {usual} THEN {found} WHEN NOT ({strange}) THEN {found} END"


def _name_of_text(text: str) -> str:
    """Texts that are numbers, moments or truth values by their names as such; digits however many there are."""
    bare = f"trim({text}, '{shapes.BLANKS}')"
    digits = f"coalesce(nullif(ltrim(regexp_replace({bare}, '[.].*$', ''), '+-0'), ''), '0')"
    sign = f"CASE WHEN starts_with({bare}, '-') AND {digits} <> '0' THEN '-' ELSE '' END"
    words = " ".join(
        f"WHEN regexp_matches({text}, '{shape}') THEN '{word}'"
        for shape, word in ((shapes.TRUE, "true"), (shapes.FALSE, "false"))
    )
    return (
        f"CASE WHEN NOT regexp_matches({text}, '{shapes.PROMISING}') THEN {text} "
        f"WHEN regexp_matches({text}, '{shapes.WHOLE_NUMBER}') THEN {sign} || {digits} "
        f"WHEN regexp_matches({text}, '{shapes.NUMBER}') THEN {_name_of_double(f'TRY_CAST({text} AS DOUBLE)')} "
        f"{words} ELSE coalesce({_name_of_moment(moment(text, 'VARCHAR'))}, {text}) END"
    )


def _name_of_double(number: str) -> str:
    whole = f"abs({number}) < {2**63}::DOUBLE AND {number} = floor({number})"
    return (
        f"CASE WHEN isnan({number}) THEN 'nan' WHEN {whole} THEN CAST(TRY_CAST({number} AS BIGINT) AS VARCHAR) "
        f"ELSE CAST({number} AS VARCHAR) END"
    )


def _name_of_moment(micros: str) -> str:
    """Days and the microseconds of a day that is not only meant as such; digits, as engines print far years in many ways.

    Years from 1 to 9999 are written as people write them.
    """
    day = _floored(micros, MICROSECONDS_OF_A_DAY)
    rest = f"{micros} - {day} * {MICROSECONDS_OF_A_DAY}"
    date = f"strftime(DATE '1970-01-01' + CAST({day} AS INTEGER), '%Y-%m-%d')"
    return (
        f"CASE WHEN {micros} IS NULL THEN NULL WHEN {day} NOT BETWEEN {FIRST_DAY} AND {LAST_DAY} "
        f"THEN 'us' || CAST({micros} AS VARCHAR) WHEN {rest} = 0 THEN {date} "
        f"ELSE {date} || strftime(make_timestamp({rest}), ' %H:%M:%S.%f') END"
    )


#: From the first day of year 1 to the last of year 9999.
FIRST_DAY, LAST_DAY = -719_162, 2_932_896


def _microseconds_of_text(text: str) -> str:
    """Microseconds of a text that has the shape of a date, less its zone, which the cast passes over."""
    sign, hours, minutes = (f"regexp_extract({text}, '{shapes.ZONE}', {group})" for group in (1, 2, 3))
    size = f"(CAST({hours} AS BIGINT) * 60 + CAST('0' || {minutes} AS BIGINT)) * 60000000"
    zone = f"CASE {sign} WHEN '+' THEN {size} WHEN '-' THEN -({size}) ELSE 0 END"
    offset = f"CASE WHEN contains({text}, ':') THEN {zone} ELSE 0 END"
    return f"TRY(epoch_us(TRY_CAST({text} AS TIMESTAMP)) - {offset})"


def _days(micros: str) -> str:
    return f"CAST({_floored(micros, MICROSECONDS_OF_A_DAY)} AS DOUBLE)"


def _date(cell: str, kind: str) -> str:
    if kind in TEXT:
        text = _text(cell)
        days = _days(_microseconds_of_text(text))
        return f"CASE WHEN regexp_matches({text}, '{shapes.DATE}') THEN {days} END"
    return _days(microseconds(cell, kind)) if kind in TIMES else "NULL::DOUBLE"


def _truth(cell: str, kind: str) -> str:
    found = number(cell, kind)
    truth = f"CASE WHEN {found} = 1 THEN 1.0::DOUBLE WHEN {found} = 0 THEN 0.0::DOUBLE END"
    if kind not in TEXT:
        return truth
    text = _text(cell)
    yes, no = (f"regexp_matches({text}, '{shape}')" for shape in (shapes.YES, shapes.NO))
    return f"CASE WHEN {yes} THEN 1.0::DOUBLE WHEN {no} THEN 0.0::DOUBLE ELSE {truth} END"


_VALUES: dict[str, Convert] = {
    Number.kind: number,
    Integer.kind: number,
    Date.kind: _date,
    Boolean.kind: _truth,
    Category.kind: name,
    Undeclared.kind: name,
}
