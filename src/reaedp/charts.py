"""Charts of released numbers, drawn by Vega; whatever they show went through noise or was public."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.curves.estimate import CurveEstimate
from reaedp.curves.synthetic_curves import ReleasedCurves

Frame = dict[str, NDArray[Any]]
Specification = dict[str, Any]

#: Synthetic curves that are drawn; more would hide each other.
MOST_LINES = 60
_SIZE = {"width": 640, "height": 360}
_BLUE = "#1f5fa8"


def chart(value: object, frame: Frame) -> bytes | None:
    """An SVG picture of a release, or nothing for kinds that are better read as tables."""
    specify = _CHARTS.get(type(value))
    return None if specify is None or not len(next(iter(frame.values()))) else _svg(specify(frame))


def _svg(specification: Specification) -> bytes:
    import vl_convert

    schema = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "background": "white"}
    return str(vl_convert.vegalite_to_svg(schema | _SIZE | specification)).encode()


def _mean_curve(frame: Frame) -> Specification:
    """The mean, the range of each of its points, and the band around the whole."""
    bands = (("all_low_95", "all_high_95", 0.18), ("low_95", "high_95", 0.3))
    areas = [
        {
            "mark": {"type": "area", "opacity": opacity, "color": _BLUE},
            "encoding": {"y": _quantity(low, "mean"), "y2": {"field": high}},
        }
        for low, high, opacity in bands
    ]
    line = {"mark": {"type": "line", "color": _BLUE}, "encoding": {"y": _quantity("mean")}}
    return {"data": _rows(frame), "encoding": {"x": _quantity("time")}, "layer": [*areas, line]}


def _curves(frame: Frame) -> Specification:
    shown = {name: values[frame["curve"] <= MOST_LINES] for name, values in frame.items()}
    encoding = {"x": _quantity("time"), "y": _quantity("value"), "detail": {"field": "curve", "type": "nominal"}}
    mark = {"type": "line", "opacity": 0.4, "strokeWidth": 1, "color": _BLUE}
    return {"data": _rows(shown), "mark": mark, "encoding": encoding}


def _quantity(field: str, title: str | None = None) -> Specification:
    return {"field": field, "type": "quantitative", "title": title or field, "scale": {"zero": False}}


def _rows(frame: Frame) -> Specification:
    columns = [np.asarray(values).tolist() for values in frame.values()]
    return {"values": [dict(zip(frame, row, strict=True)) for row in zip(*columns, strict=True)]}


_CHARTS: dict[type[Any], Callable[[Frame], Specification]] = {CurveEstimate: _mean_curve, ReleasedCurves: _curves}
