"""Files that a library reads, loaded into the embedded engine a batch at a time, so that memory is bounded.

All of a file is read when it is opened: what is damaged shows then, and not after a charge.
"""

from collections.abc import Iterable
from itertools import chain, count
from typing import Any

import duckdb

from reaedp.engines.embedded import OUTSIDE, Part
from reaedp.engines.frames import readable_table
from reaedp.errors import ReaedpError

_NUMBERS = count()


def loaded(connection: duckdb.DuckDBPyConnection, schema: Any, batches: Iterable[Any]) -> Part:
    """Tables of Arrow, all with this schema, in a table that the engine may spill.

    Types that hold no single value are not loaded; a column of such a type is refused by it.
    """
    kept = [place for place, field in enumerate(schema) if _single(field.type)]
    table = f"loaded{next(_NUMBERS)}"
    columns: dict[str, tuple[str, str]] = {field.name: ("", str(field.type)) for field in schema}
    act = f"CREATE TEMP TABLE {table} AS"
    try:
        for batch in chain([schema.empty_table()], batches):
            connection.register("batch", _renamed(batch, kept))
            connection.execute(f"{act} SELECT * FROM batch")
            act = f"INSERT INTO {table}"
    except OUTSIDE as error:  # the file is not to blame
        raise ReaedpError(
            f"The engine could not hold what is in the file ({type(error).__name__}). Check memory and disk space."
        ) from None
    connection.unregister("batch")
    relation = connection.table(table)
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    columns |= {schema[place].name: (f"c{place}", types[f"c{place}"]) for place in kept}
    return Part(relation, columns, connection)


def _renamed(batch: Any, kept: list[int]) -> Any:
    """The columns that are loaded, in types that the engine can read, and a last one for tables of none."""
    import pyarrow as pa

    table = readable_table(batch.select(kept))
    columns = [*table.columns, pa.nulls(table.num_rows, pa.int8())]
    return pa.Table.from_arrays(columns, names=[*(f"c{place}" for place in kept), "none"])


def _single(kind: Any) -> bool:
    """Whether values of a type of Arrow are numbers, texts, truths or moments."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return False
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _single(kind.value_type)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    moment = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    return bool(text or number or moment or pa.types.is_boolean(kind) or pa.types.is_null(kind))
