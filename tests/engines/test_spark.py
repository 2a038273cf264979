"""What is particular to Spark: files, tables, sessions, and every kind of release beside the embedded engine's."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import Budget, Category, Contract, Plan, Unit, publish
from reaedp.contract import Curve
from reaedp.curator.learning import learn_bounds, learn_levels
from reaedp.curator.records import Records
from reaedp.engines.source import open_source
from reaedp.engines.spark.session import is_master, session_of
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from spark_cluster import Cluster
from tests_support import ledger_in, planned, releases
from troubles import contract, counted, form

pytestmark = pytest.mark.xdist_group("spark")

CONTRACT = """
[dataset]
name = "clinic"
[unit]
change = "add-remove"
person = "who"
max_rows = 2
at_least = 1000
[budget]
epsilon = 1000.0
delta = 1e-3
ledger = "{ledger}"
[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 10
provenance = "public"
[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"
[columns.ward]
kind = "integer"
lower = 0
upper = 3
provenance = "public"
[curves.pulse]
form = "wide"
points = ["p0", "p1", "p2"]
at = [0.0, 1.0, 2.0]
interval = [0.0, 2.0]
basis = "wiener"
rank = 3
clip = 2.0
rho = 0.1
provenance = "public"
"""
PLAN = releases(
    'contract = "contract.toml"\n',
    planned("ages", "histogram", columns=["age", "sex"], mechanism="gaussian", epsilon=10, delta=1e-05),
    planned("frequent", "histogram", columns=["age", "sex", "ward"], mechanism="threshold", epsilon=10, delta=1e-05),
    planned("entropy", "entropy", columns=["age"], mechanism="laplace", epsilon=10),
    planned("map", "entropy-map", columns=["age", "sex", "ward"], mechanism="gaussian", epsilon=10, delta=1e-05),
    planned("people", "synthetic", columns=["age", "sex", "ward"], rows=50, method="network", epsilon=10, delta=1e-05),
    planned(
        "deniable", "synthetic", columns=["age", "sex", "ward"], rows=5, method="deniable", epsilon=100, delta=0.0001
    ),
    planned(
        "amortised", "synthetic", columns=["age", "sex", "ward"], rows=50, method="amortised", epsilon=10, delta=1e-05
    ),
    planned("conditional", "conditional-entropy", columns=["age"], given=["sex"], mechanism="laplace", epsilon=10),
    planned("mutual", "mutual-information", columns=["age"], given=["ward"], mechanism="laplace", epsilon=10),
    planned("pulse", "mean-curve", curve="pulse", epsilon=10, delta=1e-05),
    planned("pulses", "synthetic-curves", curve="pulse", curves=5, kept=1, spread=0.2, epsilon=100, delta=0.0001),
)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import pandas as pd

    folder = tmp_path_factory.mktemp("clinic")
    rng, rows = np.random.default_rng(5), 6_000
    frame = pd.DataFrame(
        {
            "who": [f"p{number}" for number in rng.integers(0, 4_000, rows)],
            "age": np.where(rng.random(rows) < 0.05, np.nan, rng.normal(50, 20, rows)),
            "sex": rng.choice(["f", "m", "x"], rows, p=[0.5, 0.45, 0.05]),
            "ward": rng.integers(0, 5, rows),
            **{name: rng.normal(1, 0.5, rows) for name in ("p0", "p1", "p2")},
        }
    )
    frame.to_parquet(folder / "data.parquet")
    (folder / "contract.toml").write_text(CONTRACT.format(ledger=ledger_in(folder)), encoding="utf-8")
    return folder


def released(folder: Path, names: tuple[str, ...], engine: Any) -> dict[str, str]:
    """What some releases of the plan say, with noise that repeats itself."""
    place = Path(tempfile.mkdtemp(dir=folder))
    (place / "contract.toml").write_text(CONTRACT.format(ledger=ledger_in(place)), encoding="utf-8")
    head, *blocks = PLAN.split("[[release]]")
    wanted = [text for text in blocks if any(f'name = "{name}"' in text for name in names)]
    (place / "plan.toml").write_text("[[release]]".join([head, *wanted]), encoding="utf-8")
    noise, out = SeededNoise(np.random.default_rng(9)), place / "out"
    plan, data = Plan.load(place / "plan.toml"), str(folder / "data.parquet")
    made = publish(plan, data, out, noise=noise, engine=engine, audited=False)
    return {release.name: (out / f"{release.name}.csv").read_text(encoding="utf-8") for release in made}


@pytest.mark.parametrize(
    "names",
    [
        ("ages", "frequent", "map", "conditional", "mutual", "pulse", "pulses"),
        # They ask many questions.
        pytest.param(("entropy", "people", "deniable", "amortised"), marks=pytest.mark.slow),
    ],
)
def test_every_kind_of_release_is_the_same_as_that_of_the_embedded_engine(
    names: tuple[str, ...], clinic: Path, cluster: Cluster
) -> None:
    expected, found = (released(clinic, names, engine) for engine in (None, cluster.master))
    assert set(names) == set(expected)
    for name, text in expected.items():
        assert text == found[name], name


def test_bounds_and_levels_are_learned_on_the_cluster(clinic: Path, cluster: Cluster) -> None:
    terms = Contract.load(clinic / "contract.toml")
    data = str(clinic / "data.parquet")
    # ±14 at ε = 40 and some hundred bins has probability below 1e-100, so that the result is the data's own.
    lower, upper, _ = learn_bounds(terms, data, "age", 40.0, engine=cluster.master)
    assert (lower, upper) == learn_bounds(terms, data, "age", 40.0)[:2]
    levels, _ = learn_levels(terms, data, "sex", 40.0, 1e-4, engine=cluster.master)
    assert ("f", "m", "x") == levels


@pytest.mark.parametrize("rule", ["interpolate", "drop", "zero"])
@pytest.mark.parametrize("form", ["wide", "long"])
def test_curves_have_the_same_sums_and_points(form: str, rule: str, cluster: Cluster, tmp_path: Path) -> None:
    import pandas as pd

    rng = np.random.default_rng(3)
    facts: dict[str, Any] = {"interval": (0.0, 1.0), "basis": "bspline", "rank": 5, "clip": 1.0}
    if form == "wide":
        values = np.where(rng.random((300, 4)) < 0.1, np.nan, rng.normal(size=(300, 4)))
        values[0, 0], values[1, 1], values[2, 2] = np.inf, -1e300, -0.0
        frame = pd.DataFrame(values, columns=list("abcd"))
        frame["who"] = [f"p{row % 80}" for row in range(300)]
        facts |= {"points": tuple("abcd"), "at": (0.0, 0.2, 0.5, 1.0)}
    else:
        rows = [(f"p{row % 7}", row % 23, rng.random() * 1.2 - 0.1, rng.normal()) for row in range(2_000)]
        frame = pd.DataFrame(rows, columns=["who", "id", "t", "v"])
        frame.loc[::17, "v"] = None
        facts |= {"id": "id", "time": "t", "value": "v"}
    curve = Curve(name="x", form=form, missing=rule, provenance="public", **facts)  # type: ignore[arg-type]
    facts = {"dataset": "d", "budget": Budget(1, 1e-6), "ledger": "unused", "columns": (), "curves": (curve,)}
    terms = Contract(unit=Unit("replace", "who", 2), **facts)
    frame.to_parquet(tmp_path / "curves.parquet")
    here, there = (Records(terms, str(tmp_path / "curves.parquet"), where) for where in (None, cluster.master))
    there.check_curve("x")
    expected, found = here.curve_sums("x"), there.curve_sums("x")
    assert expected[0].tolist() == found[0].tolist()
    assert expected[1] == found[1] > 0
    assert sorted(here.curve_points("x").tolist()) == sorted(there.curve_points("x").tolist())


CELLS = ["1", "two", '"a,b"', '"line\nbreak"', '"say ""hi"""', "", '""', " 7 ", "é", "0.3", "\\", '"\\"']


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
def test_text_files_are_read_by_the_same_rules(suffix: str, cluster: Cluster, tmp_path: Path) -> None:
    import gzip

    lines = [f"{cell},{number}" for number, cell in enumerate(CELLS)] + ["short"]
    text = "\n".join(["x,y", *lines]) + "\n"
    if suffix == ".tsv":
        text = "x\ty\n" + "\n".join(f"{c}\t{n}" for n, c in enumerate(["a", '"b', "c\\", "", "7"])) + "\n"
    data = text.encode()
    (tmp_path / f"t{suffix}").write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    levels = ("a,b", "line\nbreak", 'say "hi"', "é", "\\", '"b', "c\\", "a", "two")
    for column in (Category(name="x", levels=levels, provenance="public"), form("x", "tenths"), form("y", "threes")):
        expected = counted(str(tmp_path / f"t{suffix}"), column)
        assert expected == counted(str(tmp_path / f"t{suffix}"), column, engine=cluster.master), column.kind


LINES = (
    b'x,y\n1,2\n1\n1,2,3\n\xff,2\n4,\xff\n5,\xc3\xa9\n6,"a,b",c\n"6"\n,\n7,"\xc3"\n8,"line\nbreak",9\n'
    b"2," + b"a" * (9 * 2**20) + b"\n3,2\n"
)


@pytest.mark.parametrize("mark", [b"", "\ufeff".encode()])
def test_lines_with_other_cells_than_the_header_other_bytes_than_utf8_or_too_long_are_read_alike(
    mark: bytes, cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(mark + LINES)
    levels = Category(name="y", levels=("2", "é", "a,b", "line\nbreak"), provenance="public")
    columns = (form("x", "digits"), levels)
    assert 2 == counted(str(tmp_path / "t.csv"), *columns)["1", "2"]
    for asked in (columns, columns[:1], columns[1:]):
        expected = counted(str(tmp_path / "t.csv"), *asked)
        assert 7 == sum(expected.values())
        assert expected == counted(str(tmp_path / "t.csv"), *asked, engine=cluster.master)


@pytest.mark.parametrize("name", ["d[1].csv", "d*.csv", "d?.csv", "{d1,d2}.csv"])
def test_a_path_that_exists_is_that_file_whatever_signs_are_in_its_name(
    name: str, cluster: Cluster, tmp_path: Path
) -> None:
    for other in ("d1.csv", "d2.csv"):
        (tmp_path / other).write_text("x\n2\n", encoding="utf-8")
    (tmp_path / name).write_text("x\n1\n", encoding="utf-8")
    assert {("1",): 1} == counted(str(tmp_path / name), form("x", "digits"), engine=cluster.master)


@pytest.mark.parametrize(
    "rows",
    [
        "SELECT CAST(CASE WHEN id = 3 THEN 'OutOfMemoryError' ELSE '1' END AS INT) AS x FROM range(5)",
        "SELECT 1 div (id - 3) AS x FROM range(5)",
        "SELECT 9223372036854775806 + id AS x FROM range(5)",
        "SELECT CAST(raise_error('no') AS INT) AS x FROM range(5)",
    ],
)
def test_rows_on_which_an_expression_of_the_caller_fails_are_an_empty_count(rows: str, cluster: Cluster) -> None:
    session = session_of(cluster.master).newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")
    records = Records(contract(form("x", "digits")), session.sql(rows))
    assert 0 == records.counts(("x",)).values.sum()
    assert 0 == sum(table.counts.sum() for _, table in records.group_counts([("x",)]))


def test_parquet_files_whose_types_disagree_are_refused_before_anything_is_charged(
    cluster: Cluster, tmp_path: Path
) -> None:
    import pandas as pd

    for number, cell in enumerate([1.5, "a"]):
        pd.DataFrame({"x": [cell]}).to_parquet(tmp_path / f"part{number}.parquet")
    with pytest.raises(DeclarationError, match="Spark cannot open"):
        open_source(str(tmp_path / "*.parquet"), cluster.master)


def test_globs_folders_and_tables_of_the_catalogue_are_opened(parquet: str, cluster: Cluster, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"part{number}.parquet").symlink_to(parquet)
    column = form("truth", "truth")
    twice = {cell: 2 * count for cell, count in counted(parquet, column).items()}
    assert twice == counted(str(tmp_path / "*.parquet"), column, engine=cluster.master)
    assert twice == counted(str(tmp_path), column, engine=cluster.master)
    session = session_of(cluster.master)
    session.read.parquet(parquet).createOrReplaceGlobalTempView("troubles")
    assert counted(parquet, column) == counted("global_temp.troubles", column, engine=session)


def test_names_that_differ_in_case_only_are_told_apart(cluster: Cluster) -> None:
    session = session_of(cluster.master)
    session.conf.set("spark.sql.caseSensitive", "true")
    frame = session.createDataFrame([(1, 7), (1, 8)], "x int, X int")
    session.conf.set("spark.sql.caseSensitive", "false")
    assert {("1",): 2} == counted(frame, form("x", "digits"))
    assert {("7",): 1, ("8",): 1} == counted(frame, form("X", "digits"))
    with pytest.raises(DeclarationError, match="more than one 'y'"):
        open_source(session.range(1).selectExpr("1 AS y", "2 AS y"))


def test_long_lists_of_levels_are_joined(spark_frame: Any, embedded: Any) -> None:
    levels = tuple([f"level{number}" for number in range(200)] + ["7", "0.3", "é", "a ", ""])
    for name in ("words", "double", "tiny"):
        column = Category(name=name, levels=levels, provenance="public")
        assert counted(embedded, column) == counted(spark_frame, column)


def test_a_given_session_keeps_its_settings(parquet: str, cluster: Cluster) -> None:
    session = session_of(cluster.master).newSession()
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    before = {row.key: row.value for row in session.sql("SET").collect()}
    counted(parquet, form("instant", "days"), engine=session)
    assert before == {row.key: row.value for row in session.sql("SET").collect()}


def test_nothing_but_counts_reaches_the_driver(spark_frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from reaedp.engines.spark import collect as spark_collect

    seen = []
    original = spark_collect.arrow_table
    monkeypatch.setattr(spark_collect, "arrow_table", lambda query: seen.append(original(query)) or seen[-1])
    unit = Unit("add-remove", person="person", max_rows=2)
    counted(spark_frame, form("words", "tenths"), form("tiny", "levels"), unit=unit)
    list(Records(contract(form("truth", "truth")), spark_frame).group_counts([("truth",)]))
    assert [["k0", "k1", "rows"], ["part", "rows", "k0"]] == [table.column_names for table in seen]
    assert all(len(set(zip(*table.drop(["rows"]).to_pydict().values(), strict=True))) == len(table) for table in seen)


@pytest.mark.parametrize("data", ["/nowhere/at/all.parquet", "/nowhere/at/all.csv", "no_such_table", "a b c"])
def test_what_cannot_be_opened_is_said_in_plain_words(data: str, cluster: Cluster) -> None:
    with pytest.raises(DeclarationError, match="Spark cannot open") as caught:
        open_source(data, cluster.master)
    assert caught.value.__cause__ is None


def test_a_missing_column_and_a_type_that_cannot_be_meant_are_refused(spark_frame: Any, cluster: Cluster) -> None:
    with pytest.raises(DeclarationError, match="lacks a declared column"):
        Records(contract(form("absent", "levels")), spark_frame).check(("absent",))
    nested = session_of(cluster.master).sql("SELECT array(1) AS x, struct(1) AS y, CAST('a' AS BINARY) AS z")
    for name in "xyz":
        with pytest.raises(DeclarationError, match=r"must hold text, numbers.* its type is"):
            Records(contract(form(name, "levels")), nested).check((name,))


def test_another_master_is_refused_while_a_session_runs(cluster: Cluster) -> None:
    session_of(cluster.master)
    with pytest.raises(DeclarationError, match="has a Spark session on spark://"):
        open_source("x.parquet", "local[2]")


@pytest.mark.parametrize(
    ("text", "master"),
    [("local", True), ("local[*]", True), ("local[2]", True), ("spark://a:1,b:2", True), ("yarn", True),
     ("postgresql://a/b", False), ("duckdb:///x", False), ("locale", False), ("", False)],
)  # fmt: skip
def test_masters_are_known_by_their_form(text: str, master: bool) -> None:
    assert master == is_master(text)


@pytest.mark.slow
def test_the_command_line_counts_on_the_cluster(clinic: Path, cluster: Cluster) -> None:
    (clinic / "small.toml").write_text(PLAN.split('[[release]]\nname = "frequent"', maxsplit=1)[0], encoding="utf-8")
    command = ["release", "small.toml", "--data", "data.parquet", "--engine", cluster.master, "--out", "cli"]
    done = subprocess.run(
        [sys.executable, "-m", "reaedp", *command], cwd=clinic, capture_output=True, text=True, check=False,
        timeout=600, env=os.environ | cluster.environment,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert (clinic / "cli" / "release.json").exists()
    assert "p1" not in done.stdout + done.stderr
