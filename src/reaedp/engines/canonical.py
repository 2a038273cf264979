"""The canonical form of values in the embedded engine's SQL: no expression here fails on any row.

A value is the same whatever type the container chose for it: which type that is depends on the other rows.
"""

from collections.abc import Callable
from functools import partial

from reaedp.contract import Boolean, Column, Date, Integer, Number, shapes
from reaedp.contract.meaning import MICROSECONDS_OF_A_DAY
from reaedp.errors import DeclarationError
from reaedp.statistics.by_kind import ByKind, no_way

#: Texts that have none of `STRANGE`.
BARE = "BARE VARCHAR"
TEXT = frozenset({"VARCHAR", BARE, "ENUM", "UUID"})
#: What occurs in every text that the engine's cast takes for a number and that is none elsewhere, such as 1_000,
#: nan(1) and +-5.
STRANGE = ("_", "(", "+")
SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
WHOLE = frozenset(SIGNED | {f"U{kind}" for kind in SIGNED})
DECIMAL = frozenset({"DECIMAL", "WIDE DECIMAL"})
REAL = DECIMAL | {"FLOAT", "DOUBLE"}
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
        f"Column {column!r} must hold text, numbers, booleans, dates or times; in the data its type is {kind}."
        " Convert the column, or leave it out."
    )


def value(column: Column, cell: str, kind: str) -> str:
    """The canonical value of a column with cells of its own that is no category; of a date still its microseconds."""
    return _VALUES.of(column)(cell, kind)


def finished(column: Column, made: str, kind: str) -> str:
    """The second step, from a column that holds what the first made, as it is looked at more than once."""
    if isinstance(column, Date):
        return f"CAST({_floored(made, MICROSECONDS_OF_A_DAY)} AS DOUBLE)"
    if isinstance(column, Integer) and kind in TEXT | REAL:
        # Fractions have no canonical form; NaN and infinities, which equal their floors, keep theirs.
        return f"CASE WHEN {made} = floor({made}) THEN {made} END"
    return made


class Named:
    """The text that tells a person, a curve or a level that is not declared from all others, in steps.

    Whole numbers are their digits, whatever type holds them; moments and truth values are written in one way. Each step
    is an expression over columns that hold what the steps before it made, called after `place`.
    """

    def __init__(self, place: str, kind: str) -> None:
        self.place, self.kind = place, kind
        self.cell, self.number, self.micros, self.day = (f"{letter}{place}" for letter in "rxmy")

    def first(self) -> dict[str, str]:
        """What the cell is as a number and as a moment."""
        text = _text(self.cell, self.kind)
        if self.kind in TEXT:
            promising = f"regexp_matches({text}, '{shapes.PROMISING}')"
            return {
                self.number: f"CASE WHEN {promising} THEN {_read_double(text, self.kind)} END",
                self.micros: f"CASE WHEN {promising} THEN {moment(self.cell, self.kind)} END",
            }
        number = double(self.cell, self.kind) if self.kind in WHOLE | REAL else "NULL::DOUBLE"
        return {self.number: number, self.micros: moment(self.cell, self.kind)}

    def second(self) -> dict[str, str]:
        """The day of the moment."""
        return {self.day: _floored(self.micros, MICROSECONDS_OF_A_DAY)}

    def name(self) -> str:
        """The canonical name as SQL."""
        if self.kind in TEXT:
            return self._of_text()
        if self.kind in DECIMAL:
            return f"CASE {self._when_whole()} ELSE {_printed(self.number)} END"
        if self.kind in REAL:
            return _printed(self.number)
        if self.kind in TIMES:
            return self._of_moment()
        return "NULL::VARCHAR" if self.kind in NOTHING else f"CAST({self.cell} AS VARCHAR)"

    def mark(self, name: str) -> str:
        """A text from which orders and halves are made.

        Unlike the name it need not tell all values apart. Numbers enter as doubles, as they may have been stored so.
        """
        return f"coalesce({parts_of_number(self.number)}, {name})"

    def _of_text(self) -> str:
        """Texts that are numbers, moments or truth values by their names as such; digits however many there are."""
        text = _text(self.cell, self.kind)
        words = " ".join(
            f"WHEN regexp_matches({text}, '{shape}') THEN '{word}'"
            for shape, word in ((shapes.TRUE, "true"), (shapes.FALSE, "false"))
        )
        return (
            f"CASE WHEN {self.number} IS NOT NULL THEN CASE {self._when_whole()}"
            f" WHEN regexp_matches({text}, '{shapes.IDENTIFIER}') THEN {text} ELSE {_printed(self.number)} END"
            f" WHEN {self.micros} IS NOT NULL THEN {self._of_moment()} {words} ELSE {text} END"
        )

    def _when_whole(self) -> str:
        """A whole number by all its digits, of which a double may not hold the last."""
        bare = f"trim({_text(self.cell, self.kind)}, '{shapes.BLANKS}')"
        digits = f"coalesce(nullif(ltrim(regexp_replace({bare}, '[.].*$', ''), '+-0'), ''), '0')"
        sign = f"CASE WHEN starts_with({bare}, '-') AND {self.number} <> 0 THEN '-' ELSE '' END"
        return f"WHEN regexp_matches({_text(self.cell, self.kind)}, '{shapes.WHOLE_NUMBER}') THEN {sign} || {digits}"

    def _of_moment(self) -> str:
        """A day, with a time if it has one; of far years, which engines print in many ways, the digits."""
        rest = f"({self.micros} - {self.day} * {MICROSECONDS_OF_A_DAY})"
        date = f"strftime(DATE '1970-01-01' + CAST({self.day} AS INTEGER), '%Y-%m-%d')"
        return (
            f"CASE WHEN {self.micros} IS NULL THEN NULL WHEN {self.day} NOT BETWEEN {FIRST_DAY} AND {LAST_DAY}"
            f" THEN 'us' || CAST({self.micros} AS VARCHAR)"
            f" ELSE {date} || CASE WHEN {rest} = 0 THEN ''"
            f" ELSE strftime(make_timestamp({rest}), ' %H:%M:%S.%f') END END"
        )


#: Days on either side of 1970 whose microseconds are counted in 64 bits.
MOST_DAYS = (2**63 - 1) // MICROSECONDS_OF_A_DAY
#: From the first day of year 1 to the last of year 9999.
FIRST_DAY, LAST_DAY = -719_162, 2_932_896


def hashed(text: str) -> tuple[str, str]:
    """Two whole numbers of 28 bits each from the hexadecimal digits of an MD5 hash."""
    return tuple(f"CAST('0x' || substr({text}, {start}, 7) AS BIGINT)" for start in (1, 8))  # type: ignore[return-value]


def double(cell: str, kind: str) -> str:
    """The nearest double of a number or a truth value."""
    return f"TRY_CAST(CAST({cell} AS VARCHAR) AS DOUBLE)" if kind in WIDE else f"CAST({cell} AS DOUBLE)"


def number(cell: str, kind: str) -> str:
    """The double that a cell means, null where it means none."""
    if kind in TEXT:
        text = _text(cell, kind)
        words = " ".join(f"WHEN regexp_matches({text}, '{shape}') THEN {truth}" for shape, truth in _WORDS)
        return _read_double(text, kind, f"CASE {words} END")
    return double(cell, kind) if kind in WHOLE | REAL | TRUTH else "NULL::DOUBLE"


_WORDS = ((shapes.TRUE, "1.0::DOUBLE"), (shapes.FALSE, "0.0::DOUBLE"))


def moment(cell: str, kind: str, shape: str = shapes.MOMENT) -> str:
    """The microseconds since 1970 that a cell means, null where it means no moment or has not this shape."""
    if kind in TEXT:
        text = _text(cell, kind)
        return f"CASE WHEN regexp_matches({text}, '{shape}') THEN {_microseconds_of_text(text)} END"
    return microseconds(cell, kind) if kind in TIMES else "NULL::BIGINT"


def microseconds(cell: str, kind: str) -> str:
    """Microseconds since 1970; null of infinity and of moments too far away to be counted so.

    TRY does not hold where an engine converts the least and the greatest value of a file while it plans the query, as
    it does with dates: these are compared before they are multiplied.
    """
    if kind == "DATE":
        days = f"CAST({cell} - DATE '1970-01-01' AS BIGINT)"
        return f"CASE WHEN {days} BETWEEN {-MOST_DAYS} AND {MOST_DAYS} THEN {days} * {MICROSECONDS_OF_A_DAY} END"
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


def _text(cell: str, kind: str) -> str:
    """A cell as text; what is text already is written as it is, as the engine takes long to parse long questions."""
    return cell if kind in ("VARCHAR", BARE) else f"CAST({cell} AS VARCHAR)"


def _floored(number: str, step: int) -> str:
    """A quotient of integers rounded down; nothing on the way is larger than the number."""
    return f"(CASE WHEN {number} >= 0 THEN {number} // {step} ELSE -(-({number} + 1) // {step}) - 1 END)"


def _read_double(text: str, kind: str, otherwise: str = "NULL::DOUBLE") -> str:
    """What the cast understands, less `1_000`, `nan(1)` and `+-5`, which are no numbers elsewhere; or else a word.

    Looking for three texts costs a tenth of matching the shape of a number, which means the same; bare texts have none
    of them. What begins with a digit or a point can only be of the first kind, and is no word; the first byte is
    compared in no time. The engine takes texts by the thousand, and where all of them begin so, it looks at nothing
    else.
    """
    if kind == BARE:
        return f"coalesce(TRY_CAST({text} AS DOUBLE), {otherwise})"
    strange = " OR ".join(f"contains({text}, '{part}')" for part in ("_", "(", "+-"))
    usual = f"NOT contains({text}, '_') AND {text} >= '.' AND {text} < ':'"
    found = f"TRY_CAST({text} AS DOUBLE)"
    return f"CASE WHEN {usual} THEN {found} ELSE coalesce(CASE WHEN NOT ({strange}) THEN {found} END, {otherwise}) END"


def _printed(number: str) -> str:
    whole = f"abs({number}) < {2**63}::DOUBLE AND {number} = floor({number})"
    return (
        f"CASE WHEN isnan({number}) THEN 'nan' WHEN {whole} THEN CAST(TRY_CAST({number} AS BIGINT) AS VARCHAR) "
        f"ELSE CAST({number} AS VARCHAR) END"
    )


def _microseconds_of_text(text: str) -> str:
    """Microseconds of a text that has the shape of a date, less its zone, which the cast passes over."""
    sign, hours, minutes = (f"regexp_extract({text}, '{shapes.ZONE}', {group})" for group in (1, 2, 3))
    zone = (
        f"TRY_CAST({sign} || '1' AS BIGINT) * (TRY_CAST({hours} AS BIGINT) * 60 + TRY_CAST('0' || {minutes} AS BIGINT))"
    )
    offset = f"CASE WHEN contains({text}, ':') THEN coalesce({zone}, 0) * 60000000 ELSE 0 END"
    return f"TRY(epoch_us(TRY_CAST({text} AS TIMESTAMP)) - {offset})"


def _truth(cell: str, kind: str) -> str:
    found = number(cell, kind)
    truth = f"CASE {found} WHEN 1 THEN 1.0::DOUBLE WHEN 0 THEN 0.0::DOUBLE END"
    if kind not in TEXT:
        return truth
    text = _text(cell, kind)
    yes, no = (f"regexp_matches({text}, '{shape}')" for shape in (shapes.YES, shapes.NO))
    return f"CASE WHEN {yes} THEN 1.0::DOUBLE WHEN {no} THEN 0.0::DOUBLE ELSE {truth} END"


_VALUES = ByKind[Convert](
    "its canonical value in the embedded engine",
    {Number: number, Integer: number, Date: partial(moment, shape=shapes.DATE), Boolean: _truth},
    otherwise=no_way,
    plain=("Category",),  # found by a join
    over="columns",
)
