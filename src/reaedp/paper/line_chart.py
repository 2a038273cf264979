"""Charts of lines with points, as most figures of the paper have them."""

from collections.abc import Sequence
from typing import Any

Channel = dict[str, Any]


def quantity(field: str, title: str, *, log: bool = False, **more: Any) -> Channel:
    """A number along an axis."""
    scale = {"scale": {"type": "log"}} if log else {}
    return {"field": field, "type": "quantitative", "title": title, **scale, **more}


def kind(field: str, title: str | None = None, **more: Any) -> Channel:
    """What tells lines or panels apart."""
    return {"field": field, "type": "nominal", "title": title, **more}


def ordered(field: str, names: Sequence[Any], title: str | None = None) -> Channel:
    """What tells lines apart, in this order; a sorted field would have one legend for colours and one for shapes."""
    return kind(field, title, scale={"domain": list(names)}, legend={"labelLimit": 300})


def marked_lines(x: Channel, y: Channel, color: Channel) -> list[dict[str, Any]]:
    """A line for each colour, with points of its own shape, as two layers with one legend."""
    place = {"x": x, "y": y}
    points = {"color": color, "shape": color}
    return [
        {"mark": "line", "encoding": place | {"color": color}},
        {"mark": {"type": "point", "filled": True, "size": 40, "opacity": 1}, "encoding": place | points},
    ]


def lines(x: Channel, y: Channel, color: Channel, *, size: tuple[int, int]) -> dict[str, Any]:
    """One panel, `size` wide and high."""
    return {"width": size[0], "height": size[1], "layer": marked_lines(x, y, color)}
