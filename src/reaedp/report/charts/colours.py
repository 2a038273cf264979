"""Colours of marks: one for all, one for each name, or a ramp over numbers."""

import re
from typing import Any, NamedTuple

from reaedp.report.charts.plot import Layer, Row

#: How charts say that a row has a colour of its own.
CONDITION = re.compile(r"datum\.(\w+) == '([^']*)'")


class Ramp(NamedTuple):
    """Colours of numbers between two ends."""

    field: str
    colours: tuple[str, ...]
    low: float
    high: float

    @classmethod
    def of(cls, layer: Layer) -> "Ramp":
        """From the least to the largest number of a layer, unless its scale names numbers at equal distances."""
        encoding, scale = layer.encoding["color"], layer.encoding["color"]["scale"]
        numbers = [row[encoding["field"]] for row in layer.rows if row[encoding["field"]] is not None] or [0.0]
        ends = scale.get("domain", (min(numbers), max(numbers)))
        return cls(encoding["field"], tuple(scale["range"]), ends[0], ends[-1])

    def colour(self, value: float) -> str:
        """The colour of a number, mixed of the two nearest."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        place = min(max(share, 0.0), 1.0) * (len(self.colours) - 1)
        first = min(int(place), len(self.colours) - 2)
        mixed = (
            round(int(before, 16) + (place - first) * (int(after, 16) - int(before, 16)))
            for before, after in zip(_parts(self.colours[first]), _parts(self.colours[first + 1]), strict=True)
        )
        return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(colour: str) -> tuple[str, str, str]:
    return colour[1:3], colour[3:5], colour[5:]


def colour_of(layer: Layer, row: Row) -> str:
    """The colour of a row's mark."""
    encoding = layer.encoding.get("color")
    if encoding is None:
        return str(layer.mark["color"])
    own = own_colour(encoding, row) or encoding.get("value")
    if own is not None:
        return str(own)
    scale, value = encoding["scale"], encoding["datum"] if "datum" in encoding else row[encoding["field"]]
    return str(scale["range"][scale["domain"].index(value)])


def own_colour(encoding: dict[str, Any], row: Row) -> str | None:
    """The colour of a row that the rule for all others does not hold for."""
    condition = encoding.get("condition")
    found = CONDITION.fullmatch(condition["test"]) if condition else None
    return str(condition["value"]) if condition and found and row[found[1]] == found[2] else None
