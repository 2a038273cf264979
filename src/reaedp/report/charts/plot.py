"""The layers of a specification and the scales that they share, before anything is drawn."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from reaedp.report.charts.drawing import Specification
from reaedp.report.charts.scales import PIXELS_OF_A_TICK, Bands, Linear, Logarithmic, Scale

Row = dict[str, Any]
#: How much of its part a bar takes; of a group of bars; of a coloured cell.
_BAR, _GROUP, _CELL = 0.9, 0.8, 1.0
FILTER = re.compile(r"datum\.(\w+) == (\w+)")


class Layer(NamedTuple):
    """One kind of mark with its rows and what places and colours them."""

    mark: dict[str, Any]
    encoding: dict[str, Any]
    rows: list[Row]

    @property
    def opacity(self) -> float:
        """As long as nobody switched to one edition, everything is visible."""
        condition = self.encoding.get("opacity", {}).get("condition", {})
        usual = 0.7 if self.mark["type"] == "point" and "opacity" not in self.encoding else 1.0
        return float(condition.get("value", self.mark.get("opacity", usual)))


@dataclass(frozen=True, slots=True)
class Plot:
    """The layers of a chart and the scales that they share.

    `width` and `height` are those of the area between the axes, in pixels.
    """

    layers: tuple[Layer, ...]
    width: float
    height: float
    x: Scale
    y: Scale


def layers_of(specification: Specification) -> Iterator[Layer]:
    """All layers with what they inherit."""
    params = {param["name"]: param.get("value") for param in specification.get("params", ())}
    rows = _filtered(specification["data"]["values"], specification, params)
    for layer in specification.get("layer", [specification]):
        encoding = specification.get("encoding", {}) | layer.get("encoding", {})
        yield Layer(layer["mark"], encoding, _filtered(rows, layer, params) if layer is not specification else rows)


def _filtered(rows: list[Row], part: Specification, params: dict[str, Any]) -> list[Row]:
    for transform in part.get("transform", ()):
        found = FILTER.fullmatch(transform["filter"])
        assert found is not None, transform
        field, value = found.groups()
        rows = [row for row in rows if row[field] == params[value]]
    return rows


def channels(layers: Sequence[Layer], channel: str) -> list[tuple[Layer, dict[str, Any]]]:
    """The layers that use a channel, and how."""
    return [(layer, layer.encoding[channel]) for layer in layers if channel in layer.encoding]


def shared_scale(layers: Sequence[Layer], channel: str, length: float) -> Scale:
    """The scale that all layers share in one direction."""
    used = channels(layers, channel)
    encoding = used[0][1]
    if encoding["type"] == "nominal":
        grouped, rect = any("yOffset" in layer.encoding for layer, _ in used), used[0][0].mark["type"] == "rect"
        there = dict.fromkeys(row[encoding["field"]] for layer, own in used for row in layer.rows)
        names = dict.fromkeys([name for name in encoding.get("sort") or () if name in there]) | there
        return Bands(tuple(names), length, _CELL if rect else _GROUP if grouped else _BAR)
    fields = [(layer, own["field"]) for name in (channel, f"{channel}2") for layer, own in channels(layers, name)]
    numbers = [row[field] for layer, field in fields for row in layer.rows if row[field] is not None] or [0.0]
    start, end = (0.0, length) if channel == "x" else (length, 0.0)
    if encoding["scale"].get("type") == "log":
        return Logarithmic.over(numbers, start, end)
    if "domain" in encoding["scale"]:
        low, high = encoding["scale"]["domain"]
        return Linear.between(low, high, start, end, _count(length, channel))
    stacked = any(layer.mark["type"] in ("bar", "area") and "y2" not in layer.encoding for layer, _ in used)
    zero = stacked or any(own["scale"].get("zero", True) for _, own in used)
    return Linear.over(numbers, start, end, _count(length, channel), zero=zero)


def _count(length: float, channel: str) -> int:
    return math.ceil(length / PIXELS_OF_A_TICK["across" if channel == "x" else "down"])
