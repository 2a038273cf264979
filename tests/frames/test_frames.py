"""Released numbers as frames: the same values in every library, with types that do not depend on them."""

import builtins
import re
from datetime import date
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reaedp import (
    Boolean,
    Budget,
    Category,
    Contract,
    Curator,
    Date,
    Entropy,
    EntropyMap,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    Number,
    Release,
    Table,
    Threshold,
    Unit,
)
from reaedp.errors import DeclarationError
from reaedp.frames import columns
from reaedp.frames.shown import in_html, in_words, number
from reaedp.frames.sketch import GREY, bars, lines
from reaedp.table import KeyCounts, with_ends
from tests_support import ledger_in

NUMBER = Number(name="height", edges=(0.0, 1.5, 2.0), provenance="public")
INTEGER = Integer(name="age", lower=0, upper=10, width=4, provenance="public")
DATE = Date(name="seen", lower=date(2020, 1, 15), upper=date(2020, 3, 3), every="month", provenance="public")
CATEGORY = Category(name="sex", levels=("f", "m"), provenance="public")
BOOLEAN = Boolean(name="smokes", provenance="public")


def test_ranges_have_their_ends_beside_their_labels() -> None:
    table = Table((NUMBER,), np.arange(NUMBER.size))
    assert {
        "height": ["[0, 1.5)", "[1.5, 2]", "<null>", "<nan>", "<unparsable>"],
        "height_low": [0.0, 1.5, None, None, None],
        "height_high": [1.5, 2.0, None, None, None],
        "value": [0, 1, 2, 3, 4],
    } == {name: column.tolist() for name, column in table.frame().items()}
    ages = Table((INTEGER,), np.arange(INTEGER.size)).frame()
    assert ([0, 4, 8], [3, 7, 10]) == (ages["age_low"][:3].tolist(), ages["age_high"][:3].tolist())
    days = Table((DATE,), np.arange(DATE.size)).frame()
    assert [date(2020, 1, 15), date(2020, 2, 1), date(2020, 3, 1)] == days["seen_low"][:3].tolist()
    assert [date(2020, 1, 31), date(2020, 2, 29), date(2020, 3, 3)] == days["seen_high"][:3].tolist()
    assert ["sex", "smokes", "value"] == list(Table((CATEGORY, BOOLEAN), np.zeros((4, 4))).frame())


@pytest.mark.parametrize("column", [NUMBER, INTEGER, DATE, CATEGORY, BOOLEAN])
def test_ends_are_those_of_the_regular_cells(column: Any) -> None:
    ends = column.ends
    if ends is None:
        assert column.kind in ("category", "boolean")
        return
    assert (column.regular, column.regular) == (len(ends.low), len(ends.high))
    assert (ends.low <= ends.high).all()


def test_no_name_is_taken_twice() -> None:
    """Columns may be called as the ends of another one, or as the numbers themselves."""
    axes = (
        Integer(name="value", lower=0, upper=0, null="drop", nan="drop", unparsable="drop", provenance="public"),
        Category(name="value_low", levels=("x",), null="drop", unseen="drop", provenance="public"),
        Category(name="value_", levels=("y",), null="drop", unseen="drop", provenance="public"),
    )
    frame = Table(axes, np.zeros((1, 1, 1))).frame()
    assert 6 == len(frame) == len(set(frame))
    assert ["0", "x", "y"] == [frame[name][0] for name in ("value_", "value_low", "value__")]


names = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=3, unique=True)


@settings(max_examples=60, deadline=None)
@given(names, st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_labels_and_numbers_survive_whatever_columns_are_called(given_names: list[str], codes: list[int]) -> None:
    axes = [
        Integer(name=name, lower=-2, upper=-1, null="cell", nan="cell", unparsable="drop", provenance="public")
        for name in given_names
    ]
    places = np.array([codes] * len(axes))
    written = {name: np.array(axes[0].cells, dtype=object)[places[0]] for name in given_names} | {
        "\x00count": np.array(codes)
    }
    frame = with_ends(written, axes, places)
    assert len(written) + 2 * len(axes) == len(frame)
    assert all(frame[name] is written[name] for name in written)


def column_of(kind: str) -> st.SearchStrategy[NDArray[Any]]:
    """A column of some kind, with missing values or without any."""
    values = {
        "i": st.integers(-(2**62), 2**62),
        "f": st.floats(allow_nan=False, allow_infinity=False),
        "b": st.booleans(),
        "O": st.text(st.characters(codec="utf-8"), max_size=5),
        "M": st.dates(date(1, 1, 1), date(9999, 12, 31)),
    }[kind]
    types = {"i": np.int64, "f": np.float64, "b": np.bool_, "O": object, "M": "datetime64[D]"}

    def made(cells: list[tuple[Any, bool]], masked: bool) -> NDArray[Any]:
        array = np.array([value for value, _ in cells], dtype=types[kind])
        return np.ma.MaskedArray(array, mask=[gone for _, gone in cells]) if masked else array

    return st.builds(made, st.lists(st.tuples(values, st.booleans()), min_size=3, max_size=3), st.booleans())


@settings(max_examples=40, deadline=None)
@given(st.fixed_dictionaries({kind: column_of(kind) for kind in "ifbOM"}))
def test_every_library_gets_the_same_values(frame: dict[str, NDArray[Any]]) -> None:
    expected = {name: column.tolist() for name, column in frame.items()}
    assert expected == columns.to_polars(frame).to_dict(as_series=False)
    assert expected == columns.to_arrow(frame).to_pydict()
    in_pandas = columns.to_pandas(frame)
    for name, cells in expected.items():
        found = [None if pd.isna(cell) else cell for cell in in_pandas[name].tolist()]
        found = [cell.date() if isinstance(cell, pd.Timestamp) else cell for cell in found]
        assert cells == found


@settings(max_examples=20, deadline=None)
@given(st.fixed_dictionaries({kind: column_of(kind) for kind in "ifbOM"}))
def test_types_follow_from_the_kind_alone(frame: dict[str, NDArray[Any]]) -> None:
    masked = {name: isinstance(column, np.ma.MaskedArray) for name, column in frame.items()}
    assert {
        "i": "Int64" if masked["i"] else "int64",
        "f": "float64",
        "b": "boolean" if masked["b"] else "bool",
        "O": "string",
        "M": "datetime64[s]",
    } == {name: str(kind) for name, kind in columns.to_pandas(frame).dtypes.items()}
    in_polars = {"i": "Int64", "f": "Float64", "b": "Boolean", "O": "String", "M": "Date"}
    assert in_polars == {name: str(kind) for name, kind in columns.to_polars(frame).schema.items()}
    in_arrow = {"i": "int64", "f": "double", "b": "bool", "O": "string", "M": "date32[day]"}
    assert in_arrow == {field.name: str(field.type) for field in columns.to_arrow(frame).schema}


def test_equal_frames_have_the_same_values_and_no_others() -> None:
    one = {"x": np.array([1.0, np.nan]), "y": np.ma.MaskedArray([1, 2], mask=[False, True])}
    assert columns.same(one, {"x": one["x"].copy(), "y": np.ma.MaskedArray([1, 7], mask=[False, True])})
    for other in (
        {"y": one["y"], "x": one["x"]},
        {"x": one["x"], "y": np.array([1, 2])},
        {"x": np.array([1.0, 2.0]), "y": one["y"]},
        {"x": np.array([1, 2]), "y": one["y"]},
        {"x": one["x"][:1], "y": one["y"]},
    ):
        assert not columns.same(one, other)


@pytest.mark.parametrize(
    ("method", "library"), [("to_pandas", "pandas"), ("to_polars", "polars"), ("to_arrow", "pyarrow")]
)
def test_a_library_that_is_missing_is_named_with_the_command(
    method: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.split(".", maxsplit=1)[0] == library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DeclarationError, match=rf"{method} needs {library}.*: pip install {library}\.$"):
        getattr(Table((CATEGORY,), np.zeros(4)), method)()


# What people see.


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Some releases of true counts that cannot be met by chance."""
    contract = Contract(
        dataset="<script>alert(1)</script>",
        unit=Unit("add-remove", at_least=1000),
        budget=Budget(epsilon=9.0, delta=1e-5),
        ledger=ledger_in(tmp_path_factory.mktemp("frames")),
        columns=(INTEGER, Category(name="<b>", levels=("<i>f</i>", "m&m"), provenance="public")),
    )
    curator = Curator(contract, pd.DataFrame({"age": [1] * 4321 + [5] * 1234, "<b>": ["m&m"] * 5555}))
    wanted: dict[str, tuple[Any, Any]] = {
        "counts": (Marginal("age"), Laplace(0.5)),
        "both": (Marginal(["age", "<b>"]), Gaussian(epsilon=0.5, delta=1e-6)),
        "frequent": (KeyedMarginal("age", "<b>"), Threshold(0.5, 1e-6)),
        "entropy": (Entropy("age"), Laplace(0.5)),
        "map": (EntropyMap("age", "<b>"), Laplace(0.5)),
    }
    return {name: curator.release(*asked, name=name) for name, asked in wanted.items()}


def test_a_notebook_shows_a_table_and_a_chart_without_script(releases: dict[str, Release]) -> None:
    for release in releases.values():
        page = release._repr_html_()
        tree = ElementTree.fromstring(page.replace("<br>", "<br/>"))
        tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
        assert {"table", "svg", "td"} <= tags <= {
            *("div", "p", "strong", "br", "table", "thead", "tbody", "tr", "th", "td"),
            *("figure", "svg", "rect", "line", "figcaption"),
        }  # fmt: skip
        assert not re.search(r"<script|\son\w+=|javascript:|https?://(?!www\.w3\.org/2000/svg)", page)
        assert release.statistic.title.replace("<b>", "&lt;b&gt;") in page


def test_what_people_see_holds_released_numbers_alone(releases: dict[str, Release]) -> None:
    release = releases["counts"]
    shown = repr(release)
    for words in (
        "Release 'counts': histogram of age",
        "ledger entry",
        "discrete Laplace, scale 2",
        "ε = 0.5",
        "low_95",
    ):
        assert words in shown
    released = {number(value) for column in release.frame().values() for value in column.tolist() if value is not None
                and not isinstance(value, str)}  # fmt: skip
    table = [line for line in shown.splitlines() if ".." in line]  # rows of ranges of ages
    told = {word for line in table for word in line.split()[1:]}
    assert 3 == len(table)
    assert told <= released


def test_a_table_shows_no_number_unless_it_is_asked() -> None:
    """It may be private: whoever prints or logs one learns its columns."""
    table = Table((CATEGORY,), np.array([987654, 1, 1, 1]))
    keys = KeyCounts((CATEGORY,), np.array([[0]], dtype=np.int32), np.array([987654]))
    for thing in (table, keys):
        assert "sex (4 cells)" in repr(thing)
        assert not re.search("98|654", repr(thing) + str(thing) + f"{thing}")
        assert "987,654" in thing._repr_html_()


def test_large_releases_are_told_without_their_numbers(monkeypatch: pytest.MonkeyPatch, releases: Any) -> None:
    monkeypatch.setattr("reaedp.release.release.MOST_PREVIEWED", 5)
    assert "low_95" not in repr(releases["counts"])
    assert "ledger entry" in repr(releases["counts"])


def test_rows_and_columns_that_are_not_shown_are_counted() -> None:
    frame = {f"c{number}": np.arange(100) for number in range(15)}
    assert "94 more rows and 3 more columns" in in_words("t", (), frame)
    assert "88 more rows and 3 more columns" in in_html("t", (), frame)
    assert "more" not in in_words("t", (), {"x": np.arange(3)})
    assert "t" == in_words("t", (), {})


def test_bars_that_noise_alone_could_have_made_are_grey(releases: dict[str, Release]) -> None:
    """All cells are looked at together, so that none of many stands out by chance."""
    release = releases["both"]
    empty = (release.simultaneous_intervals(0.95).low.values <= 0).sum()
    assert 0 < empty == release.drawing().count(GREY) < release.counts.values.size
    assert 0 == bars(np.array([5.0]), "x").count(GREY)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(), max_size=300), st.booleans())
@example([0.0, 5e-324], False)
@example([-1.7e308, 1.7e308], True)
def test_charts_of_any_numbers_are_well_formed_and_stay_inside(numbers: list[float], ranged: bool) -> None:
    array = np.array(numbers, dtype=np.float64)
    with np.errstate(all="raise"):
        charts = [
            bars(array, '"<&>"', array if ranged else None, array if ranged else None),
            lines(np.arange(float(len(array))), [array], '"<&>"', array if ranged else None, array if ranged else None),
        ]
    for chart in charts:
        if chart:
            ElementTree.fromstring(chart)
            places = [float(found) for found in re.findall(r"[\" ,](-?\d+\.\d)(?=[\" ,])", chart)]
            assert all(-0.1 <= place <= 480.1 for place in places)
