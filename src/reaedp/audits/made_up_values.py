"""What stands in the cells of made-up tables: values as anybody could have them, and values as nobody should."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from reaedp.contract import Boolean, Category, Column, Contract, Curve, Date, Integer, Number
from reaedp.statistics.by_kind import ByKind

#: Ways in which one row can be unlike the others.
VARIANTS = ("other", "extreme", "unseen", "nan", "infinite", "null", "unparsable")
#: Points of a made-up curve whose points have rows of their own.
POINTS = 4
_ANYTHING = {
    "unseen": "a level that nobody declared",
    "nan": "NaN",
    "infinite": "-inf",
    "null": "",
    "extreme": "9" * 40,
}
_NUMBERS = {"extreme": "-1e308", "unparsable": "1,2;3"}


class Place(NamedTuple):
    """Which of a unit's curves a row belongs to, and which point of it."""

    curve: int
    point: int


#: The text in a column's cell, for a way to be and a place among a unit's rows.
Cell = Callable[[str, Place], str]


def cells(contract: Contract) -> dict[str, Cell]:
    """For each column of the data that the contract speaks of, except the person's."""
    found: dict[str, Cell] = {}
    for curve in contract.curves:
        found |= _FORMS[curve.form](curve)
    found |= {column.name: partial(_of_column, column) for column in contract.columns}
    return {name: cell for name, cell in found.items() if name != contract.unit.person}


def _of_column(column: Column, variant: str, place: Place) -> str:  # noqa: ARG001
    """A column without such a variant gets a value of its other end."""
    return _text(_VALUES.of(column)(column), variant)


def _text(values: dict[str, str], variant: str) -> str:
    return (_ANYTHING | values).get(variant, values.get("other", "made up"))


def _number(column: Any) -> dict[str, str]:
    edges = column.boundaries
    return {"ordinary": repr(float(edges[0])), "other": repr(float(edges[-1]))} | _NUMBERS


_VALUES = ByKind[Callable[[Any], dict[str, str]]](
    "texts in a made-up table",
    {
        Number: _number,
        Integer: lambda c: {
            "ordinary": str(c.lower),
            "other": str(c.upper),
            "extreme": str(2**53),
            "unparsable": "1.5",
        },
        Category: lambda c: {"ordinary": c.levels[0], "other": c.levels[-1], "extreme": "x" * 10_000},
        Boolean: lambda _: {"ordinary": "false", "other": "true", "unparsable": "perhaps"},
        Date: lambda c: {
            "ordinary": c.lower.isoformat(),
            "other": c.upper.isoformat(),
            "extreme": "9999-12-31",
            "unparsable": "2020-13-45",
        },
    },
    otherwise=lambda _: {},
    over="columns",
)


def _wide(curve: Curve) -> dict[str, Cell]:
    return {name: partial(_wide_value, curve, number) for number, name in enumerate(curve.points)}


def _wide_value(curve: Curve, number: int, variant: str, place: Place) -> str:  # noqa: ARG001
    return _value(curve, number, variant)


def _value(curve: Curve, number: int, variant: str) -> str:
    """A clip below the public offset, or above it; broken curves are so at every other point, empty ones at all."""
    offset = curve.offset[min(number, len(curve.offset) - 1)] if isinstance(curve.offset, tuple) else curve.offset
    ends = {"ordinary": repr(float(offset - curve.clip)), "other": repr(float(offset + curve.clip))}
    whole = number % 2 == 1 and variant not in ("ordinary", "null")
    return _text(ends | _NUMBERS, "other" if whole else variant)


def _long(curve: Curve) -> dict[str, Cell]:
    return {
        str(curve.id): lambda variant, place: "" if variant == "null" else f"c{place.curve}",
        str(curve.time): lambda variant, place: _time(curve, variant, place.point),
        str(curve.value): lambda variant, place: _value(curve, place.point, variant),
    }


def _time(curve: Curve, variant: str, number: int) -> str:
    """Evenly spaced, again and again; the second time of a broken curve is broken, too."""
    start, end = curve.interval
    time = {"ordinary": repr(float(start + (end - start) * (number % POINTS) / (POINTS - 1)))}
    return _text(time | _NUMBERS, variant) if number == 1 and variant != "other" else time["ordinary"]


_FORMS: dict[str, Callable[[Curve], dict[str, Cell]]] = {"wide": _wide, "long": _long}
