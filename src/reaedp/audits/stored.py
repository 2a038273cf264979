"""Ways to store the same rows, as somebody's program would: typed by what the rows hold, in parts, in other words."""

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reaedp.contract.meaning import moment
from reaedp.disk.duckdb_engine import connect_for_released

Way = Literal["as text", "as text in other words", "as text in reverse", "by types", "in parts by types"]
Row = tuple[str, ...]
Rows = Sequence[Row]

#: Types that a program finds for a column, and what all its texts must be for it.
GUESSES: dict[str, Callable[[str], bool]] = {
    "BIGINT": lambda text: re.fullmatch("-?[0-9]{1,15}", text) is not None,
    "DOUBLE": lambda text: re.fullmatch("-?[0-9]{1,15}([.][0-9]{1,15})?", text) is not None,
    "BOOLEAN": lambda text: text in ("true", "false"),
    "DATE": lambda text: re.fullmatch("[0-9-]{10}", text) is not None and moment(text) is not None,
}


def store(way: Way, header: Row, rows: Rows, path: Path) -> Any:
    """Write the rows beside this path; what a curator is given to find them."""
    return _WAYS[way](header, rows, path)


def write_csv(path: Path, header: Row, rows: Iterable[Sequence[str]]) -> Path:
    """A header and rows, as any program would write them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def _text(header: Row, rows: Rows, path: Path) -> Path:
    return write_csv(path, header, rows)


def _reversed(header: Row, rows: Rows, path: Path) -> Path:
    return _text(header, rows[::-1], path)


def _reworded(header: Row, rows: Rows, path: Path) -> Path:
    """Whole numbers with a zero before them and a point behind."""
    return _text(header, [tuple(_word(cell) for cell in row) for row in rows], path)


def _word(cell: str) -> str:
    return f"0{cell}.0" if re.match("^[0-9]{1,9}$", cell) else cell


def _typed(header: Row, rows: Rows, path: Path) -> Path:
    """A Parquet file whose types were guessed from all rows."""
    target = path.with_suffix(".parquet")
    columns = [np.array([cell or None for cell in cells], dtype=object) for cells in zip(*rows, strict=True)]
    columns = columns or [np.empty(0, dtype=object) for _ in header]
    with closing(connect_for_released()) as connection:
        connection.register("texts", {f"c{place}": column.astype(object) for place, column in enumerate(columns)})
        chosen = ", ".join(
            f"CAST(c{place} AS {_guessed(column)}) AS {_quoted(name)}"
            for place, (name, column) in enumerate(zip(header, columns, strict=True))
        )
        connection.execute(f"COPY (SELECT {chosen} FROM texts) TO {_literal(target)} (FORMAT parquet)")
    return target


def _in_parts(header: Row, rows: Rows, path: Path) -> Path:
    """Files whose types were guessed from their own rows, the odd rows first."""
    for number, part in enumerate((rows[1::2], rows[::2])):
        _typed(header, part, path.with_name(f"{path.stem}-part-{number}"))
    return path.with_name(f"{path.stem}-part-*.parquet")


def _guessed(column: Any) -> str:
    texts = [text for text in column if text is not None]
    fits = (kind for kind, fitting in GUESSES.items() if texts and all(map(fitting, texts)))
    return next(fits, "VARCHAR")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


_WAYS: dict[Way, Callable[[Row, Rows, Path], Path]] = {
    "as text": _text,
    "as text in other words": _reworded,
    "as text in reverse": _reversed,
    "by types": _typed,
    "in parts by types": _in_parts,
}
#: How one neighbour and how the other may be stored: types follow from rows, so that one row can change those of all.
WAYS: tuple[tuple[Way, Way], ...] = (
    ("as text", "as text in other words"),
    ("as text", "as text in reverse"),
    ("by types", "by types"),
    ("by types", "in parts by types"),
)
