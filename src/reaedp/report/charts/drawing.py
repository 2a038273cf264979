"""What all charts share: colours, data, axes.

Fields have short names of our own, because Vega reads dots and brackets in a name as a path; names from outside are
titles and values only.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Frame = Mapping[str, NDArray[Any]]
#: A Vega-Lite specification.
Specification = dict[str, Any]

#: Readable on white and on black; the second is for what is not private, the last for what noise alone could have made.
BLUE, ORANGE, GREY, PALE = "#3b82c4", "#c2410c", "#8a8f98", "#c9cdd3"
#: From nothing, which is white, to the most.
SHADED = {"range": ["#ffffff", "#a9cbe8", "#3b82c4", "#123d6b"], "interpolate": "rgb"}
#: What is said of a number by whether noise alone could have made it.
STANDS_OUT, DOUBTFUL = "clearly above the noise", "could be noise alone"
WIDTH, HEIGHT = 720, 260
#: The width of a chart that shares a line with another.
HALF = 440
#: What words take beside a chart, usually.
BESIDE = 80
#: A line of names needs this much; Vega-Lite warns of its own step beside a width that follows the page.
LINE = 20
#: Pixels of a letter below an axis, about.
LETTER = 7
#: Pixels of a slanted name below a chart, and how many have room below one of the usual width.
NAME = 18
MOST_NAMES = WIDTH // NAME
#: A title over the axis that goes down, where there is more room than beside it, and its place.
ABOVE = -6
TITLE_ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": ABOVE}
#: The name of the switch between private and original numbers.
SHOWN = "shown"
_HARMLESS = str.maketrans({"\\": "∖", '"': "”"})
_CONFIG = {
    "view": {"stroke": None},
    "axis": {"labelLimit": 160, "titleLimit": 480, "labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": 500},
    "legend": {"labelLimit": 200, "titleLimit": 200, "labelFontSize": 12, "titleFontSize": 13},
    "aria": False,  # figures carry words of their own, and a table beside them
}


def drawn(specification: Specification) -> Specification:
    """The specification in the style of the project."""
    return {"background": None, "config": _CONFIG, "width": WIDTH, "height": HEIGHT} | specification


def values(frame: Frame) -> Specification:
    """The data of a chart, row by row, in plain numbers and texts; JSON has no other numbers than finite ones."""
    columns = [[_finite(value) for value in np.asarray(column).tolist()] for column in frame.values()]
    return {"values": [dict(zip(frame, row, strict=True)) for row in zip(*columns, strict=True)]}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def quantity(field: str, title: str | None, *, zero: bool = True, format: str | None = None) -> Specification:  # noqa: A002
    """A numeric axis of a chart."""
    axis = {} if format is None else {"axis": {"format": format}}
    return {"field": field, "type": "quantitative", "title": title, "scale": {"zero": zero}} | axis


def days(field: str, title: str | None, *, hours: bool = False) -> Specification:
    """An axis of days, with their years, and with hours where only few days are shown."""
    axis = {"format": "%Y-%m-%d %H:%M" if hours else "%Y-%m-%d", "labelOverlap": True}
    return {"field": field, "type": "temporal", "title": title, "axis": axis}


def names(field: str, title: str | None, count: int, longest: int = 0, width: int = WIDTH) -> Specification:
    """An axis of names in their given order; of many, as many as fit are written.

    Few names stand level if those of `longest` letters have room.
    """
    level = count <= 6 and count * (longest * LETTER + 8) <= width
    axis = {"labelOverlap": count > width // NAME, "labelAngle": 0 if level else -50}
    return {"field": field, "type": "nominal", "title": title, "sort": None, "axis": axis}


def hover(**fields: tuple[str, str | None]) -> list[Specification]:
    """What is said when a mark is pointed at: the title and the number format of each field.

    Vega-Lite writes these titles into an expression and escapes quotes there, but not backslashes.
    """
    return [
        {"field": field, "title": title.translate(_HARMLESS)}
        | ({"type": "nominal"} if form is None else {"type": "quantitative", "format": form})
        for field, (title, form) in fields.items()
    ]


def interval(form: str | None) -> dict[str, tuple[str, str | None]]:
    """What is said of the fields `low` and `high`."""
    return {"low": ("95 % interval from", form), "high": ("to", form)}


def line_by_line(rows: dict[str, NDArray[Any]], field: str, layers: list[Specification]) -> Specification:
    """A line for each name of a field, with the marks of all layers."""
    return {
        "data": values(rows),
        "params": [switch()],
        "height": 1.6 * LINE * len(rows[field]),
        "encoding": {"y": names(field, None, 0) | {"axis": {"labelLimit": 260}}},
        "layer": layers,
    }


def readings(doubt: NDArray[np.bool_]) -> NDArray[Any]:
    """In words which numbers noise alone could have made; the field is called `told`."""
    return np.where(doubt, DOUBTFUL, STANDS_OUT).astype(object)


def told_apart(colour: Any = BLUE) -> Specification:
    """This colour for what stands out, grey for the rest."""
    usual = colour if isinstance(colour, dict) else {"value": colour}
    return usual | {"condition": {"test": f"datum.told == '{DOUBTFUL}'", "value": PALE}}


def switch() -> Specification:
    """The parameter by which a page shows private numbers, original ones, or both."""
    return {"name": SHOWN, "value": "both"}


def only_when(edition: str, opacity: float = 1.0) -> Specification:
    """Visible only while this edition, "private" or "original", is shown."""
    return {"condition": {"test": f"{SHOWN} == 'both' || {SHOWN} == '{edition}'", "value": opacity}, "value": 0}
