"""Profiles of the columns of synthetic records: how often each cell occurs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different, shown
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Specification

#: Bars of one profile; neighbouring cells beyond that would be hairs.
MOST_BARS = 200
_SHARE = ".1%"


def profile(
    name: str,
    cells: tuple[str, ...],
    share: NDArray[np.float64],
    original: NDArray[Any] | None = None,
    *,
    doubt: NDArray[np.bool_] | None = None,
) -> Specification:
    """The share of records in each cell; of very many cells the fullest."""
    kept = np.sort(np.argsort(-share, kind="stable")[:MOST_BARS])
    labels = different([cells[place] for place in kept])
    rows: dict[str, NDArray[Any]] = {"cell": np.array(labels, dtype=object), "share": share[kept]}
    rows["told"] = draw.readings(np.zeros(len(kept), dtype=bool) if doubt is None else doubt[kept])
    layers: list[Specification] = [
        {
            "mark": {"type": "bar"},
            "encoding": {
                "color": draw.told_apart(),
                "y": draw.quantity("share", "share of records", format=_SHARE),
                "opacity": draw.only_when("private", 0.85),
                "tooltip": draw.hover(
                    cell=(shown(name), None), share=("share of synthetic records", ".2%"), told=("reading", None)
                ),
            },
        }
    ]
    if original is not None:
        rows["original"] = original[kept]
        layers.append(
            {
                "mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3},
                "encoding": {
                    "y": draw.quantity("original", "share of records", format=_SHARE),
                    "opacity": draw.only_when("original"),
                    "tooltip": draw.hover(cell=("cell", None), original=("true share, not to be published", ".2%")),
                },
            }
        )
    axis = draw.names("cell", shown(name), len(labels), max(map(len, labels), default=0), draw.HALF)
    return {"data": draw.values(rows), "params": [draw.switch()], "encoding": {"x": axis}, "layer": layers}
