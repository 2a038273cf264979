"""Entropies with their intervals, and the map of how closely columns are related."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different
from reaedp.report.charts.drawing import (
    BLUE,
    LINE,
    ORANGE,
    Frame,
    Specification,
    hover,
    names,
    only_when,
    quantity,
    switch,
    values,
)

_BITS = ".4~f"


def entropies(frame: Frame, original: NDArray[Any] | None = None) -> Specification:
    """A point and its range for each number."""
    rows = {
        "measure": np.array(different(np.asarray(frame["measure"]).tolist()), dtype=object),
        "bits": frame["bits"],
        "low": frame["low_95"],
        "high": frame["high_95"],
    }
    said = hover(measure=("measure", None), bits=("bits", _BITS), low=("95 % interval from", _BITS), high=("to", _BITS))
    layers: list[Specification] = [
        {
            "mark": {"type": "rule", "color": BLUE, "strokeWidth": 3},
            "encoding": {"x": quantity("low", "bits"), "x2": {"field": "high"}, "opacity": only_when("private", 0.5)},
        },
        {
            "mark": {"type": "point", "filled": True, "color": BLUE, "size": 90},
            "encoding": {"x": quantity("bits", "bits"), "opacity": only_when("private"), "tooltip": said},
        },
    ]
    if original is not None:
        rows["original"] = original
        layers.append(
            {
                "mark": {"type": "tick", "color": ORANGE, "thickness": 3},
                "encoding": {
                    "x": quantity("original", "bits"),
                    "opacity": only_when("original"),
                    "tooltip": hover(measure=("measure", None), original=("true bits, not to be published", _BITS)),
                },
            }
        )
    side = names("measure", None, 0) | {"axis": {"labelLimit": 260}}
    return {
        "data": values(rows),
        "params": [switch()],
        "height": 1.6 * LINE * len(frame["bits"]),
        "encoding": {"y": side},
        "layer": layers,
    }


def information_map(frame: Frame, original: NDArray[Any] | None = None) -> Specification:
    """Mutual information of each pair of columns, relative to the mean of their entropies."""
    first, second = (np.asarray(frame[side]) for side in ("first", "second"))
    columns = list(dict.fromkeys(first.tolist()))
    named = dict(zip(columns, different(columns, 40), strict=True))
    apart = first != second
    mirrored = {
        "one": np.concatenate([first, second[apart]]),
        "other": np.concatenate([second, first[apart]]),
    }
    rows = {side: np.array([named[name] for name in mirrored[side].tolist()], dtype=object) for side in mirrored}
    numbers = {"share": "symmetric_uncertainty", "bits": "mutual_information"}
    ends = {"low": "mutual_information_low_95", "high": "mutual_information_high_95"}
    for name, column in (numbers | ends).items():
        rows[name] = _mirrored(np.asarray(frame[column]), apart)
    said = {
        "one": ("column", None),
        "other": ("and", None),
        "bits": ("mutual information, bits", _BITS),
        "low": ("95 % interval from", _BITS),
        "high": ("to", _BITS),
        "share": ("symmetric uncertainty", ".1%"),
    }
    if original is not None:
        rows["original"] = _mirrored(original, apart)
        said["original"] = ("true mutual information, not to be published", _BITS)
    step = 12 if len(columns) > 20 else 24
    return {
        "data": values(rows),
        "height": step * len(columns),
        "mark": {"type": "rect"},
        "encoding": {
            "x": names("one", None, len(columns)) | {"axis": {"labelAngle": -45, "labelLimit": 120}},
            "y": names("other", None, 0) | {"axis": {"labelLimit": 120}},
            "color": quantity("share", "symmetric uncertainty", format=".0%")
            | {"scale": {"scheme": "blues", "domain": [0, 1]}},
            "tooltip": hover(**said),
        },
    }


def _mirrored(numbers: NDArray[Any], apart: NDArray[np.bool_]) -> NDArray[Any]:
    return np.concatenate([numbers, numbers[apart]])
