"""Entropies with their intervals, and the map of how closely columns are related."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification
from reaedp.report.charts.squares import squares

_BITS = ".4~f"


def entropies(
    frame: Frame,
    original: NDArray[Any] | None = None,
    *,
    measures: Sequence[str] | None = None,
    doubt: NDArray[np.bool_] | None = None,
) -> Specification:
    """A point and its range for each number; `measures` are their names, if not those of the frame."""
    called = np.asarray(frame["measure"]).tolist() if measures is None else measures
    rows = {
        "measure": np.array(different(called), dtype=object),
        "bits": frame["bits"],
        "low": frame["low_95"],
        "high": frame["high_95"],
        "told": draw.readings(np.zeros(len(called), dtype=bool) if doubt is None else doubt),
    }
    said = draw.hover(
        measure=("measure", None),
        bits=("bits", _BITS),
        **draw.interval(_BITS),
        told=("reading", None),
    )
    layers: list[Specification] = [
        {
            "mark": {"type": "rule", "strokeWidth": 3},
            "encoding": {
                "x": draw.quantity("low", "bits"),
                "x2": {"field": "high"},
                "color": draw.told_apart(),
                "opacity": draw.only_when("private", 0.5),
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {
                "x": draw.quantity("bits", "bits"),
                "color": draw.told_apart(),
                "opacity": draw.only_when("private"),
                "tooltip": said,
            },
        },
    ]
    if original is not None:
        rows["original"] = original
        layers.append(
            {
                "mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3},
                "encoding": {
                    "x": draw.quantity("original", "bits"),
                    "opacity": draw.only_when("original"),
                    "tooltip": draw.hover(
                        measure=("measure", None), original=("true bits, not to be published", _BITS)
                    ),
                },
            }
        )
    return draw.line_by_line(rows, "measure", layers)


def information_map(
    frame: Frame,
    original: NDArray[Any] | None = None,
    *,
    called: Mapping[str, str] = MappingProxyType({}),
    doubt: NDArray[np.bool_] | None = None,
) -> Specification:
    """Mutual information of each pair of columns, relative to the mean of their entropies, as squares.

    `called` says what columns are called, where that is not their name. A column with itself is no finding.
    """
    apart = np.asarray(frame["first"] != frame["second"])
    columns = list(dict.fromkeys(np.asarray(frame["first"]).tolist()))
    named = dict(zip(columns, different([called.get(name, name) for name in columns], 40), strict=True))
    first, second = ([named[name] for name in np.asarray(frame[side])[apart].tolist()] for side in ("first", "second"))
    fields = {"share": "symmetric_uncertainty", "bits": "mutual_information"}
    fields |= {"low": "mutual_information_low_95", "high": "mutual_information_high_95"}
    numbers = {name: np.asarray(frame[column])[apart] for name, column in fields.items()}
    said = {
        "bits": ("mutual information, bits", _BITS),
        **draw.interval(_BITS),
        "share": ("symmetric uncertainty", ".1%"),
    }
    if original is not None:
        numbers["original"] = np.asarray(original)[apart]
        said["original"] = ("true mutual information, not to be published", _BITS)
    shade = draw.quantity("share", "symmetric uncertainty") | {
        "scale": draw.SHADED | {"domain": [0, 1]},
        "legend": {"orient": "top", "format": ".0%"},
    }
    return squares(
        (first, second),
        numbers,
        np.zeros(len(first), dtype=bool) if doubt is None else doubt[apart],
        columns=list(named.values()),
        shade=shade,
        written=lambda share: f"{share:.0%}",
        dark=numbers["share"] > 0.5,
        said=said,
    )
