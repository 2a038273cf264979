"""The frame of every benchmark script: arguments, rows as they come, a table at the end."""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from harness.row import HEADS, Row, write_rows
from harness.table import show


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with what all scripts understand."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="smaller sizes: minutes instead of a long coffee")
    options.add_argument("--rows-to", type=Path, metavar="FILE", help="also write the rows as lines of JSON")
    return options


def present(options: argparse.Namespace, rows: Callable[[argparse.Namespace], Iterable[Row]]) -> list[Row]:
    """Measure, tell what comes as it comes, and print one table for each section."""
    measured = rows(options)
    found = []
    for row in write_rows(options.rows_to, measured) if options.rows_to else measured:
        print("  ".join(cell for cell in (row.section, *row.cells()) if cell), flush=True)
        found.append(row)
    for section in dict.fromkeys(row.section for row in found):
        show(section, HEADS, [row.cells() for row in found if row.section == section])
    return found
