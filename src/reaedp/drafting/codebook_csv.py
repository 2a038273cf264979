"""Codebooks as tables: a line for each variable."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reaedp.drafting.variable import Variable
from reaedp.errors import DeclarationError

#: What the columns of such tables are called.
HEADINGS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "column", "variable", "field"),
    "kind": ("kind", "type"),
    "lower": ("lower", "min", "minimum"),
    "upper": ("upper", "max", "maximum"),
    "bins": ("bins",),
    "width": ("width",),
    "every": ("every",),
    "levels": ("levels", "values", "categories", "codes"),
    "label": ("label", "description", "title"),
    "missing": ("missing",),
    "dates": ("dates", "format"),
}
#: Between levels, and between words for nothing, the first that occurs.
_BETWEEN = ("|", ";", ",")


def read_table(text: str, path: Path) -> tuple[list[Variable], dict[str, Any]]:
    """The variables of a table with a header; levels stand in one cell, as in `1=male | 2=female`."""
    header = text.partition("\n")[0]
    separator = max("\t;,", key=header.count)
    rows = csv.DictReader(text.splitlines(), delimiter=separator)
    places = _places([heading or "" for heading in rows.fieldnames or ()], path)
    made = []
    for row in rows:
        cells = {key: (row.get(heading) or "").strip() for key, heading in places.items()}
        if cells["name"]:
            made.append(_variable(cells))
    return made, {}


def _places(headings: list[str], path: Path) -> dict[str, str]:
    """The heading of each key that the table has."""
    plain = {heading.strip().lower(): heading for heading in headings}
    found = {key: next((plain[name] for name in names if name in plain), None) for key, names in HEADINGS.items()}
    if found["name"] is None:
        known = "; ".join(f"{key}: {' or '.join(names)}" for key, names in HEADINGS.items())
        raise DeclarationError(f"{path} must have a column called name, variable, column or field. Known: {known}.")
    return {key: heading for key, heading in found.items() if heading is not None}


def _variable(cells: dict[str, str]) -> Variable:
    texts = {key: cells.get(key, "") for key in ("name", "kind", "lower", "upper", "bins", "width", "every", "label")}
    levels = tuple(_level(part) for part in _split(cells.get("levels", "")))
    dates = tuple(_split(cells.get("dates", "")))
    return Variable(**texts, levels=levels, missing=tuple(_split(cells.get("missing", ""))), dates=dates)


def _split(cell: str) -> list[str]:
    mark = next((mark for mark in _BETWEEN if mark in cell), "|")
    return [part.strip() for part in cell.split(mark) if part.strip()]


def _level(part: str) -> tuple[str, str]:
    value, _, label = part.partition("=")
    return value.strip(), label.strip()
