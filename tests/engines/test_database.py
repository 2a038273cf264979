import gc
import math
import pickle
import re
import sys
from typing import Any

import numpy as np
import pytest

import oracle
from reaedp import Budget, Contract, Unit
from reaedp.curator.records import Records
from reaedp.engines.database import open_database
from reaedp.errors import DeclarationError, ReaedpError
from troubles import DATES, NUMBERS, TEXTS, TYPED, contract, counted, form

pytest.importorskip("ibis", reason='ibis is not installed: pip install "reaedp[database]"')
psycopg = pytest.importorskip("psycopg", reason='psycopg is not installed: pip install "reaedp[database]"')


@pytest.mark.parametrize("shape", ["tenths", "wide", "edges", "threes"])
def test_decimals_beyond_the_doubles_are_infinite_or_zero(shape: str, server: str, embedded: Any) -> None:
    assert counted(embedded, form("special", shape)) == counted(f"{server}?table=troubles", form("special", shape))


def mutated(rng: np.random.Generator, text: str) -> str:
    letters = list(text)
    for _ in range(rng.integers(0, 4)):
        place = int(rng.integers(0, len(letters) + 1))
        letters[place : place + int(rng.integers(0, 2))] = [str(rng.choice(list("0123456789-/ T:.+ZeEnaif\t\n")))]
    return "".join(letters)


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
        ("tenths", oracle.number, NUMBERS, 2_000),
        ("tenths", oracle.number, "|".join([*BORDERS, "9" * 300 + "e10"]), 300),
        ("days", oracle.day, DATES, 2_000),
    ],
)
def test_texts_are_read_as_python_reads_them(shape: str, by_hand: Any, seeds: str, size: int, server: str) -> None:
    rng = np.random.default_rng(3)
    texts = sorted({mutated(rng, str(rng.choice(seeds.split("|")))) for _ in range(size)})
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS data.texts")
        connection.execute(
            "CREATE TABLE data.texts AS SELECT * FROM unnest(%s::text[]) WITH ORDINALITY AS t(x, y)", [texts]
        )
    source = open_database(f"{server}?table=data.texts")
    rows = source._fetch(source.canonical((form("x", shape), form("y", "tenths")), None).to_native())
    found = {texts[int(place) - 1]: value for place, value in zip(rows["v1"], rows["v0"], strict=True)}
    assert set(texts) == set(found)
    assert all(rows["filled0"])
    for text, value in found.items():
        expected = by_hand(text)
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


@pytest.mark.parametrize(
    "expression", ["CAST(words AS int)", "1 / (length(words) - length(words))", "(SELECT t.tiny FROM data.troubles t)"]
)
def test_a_view_that_fails_on_a_row_is_an_empty_count(expression: str, server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP VIEW IF EXISTS data.failing")
        connection.execute(f"CREATE VIEW data.failing AS SELECT {expression} AS x, tiny FROM data.troubles")
    terms = contract(form("x", "digits"), form("tiny", "digits"))
    records = Records(terms, f"{server}?table=failing")
    assert 0 == records.counts(("x",)).values.sum()
    assert [0] == [part.counts.sum() for part in records.key_parts(("x",))]
    assert 0 < records.counts(("tiny",)).values.sum()


def test_a_lost_connection_is_an_error_that_quotes_no_row(server: str) -> None:
    source = open_database(f"{server}?table=troubles")
    query = source.canonical((form("words", "tenths"),), None)
    source.backend.con.close()
    with pytest.raises(ReaedpError, match=r"could not count \(OperationalError\)") as caught:
        source.collect(query)
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
    with pytest.raises(DeclarationError, match=r"must hold text, numbers.* its type is JSON"):
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
    source = open_database(f"{data}?table=troubles&application_name=reaedp&connect_timeout=120")
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
