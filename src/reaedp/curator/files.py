"""Files as tables of the embedded engine: nothing about their columns is guessed from rows."""

import csv
import glob
import gzip
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb

from reaedp.curator.embedded import EmbeddedSource, Part, described, refuse_duplicates
from reaedp.engine import connect
from reaedp.errors import DeclarationError

#: A longer line of CSV is no row; DuckDB keeps several lines of this size in memory.
LONGEST_LINE = 8 * 2**20
#: What quotes a cell, by what lies between cells.
QUOTES = {",": '"', "\t": ""}
_QUOTING: dict[str, Any] = {",": csv.QUOTE_MINIMAL, "\t": csv.QUOTE_NONE}
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
#: The name here of a type that the engine's reader fails on where a time is too far away for microseconds.
MILLISECONDS = "TIMESTAMP_MILLIS of Parquet, which can be read if pyarrow is installed"
#: Bytes of a compressed file that are looked at together.
CHUNK = 2**20


def open_files(address: str) -> EmbeddedSource:
    """Open a file, or all files that a pattern matches, without reading any row."""
    paths = [str(Path(path).absolute()) for path in _matching(address)]
    for path in paths:
        _check_readable(path)
    suffix = _suffix(paths[0])
    if any(_suffix(path) != suffix for path in paths):
        raise DeclarationError(f"All files of {address!r} must be of one kind.")
    if suffix in DELIMITERS:
        return _open_csv(paths, DELIMITERS[suffix])
    if suffix in (".parquet", ".pq"):
        return EmbeddedSource(lambda: _open_parquet(paths))
    raise DeclarationError(f"{paths[0]} is of no known kind. Known: .csv, .tsv, .csv.gz, .tsv.gz, .parquet.")


def _matching(address: str) -> list[str]:
    """A path that exists is that file, whatever signs are in its name."""
    if Path(address).exists() or not glob.has_magic(address):
        return [address]
    paths = sorted(glob.glob(address))
    if not paths:
        raise DeclarationError(f"No file matches {address!r}.")
    return paths


def _literally(connection: duckdb.DuckDBPyConnection, paths: Iterable[str]) -> list[str]:
    """Patterns that the engine, which takes every path for one, finds these files by and no others."""
    patterns = []
    for path in paths:
        pattern = glob.escape(path)
        found = [Path(name) for (name,) in connection.execute("SELECT file FROM glob($1)", [pattern]).fetchall()]
        if found != [Path(path)]:
            raise DeclarationError(f"The engine cannot open a file of this name: {path}. Rename it.")
        patterns.append(pattern)
    return patterns


def _suffix(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return (suffixes[-2] if suffixes[-1] == ".gz" and len(suffixes) > 1 else suffixes[-1]) if suffixes else ""


def _check_readable(path: str) -> None:
    """Refuse what is no file or cannot be opened, and a compressed file that is damaged, which only its end tells."""
    if Path(path).is_dir():
        raise DeclarationError(f"{path} is a folder. Name files in it, such as {Path(path) / '*.parquet'}.")
    try:
        with Path(path).open("rb"):
            pass
        if path.lower().endswith(".gz"):
            _check_compressed(path)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DeclarationError(f"{path} is damaged or was cut short: it cannot be decompressed.") from None
    except (OSError, ValueError) as error:
        raise DeclarationError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'no such file'}."
        ) from None


def _check_compressed(path: str) -> None:
    with gzip.open(path, "rb") as file:
        while file.read(CHUNK):
            pass


def _open_csv(paths: list[str], delimiter: str) -> EmbeddedSource:
    """Read every cell as text: a type guessed from rows would be a fact about rows.

    Nothing about the dialect is guessed either: cells between commas may be quoted, cells between tabs are as they
    are. A line with too few cells, a line over 8 MiB and a line that is not UTF-8 are no rows; cells beyond the header
    are not looked at. Which lines belong together is believed of the file's writer: an unclosed quote would swallow the
    lines after it.
    """
    header = _header(paths[0], delimiter)
    for path in paths[1:]:
        if _header(path, delimiter) != header:
            raise DeclarationError(f"The header of {path} differs from that of {paths[0]}.")
    columns = {name: (f"c{number}", "VARCHAR") for number, name in enumerate(header)}
    return EmbeddedSource(lambda: [_csv_part(paths, delimiter, columns)])


def _csv_part(paths: list[str], delimiter: str, columns: Mapping[str, tuple[str, str]]) -> Part:
    connection = connect()
    relation = connection.read_csv(
        _literally(connection, paths),  # type: ignore[arg-type]
        columns=dict(columns.values()),
        auto_detect=False,
        header=True,
        delimiter=delimiter,
        quotechar=QUOTES[delimiter],
        escapechar=QUOTES[delimiter],
        ignore_errors=True,
        strict_mode=False,
        max_line_size=LONGEST_LINE,
    )
    return Part(relation, columns)


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
    refuse_duplicates(path, names)
    return names


def _open_parquet(paths: list[str]) -> list[Part]:
    """Files of one schema are a part; a part's values are made canonical by themselves, whatever the others hold."""
    connection = connect()
    try:
        patterns = _literally(connection, paths)
        schemas = [(_schema(connection, pattern), pattern, path) for pattern, path in zip(patterns, paths, strict=True)]
    except duckdb.Error:
        raise DeclarationError(f"{paths[0]}, or a file beside it, cannot be read as Parquet.") from None
    names = {frozenset(name for name, _ in schema) for schema, _, _ in schemas}
    if len(names) > 1:
        raise DeclarationError("All Parquet files must have columns of the same names; these differ.")
    parts = groupby(sorted(schemas), key=lambda file: file[0])
    return [_parquet_part(connection, [file[1:] for file in files]) for _, files in parts]


def _schema(connection: duckdb.DuckDBPyConnection, pattern: str) -> tuple[tuple[str, str], ...]:
    relation = connection.read_parquet(pattern)
    late = _milliseconds(connection, pattern)
    return tuple(
        (name, MILLISECONDS if name in late else str(kind))
        for name, kind in zip(relation.columns, relation.types, strict=True)
    )


def _milliseconds(connection: duckdb.DuckDBPyConnection, pattern: str) -> set[str]:
    statement = (
        "SELECT name FROM parquet_schema($1)"
        " WHERE converted_type = 'TIMESTAMP_MILLIS' OR contains(logical_type, 'MILLIS=MilliSeconds')"
    )
    return {name for (name,) in connection.execute(statement, [pattern]).fetchall()}


def _parquet_part(connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, str]]) -> Part:
    patterns, paths = ([file[place] for file in files] for place in (0, 1))
    late = _milliseconds(connection, patterns[0])
    if late and (part := _by_arrow(connection, paths)) is not None:
        return part
    part = described(_read_parquet(connection, patterns))
    return Part(
        part.relation,
        {name: (own, MILLISECONDS if name in late else kind) for name, (own, kind) in part.columns.items()},
    )


def _read_parquet(connection: duckdb.DuckDBPyConnection, patterns: list[str]) -> duckdb.DuckDBPyRelation:
    """Texts that are not UTF-8 become question marks; engines before version 2 fail on them instead."""
    try:
        statement = "SELECT * FROM read_parquet($1, union_by_name = false, utf8_validation = 'replace')"
        return connection.sql(statement, params=[patterns])
    except duckdb.BinderException:
        return connection.sql("SELECT * FROM read_parquet($1, union_by_name = false)", params=[patterns])


def _by_arrow(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> Part | None:
    """Files whose times the engine's own reader fails on, read by Arrow if that is installed."""
    try:
        from pyarrow import ArrowException, dataset
    except ImportError:
        return None
    from reaedp.curator.frames import without_zones

    try:
        files = dataset.dataset(paths, format="parquet")
        files = dataset.dataset(paths, format="parquet", schema=without_zones(files.schema))
    except (ArrowException, OSError):
        return None
    name = f"files{len(paths)}_{abs(hash(tuple(paths)))}"
    connection.register(name, files)
    return described(connection.table(name))
