"""Values that engines disagree about, as texts, types and declared columns."""

import datetime
import decimal
from typing import Any

import numpy as np

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.column import Column
from reaedp.curator.records import Records

NUMBERS = """0|0.3|0.29|0.7|1|-0.0|nan|NaN|-nan|+NAN|inf|Inf|-inf|+INFINITY|-infinity|1e400|-1e400|1e-400|-1e-400|2|-1
    |5e-324|-5e-324|1e-310|1.7976931348623157e308|1.7976931348623158e308|1.7976931348623159e308|2e-324|3e-324|+5|5.|.5
    |1e5|1E+05|1e-5|00012|1e00000000000000000001|1e99999999999999999999|-1e-99999999999999999999|0e99999999999|3.5|7.0
    |0.1|0.2|0.4|0.5|0.6|0.8|0.9|0.30000000000000004|0.7999999999999999|9007199254740993|-7""".replace("\n    ", "")
NO_NUMBERS = "two|🙂|1,5|1_000|0x10|1e|e5|.|-|+-5|--5|1 2|infinit|nano|１|true|1%|''|$1|=1+1|a|b|A|ab|zzzz"
DATES = """2020-01-31|2020-02-01|2020-02-29|2019-02-29|2020-02-30|1900-02-29|2000-02-29|2020-04-31|2020-13-01|2020-00-10
    |2020-01-00|0001-01-01|0000-01-01|9999-12-31|10000-01-01|2020-1-5|2020/01/05|2020/1-5|2020 01 05|20200105|99-01-01
    |2020-01-31 23:59:59.999999|2020-01-31T24:00:00|2020-01-31 24:00:01|2020-01-31 25:00|2020-01-31 23:30:00-02
    |2020-01-31 23:30:00Z|2020-01-31 10|2020-01-31 10:61|2020-06-15 10:00:00 UTC|2020-06-15 10:00:00 CET
    |2020-06-15 10:00:00+02:00|2020-01-31x|05.01.2020
    |2019-12-31|2020-12-31|2021-01-01|-2020-01-01|epoch|infinity|-infinity""".replace("\n    ", "")
TRUTHS = ["yes", " N ", "T", "f", "1.0", "0", "TRUE", "False", "\tyes", "maybe", "y"]
TEXTS = [
    *NUMBERS.split("|"),
    *NO_NUMBERS.split("|"),
    *DATES.split("|"),
    *TRUTHS,
    *["", " ", " 7\t", "\n0.3\v\f\r", "\u00a01", "1\n2", "9" * 400, "9" * 1_000_000, "0." + "0" * 400 + "1"],
    *["1" + "0" * 500 + "e-500", "0." + "0" * 500 + "3e+500"],
    # Composed and decomposed, compatible forms, from right to left, joined emoji, spaces about the same letter.
    *[
        "\u00e9",
        "e\u0301",
        "\ufb01",
        "fi",
        "\u05e9\u05dc\u05d5\u05dd",
        "\u202eabc",
        "👩‍👩‍👧",
        "a ",
        " a",
        "a\u00a0",
        "\ufeffa",
    ],
    # Numbers to Java alone.
    *["1d", "1f", "0x1p3", "1.5D", "2020-02-01\n", "yes\n", "9" * 200_000 + "x"],
]
DOUBLES = """NaN|Infinity|-Infinity|1e15|1e16|1e22|123456.75|1e-7|5e-324|-5e-324|1.7976931348623157e308|-0.0|0.1|0.2|0.3
    |0.4|0.7|0.7999999999999999|1|7|3.5""".replace("\n    ", "")
MOMENTS = "0001-01-01 00:00:00|9999-12-31 23:59:59.999999|2020-01-31 23:59:59.999999|infinity|-infinity"
INSTANTS = "2020-01-31 23:30:00-02|2020-02-01 01:00:00+02|9999-12-31 23:59:59.999999+00|infinity"
PERSONS = ["12e45678", "99e999", None, "çelik", "🙂", "o'neil", "x/y"]

#: The same double, and two people.
LONG = [str(2**53), str(2**53 + 1)]
#: Name: type in PostgreSQL, type in the embedded engine, values as both read them.
TYPED: dict[str, tuple[str, str, list[str]]] = {
    "words": ("text", "VARCHAR", TEXTS),
    "short": ("varchar(9)", "VARCHAR", ["two", "🙂", "1,5", "0.3", "7", "2020-1-5", "yes"]),
    "padded": ("char(9)", "VARCHAR", ["a", "b", "0.3", "7", "2020-1-5", "yes", "🙂"]),
    "mood": ("mood", "VARCHAR", ["a", "b", "7", "yes"]),
    "key": ("uuid", "UUID", ["00000000-0000-0000-0000-00000000000a", "ffffffff-0000-0000-0000-000000000000"]),
    "tiny": ("smallint", "SMALLINT", ["0", "1", "7", "-1", "32767", "-32768"]),
    "middle": ("integer", "INTEGER", ["0", "1", "7", "-1", "2147483647"]),
    "large": ("bigint", "BIGINT", ["0", "1", "7", "-1", "9007199254740993", str(2**63 - 1), str(-(2**63))]),
    "huge": ("numeric(38,0)", "DECIMAL(38,0)", ["0", "7", "-1", "512012067193669321252", "9" * 38, str(2**63), *LONG]),
    "exact": ("numeric(20,4)", "DECIMAL(20,4)", ["0", "1", "0.3", "7", "-1.5", "0.0001", "9999999999999999.9999"]),
    "single": ("real", "FLOAT", ["0", "1", "0.3", "7", "3.5", "NaN", "Infinity", "-Infinity", "-0.0", "1e-45", "3e38"]),
    "double": ("double precision", "DOUBLE", DOUBLES.split("|")),
    "truth": ("boolean", "BOOLEAN", ["true", "false"]),
    "day": ("date", "DATE", ["0001-01-01", "9999-12-31", "2020-02-29", "1969-12-31", "infinity", "-infinity"]),
    "moment": ("timestamp", "TIMESTAMP", MOMENTS.split("|")),
    "instant": ("timestamptz", "TIMESTAMPTZ", INSTANTS.split("|")),
}
#: PostgreSQL's decimals hold what the embedded engine's cannot; the texts beside them say the same.
SPECIAL = ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "0.3", "-0.1", "3e-324", "1e300", "1e-300", "7"]


def spread(values: list[str], rows: int, every: int) -> list[str | None]:
    """The values in a cycle, with a null now and then."""
    return [None if row % every == every - 1 else values[row % len(values)] for row in range(rows)]


def columns_of_text() -> dict[str, list[str | None]]:
    rows = 2 * len(TEXTS)
    cells = {name: spread(values, rows, 11 + number) for number, (name, (_, _, values)) in enumerate(TYPED.items())}
    cells["special"] = spread(SPECIAL, rows, 13)
    return {"person": [PERSONS[row * row % 23 % len(PERSONS)] for row in range(rows)], **cells}


def loaded(connection: Any, types: dict[str, str], mark: str) -> None:
    """Make the table `data.troubles` from texts; `mark` is how the driver writes a parameter."""
    cells = columns_of_text()
    connection.execute("CREATE SCHEMA data")
    connection.execute(f"CREATE TABLE data.raw ({', '.join(f'{name} text' for name in cells)})")
    rows = list(zip(*cells.values(), strict=True))
    connection.cursor().executemany(f"INSERT INTO data.raw VALUES ({', '.join([mark] * len(cells))})", rows)
    casts = ", ".join(f"CAST({name} AS {types.get(name, 'text')}) AS {name}" for name in cells)
    connection.execute(f"CREATE TABLE data.troubles AS SELECT {casts} FROM data.raw")


def contract(*columns: Column, unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="d", unit=unit or Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=columns
    )


def counted(data: Any, *columns: Column, unit: Unit | None = None, engine: Any = None) -> dict[tuple[str, ...], int]:
    found = Records(contract(*columns, unit=unit), data, engine).key_counts(tuple(column.name for column in columns))
    names = [tuple(c.cells[key] for c, key in zip(columns, keys, strict=True)) for keys in found.keys.tolist()]
    return dict(zip(names, found.counts.tolist(), strict=True))


def form(name: str, shape: str) -> Column:
    """A column of some kind, with cells for troubles or without."""
    day = datetime.date
    unicode = ("\u00e9", "e\u0301", "\ufb01", "\u05e9\u05dc\u05d5\u05dd", "\u202eabc", "👩‍👩‍👧", "a ", " a", "")
    levels = (
        *unicode,
        "a",
        "7",
        "0.3",
        "🙂",
        "true",
        "2020-02-29",
        "1e-07",
        "nan",
        "-inf",
        "=1+1",
        "zzz",
        "1e+22",
        "123456.75",
    )
    public: dict[str, Any] = {"name": name, "provenance": "public"}
    shapes_of_columns: dict[str, Column] = {
        "tenths": Number(**public, lower=0, upper=0.8, bins=8, infinite="cell", outside="cell"),
        "wide": Number(**public, lower=0, upper=910, bins=13, nan="drop", outside="drop"),
        "edges": Number(**public, edges=(-1, 0, 0.1, 0.3, 0.7999999999999999, 1e16), null="drop"),
        "threes": Integer(**public, lower=-7, upper=20, width=3, infinite="cell", outside="cell"),
        "digits": Integer(**public, lower=0, upper=9, unparsable="drop"),
        "truth": Boolean(**public),
        "levels": Category(**public, levels=levels),
        "months": Date(**public, lower=day(2020, 1, 1), upper=day(2020, 12, 31), every="month"),
        "first": Date(**public, lower=day(1, 1, 1), upper=day(9, 12, 31), every="year", outside="cell"),
        "last": Date(**public, lower=day(9990, 1, 1), upper=day(9999, 12, 31), every="year", outside="cell"),
        "days": Date(**public, lower=day(2020, 1, 30), upper=day(2020, 3, 1), every="day"),
    }
    return shapes_of_columns[shape]


SHAPES = ["tenths", "threes", "truth", "levels", "last"]
ALL_SHAPES = [*SHAPES, "wide", "edges", "digits", "months", "first", "days"]


GROUPS = [
    (("words", "tenths"),),
    (("words", "levels"), ("double", "tenths")),
    (("words", "threes"), ("truth", "truth")),
    (("words", "months"), ("exact", "wide"), ("large", "threes")),
    (("day", "months"), ("moment", "last"), ("single", "edges")),
    (("padded", "levels"), ("mood", "levels"), ("key", "levels"), ("instant", "days")),
]

#: More texts for the law over all routes: the same number, day or truth in many forms, and what only looks like it.
FORMS = [
    *[
        "1.0",
        "01",
        "+1",
        " 1 ",
        "1e0",
        "true",
        "TRUE",
        " True\t",
        "tRUE",
        "false",
        "FALSE",
        "-0",
        "+0.0",
        "-0.0",
        "0.00",
    ],
    *["-007", "-007.000", "+12.", "1.50", "15e-1", "1e15", "1e16", "1E22", "1000000000000000.1", "-1000000000000000.1"],
    *["9007199254740992", "9007199254740993.0", "9007199254740993.5", "999999999999999", "1000000000000000", "9.0e15"],
    *[str(2**63 - 1), str(2**63), str(-(2**63)), str(2**64), "1" + "0" * 22, "1" + "0" * 400, "-1" + "0" * 400],
    *[
        "nan ",
        "Infinity",
        "-Inf",
        "nan(1)",
        "inf.",
        "+ 1",
        "1 .0",
        "1.0.0",
        "1e5.0",
        "１.０",
        "٣",
        "1\u2007",
        "trueish",
    ],
    *["2020-02-29 00:00:00", "2020-02-29T00:00:00", "2020-02-29 00:00:00.000000", "2020-02-29 00:00:00+00:00"],
    *["2020-02-29 02:00:00+02:00", "2020-02-28 22:00:00-0200", "2020-02-29 12:30:15.25", "2020-02-29 12:30:15.250000Z"],
    *[
        "2020-02-29 12:30:15.2500009",
        "2020-02-29 12:30:15.999999999",
        "2020-02-29 23:59:59.9999999",
        "2020-02-29 00:00",
    ],
    *["2020-02-29 24:00:00+01:00", "2020-02-29 24:00:00-01:00", "0001-01-01 00:00:00+14:00", "9999-12-31 23:00:00-14"],
    *[
        "2020-02-29 12:30:15+99:99",
        "2020-02-29 12:30:15-99",
        "2020-2-9",
        "2020-02-29 7:5:3.5-01",
        "99999-12-31",
        "0-1-1",
    ],
    *["2020-02-29 12:30:15,5", "2020-02-29t00:00:00", "2020-02-29 12:30:60", "2020-02-29  00:00:00", "2020-06-31"],
    *[
        " 2020-02-29",
        "2020-02-29 ",
        "2020-02-29Z",
        "2020-02-29 12:30:15+1",
        "2020-02-29 12:30:15 +01",
        "2020-02-29 12:30Z",
    ],
    *[
        "1970-01-01",
        "1969-12-31 23:59:59.999999",
        "1582-10-10",
        "1900-03-01",
        "0004-02-29",
        "us0",
        "T",
        "n",
        "NO",
        "Yes ",
    ],
]
LEVELS = (
    *[
        "a",
        "7",
        "0.3",
        "true",
        "-0.0",
        "nan",
        "-inf",
        "1e+22",
        "9007199254740993",
        "2020-02-29",
        "é",
        " a",
        "",
        "🙂",
        "yes",
    ],
    *["2020-02-29 12:30:15.25", "1969-12-31 23:59:59.999999", "0001-01-01", "9999-12-31", "2020-02-30", "1.5", "zzzz"],
    *["1000000000000000.1", "9223372036854775807", "2020-01-31 23:59:59.999999", "2020-02-01 01:30:00", "T", "1_000"],
)


def _stored() -> dict[str, list[Any]]:
    """Values by how a container holds them; those of a type mean the same wherever that type is."""
    moment, zone, exact = datetime.datetime, datetime.timezone, decimal.Decimal
    doubles = [float(text) for text in DOUBLES.split("|")]
    doubles += [2.0**53, 2.0**53 + 2, 1e15 + 0.125, -1e15 - 0.25, 4e15 + 0.5, 9.5e14, 2.0**63, -(2.0**63), 0.1 + 0.2]
    moments = [moment(1, 1, 1), moment(9999, 12, 31, 23, 59, 59, 999999), moment(2020, 2, 29), moment(1970, 1, 1)]
    moments += [moment(2020, 2, 29, 12, 30, 15, 250000), moment(1969, 12, 31, 23, 59, 59, 999999), moment(1582, 10, 10)]
    east, west = zone(datetime.timedelta(hours=14)), zone(datetime.timedelta(hours=-2))
    return {
        "text": [*TEXTS, *FORMS],
        "bigint": [0, 1, 7, -1, 2**53 - 1, 2**53, 2**53 + 1, 10**15, 10**15 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)],
        "smallint": [0, 1, 7, -1, 32767, -32768],
        "double": doubles,
        "single": [float(np.float32(value)) for value in (0, 1, 0.3, 7, 3.5, "nan", "inf", "-inf", -0.0, 1e-45, 3e38)],
        "truth": [True, False],
        "exact": [exact(text) for text in ("0", "1", "0.3", "7", "-1.5", "0.0001", "9999999999999999.9999", "1.5000")],
        "huge": [
            exact(text) for text in ("0", "7", "-1", "512012067193669321252", "9" * 38, str(2**63), str(2**53 + 1))
        ],
        "day": [moment.date() for moment in moments],
        "moment": moments,
        "instant": [
            moment(2020, 2, 1, 1, tzinfo=east),
            moment(2020, 1, 31, 23, 30, tzinfo=west),
            moment(1970, 1, 1, tzinfo=east),
        ],
    }


STORED = _stored()
