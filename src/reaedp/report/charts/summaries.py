"""A figure of every group with its interval: dots and lines."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification

#: Groups that can be told apart; the rest are in the table.
MOST_GROUPS = 60
#: Days from the first end of an interval to the last, below which hours are written.
FEW_DAYS = 4
_DIGITS = ",.4~g"
#: How cells of missing values and the like are written.
_SPECIAL = re.compile("<[a-z]+>")


def chosen_groups(frame: Frame, axes: Sequence[str], column: str, statistic: str) -> NDArray[np.intp]:
    """The rows of the groups that are drawn.

    Groups of missing values and the like are left out if they have too few rows for an interval; of many groups those
    with most rows are drawn.
    """
    chosen = np.flatnonzero((np.asarray(frame["column"]) == column) & (np.asarray(frame["statistic"]) == statistic))
    told = np.asarray(frame["note"])[chosen] == ""
    special = [any(_SPECIAL.fullmatch(str(frame[axis][place])) for axis in axes) for place in chosen]
    bounded = np.isfinite(np.asarray(frame["high_95"], dtype=np.float64)[chosen])
    return _largest(frame, column, chosen[(told | ~np.array(special, dtype=bool)) & bounded])


def dots(
    frame: Frame, axes: Sequence[str], chosen: NDArray[np.intp], title: str, original: NDArray[Any] | None = None
) -> Specification:
    """A dot and its interval for each group; grey where too few rows are left for an interval."""
    groups = [" · ".join(str(frame[axis][place]) for axis in axes) or "all rows" for place in chosen]
    dated = "date" in frame and all(frame["date"][chosen])
    digits, read = (None, _moments) if dated else (_DIGITS, np.asarray)
    axis = _axis(title, frame, chosen, dated)
    rows: dict[str, Any] = {
        "group": np.array(different(groups), dtype=object),
        "figure": read(frame["value"][chosen]),
        "low": read(frame["low_95"][chosen]),
        "high": read(frame["high_95"][chosen]),
        "rows": np.where(np.asarray(frame["note"])[chosen] == "", "enough", "few").astype(object),
    }
    said = {
        "group": ("group", None),
        "figure": (title, digits),
        **draw.interval(digits),
    }
    colour = {"condition": {"test": "datum.rows == 'few'", "value": draw.GREY}, "value": draw.BLUE}
    span = {"x": axis("low"), "x2": {"field": "high"}, "color": colour}
    point = {"x": axis("figure"), "color": colour, "tooltip": draw.hover(**said)}
    layers: list[Specification] = [
        {"mark": {"type": "rule", "strokeWidth": 3}, "encoding": span | {"opacity": draw.only_when("private", 0.5)}},
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": point | {"opacity": draw.only_when("private")},
        },
    ]
    if original is not None:
        rows["original"] = read(original[chosen])
        layers.append(_truth(axis, digits))
    return draw.line_by_line(rows, "group", layers)


def _largest(frame: Frame, column: str, places: NDArray[Any]) -> NDArray[Any]:
    """Places of as many groups as can be told apart, those with most rows if that is known."""
    counts = np.flatnonzero((np.asarray(frame["column"]) == column) & (np.asarray(frame["statistic"]) == "count"))
    if len(places) <= MOST_GROUPS or not counts.size:
        return places[:MOST_GROUPS]
    rows = np.asarray(frame["value"], dtype=np.float64)[counts[np.searchsorted(counts, places, side="right") - 1]]
    return np.sort(places[np.argsort(-rows, kind="stable")[:MOST_GROUPS]])


def _axis(title: str, frame: Frame, chosen: NDArray[np.intp], dated: bool) -> Callable[[str], Specification]:
    """The axis on which fields lie: numbers, days, or hours where all intervals are within few days."""
    if not dated:
        return lambda field: draw.quantity(field, title, zero=False)
    shown = np.ptp(np.concatenate([frame["low_95"][chosen], frame["high_95"][chosen]]).astype(np.float64))
    return lambda field: draw.days(field, title, hours=bool(shown < FEW_DAYS))


def _moments(numbers: NDArray[Any]) -> NDArray[Any]:
    """Days since 1970 as dates with hours and minutes: means lie between days."""
    minutes = np.rint(np.asarray(numbers, dtype=np.float64) * 1440).astype("datetime64[m]")
    return minutes.astype(str).astype(object)


def _truth(axis: Callable[[str], Specification], digits: str | None) -> Specification:
    """The mark of a true figure, for the custodian's edition."""
    said = draw.hover(group=("group", None), original=("true figure, not to be published", digits))
    place = {"x": axis("original"), "opacity": draw.only_when("original"), "tooltip": said}
    return {"mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3}, "encoding": place}
