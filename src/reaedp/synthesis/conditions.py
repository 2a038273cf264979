"""Conditions on columns, as people write them, and the cells that meet them: `sex = f`, `age >= 40 and age < 65`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Category, Column
from reaedp.contract.expression import Node, Sort, parse
from reaedp.contract.row_rule import sort_of
from reaedp.errors import DeclarationError, unknown
from reaedp.synthesis.encode import codes

Mask = NDArray[np.bool_]
#: Values of a cell at which a condition is looked at, besides the constants that it names.
_LOOKS = 9
_COMPARED = ("=", "!=", "<", "<=", ">", ">=")
_DAY = re.compile(r"(?<!['\d])(\d{4}-\d{2}-\d{2})(?!['\d])")


class Met(NamedTuple):
    """Which cells of a column hold some value that meets a condition, and which hold no other."""

    some: Mask
    every: Mask


def read_condition(text: str, axes: Sequence[Column]) -> dict[str, Node]:
    """A condition for each column that a text speaks of; names of levels need no quotes."""
    sorts = {axis.name: sort_of(axis) for axis in axes}
    try:
        node = _resolved(parse(_DAY.sub(r"'\1'", text)), sorts)
        _check(node, sorts)
        _check_levels(node, axes)
    except DeclarationError as error:
        raise DeclarationError(f"The condition {text!r} is not understood: {error}. Write {_example(axes)}.") from None
    found: dict[str, Node] = {}
    for part in _joined(node):
        if len(part.columns) != 1:
            raise DeclarationError(
                f"Each condition must be about one column; given {text!r}. Join conditions on several columns with"
                f" `and`, as in {_example(axes)}."
            )
        (name,) = part.columns
        found[name] = Node("and", (found[name], part)) if name in found else part
    return found


def read_given(given: Mapping[str, Any] | Sequence[str] | str | None, axes: Sequence[Column]) -> dict[str, Node]:
    """Conditions as a text, several, or a value for each column."""
    if not given:
        return {}
    if isinstance(given, Mapping):
        known = {axis.name: sort_of(axis) for axis in axes}
        for name in given:
            if name not in known:
                raise DeclarationError(unknown("column", name, known))
        found = {name: _equals(name, value, known[name]) for name, value in given.items()}
        for node in found.values():
            _check_levels(node, axes)
        return found
    texts = [given] if isinstance(given, str) else list(given)
    return read_condition(" and ".join(f"({text})" for text in texts), axes)


def _equals(name: str, value: Any, sort: Sort) -> Node:
    """The column has this value, or one of several."""
    several = value if isinstance(value, list | tuple | set) else [value]
    parts = [Node("=", (Node("column", constant=name), _constant(each, sort))) for each in several]
    found = parts[0]
    for part in parts[1:]:
        found = Node("or", (found, part))
    _check(found, {name: sort})
    return found


def _constant(value: Any, sort: Sort) -> Node:
    """What was meant, by the sort of the column that it is compared with."""
    if isinstance(value, date):
        value = value.isoformat()
    if sort == "truth" and isinstance(value, str) and value.lower() in _TRUTHS:
        return Node("constant", constant=_TRUTHS[value.lower()])
    if sort in ("text", "day"):
        whole = isinstance(value, float) and value == int(value)
        return Node("constant", constant=str(int(value) if whole else value))
    return Node("constant", constant=float(value) if type(value) is int else value)


_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


def _resolved(node: Node, sorts: Mapping[str, Sort]) -> Node:
    """Words that are no columns are levels, where they are compared with a column that has levels."""
    if node.act not in _COMPARED:
        return replace(node, parts=tuple(_resolved(part, sorts) for part in node.parts))
    known = [part.constant for part in node.parts if part.act == "column" and part.constant in sorts]
    if len(known) != 1:
        return node
    sort = sorts[known[0]]
    parts = [
        part if part.act not in ("column", "constant") or part.constant in known else _constant(part.constant, sort)
        for part in node.parts
    ]
    return replace(node, parts=tuple(parts))


def _check(node: Node, sorts: Mapping[str, Sort]) -> None:
    for name in node.columns:
        if name not in sorts:
            raise DeclarationError(unknown("column", name, sorts).rstrip("."))
    if node.sort(sorts) != "truth":
        raise DeclarationError("it must be true or false of a row")


def _check_levels(node: Node, axes: Sequence[Column]) -> None:
    """Refuse names that are no levels of the category that they are compared with."""
    levels = {axis.name: axis.labels for axis in axes if isinstance(axis, Category)}
    for part in _all_parts(node):
        columns = [each.constant for each in part.parts if each.act == "column"]
        if part.act in _COMPARED and len(columns) == 1 and columns[0] in levels:
            strange = [e.constant for e in part.parts if e.act == "constant" and e.constant not in levels[columns[0]]]
            if strange:
                told = unknown(f"level of {columns[0]}", str(strange[0]), levels[columns[0]][:20])
                raise DeclarationError(told.rstrip("."))


def _joined(node: Node) -> list[Node]:
    """The parts that `and` joins."""
    if node.act != "and":
        return [node]
    return [part for each in node.parts for part in _joined(each)]


def _example(axes: Sequence[Column]) -> str:
    """What a condition looks like, with columns that there are."""
    ways = {"text": "= {0}", "truth": "= true", "number": ">= {0}", "day": ">= {0}"}
    parts = [f"{axis.name} {ways[sort_of(axis)].format(_first(axis))}" for axis in axes[:2]]
    return " and ".join(parts)


def _first(axis: Column) -> str:
    return axis.labels[0] if axis.ends is None else str(axis.ends.low[0])


def met(axis: Column, node: Node) -> Met:
    """Cells in which a condition on this column holds somewhere, and everywhere; not those of missing values."""
    cells, values = _looked_at(axis, node)
    holds = node.evaluate({axis.name: np.ma.MaskedArray(values, mask=False)}, len(values)).values.astype(bool)
    some, every = np.zeros(axis.size, dtype=bool), np.ones(axis.size, dtype=bool)
    np.logical_or.at(some, cells, holds)
    np.logical_and.at(every, cells, holds)
    every[axis.regular :] = False
    return Met(some, every)


def _looked_at(axis: Column, node: Node) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Values to look at, and their cells: those spread over each cell, and the condition's constants."""
    regular = np.arange(axis.regular)
    if axis.ends is None:
        truths = sort_of(axis) == "truth"
        return regular, np.equal(regular, 1) if truths else np.array(axis.labels, dtype=object)
    low, high = axis.ends
    if low.dtype.kind == "f":
        high = np.append(np.nextafter(high[:-1], -np.inf), high[-1])
        spread = np.linspace(low, high, _LOOKS)
    else:
        units = (high - low).astype(np.int64)
        ahead = np.floor(np.linspace(0, 1, _LOOKS)[:, None] * units).astype(np.int64)
        spread = low + (ahead.astype("timedelta64[D]") if low.dtype.kind == "M" else ahead)
    named = _constants(node, low.dtype, low[0], high[-1])
    values = np.concatenate([spread.ravel(), named])
    shown = values.astype(object) if low.dtype.kind == "M" else values
    where = np.concatenate([np.tile(regular, _LOOKS), codes(axis, np.ma.MaskedArray(named, mask=False))])
    return where.astype(np.intp), shown


def _constants(node: Node, kind: Any, lowest: Any, highest: Any) -> NDArray[Any]:
    """Constants of the condition within the column's range, with the whole numbers beside them."""
    found = [part.constant for part in _all_parts(node) if part.act == "constant"]
    if np.dtype(kind).kind == "M":
        days = np.array([np.datetime64(text, "D") for text in found if isinstance(text, str)], dtype="datetime64[D]")
        near = np.concatenate([days + np.timedelta64(step, "D") for step in (-1, 0, 1)])
    else:
        numbers = np.array([value for value in found if type(value) is float], dtype=np.float64)
        beside = (-1.0, 0.0, 1.0) if np.dtype(kind).kind == "i" else (0.0,)
        near = np.concatenate([numbers + step for step in beside])
        near = near[np.isfinite(near)]
        near = near.astype(kind)
    inside: NDArray[Any] = near[(near >= lowest) & (near <= highest)]
    return inside


def _all_parts(node: Node) -> list[Node]:
    return [node, *(below for part in node.parts for below in _all_parts(part))]
