"""A frame as people see it: some rows as text or as HTML, without script, and how many are left."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.frames.columns import Frame
from reaedp.label import shown

#: Rows and columns of a preview; the rest is in the frame.
MOST_ROWS, MOST_COLUMNS = 12, 12
#: Rows of a preview in plain text, and letters of a cell.
FEW_ROWS, MOST_LETTERS = 6, 24
Facts = Sequence[tuple[str, str]]


def number(value: float) -> str:
    """A number with few digits: 1,234 or 0.0123."""
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def in_words(title: str, facts: Facts, frame: Frame) -> str:
    """A title, facts one to a line, and the first rows as columns of text."""
    width = max((len(name) for name, _ in facts), default=0)
    lines = [title, *(f"  {name:<{width}}  {words}" for name, words in facts)]
    columns = [_column(name, column, FEW_ROWS) for name, column in list(frame.items())[:MOST_COLUMNS]]
    return "\n".join([*lines, *("  " + "  ".join(row).rstrip() for row in zip(*columns, strict=True)), *_rest(frame)])


def _column(name: str, column: NDArray[Any], rows: int) -> list[str]:
    texts = [shown(name, MOST_LETTERS), *_cells(column[:rows])]
    width = max(map(len, texts))
    left = column.dtype.kind == "O"
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def in_html(title: str, facts: Facts, frame: Frame, drawing: str = "") -> str:
    """The first rows as a fragment of a page, with a drawing."""
    some = list(frame.items())[:MOST_COLUMNS]
    head = _row("th", (shown(name, MOST_LETTERS) for name, _ in some))
    rows = zip(*(_cells(column[:MOST_ROWS]) for _, column in some), strict=True)
    body = "".join(_row("td", row) for row in rows)
    said = "<br>".join(f"{escape(name)}: {escape(words)}" for name, words in facts)
    rest = "".join(f"<p>{escape(line.strip())}</p>" for line in _rest(frame, MOST_ROWS))
    table = f'<table style="text-align:right"><thead>{head}</thead><tbody>{body}</tbody></table>'
    wide = f'<div style="overflow-x:auto">{table}</div>'  # on a phone the table scrolls, and not the page
    return f"<div><p><strong>{escape(title)}</strong></p><p>{said}</p>{drawing}{wide}{rest}</div>"


def _row(tag: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"


def _rest(frame: Frame, most: int = FEW_ROWS) -> list[str]:
    """How much of the frame is not shown, and where it is."""
    rows = len(next(iter(frame.values()))) if frame else 0
    left = [_more(rows - most, "row")] * (rows > most)
    left += [_more(len(frame) - MOST_COLUMNS, "column")] * (len(frame) > MOST_COLUMNS)
    return [f"  … {' and '.join(left)}: to_pandas(), to_polars() or to_arrow()"] * bool(left)


def _more(number: int, what: str) -> str:
    return f"{number:,} more {what}{'s' if number > 1 else ''}"


def _cells(column: NDArray[Any]) -> list[str]:
    missing = np.ma.getmaskarray(column).tolist() if isinstance(column, np.ma.MaskedArray) else [False] * len(column)
    return ["" if gone else _cell(value) for value, gone in zip(np.ma.getdata(column).tolist(), missing, strict=True)]


def _cell(value: Any) -> str:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return number(value) if plain else shown(value, MOST_LETTERS)
