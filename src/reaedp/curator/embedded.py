"""Files and data frames as tables of the embedded engine."""

import csv
import glob
import gzip
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from reaedp.curator.canonical import EmbeddedSource
from reaedp.engine import connect
from reaedp.errors import DeclarationError

#: A longer line of CSV is no row; DuckDB keeps several lines of this size in memory.
LONGEST_LINE = 8 * 2**20
#: What quotes a cell, by what lies between cells.
QUOTES = {",": '"', "\t": ""}
_QUOTING: dict[str, Any] = {",": csv.QUOTE_MINIMAL, "\t": csv.QUOTE_NONE}
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


def open_embedded(data: Any) -> EmbeddedSource:
    """Open files, a data frame or a DuckDB relation without reading any row."""
    if isinstance(data, duckdb.DuckDBPyRelation):
        return _described(data)
    if isinstance(data, str | Path):
        return _open_files(str(data))
    return _open_frame(data)


def open_table(name: str, engine: Any) -> EmbeddedSource:
    """Open a table of a DuckDB connection, or of the database file that an address names, which is only read."""
    try:
        connection = engine
        if isinstance(engine, str):
            connection = connect(engine.removeprefix("duckdb://"))
        return _described(connection.table(name), connection)
    except duckdb.Error as error:
        reason = type(error).__name__
    raise DeclarationError(f"DuckDB cannot open the table {name!r} ({reason}). Write duckdb:///path/to/file.")


def _open_files(address: str) -> EmbeddedSource:
    paths = sorted(glob.glob(address)) if glob.has_magic(address) and not Path(address).exists() else [address]
    if not paths:
        raise DeclarationError(f"No file matches {address!r}.")
    for path in paths:
        _check_readable(path)
    suffix = _suffix(paths[0])
    if any(_suffix(path) != suffix for path in paths):
        raise DeclarationError(f"All files of {address!r} must be of one kind.")
    if suffix in DELIMITERS:
        return _open_csv(paths, DELIMITERS[suffix])
    if suffix in (".parquet", ".pq"):
        return _open_parquet(paths)
    raise DeclarationError(f"{paths[0]} is of no known kind. Known: .csv, .tsv, .csv.gz, .tsv.gz, .parquet.")


def _suffix(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return (suffixes[-2] if suffixes[-1] == ".gz" and len(suffixes) > 1 else suffixes[-1]) if suffixes else ""


def _check_readable(path: str) -> None:
    try:
        with Path(path).open("rb"):
            pass
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}.") from None


def _open_csv(paths: list[str], delimiter: str) -> EmbeddedSource:
    """Read every cell as text: a type guessed from rows would be a fact about rows.

    Nothing about the dialect is guessed either: cells between commas may be quoted, cells between tabs are as they
    are. A line with too few cells, a line over 8 MiB and a line that is not UTF-8 are no rows. Which lines belong
    together is believed of the file's writer: an unclosed quote would swallow the lines after it.
    """
    header = _header(paths[0], delimiter)
    for path in paths[1:]:
        if _header(path, delimiter) != header:
            raise DeclarationError(f"The header of {path} differs from that of {paths[0]}.")
    identifiers = {name: f"c{number}" for number, name in enumerate(header)}
    connection = connect()
    relation = connection.read_csv(
        paths,  # type: ignore[arg-type]
        columns=dict.fromkeys(identifiers.values(), "VARCHAR"),
        auto_detect=False,
        header=True,
        delimiter=delimiter,
        quotechar=QUOTES[delimiter],
        escapechar=QUOTES[delimiter],
        ignore_errors=True,
        strict_mode=False,
        max_line_size=LONGEST_LINE,
    )
    columns = {name: (identifier, "VARCHAR") for name, identifier in identifiers.items()}
    return EmbeddedSource(relation, columns, (connection,))


def _header(path: str, delimiter: str) -> tuple[str, ...]:
    """The first line; headers are public. Bytes that are no UTF-8 matter only if they are part of it."""
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            lines = csv.reader(
                file, delimiter=delimiter, quotechar=QUOTES[delimiter] or None, quoting=_QUOTING[delimiter]
            )
            names = tuple(next(lines, ()))
        "".join(names).encode()
    except (UnicodeError, csv.Error, OSError, EOFError):
        raise DeclarationError(f"{path} does not begin with a line of column names in UTF-8.") from None
    if not any(names):
        raise DeclarationError(f"{path} is not a table: it has no header line.")
    _refuse_duplicates(path, names)
    return names


def _refuse_duplicates(place: str, names: tuple[str, ...]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DeclarationError(f"Column names must differ; {place} has more than one {twice[0]!r}.")


def _open_parquet(paths: list[str]) -> EmbeddedSource:
    connection = connect()
    try:
        return _described(connection.read_parquet(paths, union_by_name=False), connection)
    except duckdb.Error:
        raise DeclarationError(f"{paths[0]} cannot be read as Parquet, or the files differ in their columns.") from None


def _open_frame(data: Any) -> EmbeddedSource:
    """Let the engine scan a pandas, Polars or Arrow frame in place."""
    frame = _with_text_for_objects(data)
    connection = connect()
    try:
        connection.register("frame", frame)
        return _described(connection.table("frame"), connection, frame)
    except (duckdb.Error, TypeError, AttributeError):
        raise DeclarationError(
            f"Data must be a file name, a database address, a data frame or a DuckDB relation; "
            f"given an object of type {type(data).__name__}."
        ) from None


def _with_text_for_objects(data: Any) -> Any:
    """Turn pandas columns of arbitrary objects into text, as the engine would guess their type from the rows."""
    if type(data).__module__.split(".")[0] != "pandas" or not hasattr(data, "columns"):
        return data
    _refuse_duplicates("the data frame", tuple(map(str, data.columns)))
    frame = data.rename(columns=str)
    objects = [name for name, dtype in frame.dtypes.items() if dtype is np.dtype(object) or _holds_objects(dtype)]
    return frame.assign(**{name: frame[name].map(_text, na_action="ignore").astype("string") for name in objects})


def _text(value: Any) -> str | None:
    """Any object as text that every engine can hold; nothing if it has none."""
    try:
        return str(value).encode("utf-8", "replace").decode()
    except Exception:
        return None


def _holds_objects(dtype: Any) -> bool:
    """Whether texts are Python's own, which need not be valid UTF-8."""
    return getattr(dtype, "storage", None) == "python"


def _described(relation: duckdb.DuckDBPyRelation, *owner: Any) -> EmbeddedSource:
    names = tuple(relation.columns)
    _refuse_duplicates("the table", names)
    columns = {name: (name, str(kind)) for name, kind in zip(names, relation.types, strict=True)}
    return EmbeddedSource(relation, columns, owner)
