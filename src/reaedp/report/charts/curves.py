"""Mean curves with their bands, and synthetic curves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification

#: Synthetic curves that are drawn; more would hide each other.
MOST_LINES = 60
_NUMBER = ".4~g"


def mean_curve(
    frame: Frame, original: NDArray[Any] | None = None, *, doubt: bool = False, title: str = "mean"
) -> Specification:
    """The mean, the range of each of its points, and the band around the whole; grey if noise could have made it."""
    colour = draw.GREY if doubt else draw.BLUE
    bands = (("all_low_95", "all_high_95", 0.15), ("low_95", "high_95", 0.3))
    areas = [
        {
            "mark": {"type": "area", "color": colour},
            "encoding": {
                "y": draw.quantity(low, title, zero=False),
                "y2": {"field": high},
                "opacity": draw.only_when("private", opacity),
            },
        }
        for low, high, opacity in bands
    ]
    said = draw.hover(
        time=("time", _NUMBER),
        mean=("mean", _NUMBER),
        low_95=("95 % interval from", _NUMBER),
        high_95=("to", _NUMBER),
    )
    line = {
        "mark": {"type": "line", "color": colour, "point": {"opacity": 0, "size": 60, "color": colour}},
        "encoding": {
            "y": draw.quantity("mean", title, zero=False),
            "opacity": draw.only_when("private"),
            "tooltip": said,
        },
    }
    layers, data = [*areas, line], dict(frame)
    if original is not None:
        data["original"] = original
        layers.append(
            {
                "mark": {"type": "line", "color": draw.ORANGE, "strokeDash": [6, 3]},
                "encoding": {
                    "y": draw.quantity("original", title, zero=False),
                    "opacity": draw.only_when("original"),
                },
            }
        )
    axis = {"x": draw.quantity("time", "time", zero=False)}
    return {"data": draw.values(data), "params": [draw.switch()], "encoding": axis, "layer": layers}


def synthetic_curves(frame: Frame) -> Specification:
    """The first curves, so pale that many can be seen at once."""
    drawn = {name: np.asarray(column)[frame["curve"] <= MOST_LINES] for name, column in frame.items()}
    encoding = {
        "x": draw.quantity("time", "time", zero=False),
        "y": draw.quantity("value", "value", zero=False),
        "detail": {"field": "curve", "type": "nominal"},
    }
    mark = {"type": "line", "opacity": 0.4, "strokeWidth": 1, "color": draw.BLUE}
    return {"data": draw.values(drawn), "mark": mark, "encoding": encoding}
