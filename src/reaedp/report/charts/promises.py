"""Charts of what a promise means: beliefs before and after, and how well an attack did beside what is allowed."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reaedp.label import different
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Specification

_CHANCE = ".3~f"


class Marks(NamedTuple):
    """One examination: the chance of a blind guess, the measured one with its range, and the largest allowed one."""

    name: str
    blind: float
    measured: float
    low: float
    high: float
    allowed: float


class Bound(NamedTuple):
    """One test: the ε that its runs prove at least, and the ε that is promised."""

    name: str
    shown: float
    claimed: float


def lower_bounds(bounds: Sequence[Bound]) -> Specification:
    """How far the proof of a test reaches, beside the line that it may not pass."""
    rows = {
        "name": np.array(different([bound.name for bound in bounds], 70), dtype=object),
        "shown": np.array([bound.shown for bound in bounds]),
        "claimed": np.array([bound.claimed for bound in bounds]),
    }
    said = draw.hover(
        name=("test", None), shown=("shown: ε at least", _CHANCE), claimed=("promised: ε at most", _CHANCE)
    )
    kinds = {"shown by the test, at least": draw.BLUE, "promised, at most": draw.ORANGE}
    shown, promised = (
        {
            "datum": kind,
            "type": "nominal",
            "scale": {"domain": list(kinds), "range": list(kinds.values())},
            "legend": {"orient": "top", "title": None, "symbolType": "square"},
        }
        for kind in kinds
    )
    return {
        "data": draw.values(rows),
        "height": 1.5 * draw.LINE * len(bounds),
        "encoding": {"y": draw.names("name", None, 0) | {"axis": {"labelLimit": 340}}},
        "layer": [
            {
                "mark": {"type": "bar", "size": 12},
                "encoding": {"x": draw.quantity("shown", "ε"), "color": shown, "tooltip": said},
            },
            {
                "mark": {"type": "tick", "thickness": 3, "size": 20},
                "encoding": {"x": draw.quantity("claimed", "ε"), "color": promised, "tooltip": said},
            },
        ],
    }


def beliefs(before: Sequence[float], after: Sequence[float], labels: Sequence[str]) -> Specification:
    """How far anyone's belief about somebody can rise at most."""
    rows = {
        "label": np.array(list(labels) * 2, dtype=object),
        "chance": np.array([*before, *after]),
        "when": np.array(["before"] * len(before) + ["after, at most"] * len(after), dtype=object),
    }
    return {
        "data": draw.values(rows),
        "height": 1.8 * draw.LINE * len(labels),
        "mark": {"type": "bar"},
        "encoding": {
            "y": draw.names("label", "belief before", 0),
            "yOffset": {"field": "when", "type": "nominal", "sort": ["before", "after, at most"]},
            "x": draw.quantity("chance", "belief", format=".0%"),
            "color": {
                "field": "when",
                "type": "nominal",
                "title": None,
                "scale": {"domain": ["before", "after, at most"], "range": [draw.GREY, draw.BLUE]},
                "legend": {"orient": "top"},
            },
            "tooltip": draw.hover(label=("before", None), when=("", None), chance=("belief", ".2%")),
        },
    }


def three_marks(marks: Sequence[Marks], title: str) -> Specification:
    """Blind guess, measured, allowed: a row for each examination."""
    labels = different([mark.name for mark in marks], 70)
    columns: dict[str, Any] = {"name": np.array(labels, dtype=object)}
    columns |= {field: np.array([getattr(mark, field) for mark in marks]) for field in Marks._fields[1:]}
    said = draw.hover(
        name=("test", None),
        blind=("blind guess", _CHANCE),
        measured=("measured", _CHANCE),
        low=("interval from", _CHANCE),
        high=("to", _CHANCE),
        allowed=("allowed", _CHANCE),
    )
    kinds = (
        ("blind", "circle", draw.GREY, "blind guess"),
        ("measured", "diamond", draw.BLUE, "measured"),
        ("allowed", "stroke", draw.ORANGE, "allowed"),
    )
    points = [
        {
            "mark": {
                "type": "point",
                "filled": shape != "stroke",
                "shape": shape,
                "size": 110 if shape != "stroke" else 260,
                "strokeWidth": 3 if shape == "stroke" else 1,
                "angle": 90 if shape == "stroke" else 0,
            },
            "encoding": {
                "x": draw.quantity(field, title, zero=False),
                "tooltip": said,
                "color": {
                    "datum": label,
                    "type": "nominal",
                    "scale": {"domain": [k[3] for k in kinds], "range": [k[2] for k in kinds]},
                    "legend": {"orient": "top", "title": None, "symbolType": "circle"},
                },
            },
        }
        for field, shape, _, label in kinds
    ]
    span: Specification = {
        "mark": {"type": "rule", "color": draw.BLUE, "strokeWidth": 2, "opacity": 0.6},
        "encoding": {"x": draw.quantity("low", title, zero=False), "x2": {"field": "high"}},
    }
    return {
        "data": draw.values(columns),
        "height": 1.3 * draw.LINE * len(marks),
        "encoding": {"y": draw.names("name", None, 0) | {"axis": {"labelLimit": 340}}},
        "layer": [span, *points],
    }
