import datetime
import gc
import math
import pickle
import re
import sys
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pytest

from postgres import running_server
from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.curator import shapes
from reaedp.curator.database import open_database
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError, ReaedpError

pytest.importorskip("ibis", reason='ibis is not installed: pip install "reaedp[database]"')
psycopg = pytest.importorskip("psycopg", reason='psycopg is not installed: pip install "reaedp[database]"')

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
]
DOUBLES = """NaN|Infinity|-Infinity|1e15|1e16|1e22|123456.75|1e-7|5e-324|-5e-324|1.7976931348623157e308|-0.0|0.1|0.2|0.3
    |0.4|0.7|0.7999999999999999|1|7|3.5""".replace("\n    ", "")
MOMENTS = "0001-01-01 00:00:00|9999-12-31 23:59:59.999999|2020-01-31 23:59:59.999999|infinity|-infinity"
INSTANTS = "2020-01-31 23:30:00-02|2020-02-01 01:00:00+02|9999-12-31 23:59:59.999999+00|infinity"
PERSONS = ["anna", "bo", None, "çelik", "🙂", "o'neil", "x/y"]

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
HOSTILE = ("DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Tokyo'", "extra_float_digits = -5", "search_path = data")


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


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a database whose own settings print dates, times and numbers in other ways."""
    with running_server() as running:
        if running is None:
            pytest.skip("no PostgreSQL server was found, and none could be installed")
        with psycopg.connect(running.address("postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE source TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        with psycopg.connect(running.address("source"), autocommit=True) as connection:
            connection.execute("CREATE TYPE mood AS ENUM ('a', 'b', '7', 'yes')")
            loaded(connection, {name: kind for name, (kind, _, _) in TYPED.items()} | {"special": "numeric"}, "%s")
            for setting in HOSTILE:
                connection.execute(f"ALTER DATABASE source SET {setting}")
        yield running.address("source")


@pytest.fixture(scope="module")
def embedded() -> Iterator[Any]:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    loaded(connection, {name: kind for name, (_, kind, _) in TYPED.items()}, "?")
    yield connection.table("data.troubles")
    connection.close()


def contract(*columns: Column, unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="d", unit=unit or Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=columns
    )


def counted(data: Any, *columns: Column, unit: Unit | None = None) -> dict[tuple[str, ...], int]:
    found = Records(contract(*columns, unit=unit), data).key_counts(tuple(column.name for column in columns))
    names = [tuple(c.cells[key] for c, key in zip(columns, keys, strict=True)) for keys in found.keys.tolist()]
    return dict(zip(names, found.counts.tolist(), strict=True))


def form(name: str, shape: str) -> Column:
    """A column of some kind, with cells for troubles or without."""
    day = datetime.date
    levels = ("a", "7", "0.3", "🙂", "true", "2020-02-29", "1e-07", "nan", "-inf", "=1+1", "zzz", "1e+22", "123456.75")
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


@pytest.mark.parametrize("name", TYPED)
def test_both_engines_put_every_value_into_the_same_cell(name: str, server: str, embedded: Any) -> None:
    data, possible = f"{server}?table=troubles", 0
    for column in (form(name, shape) for shape in (ALL_SHAPES if name == "words" else SHAPES)):
        try:
            expected = counted(embedded, column)
        except DeclarationError:
            with pytest.raises(DeclarationError, match="declared as"):
                counted(data, column)
        else:
            possible += 1
            assert expected == counted(data, column), column
    assert possible >= 1


@pytest.mark.parametrize("shape", ["tenths", "wide", "edges", "threes"])
def test_decimals_beyond_the_doubles_are_infinite_or_zero(shape: str, server: str, embedded: Any) -> None:
    assert counted(embedded, form("special", shape)) == counted(f"{server}?table=troubles", form("special", shape))


GROUPS = [
    (("words", "tenths"),),
    (("words", "levels"), ("double", "tenths")),
    (("words", "threes"), ("truth", "truth")),
    (("words", "months"), ("exact", "wide"), ("large", "threes")),
    (("day", "months"), ("moment", "last"), ("single", "edges")),
    (("padded", "levels"), ("mood", "levels"), ("key", "levels"), ("instant", "days")),
]


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("group", GROUPS)
def test_both_engines_keep_the_same_rows_of_a_person(
    group: tuple[tuple[str, str], ...], rows: int, server: str, embedded: Any
) -> None:
    columns = [form(name, shape) for name, shape in group]
    unit = Unit("add-remove", person="person", max_rows=rows)
    expected = counted(embedded, *columns, unit=unit)
    assert expected == counted(f"{server}?table=troubles", *columns, unit=unit)
    assert rows * (len(PERSONS) - 1) == sum(expected.values())


@pytest.mark.parametrize("unit", [Unit("add-remove"), Unit("replace", person="person", max_rows=3)])
def test_both_engines_count_the_same_rows_in_several_ways(unit: Unit, server: str, embedded: Any) -> None:
    columns = (form("words", "tenths"), form("truth", "truth"), form("day", "months"), form("tiny", "levels"))
    groups = [("words", "truth"), ("day",), ("tiny", "day"), ("words", "day", "tiny")]
    terms = contract(*columns, unit=unit)
    expected, found = (
        {
            group: (table.keys.tolist(), table.counts.tolist())
            for group, table in Records(terms, data).group_counts(groups)
        }
        for data in (embedded, f"{server}?table=troubles")
    )
    assert expected == found
    assert set(groups) == set(found)


@pytest.mark.parametrize("name", TYPED)
def test_both_engines_find_the_same_texts_where_levels_are_not_declared(name: str, server: str, embedded: Any) -> None:
    terms = contract(
        Undeclared(name=name, provenance="public"), unit=Unit("replace", person="person", max_rows=len(TEXTS) // 8)
    )
    expected = Records(terms, embedded).level_counts(name, 20)
    assert expected == Records(terms, f"{server}?table=troubles").level_counts(name, 20)


def mutated(rng: np.random.Generator, text: str) -> str:
    letters = list(text)
    for _ in range(rng.integers(0, 4)):
        place = int(rng.integers(0, len(letters) + 1))
        letters[place : place + int(rng.integers(0, 2))] = [str(rng.choice(list("0123456789-/ T:.+ZeEnaif\t\n")))]
    return "".join(letters)


def number_by_hand(text: str) -> float | None:
    return float(text) if re.fullmatch(shapes.NUMBER[1:-1], text) else None


def day_by_hand(text: str) -> float | None:
    if not re.fullmatch(shapes.DATE[1:-1], text):
        return None
    year, month, day = map(int, re.split("[-/ T]", text.strip())[:3])
    cycles = (year - 2000) // 400  # the calendar repeats every 400 years, and Python's ends with year 9999
    try:
        date = datetime.date(year - 400 * cycles, month, day)
    except ValueError:
        return None
    return (date - datetime.date(1970, 1, 1)).days + cycles * 146_097 + ("24:" in text)


#: Numbers about the middle between the largest double and infinity, and between the smallest and zero.
BORDERS = [f"{sign}{2**1024 - 2**970 + step}" for sign in ("", "-") for step in (-1, 0, 1)]
BORDERS += [
    f"{sign}{5**1075 + step}{zeros}e-{1075 + len(zeros)}"
    for sign in "+-"
    for step in (-1, 0, 1)
    for zeros in ("", "00")
]


@pytest.mark.parametrize(
    ("shape", "by_hand", "seeds", "size"),
    [
        ("tenths", number_by_hand, NUMBERS, 2_000),
        ("tenths", number_by_hand, "|".join([*BORDERS, "9" * 300 + "e10"]), 300),
        ("days", day_by_hand, DATES, 2_000),
    ],
)
def test_texts_are_read_as_python_reads_them(shape: str, by_hand: Any, seeds: str, size: int, server: str) -> None:
    rng = np.random.default_rng(3)
    texts = sorted({mutated(rng, str(rng.choice(seeds.split("|")))) for _ in range(size)})
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS data.texts")
        connection.execute("CREATE TABLE data.texts AS SELECT unnest(%s::text[]) AS x", [texts])
    source = open_database(f"{server}?table=data.texts")
    form_of_text = source.canonical((form("x", shape), Undeclared(name="x", provenance="public")), None).to_native()
    rows = source._fetch(form_of_text)
    found = {text: (value, broken) for text, value, broken in zip(rows["v1"], rows["v0"], rows["b0"], strict=True)}
    assert set(texts) == set(found)
    for text, (value, broken) in found.items():
        expected = by_hand(text)
        assert (expected is None) == broken, text
        assert value is expected or expected == value or (math.isnan(expected) and math.isnan(value)), text


def test_dates_before_christ_lie_before_all_others(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE VIEW data.old AS SELECT date '0044-03-15 BC' AS x, timestamp '4713-01-02 BC' AS y")
    assert {("<outside>",): 1} == counted(f"{server}?table=old", form("x", "first"))
    assert {("<outside>",): 1} == counted(f"{server}?table=old", form("y", "first"))


def test_names_of_any_characters_are_found(server: str) -> None:
    name = """My "odd" column, 100 % 🙂 'x' :y {z}"""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA "Other"')
        connection.execute(f"""CREATE TABLE "Other"."A Table" (v0 int, "{name.replace('"', '""')}" int)""")
        connection.execute('INSERT INTO "Other"."A Table" VALUES (1, 7)')
    data = f"{server}?table=Other.A%20Table"
    assert {"v0": "INTEGER", name: "INTEGER"} == open_database(data).types
    assert {("7", "1"): 1} == counted(data, form(name, "digits"), form("v0", "digits"))


def test_an_empty_table_is_a_table(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE VIEW data.empty AS SELECT * FROM data.troubles WHERE false")
    assert {} == counted(f"{server}?table=data.empty", form("words", "tenths"), form("day", "days"))


def test_a_failure_in_the_database_quotes_no_row(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE VIEW data.failing AS SELECT CAST(words AS int) AS x FROM data.troubles")
    with pytest.raises(ReaedpError, match=r"could not count \(InvalidTextRepresentation\)") as caught:
        counted(f"{server}?table=failing", form("x", "digits"))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_what_the_database_forbids_or_lacks_is_found_before_anything_is_charged(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA data TO reader")
        connection.execute("GRANT SELECT (truth, person) ON data.troubles TO reader")
        connection.execute("CREATE VIEW data.coins AS SELECT 5::money AS x, '{}'::json AS y")
    data = f"{server.replace('keeper@', 'reader@')}?table=troubles"
    assert 2 * len(TEXTS) == sum(counted(data, form("truth", "truth")).values())
    with pytest.raises(DeclarationError, match=r"cannot convert .*\(InsufficientPrivilege\)"):
        Records(contract(form("words", "tenths")), data).check(("words",))
    with pytest.raises(DeclarationError, match="cannot convert"):
        Records(contract(form("x", "tenths")), f"{server}?table=coins").check(("x",))
    with pytest.raises(DeclarationError, match="declared as category, but the data holds it as JSON"):
        Records(contract(form("y", "levels")), f"{server}?table=coins").check(("y",))
    with pytest.raises(DeclarationError, match="lacks a declared column"):
        Records(contract(form("z", "levels")), f"{server}?table=coins").check(("z",))


def test_a_source_can_only_read_and_closes_its_session_when_it_is_gone(server: str) -> None:
    source = open_database(f"{server}?table=troubles")
    assert f"Source({len(TYPED) + 2} columns)" == repr(source)
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(source)
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        source.backend.raw_sql("DELETE FROM data.troubles")
    session = source.backend.con
    assert not session.closed
    del source
    gc.collect()
    assert session.closed


def test_a_password_with_any_characters_opens_the_database(server: str) -> None:
    data = server.replace("keeper@", "keeper:p%40s%2Fs%3A+%25w%3F%23@").replace("postgresql", "postgresql+psycopg")
    source = open_database(f"{data}?table=troubles&application_name=reaedp&connect_timeout=5")
    assert "p@s/s:+%w?#" == source.backend._con_kwargs["password"]
    assert "reaedp" == source.backend.con.info.get_parameters()["application_name"]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://keeper:SECRET@{host}/{name}", "must name a table.*table=schema.table"),
        ("postgresql://keeper:SECRET@{host}/{name}?table=", "must name a table"),
        ("postgresql://keeper:SECRET@{host}/{name}?table=data.absent", "no table 'data.absent'"),
        ("postgresql://keeper:SECRET@{host}/{name}?table=absent.troubles", "no table 'absent.troubles'"),
        ("postgresql://keeper:SECRET@{host}/{name}?table=Troubles", "no table 'Troubles'"),
        ("postgresql://keeper:SECRET@127.0.0.1:1/{name}?table=t", "cannot be opened .OperationalError; check host"),
        ("postgresql://keeper:SECRET@{host}/SECRET?table=t", "cannot be opened .OperationalError"),
        ("postgresql://keeper:SECRET@{host}/{name}?table=t&SECRET=1", "cannot be opened .ProgrammingError"),
        ("postgresql://keeper:SECRET/more@{host}/{name}?table=t", "must have the form postgresql://user"),
        ("postgresql://keeper:1/SECRET@{host}/{name}?table=t", "must have the form"),
        ("postgresql://keeper:1?SECRET@{host}/{name}?table=t", "must have the form"),
        ("postgresql://keeper:1#SECRET@{host}/{name}?table=t", "must have the form"),
        ("postgresql://keeper:SECRET[@{host}/{name}?table=t", "must have the form"),
        ("nosuchdatabase://keeper:SECRET@{host}/{name}?table=t", "cannot be opened"),
    ],
)
def test_an_address_that_cannot_be_opened_says_why_without_its_password(address: str, words: str, server: str) -> None:
    host, name = server.removeprefix("postgresql://keeper@").split("/")
    with pytest.raises(DeclarationError, match=words) as caught:
        open_database(address.format(host=host, name=name))
    assert "SECRET" not in str(caught.value) + repr(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("module", ["ibis", "psycopg"])
def test_without_the_extra_the_way_to_install_it_is_named(
    module: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DeclarationError, match=re.escape('pip install "reaedp[database]"')):
        open_database(f"{server}?table=troubles")


@pytest.mark.parametrize("form", ["wide", "long"])
def test_curves_in_a_database_have_the_same_sums_as_in_a_file(form: str, server: str, tmp_path: Any) -> None:
    import pandas as pd

    from reaedp import Curve

    rng = np.random.default_rng(8)
    rows = [(who, float(time), float(rng.normal(1, 0.3))) for who in range(40) for time in (0, 1, 2)]
    frame = pd.DataFrame(rows, columns=["who", "time", "value"])
    shape = {"id": "who", "time": "time", "value": "value"}
    if form == "wide":
        frame = frame.pivot_table(index="who", columns="time", values="value").reset_index()
        frame.columns = ["who", "a", "b", "c"]
        frame.loc[3, "b"] = None
        shape = {"points": ("a", "b", "c"), "at": (0.0, 1.0, 2.0)}  # type: ignore[dict-item]
    curve = Curve(
        name="x",
        form=form,
        interval=(0.0, 2.0),
        basis="wiener",
        rank=3,
        clip=2.0,
        provenance="public",
        **shape,  # type: ignore[arg-type]
    )
    terms = Contract(
        dataset="curves",
        unit=Unit("add-remove", "who", 3),
        budget=Budget(1, 1e-6),
        ledger="unused",
        columns=(),
        curves=(curve,),
    )
    frame.to_csv(tmp_path / "curves.csv", index=False)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS data.{form}")
        kinds = ", ".join(f"{name} double precision" for name in frame.columns)
        connection.execute(f"CREATE TABLE data.{form} ({kinds})")
        marks = ", ".join(["%s"] * len(frame.columns))
        values = [tuple(None if pd.isna(value) else value for value in row) for row in frame.itertuples(index=False)]
        connection.cursor().executemany(f"INSERT INTO data.{form} VALUES ({marks})", values)
    there, here = (Records(terms, data) for data in (f"{server}?table=data.{form}", str(tmp_path / "curves.csv")))
    there.check_curve("x")
    assert 40 == here.curve_sums("x")[1] == there.curve_sums("x")[1]
    assert here.curve_sums("x")[0].tolist() == there.curve_sums("x")[0].tolist()
