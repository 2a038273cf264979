"""Codebooks as Frictionless table schemas, alone or within a data package."""

import json
from pathlib import Path
from typing import Any

from reaedp.drafting.variable import Variable
from reaedp.errors import DeclarationError


def read_schema(text: str, path: Path) -> tuple[list[Variable], dict[str, Any]]:
    """The fields of a schema, and what a data package says of its first table's file."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise DeclarationError(f"{path} is not valid JSON.") from None
    resource = whole
    if isinstance(whole, dict) and isinstance(whole.get("resources"), list) and whole["resources"]:
        resource = whole["resources"][0]
    resource = _table(resource)
    schema = _table(resource.get("schema", resource))
    fields = schema.get("fields")
    if not isinstance(fields, list) or not all(isinstance(field, dict) and "name" in field for field in fields):
        raise DeclarationError(f"{path} is not a table schema: it has no list of fields with names.")
    missing = _texts(schema.get("missingValues"))
    return [_variable(field, missing) for field in fields], _layout(resource)


def _variable(field: dict[str, Any], missing: tuple[str, ...]) -> Variable:
    limits = _table(field.get("constraints"))
    return Variable(
        name=str(field["name"]),
        kind=_plain(field.get("type")),
        lower=_plain(limits.get("minimum")),
        upper=_plain(limits.get("maximum")),
        levels=_levels(limits.get("enum") or field.get("categories")),
        label=_plain(field.get("title") or field.get("description")),
        missing=_texts(field.get("missingValues")) or missing,
        dates=(_plain(field.get("format")),),
        decimal=_plain(field.get("decimalChar")),
        thousands=_plain(field.get("groupChar")),
    )


def _levels(listed: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(listed, list):
        return ()
    pairs = [(one.get("value"), one.get("label")) if isinstance(one, dict) else (one, None) for one in listed]
    return tuple((_plain(value), _plain(label)) for value, label in pairs)


def _layout(resource: dict[str, Any]) -> dict[str, Any]:
    """What is said of the file: the mark between cells, and its encoding."""
    said = {
        "separator": _table(resource.get("dialect")).get("delimiter"),
        "encoding": resource.get("encoding"),
    }
    return {key: value for key, value in said.items() if isinstance(value, str) and value}


def _table(value: Any) -> dict[str, Any]:
    """An object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _texts(listed: Any) -> tuple[str, ...]:
    """Words for nothing; an empty cell means that anyway."""
    return tuple(_plain(one) for one in listed if one != "") if isinstance(listed, list) else ()


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""
