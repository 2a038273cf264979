"""Charts of lines with points, as most figures of the paper have them."""

from typing import Any

Channel = dict[str, Any]


def quantity(field: str, title: str, *, log: bool = False, **more: Any) -> Channel:
    """A number along an axis."""
    scale = {"scale": {"type": "log"}} if log else {}
    return {"field": field, "type": "quantitative", "title": title, **scale, **more}


def kind(field: str, title: str | None = None, **more: Any) -> Channel:
    """What tells lines or panels apart."""
    return {"field": field, "type": "nominal", "title": title, **more}


def lines(x: Channel, y: Channel, color: Channel, *, size: tuple[int, int]) -> dict[str, Any]:
    """One panel, `size` wide and high; a line for each colour, with points of its own shape."""
    encoding = {"x": x, "y": y, "color": color, "shape": color}
    return {"width": size[0], "height": size[1], "mark": {"type": "line", "point": True}, "encoding": encoding}
