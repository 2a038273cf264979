"""Correlations as a map, and coefficients with their intervals; what noise could have made is grey."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification
from reaedp.report.charts.squares import squares
from reaedp.statistics.doubt import doubtful_signs
from reaedp.statistics.moments.words import INTERCEPT, POPULATION, THESE

_SHORT = ".3~g"


def correlation_map(
    frame: Frame,
    original: NDArray[Any] | None = None,
    *,
    called: Callable[[str], str] = str,
    doubt: NDArray[np.bool_] | None = None,
) -> Specification:
    """Correlations of pairs of columns, as squares; `called` says what a column is called.

    A column that never varies has no correlation, and is in doubt.
    """
    chosen = np.asarray(frame["measure"] == "correlation")
    first, second = (np.asarray(frame[side])[chosen].tolist() for side in ("first", "second"))
    columns = list(dict.fromkeys([*first, *second]))
    named = dict(zip(columns, different(map(called, columns), 40), strict=True))
    fields = {"r": "value", "low": "low_95", "high": "high_95"}
    numbers = {name: np.asarray(frame[column])[chosen] for name, column in fields.items()}
    said = {"r": ("correlation", _SHORT), **draw.interval(_SHORT)}
    if original is not None:
        numbers["original"] = np.asarray(original)[chosen]
        said["original"] = ("true correlation, not to be published", _SHORT)
    shade = draw.quantity("r", "correlation") | {
        "scale": {"range": ["#8c510a", "#ffffff", "#123d6b"], "interpolate": "rgb", "domain": [-1, 0, 1]},
        "legend": {"orient": "top", "values": [-1, 0, 1]},
    }
    return squares(
        ([named[name] for name in first], [named[name] for name in second]),
        numbers,
        doubtful_signs({key: np.asarray(frame[key])[chosen] for key in fields.values()}) if doubt is None else doubt,
        columns=list(named.values()),
        shade=shade,
        written=lambda r: f"{r:.2f}".replace("-", "−"),
        dark=np.abs(numbers["r"]) > 0.5,
        said=said,
    )


def coefficients(
    frame: Frame, original: NDArray[Any] | None = None, *, called: Callable[[str], str] = str
) -> Specification:
    """A point with two intervals for each term but the intercept, in units of the interval, so that all are seen."""
    own, wide = (of_predictors(frame, about) for about in (THESE, POPULATION))
    value, low, high = (np.asarray(frame[name], dtype=np.float64)[own] for name in ("value", "low_95", "high_95"))
    unit = np.maximum((high - low) / 2, np.finfo(float).tiny)
    terms = different(map(called, np.asarray(frame["second"])[own].tolist()), 40)
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
        "told": draw.readings(doubtful_signs({"value": value, "low_95": low, "high_95": high})),
    }
    title = "multiples of its own 95 % error"
    colour = {"condition": {"test": f"datum.told == '{draw.STANDS_OUT}'", "value": draw.BLUE}, "value": draw.GREY}
    said = draw.hover(
        term=("term", None), value=("coefficient", _SHORT), **draw.interval(_SHORT), told=("reading", None)
    )
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


def of_predictors(frame: Frame, about: str) -> NDArray[np.bool_]:
    """The rows of the coefficients but the intercept, with their intervals for these rows or for the population."""
    found: NDArray[np.bool_] = np.asarray(
        (frame["measure"] == "coefficient") & (frame["second"] != INTERCEPT) & (frame["about"] == about)
    )
    return found
