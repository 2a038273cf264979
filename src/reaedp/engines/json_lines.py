"""Files with an object of JSON in each line as tables of the embedded engine.

Such a file has no header: a column is what every line calls by its name, and a line that does not has nothing there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from reaedp.engines.csv_files import LONGEST_LINE
from reaedp.engines.embedded import Part
from reaedp.engines.literal_paths import literally
from reaedp.engines.notation import quoted

#: A character that no line of JSON has, so that it separates nothing.
_NEVER = "\x01"
_BLANKS = quoted(" \t\r\ufeff")
#: How the reader of CSV is told to give lines as they are.
_WHOLE_LINES: dict[str, Any] = {
    "columns": {"line": "VARCHAR"},
    "auto_detect": False,
    "header": False,
    "delimiter": _NEVER,
    "quotechar": "",
    "escapechar": "",
    "ignore_errors": True,
    "strict_mode": False,
    "max_line_size": LONGEST_LINE,
}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class JsonPart(Part):
    """Lines in a column `line`; every name is that of a column.

    A line that is no object of JSON, that is longer than 8 MiB or that is not UTF-8 is no row. Lists and objects within
    an object are texts. No line changes what another one is.
    """

    def taken(self, cells: Mapping[str, str]) -> Any:
        """All cells that are asked for from one look at a line, which is null where the line is none of JSON."""
        pointers = ", ".join(quoted(_pointer(name)) for name in cells.values()) or "''"
        bare = f"ltrim(line, {_BLANKS})"
        found = f"TRY(json_extract_string({bare}, [{pointers}])) AS found, starts_with({bare}, '{{') AS whole"
        rows = self.relation.project(found).filter("whole AND found IS NOT NULL")
        return rows.project(", ".join(f"found[{place}] AS {cell}" for place, cell in enumerate(cells, 1)) or "1 AS r")

    def _find(self, name: str) -> tuple[str, str]:
        return name, "VARCHAR"


def json_part(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> JsonPart:
    """Files as lines; nothing of them is looked at yet."""
    lines = connection.read_csv(literally(connection, paths), **_WHOLE_LINES)  # type: ignore[arg-type]
    return JsonPart(lines, {}, connection)


def _pointer(name: str) -> str:
    """A JSON pointer to a key, in which two characters stand for others."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
