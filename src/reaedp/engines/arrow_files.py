"""Files of Arrow (Feather) and ORC, read by Arrow's library."""

from collections.abc import Iterator
from typing import Any

import duckdb

from reaedp.engines.bytes_of_files import importing
from reaedp.engines.embedded import Part, refuse_duplicates
from reaedp.engines.loaded import loaded
from reaedp.errors import DeclarationError


def arrow_part(connection: duckdb.DuckDBPyConnection, path: str) -> Part:
    """A file of Arrow's own format, also called Feather, or a stream of it."""
    with importing("pyarrow", "Arrow files"):
        import pyarrow as arrow
        from pyarrow import ipc
    try:
        with arrow.OSFile(path) as file:
            try:
                reader = ipc.open_file(file)
            except arrow.ArrowInvalid:
                file.seek(0)
                reader = ipc.open_stream(file)
            return _loaded(connection, path, reader.schema, _batches(reader))
    except (arrow.ArrowException, OSError, duckdb.Error, UnicodeError):
        raise DeclarationError(
            f"{path} is damaged, or not an Arrow file (Feather version 2). Write it again, or as Parquet."
        ) from None


#: The name here of a type on which Arrow's reader of ORC fails where a moment is too far away for nanoseconds.
NANOSECONDS = "TIMESTAMP of ORC, which cannot be read for all moments; write a DATE, or Parquet"


def orc_part(connection: duckdb.DuckDBPyConnection, path: str) -> Part:
    """A file of ORC; moments in it are refused, as one that is far away would fail all others."""
    with importing("pyarrow", "ORC files"):
        import pyarrow as arrow
        from pyarrow import orc
    try:
        file = orc.ORCFile(path)
        refuse_duplicates(path, tuple(file.schema.names))
        late = {field.name for field in file.schema if "timestamp" in str(field.type)}
        kept = [field for field in file.schema if field.name not in late]
        names = [field.name for field in kept]
        batches = (file.read_stripe(place, columns=names) for place in range(file.nstripes))
        part = _loaded(connection, path, arrow.schema(kept), batches)
        return Part(part.relation, {**part.columns, **dict.fromkeys(late, ("", NANOSECONDS))}, part.connection)
    except (arrow.ArrowException, OSError, duckdb.Error, UnicodeError):
        raise DeclarationError(f"{path} is damaged, or not an ORC file. Write it again, or as Parquet.") from None


def _loaded(connection: duckdb.DuckDBPyConnection, path: str, schema: Any, batches: Iterator[Any]) -> Part:
    import pyarrow as pa

    refuse_duplicates(path, tuple(schema.names))
    return loaded(connection, schema, (_sound(pa.Table.from_batches([batch])) for batch in batches))


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(place) for place in range(reader.num_record_batches))
    return iter(reader)


def _sound(table: Any) -> Any:
    """A table whose arrays lie within what the file holds; texts need not be UTF-8 for that."""
    import pyarrow as pa

    for column in table.columns:
        for chunk in column.chunks:
            kind = chunk.type
            plain = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(kind)
            if pa.types.is_string_view(kind) or (pa.types.is_dictionary(kind) and _texts(kind.value_type)):
                chunk.validate()
            else:
                (chunk.view(plain) if plain else chunk).validate(full=True)
    return table


def _texts(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
