"""One canonical value for every cell, on every route: compared with plain Python, value by value.

The embedded engine cannot set the standard alone: all engines could fail in agreement.
"""

import csv
import datetime
import io
import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import numpy as np
import pytest

import oracle
from reaedp import Boolean, Category, Date, Integer, Number
from reaedp.contract.category import Undeclared
from reaedp.contract.files import Files
from reaedp.engines.source import Source, open_source
from troubles import LEVELS, STORED

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")

ARROW = {
    "text": pa.string(),
    "bigint": pa.int64(),
    "smallint": pa.int16(),
    "double": pa.float64(),
    "single": pa.float32(),
    "truth": pa.bool_(),
    "exact": pa.decimal128(20, 4),
    "huge": pa.decimal128(38, 0),
    "day": pa.date32(),
    "moment": pa.timestamp("us"),
    "instant": pa.timestamp("us", "UTC"),
}
POSTGRES = {
    "text": "text",
    "bigint": "bigint",
    "smallint": "smallint",
    "double": "double precision",
    "single": "real",
    "truth": "boolean",
    "exact": "numeric(20, 4)",
    "huge": "numeric(38, 0)",
    "day": "date",
    "moment": "timestamp",
    "instant": "timestamptz",
}
#: A table, the engine to read it on, the column in it, and what its rows hold; then how its file is to be read.
Opened = tuple[Any, Any, str, list[Any]] | tuple[Any, Any, str, list[Any], Files]


def column_of(name: str) -> tuple[Any, ...]:
    """The cell of one column as every kind of column."""
    public: dict[str, Any] = {"name": name, "provenance": "public"}
    first, last = datetime.date(2020, 1, 1), datetime.date(2020, 12, 31)
    return (
        Number(**public, lower=0, upper=1, bins=1),
        Integer(**public, lower=0, upper=1),
        Boolean(**public),
        Date(**public, lower=first, upper=last, every="month"),
        Category(**public, levels=LEVELS),
        Undeclared(**public),
    )


def expected(cell: Any) -> tuple[Any, ...]:
    """What each kind of column must make of a cell; last come the digests of a person and of a level."""
    kinds = (oracle.number, oracle.integer, oracle.truth, oracle.day, lambda c: oracle.level(LEVELS, c), oracle.name)
    hashes = oracle.hashes(cell) or (None, None)
    return (*(kind(cell) for kind in kinds), cell is not None, *hashes, hashes[0])


def alike(one: Any, other: Any) -> bool:
    """NaN is NaN here."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def fetched(source: Source, frame: Any) -> list[dict[str, Any]]:
    """All rows of a canonical form, which no release ever sees."""
    query = frame.to_native()
    if isinstance(query, duckdb.DuckDBPyRelation):
        return [dict(zip(query.columns, row, strict=True)) for row in query.fetchall()]
    if hasattr(source, "backend"):
        arrays = source._fetch(query)
        return [dict(zip(arrays, row, strict=True)) for row in zip(*arrays.values(), strict=True)]
    return list(query.toArrow().to_pylist())


def strange(data: Any, engine: Any, name: str, cells: list[Any], files: Files | None = None) -> list[Any]:
    """The cells whose canonical form is not what it must be."""
    source = open_source(data, engine, files)
    row = Number(name="row", lower=0, upper=1, bins=1, provenance="public")
    columns = column_of(name)
    made = fetched(source, source.canonical((*columns, row), name))
    last = len(columns)
    assert sorted(found[f"v{last}"] for found in made) == list(range(len(cells)))
    wrong = []
    for found in made:
        cell = cells[int(found[f"v{last}"])]
        here = tuple(found[f"v{place}"] for place in range(last))
        here += (found["filled0"], found["hash0"], found["hash1"], found["h5"])
        meant = expected(cell)
        if not all(alike(one, other) for one, other in zip(meant, here, strict=True)):
            wrong.append((str(cell)[:60], meant[:5], str(meant[5:])[:120], here[:5], str(here[5:])[:120]))
        if hasattr(source, "names"):  # Spark's names of people are its own where they are no whole numbers
            assert (found["person"] is None) == (meant[5] is None)
        else:
            assert found["person"] == found["v5"]
    return wrong


def table(kind: str, cells: list[Any]) -> Any:
    return pa.table({"row": pa.array(range(len(cells))), "x": pa.array(cells, ARROW[kind])})


def with_null(kind: str) -> list[Any]:
    return [*STORED[kind], None]


def _arrow(kind: str, _folder: Path) -> Opened:
    return table(kind, with_null(kind)), None, "x", with_null(kind)


def _dictionary(kind: str, _folder: Path) -> Opened:
    made = table(kind, with_null(kind))
    return made.set_column(1, "x", made["x"].dictionary_encode()), None, "x", with_null(kind)


def _polars(kind: str, _folder: Path) -> Opened:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    return polars.from_arrow(table(kind, with_null(kind))), None, "x", with_null(kind)


def _frame(cells: list[Any], series: Any) -> tuple[Any, None, str, list[Any]]:
    """NaN is a null in pandas, and a `Decimal` an object that is known by its text."""
    nothing = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
    known = [str(cell) if isinstance(cell, Decimal) else cell for cell in nothing]
    return pd.DataFrame({"row": range(len(cells)), "x": series}), None, "x", known


def _pandas(kind: str, _folder: Path) -> Opened:
    """Types of NumPy."""
    dtypes = {"bigint": "int64", "smallint": "int16", "double": "float64", "single": "float32", "truth": "bool"}
    if kind == "moment":
        return _frame(STORED[kind], pd.Series(np.array(STORED[kind], dtype="datetime64[us]")))
    if kind == "instant":
        return _frame(STORED[kind], pd.to_datetime(pd.Series(STORED[kind]), utc=True).dt.tz_convert("Asia/Tokyo"))
    return _frame(STORED[kind], pd.Series(STORED[kind], dtype=dtypes.get(kind, "object")))


def _pandas_objects(kind: str, _folder: Path) -> Opened:
    """What a column becomes by a null and one text."""
    cells = [*with_null(kind), "two"]
    return _frame(cells, pd.Series(cells, dtype="object"))


def _pandas_floats(kind: str, _folder: Path) -> Opened:
    """What integers become by a null: those beyond 2^53 are not what they were."""
    cells = [None if cell is None else float(cell) for cell in with_null(kind)]
    return _frame(cells, pd.Series(cells, dtype="float64"))


def _pandas_nullable(kind: str, _folder: Path) -> Opened:
    dtypes = {"bigint": "Int64", "smallint": "Int16", "double": "Float64", "single": "Float32", "truth": "boolean"}
    cells = with_null(kind)
    return _frame(cells, pd.Series(cells, dtype=dtypes.get(kind, "string")))


def _pandas_arrow(kind: str, _folder: Path) -> Opened:
    cells = with_null(kind)
    made = table(kind, cells).to_pandas(types_mapper=pd.ArrowDtype)
    return made, None, "x", cells


def _pandas_category(kind: str, _folder: Path) -> Opened:
    cells = with_null(kind)
    return _frame(cells, pd.Series(cells, dtype="object").astype("category"))


def _csv(_kind: str, folder: Path) -> Opened:
    """An empty cell is a null."""
    cells = STORED["text"]
    with (folder / "x.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("row", "x"), *enumerate(cells)])
    return str(folder / "x.csv"), None, "x", [cell or None for cell in cells]


def _encoded_csv(encoding: str) -> Callable[[str, Path], Opened]:
    """Only texts that the encoding has."""

    def route(_kind: str, folder: Path) -> Opened:
        cells = [cell for cell in STORED["text"] if cell.encode(encoding, "replace").decode(encoding) == cell]
        with (folder / "x.csv").open("w", encoding=encoding, newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("row", "x"), *enumerate(cells)])
        return str(folder / "x.csv"), None, "x", [cell or None for cell in cells], Files(encoding=encoding)

    return route


def _other_csv(_kind: str, folder: Path) -> Opened:
    """Another separator and another quotation mark, compressed."""
    cells = STORED["text"]
    lines = io.StringIO(newline="")
    csv.writer(lines, delimiter=";", quotechar="'", quoting=csv.QUOTE_ALL).writerows([("row", "x"), *enumerate(cells)])
    with pa.CompressedOutputStream(str(folder / "x.csv.zst"), "zstd") as file:
        file.write(lines.getvalue().encode())
    return str(folder / "x.csv.zst"), None, "x", [cell or None for cell in cells], Files(separator=";", quote="'")


def _json(kind: str, folder: Path) -> Opened:
    """Numbers, truths and texts as JSON has them; what it has not, as texts.

    The engine prints a double from 2^63 on with zeros for its last digits, and a person is named after these.
    """
    cells = [cell for cell in with_null(kind) if not (isinstance(cell, float) and 2**63 <= abs(cell) < 1e22)]
    known = [cell if isinstance(cell, str | int | float | None) else str(cell) for cell in cells]
    lines = [json.dumps({"row": row, "x": cell}, ensure_ascii=row % 2 == 0) for row, cell in enumerate(known)]
    (folder / "x.jsonl").write_text("\n".join(lines), encoding="utf-8", newline="")
    return str(folder / "x.jsonl"), None, "x", known


def _feather(kind: str, folder: Path) -> Opened:
    from pyarrow import feather

    feather.write_feather(table(kind, with_null(kind)), folder / "x.feather", chunksize=7)
    return str(folder / "x.feather"), None, "x", with_null(kind)


def _arrow_stream(kind: str, folder: Path) -> Opened:
    made = table(kind, with_null(kind))
    with pa.ipc.new_stream(folder / "x.arrow", made.schema) as stream:
        stream.write_table(made, max_chunksize=5)
    return str(folder / "x.arrow"), None, "x", with_null(kind)


def _orc(kind: str, folder: Path) -> Opened:
    from pyarrow import orc

    orc.write_table(table(kind, with_null(kind)), folder / "x.orc")
    return str(folder / "x.orc"), None, "x", with_null(kind)


def _parquet_folder(kind: str, folder: Path) -> Opened:
    """Half of the rows in a folder for each of two values."""
    import pyarrow.parquet as pq

    cells = with_null(kind)
    made = table(kind, cells)
    half = len(cells) // 2
    for value, part in (("a b", made.slice(0, half)), ("1", made.slice(half))):
        place = folder / "kept" / f"side={value.replace(' ', '%20')}"
        place.mkdir(parents=True)
        pq.write_table(part, place / "0.parquet")
    return str(folder / "kept"), None, "x", cells


def _partition(_kind: str, folder: Path) -> Opened:
    """Values that are the names of folders."""
    import pyarrow.parquet as pq

    cells = [cell for cell in STORED["text"] if 0 < len(cell) < 80 and "\0" not in cell]
    for row, cell in enumerate(cells):
        place = folder / "kept" / f"x={quote(cell, safe='')}"
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"row": [row]}), place / f"{row}.parquet")
    return str(folder / "kept"), None, "x", cells


def _excel(kind: str, folder: Path) -> Opened:
    """Excel has numbers, truths, moments of its own calendar and texts without control characters."""
    openpyxl = pytest.importorskip("openpyxl", reason='openpyxl is not installed: pip install "reaedp[files]"')
    cells = [cell for cell in STORED[kind] if _in_excel(cell)]
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    sheet.append(["row", None, "x"])
    for row, cell in enumerate([*cells, None]):
        sheet.append([row, "passed over", float(cell) if isinstance(cell, Decimal) else cell])
    book.save(folder / "x.xlsx")
    rounded = [_as_double(cell) for cell in cells]
    return str(folder / "x.xlsx"), None, "x", [*(None if cell == "" else cell for cell in rounded), None]


def _in_excel(cell: Any) -> bool:
    if isinstance(cell, str):
        return (
            len(cell) < 32_000
            and not cell.startswith("=")
            and all(sign >= " " and sign not in "\ufffe\uffff" for sign in cell)
        )
    if isinstance(cell, datetime.date):
        return 1901 <= cell.year < 9999 and getattr(cell, "microsecond", 0) == 0 and not getattr(cell, "tzinfo", None)
    number = float(cell)
    written = math.isfinite(number) and float(f"{number:.16g}") == number
    return written and (isinstance(cell, float) or abs(cell) < 2**53)


def _as_double(cell: Any) -> Any:
    return float(cell) if isinstance(cell, Decimal) else cell


def _stata(kind: str, folder: Path) -> Opened:
    return _statistical(kind, folder, "write_dta", "x.dta")


def _spss(kind: str, folder: Path) -> Opened:
    return _statistical(kind, folder, "write_sav", "x.sav")


def _sas(kind: str, folder: Path) -> Opened:
    """Transport files have doubles of IBM, which are exact for few."""
    return _statistical(kind, folder, "write_xport", "x.xpt")


def _statistical(kind: str, folder: Path, write: str, name: str) -> Opened:
    """Doubles, texts and moments of their own; NaN is a null, and blanks at the end are not kept."""
    library = pytest.importorskip("pyreadstat", reason='pyreadstat is not installed: pip install "reaedp[files]"')
    cells = [cell for cell in STORED[kind] if _in_statistics(cell, name)]
    series = pd.Series(cells, dtype=None if kind in ("text", "day", "moment") else "float64")
    if kind == "day":
        series = pd.Series(cells, dtype="object")
    getattr(library, write)(pd.DataFrame({"row": range(len(cells)), "x": series}), folder / name)
    known = [cell if isinstance(cell, str | datetime.date) else float(cell) for cell in cells]
    return str(folder / name), None, "x", [None if cell == "" else cell for cell in known]


def _in_statistics(cell: Any, name: str) -> bool:
    if isinstance(cell, str):
        return len(cell.encode()) < 200 and cell == cell.rstrip() and "\0" not in cell
    if isinstance(cell, datetime.date):
        return 1901 <= cell.year < 2200 and getattr(cell, "microsecond", 0) == 0
    if name == "x.xpt":
        return cell == int(cell) and abs(cell) < 2**53 if math.isfinite(cell) else False
    return math.isfinite(cell) and abs(cell) < 8e307


def _parquet(kind: str, folder: Path) -> Opened:
    import pyarrow.parquet as pq

    pq.write_table(table(kind, with_null(kind)), folder / "x.parquet")
    return str(folder / "x.parquet"), None, "x", with_null(kind)


def _parts(kind: str, folder: Path) -> Opened:
    """Two files, the first of which holds the same column as a text."""
    import pyarrow.parquet as pq

    words, cells = STORED["text"][:60], with_null(kind)
    pq.write_table(table("text", words), folder / "part0.parquet")
    rows = pa.array(range(len(words), len(words) + len(cells)))
    pq.write_table(table(kind, cells).set_column(0, "row", rows), folder / "part1.parquet")
    return str(folder / "part*.parquet"), None, "x", words + cells


def _relation(kind: str, _folder: Path) -> Opened:
    connection = duckdb.connect()
    connection.register("given", table(kind, with_null(kind)))
    return connection.sql("SELECT * FROM given"), None, "x", with_null(kind)


def _duckdb(kind: str, folder: Path) -> Opened:
    with duckdb.connect(str(folder / "x.db")) as connection:
        connection.register("given", table(kind, with_null(kind)))
        connection.execute("CREATE TABLE kept AS SELECT * FROM given")
    return "kept", f"duckdb://{folder / 'x.db'}", "x", with_null(kind)


ROUTES: dict[str, tuple[Callable[[str, Path], Opened], tuple[str, ...]]] = {
    "arrow": (_arrow, tuple(STORED)),
    "dictionary": (_dictionary, ("text", "bigint", "double", "day")),
    "polars": (_polars, tuple(STORED)),
    "pandas": (_pandas, tuple(STORED)),
    "pandas objects": (_pandas_objects, tuple(STORED)),
    "pandas floats": (_pandas_floats, ("bigint", "smallint", "truth")),
    "pandas nullable": (_pandas_nullable, ("text", "bigint", "smallint", "double", "single", "truth")),
    "pandas arrow": (_pandas_arrow, tuple(STORED)),
    "pandas category": (_pandas_category, tuple(STORED)),
    "csv": (_csv, ("text",)),
    "csv in Latin-1": (_encoded_csv("latin-1"), ("text",)),
    "csv in cp1252": (_encoded_csv("cp1252"), ("text",)),
    "csv in UTF-16": (_encoded_csv("utf-16"), ("text",)),
    "csv otherwise": (_other_csv, ("text",)),
    "json": (_json, tuple(STORED)),
    "feather": (_feather, tuple(STORED)),
    "arrow stream": (_arrow_stream, tuple(STORED)),
    "orc": (_orc, tuple(kind for kind in STORED if kind not in ("moment", "instant"))),
    "excel": (_excel, ("text", "bigint", "smallint", "double", "truth", "exact", "day", "moment")),
    "stata": (_stata, ("text", "bigint", "smallint", "double", "truth", "exact", "day", "moment")),
    "spss": (_spss, ("text", "bigint", "smallint", "double", "truth", "exact", "day", "moment")),
    "sas": (_sas, ("text", "smallint", "double", "day", "moment")),
    "parquet folder": (_parquet_folder, tuple(STORED)),
    "partition": (_partition, ("text",)),
    "parquet": (_parquet, tuple(STORED)),
    "parquet parts": (_parts, tuple(STORED)),
    "relation": (_relation, tuple(STORED)),
    "duckdb": (_duckdb, tuple(STORED)),
}


#: Ways to the same code as those before them.
SLOW = {"dictionary", "pandas nullable", "pandas arrow", "pandas category", "relation"}
#: Other files of the same kinds, whose texts are enough to see that they are opened.
ALIKE = {"arrow stream", "parquet folder"}


def quick(route: str, kind: str) -> bool:
    """Texts on every way, everything in memory, and a fifth of the other cells in each kind of file, in turns."""
    turn = (list(ROUTES).index(route) + list(STORED).index(kind)) % 5 == 0
    return kind == "text" or (route not in SLOW | ALIKE and (turn or route == "arrow"))


@pytest.mark.parametrize(
    ("route", "kind"),
    [
        pytest.param(route, kind, marks=() if quick(route, kind) else pytest.mark.slow)
        for route, (_, kinds) in ROUTES.items()
        for kind in kinds
    ],
)
def test_every_route_makes_the_same_canonical_value_of_a_cell(route: str, kind: str, tmp_path: Path) -> None:
    assert [] == strange(*ROUTES[route][0](kind, tmp_path))


def everything() -> tuple[dict[str, list[Any]], int]:
    """All kinds of cells side by side, with nulls below the shorter columns."""
    rows = max(map(len, STORED.values())) + 1
    return {kind: [*cells, *[None] * (rows - len(cells))] for kind, cells in STORED.items()}, rows


@pytest.fixture(scope="module")
def in_postgres(server: str) -> str:
    psycopg = pytest.importorskip("psycopg", reason='psycopg is not installed: pip install "reaedp[database]"')
    pytest.importorskip("ibis", reason='ibis is not installed: pip install "reaedp[database]"')
    cells, rows = everything()
    with psycopg.connect(server, autocommit=True) as connection:
        kinds = ", ".join(f'"{kind}" {POSTGRES[kind]}' for kind in cells)
        connection.execute("DROP TABLE IF EXISTS data.everything")
        connection.execute(f'CREATE TABLE data.everything ("row" int, {kinds})')
        marks = ", ".join(["%s"] * (len(cells) + 1))
        values = list(zip(range(rows), *cells.values(), strict=True))
        connection.cursor().executemany(f"INSERT INTO data.everything VALUES ({marks})", values)
    return server


@pytest.mark.xdist_group("engines")
@pytest.mark.parametrize("kind", STORED)
def test_postgres_makes_the_same_canonical_value_of_a_cell(kind: str, in_postgres: str) -> None:
    assert [] == strange("data.everything", in_postgres, kind, everything()[0][kind])


@pytest.fixture(scope="module")
def in_spark(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A session whose settings are as unlike ours as they can be."""
    import pyarrow.parquet as pq

    from reaedp.engines.spark.session import session_of

    cells, rows = everything()
    columns = {kind: pa.array(column, ARROW[kind]) for kind, column in cells.items()}
    path = tmp_path_factory.mktemp("everything") / "everything.parquet"
    pq.write_table(pa.table({"row": pa.array(range(rows)), **columns}), path)
    session = session_of(cluster.master).newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.conf.set("spark.sql.parquet.inferTimestampNTZ.enabled", "true")
    return session.read.parquet(str(path))


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("kind", STORED)
def test_spark_makes_the_same_canonical_value_of_a_cell(kind: str, in_spark: Any) -> None:
    assert [] == strange(in_spark, None, kind, everything()[0][kind])
