"""Pictures of charts beside those that Vega draws of the same specifications."""

import gzip
import re
import runpy
import xml.dom.minidom
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vl_convert

from reaedp.report.charts.curves import mean_curve, synthetic_curves
from reaedp.report.charts.drawing import Specification, drawn
from reaedp.report.charts.entropies import entropies, information_map
from reaedp.report.charts.histograms import DrawnCells, histogram, largest_cells, low_bars
from reaedp.report.charts.picture import picture, svg
from reaedp.report.charts.promises import Marks, beliefs, three_marks
from reaedp.report.charts.records import profile
from reaedp.report.page import bundle

ROOT = Path(__file__).parents[2]
_BOX = re.compile(r'd="M(-?[\d.e-]+),(-?[\d.e-]+)h(-?[\d.e-]+)v(-?[\d.e-]+)h')


def _counts(names: list[str], *more: list[str]) -> dict[str, Any]:
    count = np.arange(len(names)) * 37 - 5
    frame: dict[str, Any] = {f"axis{place}": np.array(axis, dtype=object) for place, axis in enumerate((names, *more))}
    return frame | {
        "count": count,
        "estimate": np.maximum(count, 0).astype(float),
        "share": np.maximum(count, 0) / count.sum(),
        "low_95": np.maximum(count - 9, 0),
        "high_95": count + 9,
    }


def _pairs() -> dict[str, Any]:
    pairs = {"first": np.array(["a", "a", "b"], dtype=object), "second": np.array(["a", "b", "b"], dtype=object)}
    shares = {"symmetric_uncertainty": np.array([1.0, 0.2, 1.0]), "mutual_information": np.array([2.0, 0.3, 1.0])}
    sure = {"mutual_information_low_95": np.zeros(3), "mutual_information_high_95": np.ones(3)}
    return pairs | shares | sure


def _charts() -> dict[str, Specification]:
    many = [f"[{k}, {k + 1})" for k in range(12)]
    measures = {"measure": np.array(["H(a)", "H(b)"], dtype=object), "bits": np.array([1.2, 3.4])}
    times = {"time": np.linspace(0, 1, 20), "mean": np.sin(np.linspace(0, 1, 20))}
    wide = {"low_95": times["mean"] - 0.1, "high_95": times["mean"] + 0.1}
    band = {"all_low_95": times["mean"] - 0.2, "all_high_95": times["mean"] + 0.2}
    ends = {"low_95": np.array([1.0, 3.0]), "high_95": np.array([1.5, 3.9])}
    curves = {"curve": np.repeat([1, 2], 5), "time": np.tile(np.arange(5.0), 2), "value": np.arange(10.0)}
    return {
        "bars": histogram(DrawnCells.of(_counts(many), ["axis0"], doubt=np.arange(12) < 4)),
        "bars and truth": histogram(DrawnCells.of(_counts(many), ["axis0"], np.arange(12) * 37)),
        "cells": histogram(DrawnCells.of(_counts(["x", "y"] * 3, ["p", "p", "q", "q", "r", "r"]), ["axis0", "axis1"])),
        "low bars": low_bars(DrawnCells.of(_counts(many) | {"count": np.arange(12) ** 4}, ["axis0"])),
        "largest": largest_cells(DrawnCells.of(_counts(many), ["axis0"], np.arange(12) * 36)),
        "entropies": entropies(measures | ends, np.array([1.3, 3.5])),
        "map": information_map(_pairs()),
        "beliefs": beliefs([0.01, 0.5], [0.02, 0.7], ["1 in 100", "50 in 100"]),
        "marks": three_marks([Marks("one", 0.5, 0.53, 0.51, 0.55, 0.56), Marks("two", 0.5, 0.5, 0.49, 0.52, 0.6)], "x"),
        "profile": profile("age", ("young", "old"), np.array([0.3, 0.7]), np.array([0.25, 0.75])),
        "mean": mean_curve(times | wide | band, times["mean"] + 0.01),
        "curves": synthetic_curves(curves),
    }


CHARTS = {name: drawn(chart) for name, chart in _charts().items()}


def _marks(picture: str) -> list[tuple[str, int]]:
    """Every group of marks with how many visible shapes it has; Vega has groups of their own for points of a line."""
    root = xml.dom.minidom.parseString(picture)
    groups = [group for group in root.getElementsByTagName("g") if "role-mark" in group.getAttribute("class")]
    found = []
    for group in groups:
        shapes = [*group.getElementsByTagName("path"), *group.getElementsByTagName("line")]
        seen = [shape for shape in shapes if shape.getAttribute("opacity") != "0"]
        kind = group.getAttribute("class").split()[0]
        found.append((kind, len(seen)))
    return [(kind, number) for kind, number in found if number]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("name", CHARTS)
def test_a_picture_has_the_marks_that_vega_draws(name: str) -> None:
    ours, theirs = _marks(svg(CHARTS[name])), _marks(vl_convert.vegalite_to_svg(CHARTS[name]))
    assert sum(number for _, number in theirs) == sum(number for _, number in ours)
    assert {kind for kind, _ in theirs} >= {kind for kind, _ in ours}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_of_a_release_are_drawn_without_vega(name: str) -> None:
    assert svg(CHARTS[name]) == picture(CHARTS[name], 1)


@pytest.mark.parametrize("name", ["cells", "map"])
def test_numbers_have_the_colours_that_vega_mixes(name: str) -> None:
    def fills(picture: str) -> list[list[int]]:
        group = picture[picture.index('class="mark-rect role-mark') :].split("</g>", maxsplit=1)[0]
        found = re.findall(r'fill="(?:#(\w{6})|rgb\((\d+), ?(\d+), ?(\d+)\))"', group)
        return [[*bytes.fromhex(one[0])] if one[0] else [int(part) for part in one[1:]] for one in found]

    ours, theirs = fills(svg(CHARTS[name])), fills(vl_convert.vegalite_to_svg(CHARTS[name]))
    assert len(theirs) == len(ours) > 1
    assert np.abs(np.array(theirs) - np.array(ours)).max() <= 1


def test_squares_of_a_map_say_their_share_unless_noise_could_have_made_it() -> None:
    doubt = np.array([False, True, False])
    said = {}
    for name, chart in (("sure", CHARTS["map"]), ("doubtful", drawn(information_map(_pairs(), doubt=doubt)))):
        root = xml.dom.minidom.parseString(svg(chart))
        group = next(one for one in root.getElementsByTagName("g") if "mark-text" in one.getAttribute("class"))
        said[name] = [text.firstChild.data for text in group.getElementsByTagName("text")]  # type: ignore[union-attr]
    assert {"sure": ["20%", "20%"], "doubtful": ["·", "·"]} == said


@pytest.mark.parametrize(
    "part",
    [
        {"facet": {"field": "axis0"}},
        {"mark": {"type": "arc"}},
        {"mark": "bar"},
        {"mark": {"type": "line", "point": True}},
        {"encoding": {"x": {"field": "count", "type": "quantitative"}}},
        {"encoding": {"color": {"condition": {"test": "datum.count > 5", "value": "red"}, "value": "blue"}}},
        {"encoding": {"color": {"field": "colour", "type": "nominal", "scale": None}}},
        {"mark": {"type": "rect"}, "encoding": {"color": {"value": "blue"}}},
        {"transform": [{"calculate": "datum.count", "as": "said"}]},
        {"mark": {"type": "bar", "cornerRadius": 5}},
        {"encoding": {"size": {"field": "count"}}},
        {"encoding": {"x": {"field": "count", "type": "quantitative", "aggregate": "mean"}}},
        {"encoding": {"y": {"field": "axis0", "type": "nominal", "axis": {"labelColor": "red"}}}},
        {"encoding": {"x": {"field": "count", "type": "quantitative", "scale": {"reverse": True}}}},
    ],
    ids=str,
)
def test_what_is_not_known_here_is_drawn_by_vega(part: Specification, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda _: '<svg id="clip1" href="#clip1 gradient_0"/>')
    assert '<svg id="clip7_0" href="#clip7_0 gradient_7_1"/>' == picture(CHARTS["bars"] | part, 7)
    layered = {"layer": [part], "data": CHARTS["bars"]["data"]}
    assert "clip7_0" in picture(layered, 7)


@pytest.mark.parametrize("name", ["bars", "cells", "map", "largest", "beliefs", "profile"])
def test_bars_and_cells_stand_where_vega_puts_them(name: str) -> None:
    def boxes(picture: str) -> np.ndarray:
        start = re.search(r'class="mark-rect role-mark', picture)
        assert start is not None
        group = picture[start.start() : picture.index("</g>", start.start())]
        found = np.array([[float(number) for number in box] for box in _BOX.findall(group)])
        x, y, width, height = found.T
        edges = [np.minimum(x, x + width), np.minimum(y, y + height), np.abs(width), np.abs(height)]
        return np.round(np.column_stack(edges), 6)

    ours, theirs = boxes(svg(CHARTS[name])), boxes(vl_convert.vegalite_to_svg(CHARTS[name]))
    assert theirs.shape == ours.shape
    # Groups of bars are spaced by Vega a little otherwise; lengths are the numbers and agree.
    columns = [0, 2] if name == "beliefs" else [0, 1, 2, 3]
    assert np.abs(theirs - ours)[:, columns].max() < 0.02


def test_names_from_outside_are_text_and_nothing_else() -> None:
    hostile = ['<script>alert("1")</script>', "a & b", "]]>"]
    picture = svg(drawn(histogram(DrawnCells.of(_counts(hostile), ["axis0"]))))
    root = xml.dom.minidom.parseString(picture)
    assert [] == root.getElementsByTagName("script")
    words = [text.firstChild.data for text in root.getElementsByTagName("text")]  # type: ignore[union-attr]
    assert "a & b" in words


@pytest.mark.slow
def test_the_script_of_a_page_is_the_one_that_the_library_bundles() -> None:
    made = runpy.run_path(str(ROOT / "packaging" / "vega.py"))
    shipped = gzip.decompress(made["TARGET"].read_bytes()).decode()
    assert bundle() == shipped
    assert "</script" not in shipped
    version = shipped.splitlines()[0].split(";")[0].split()[-1]
    if version != vl_convert.__version__:
        pytest.skip(f"made by vl-convert {version}")
    assert made["script"]() == shipped
