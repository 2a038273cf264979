"""Correlations as a map, and coefficients with their intervals; what noise could have made is grey."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification
from reaedp.statistics.moments.fit import INTERCEPT
from reaedp.statistics.moments.noisy_moments import POPULATION, THESE

_SHORT = ".3~g"


def correlation_map(frame: Frame, original: NDArray[Any] | None = None) -> Specification:
    """A cell for each pair of columns, coloured by its correlation where its interval does not hold 0."""
    chosen = np.asarray(frame["measure"] == "correlation")
    first, second = (np.asarray(frame[side])[chosen] for side in ("first", "second"))
    columns = list(dict.fromkeys([*first.tolist(), *second.tolist()]))
    named = dict(zip(columns, different(columns, 40), strict=True))
    sides = {"one": np.concatenate([first, second]), "other": np.concatenate([second, first])}
    rows = {side: np.array([named[name] for name in found.tolist()], dtype=object) for side, found in sides.items()}
    numbers = {"r": frame["value"], "low": frame["low_95"], "high": frame["high_95"]}
    rows |= {name: np.tile(np.asarray(column)[chosen], 2) for name, column in numbers.items()}
    rows["clear"] = np.where((rows["low"] > 0) | (rows["high"] < 0), "yes", "no").astype(object)
    said = {
        "one": ("column", None),
        "other": ("and", None),
        "r": ("correlation", _SHORT),
        **draw.interval(_SHORT),
    }
    if original is not None:
        rows["original"] = np.tile(np.asarray(original)[chosen], 2)
        said["original"] = ("true correlation, not to be published", _SHORT)
    step = 16 if len(columns) > 20 else 32
    colour = draw.quantity("r", "correlation") | {"scale": {"scheme": "blueorange", "domain": [-1, 1], "domainMid": 0}}
    return {
        "data": draw.values(rows),
        "height": step * len(columns),
        "mark": {"type": "rect"},
        "encoding": {
            "x": draw.names("one", None, len(columns))
            | {"sort": [named[name] for name in columns], "axis": {"labelAngle": -45, "labelLimit": 120}},
            "y": draw.names("other", None, 0)
            | {"sort": [named[name] for name in columns], "axis": {"labelLimit": 120}},
            "color": {"condition": {"test": "datum.clear == 'yes'", **colour}, "value": draw.GREY},
            "tooltip": draw.hover(**said),
        },
    }


def coefficients(frame: Frame, original: NDArray[Any] | None = None) -> Specification:
    """A point with two intervals for each term but the intercept, in units of the interval, so that all are seen."""
    picked = np.asarray((frame["measure"] == "coefficient") & (frame["second"] != INTERCEPT))
    own, wide = (picked & np.asarray(frame["about"] == about) for about in (THESE, POPULATION))
    value, low, high = (np.asarray(frame[name], dtype=np.float64)[own] for name in ("value", "low_95", "high_95"))
    unit = np.maximum((high - low) / 2, np.finfo(float).tiny)
    terms = different(np.asarray(frame["second"])[own].tolist(), 40)
    rows: dict[str, NDArray[Any]] = {
        "term": np.array(terms, dtype=object),
        "value": value,
        "low": low,
        "high": high,
        "at": value / unit,
        "from": low / unit,
        "to": high / unit,
        "wide_from": np.asarray(frame["low_95"])[wide] / unit,
        "wide_to": np.asarray(frame["high_95"])[wide] / unit,
        "clear": np.where((low > 0) | (high < 0), "yes", "no").astype(object),
    }
    title = "coefficient / half of its 95 % interval"
    colour = {"condition": {"test": "datum.clear == 'yes'", "value": draw.BLUE}, "value": draw.GREY}
    said = draw.hover(term=("term", None), value=("coefficient", _SHORT), **draw.interval(_SHORT))
    layers: list[Specification] = [
        _rule("wide_from", "wide_to", title, colour, 1.5),
        _rule("from", "to", title, colour, 4),
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {
                "x": draw.quantity("at", title),
                "color": colour,
                "opacity": draw.only_when("private"),
                "tooltip": said,
            },
        },
    ]
    if original is not None:
        rows["original"] = np.asarray(original)[own]
        rows["true_at"] = rows["original"] / unit
        layers.append(
            {
                "mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3},
                "encoding": {
                    "x": draw.quantity("true_at", title),
                    "opacity": draw.only_when("original"),
                    "tooltip": draw.hover(
                        term=("term", None), original=("true coefficient, not to be published", _SHORT)
                    ),
                },
            }
        )
    return draw.line_by_line(rows, "term", layers)


def _rule(low: str, high: str, title: str, colour: Specification, width: float) -> Specification:
    return {
        "mark": {"type": "rule", "strokeWidth": width},
        "encoding": {
            "x": draw.quantity(low, title),
            "x2": {"field": high},
            "color": colour,
            "opacity": draw.only_when("private", 0.6),
        },
    }
