"""Sheets of Excel's workbooks as tables of the embedded engine: every cell by itself, whatever lies around it."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from reaedp.engines.bytes_of_files import importing
from reaedp.engines.embedded import Part, refuse_duplicates
from reaedp.engines.frames import text
from reaedp.engines.loaded import loaded
from reaedp.errors import DeclarationError, ReaedpError, unknown

Taken = TypeVar("Taken")
#: Rows that are held together.
BATCH = 10_000
#: How a file begins that Excel encrypted, or wrote before 2007.
SEALED = bytes.fromhex("d0cf11e0a1b11ae1")


def workbook_part(connection: duckdb.DuckDBPyConnection, path: str, sheet: str | None) -> Part:
    """One sheet, whose first row has the names of the columns.

    Columns without a name are passed over. A row without anything in the others is no row: how many of them lie within
    a sheet depends on where its last row is. Formulas are what Excel last computed.
    """
    return _read(path, sheet, lambda found: _loaded(connection, path, found))


def sheets_of(path: str) -> tuple[str, ...]:
    """The names of all sheets, which are public as a header is."""
    return _opened(path, lambda book: tuple(sheet.title for sheet in book.worksheets))


def gaps_in_header(path: str, sheet: str | None) -> int:
    """How many columns have no name although one to their right has; only the first row is read."""

    def gaps(found: Any) -> int:
        with closing(found.iter_rows(max_row=1, values_only=True)) as rows:
            named = [_text(cell) is not None for cell in next(rows, ())]
        return named[: max((place for place, name in enumerate(named) if name), default=0)].count(False)

    return _read(path, sheet, gaps)


def _read(path: str, sheet: str | None, take: Callable[[Any], Taken]) -> Taken:
    """What is taken from the sheet."""
    return _opened(path, lambda book: take(_sheet(path, book, sheet)))


def _opened(path: str, take: Callable[[Any], Taken]) -> Taken:
    """What is taken from the workbook; whatever is wrong with the file is said without what a cell holds."""
    with importing("openpyxl", "Workbooks of Excel"):
        import openpyxl
        import pyarrow  # noqa: F401 - which holds the batches
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some name a cell, and what it holds
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                return take(book)
            finally:
                book.close()
        except (ReaedpError, MemoryError):
            raise
        except Exception:  # the library has no errors of its own
            raise DeclarationError(_unreadable(path)) from None


def _unreadable(path: str) -> str:
    """How to go on; a workbook with a password lies in the same envelope as those of old versions."""
    with Path(path).open("rb") as file:
        sealed = file.read(len(SEALED)) == SEALED
    if sealed:
        return (
            f"{path} has a password, or was written by an old version of Excel (.xls). Open it in Excel, take the"
            " password away and save it as .xlsx."
        )
    return f"{path} is damaged, or no workbook of Excel (.xlsx). Open it in Excel and save it as .xlsx."


def _sheet(path: str, book: Any, name: str | None) -> Any:
    """The sheet that is declared, or the only one; names of sheets are public as a header is."""
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if name is None and len(sheets) != 1:
        listed = ", ".join(map(repr, sheets))
        raise DeclarationError(
            f"{path} has {len(sheets)} sheets: {listed}. Name one under [files] in the contract, such as"
            f' sheet = "{next(iter(sheets), "Sheet1")}" (`reaedp init` has --sheet).'
        )
    if name is not None and name not in sheets:
        raise DeclarationError(f"{path} lacks the sheet of the contract's [files]. {unknown('sheet', name, sheets)}")
    found = next(iter(sheets.values())) if name is None else sheets[name]
    found.reset_dimensions()  # what the file says of its size may be wrong
    return found


def _loaded(connection: duckdb.DuckDBPyConnection, path: str, sheet: Any) -> Part:
    import pyarrow as pa

    with closing(sheet.iter_rows(values_only=True)) as rows:  # else the file stays open where a row fails
        header = [_text(cell) for cell in next(rows, ())]
        places = [place for place, name in enumerate(header) if name]
        names = tuple(str(header[place]) for place in places)
        if not names:
            raise DeclarationError(
                f"{path} is not a table: the first row of the sheet must have the names of the columns. Delete what"
                " stands above them, or name another sheet."
            )
        refuse_duplicates(path, names)
        schema = pa.schema([(name, pa.string()) for name in names])
        return loaded(connection, schema, (_table(batch, schema) for batch in _batches(rows, places)))


def _batches(rows: Iterator[Sequence[Any]], places: Sequence[int]) -> Iterator[list[list[str | None]]]:
    """Rows that have something in a named column, some at a time."""
    cells = ([_text(row[place]) if place < len(row) else None for place in places] for row in rows)
    filled = (row for row in cells if any(cell is not None for cell in row))
    while batch := list(islice(filled, BATCH)):
        yield batch


def _table(batch: list[list[str | None]], schema: Any) -> Any:
    import pyarrow as pa

    columns = [pa.array(column, pa.string()) for column in zip(*batch, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def _text(cell: Any) -> str | None:
    """A cell as a text; None if it is empty.

    Fractions have an exponent, so that none is taken for a whole number with points between thousands.
    """
    if isinstance(cell, float) and math.isfinite(cell):
        digits = repr(cell)
        return digits if "e" in digits else f"{digits}e0"
    return text(cell) or None
