"""Files of Parquet as tables of the embedded engine, each read by its own schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb

from reaedp.engines.embedded import ENGINE_ERRORS, Part, described
from reaedp.engines.literal_paths import literally
from reaedp.engines.notation import quoted
from reaedp.errors import DeclarationError

#: The name here of a type that the engine's reader fails on where a time is too far away for microseconds.
MILLISECONDS = "TIMESTAMP_MILLIS of Parquet, which can be read if pyarrow is installed"
#: The name here of a type that Arrow, which reads such files, fails on where a text is not UTF-8.
CHECKED_TEXTS = (
    "a dictionary of texts in Parquet with TIMESTAMP_MILLIS. Store it as plain text, or the times in microseconds"
)


@dataclass(frozen=True, slots=True)
class Partitions:
    """A folder whose inner folders are named after values: `year=2020` is a column `year`, whose values are texts."""

    folder: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, folder: str, paths: Sequence[str]) -> "Partitions":
        """The names that lie on the way to every file; names of folders are public as a header is."""
        ways = {_keys(Path(path).relative_to(folder).parent.parts) for path in paths}
        if len(ways) > 1:
            raise DeclarationError(
                f"All Parquet files in {folder} must lie in folders of the same keys, such as year=2020/region=3; these"
                " differ."
            )
        return cls(folder, ways.pop())


def _keys(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.partition("=")[0] for part in parts if "=" in part)


def parquet_parts(
    connection: duckdb.DuckDBPyConnection, paths: list[str], partitions: Partitions | None = None
) -> list[Part]:
    """Files of one schema are a part; a part's values are made canonical by themselves, whatever the others hold."""
    try:
        patterns = literally(connection, paths)
        schemas = [(_schema(connection, pattern), pattern, path) for pattern, path in zip(patterns, paths, strict=True)]
        names = {frozenset(name for name, _ in schema) for schema, _, _ in schemas}
        if len(names) > 1:
            raise DeclarationError("All Parquet files must have columns of the same names; these differ.")
        parts = groupby(sorted(schemas), key=lambda file: file[0])
        return [_parquet_part(connection, [file[1:] for file in files], partitions) for _, files in parts]
    except ENGINE_ERRORS:
        raise DeclarationError(
            f"{paths[0]}, or a file beside it, cannot be read as Parquet. Check that it was copied completely."
        ) from None


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


def _parquet_part(
    connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, str]], partitions: Partitions | None
) -> Part:
    patterns, paths = ([file[place] for file in files] for place in (0, 1))
    late = _milliseconds(connection, patterns[0])
    if late and (part := _by_arrow(connection, paths, partitions)) is not None:
        return part
    part = described(_read_parquet(connection, patterns, partitions))
    return Part(
        part.relation,
        {name: (own, MILLISECONDS if name in late else kind) for name, (own, kind) in part.columns.items()},
        connection,
        most_rows=lambda: _rows(connection, patterns),
        bounds_hold=True,
    )


def _rows(connection: duckdb.DuckDBPyConnection, patterns: list[str]) -> int:
    """How many rows the files say that they have; nothing else of them is read."""
    statement = "SELECT coalesce(sum(num_rows), 0)::BIGINT AS rows FROM parquet_file_metadata($1)"
    return int(connection.execute(statement, [patterns]).fetchnumpy()["rows"][0])


def _read_parquet(
    connection: duckdb.DuckDBPyConnection, patterns: list[str], partitions: Partitions | None
) -> duckdb.DuckDBPyRelation:
    """Texts that are not UTF-8 become question marks; engines before version 2 fail on them instead.

    The least and the greatest number that a file states leave out NaN: with `can_have_nan`, NaN is the greatest.
    """
    hive = ", hive_partitioning = true, hive_types_autocast = false" if partitions and partitions.names else ""
    listed = ", ".join(map(quoted, patterns))
    statement = f"SELECT * FROM read_parquet([{listed}], union_by_name = false, can_have_nan = true{hive}"
    try:
        return connection.sql(f"{statement}, utf8_validation = 'replace')")
    except duckdb.BinderException:
        return connection.sql(f"{statement})")


def _by_arrow(connection: duckdb.DuckDBPyConnection, paths: list[str], partitions: Partitions | None) -> Part | None:
    """Files whose times the engine's own reader fails on, read by Arrow if that is installed."""
    try:
        from pyarrow import ArrowException, dataset, schema, string
    except ImportError:
        return None
    from reaedp.engines.frames import readable

    options = {"format": "parquet"}
    if partitions and partitions.names:
        keys = dataset.partitioning(schema([(name, string()) for name in partitions.names]), flavor="hive")
        options |= {"partitioning": keys, "partition_base_dir": partitions.folder}
    try:
        files = dataset.dataset(paths, **options)
        checked = {name for one in files.get_fragments() for name in _checked_texts(one.physical_schema)}
        files = dataset.dataset(paths, schema=readable(files.schema), **options)
        name = f"files{len(paths)}_{abs(hash(tuple(paths)))}"
        connection.register(name, files)
        part = described(connection.table(name), connection)
        refused = {name: (part.columns[name][0], CHECKED_TEXTS) for name in checked & set(part.columns)}
        return Part(part.relation, {**part.columns, **refused}, connection)
    except (ArrowException, OSError, duckdb.Error):  # a type that only one of both knows
        return None


def _checked_texts(schema: Any) -> list[str]:
    """Columns whose indices Arrow converts from its own int32, looking at every text on the way."""
    from pyarrow import types

    return [
        field.name
        for field in schema
        if types.is_dictionary(field.type)
        and not types.is_int32(field.type.index_type)
        and (types.is_string(field.type.value_type) or types.is_large_string(field.type.value_type))
    ]
