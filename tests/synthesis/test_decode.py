import math
from collections import Counter
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.column import Column
from reaedp.contract.meaning import meaning
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.label import no_formula
from reaedp.release.folder import write_values
from reaedp.synthesis.decode import decode

NUMBER = Number(name="number", lower=0, upper=10, bins=3, provenance="public")
INTEGER = Integer(name="integer", lower=-3, upper=6, width=4, provenance="public")
CATEGORY = Category(name="category", levels=("x", "y, z"), provenance="public")
BOOLEAN = Boolean(name="boolean", provenance="public")
DATE = Date(name="date", lower=date(2019, 11, 20), upper=date(2020, 2, 10), every="month", provenance="public")
AXES = (NUMBER, INTEGER, CATEGORY, BOOLEAN, DATE)


def decoded(axis: Column, codes: list[int], rows: int = 1) -> Any:
    """The values of these cells, each drawn for so many rows."""
    array = np.repeat(np.array(codes, dtype=np.int32), rows).reshape(-1, 1)
    return decode((axis,), array, np.random.default_rng(1))[axis.name]


def test_names_and_truth_values_are_those_of_their_cells() -> None:
    assert ["y, z", "x", None, None] == decoded(CATEGORY, [1, 0, 2, 3]).tolist()
    assert [False, True, None, None] == decoded(BOOLEAN, [0, 1, 2, 3]).tolist()


def test_every_trouble_comes_back_as_a_missing_value() -> None:
    for axis in AXES:
        values = decoded(axis, list(range(axis.size)))
        assert [False] * axis.regular + [True] * len(axis.own_cells) == np.ma.getmaskarray(values).tolist()


def test_whole_numbers_are_those_of_their_run_and_end_at_the_upper_bound() -> None:
    # A number of four is missed by 200 draws with probability below 4 × 0.75^200 < 1e-24.
    assert {-3, -2, -1, 0} == set(decoded(INTEGER, [0], 200))
    assert {5, 6} == set(decoded(INTEGER, [2], 200))
    assert [7, 8] == decoded(Integer(name="i", lower=7, upper=8, provenance="public"), [0, 1]).tolist()


def test_days_are_those_of_their_period_and_end_at_the_upper_bound() -> None:
    # A day of 31 is missed by 2000 draws with probability below 31 × (30/31)^2000 < 1e-26.
    days = [set(decoded(DATE, [cell], 2000)) for cell in range(4)]
    assert {date(2019, 11, day) for day in range(20, 31)} == days[0]
    assert {date(2019, 12, day) for day in range(1, 32)} == days[1]
    assert {date(2020, 2, day) for day in range(1, 11)} == days[3]


def test_values_are_uniform_within_their_cell() -> None:
    draws = 40_000
    thirds = decoded(NUMBER, [1], draws).data * 0.3 - 1
    # The mean of uniform numbers has variance 1 / (12 draws); 5.2 deviations have probability 2e-7. Rounding down to
    # multiples of 0.01 in a bin of 10/3 takes 0.0015 at most.
    assert 0 <= thirds.min() <= thirds.max() < 1
    assert 0.5 == pytest.approx(thirds.mean(), abs=5.2 / math.sqrt(12 * draws) + 0.0015)
    counts = Counter(decoded(INTEGER, [0], draws).tolist())
    # Each of four counts has variance draws × 3/16; 5.5 deviations have probability 4e-8.
    assert {number: pytest.approx(draws / 4, abs=5.5 * math.sqrt(draws * 3 / 16)) for number in range(-3, 1)} == counts


def test_numbers_are_short_when_written() -> None:
    texts = {repr(value) for value in decoded(NUMBER, [0, 2], 2000).tolist()}
    assert 4 == max(len(text) for text in texts - {repr(NUMBER.boundaries[2].item())})
    coarse = Number(name="x", edges=(0.0, 1e6, 5e9), provenance="public")
    assert (decoded(coarse, [0], 500).data % 1e4 == 0).all()
    assert (decoded(coarse, [1], 500).data % 1e7 == 0).sum() >= 490  # a bin's own lower edge is no multiple of 10^7


@pytest.mark.parametrize(
    "edges",
    [
        (-1.7e308, 1.7e308),
        (np.nextafter(1.7976931348623157e308, 0), 1.7976931348623157e308),
        (0.0, 5e-324, 1e-323),
        (-1e-310, 1e-310),
        (1.0, np.nextafter(1.0, 2), 1.5, 1e300),
        (-0.30000000000000004, -0.3, 0.1, 0.30000000000000004),
        (2.0**53, 2.0**53 + 2, 1e22, 1e23),
    ],
)
def test_no_bin_is_left_however_narrow_or_wide(edges: tuple[float, ...]) -> None:
    axis = Number(name="x", edges=tuple(map(float, edges)), provenance="public")
    codes = list(range(axis.regular))
    values = decoded(axis, codes, 500).data
    expected = np.repeat(codes, 500)
    assert expected.tolist() == np.minimum(np.searchsorted(edges, values, "right") - 1, axis.regular - 1).tolist()
    assert edges[0] <= values.min() <= values.max() <= edges[-1]


def test_a_bin_wider_than_the_largest_number_is_filled() -> None:
    axis = Number(name="x", edges=(-1.7e308, 1.7e308), provenance="public")
    values = decoded(axis, [0], 200)
    # A third missed by 200 draws has probability (2/3)^200 < 1e-35.
    assert -1.7e308 <= values.min() < -0.5e308 < 0.5e308 < values.max() <= 1.7e308


def test_columns_keep_their_type_in_the_files_with_missing_values_in_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    codes = np.column_stack([rng.integers(0, axis.size, 3000) for axis in AXES]).astype(np.int32)
    write_values(tmp_path / "rows", decode(AXES, codes, rng))
    table = duckdb.read_parquet(str(tmp_path / "rows.parquet"))
    expected = {"number": "DOUBLE", "integer": "BIGINT", "category": "VARCHAR", "boolean": "BOOLEAN", "date": "DATE"}
    assert expected == dict(zip(table.columns, map(str, table.types), strict=True))
    missing = [int((code >= axis.regular).sum()) for axis, code in zip(AXES, codes.T, strict=True)]
    assert min(missing) > 0
    nulls = ", ".join(f"count(*) - count({name})" for name in table.columns)
    assert [tuple(missing)] == table.aggregate(nulls).fetchall()


RULES = st.sampled_from(["cell", "drop"])
ENDS = st.sampled_from(["cell", "drop", "nearest"])
FLOATS = st.floats(-1e9, 1e9) | st.sampled_from([0.0, 0.1, 0.3, 1e-9, 1e300, -1e300]) | st.integers(-50, 50).map(float)


def numeric(draw: st.DrawFn) -> dict[str, Any]:
    rules = {trouble: draw(RULES) for trouble in ("null", "nan", "unparsable")}
    return {"provenance": "public", "infinite": draw(ENDS), "outside": draw(ENDS), **rules}


@st.composite
def numbers(draw: st.DrawFn, name: str) -> Number:
    if draw(st.booleans()):
        edges = draw(st.lists(FLOATS, min_size=2, max_size=8, unique=True).map(sorted))
        cells: dict[str, Any] = {"edges": tuple(edges)}
    else:
        lower, upper = sorted(draw(st.tuples(FLOATS, FLOATS)))
        cells = {"lower": lower, "upper": upper, "bins": draw(st.integers(1, 40))}
    try:
        return Number(name=name, **cells, **numeric(draw))
    except DeclarationError:
        assume(False)
        raise


@st.composite
def integers(draw: st.DrawFn, name: str) -> Integer:
    lower, width = draw(st.integers(-(2**52), 2**52)), draw(st.integers(1, 1000))
    return Integer(name=name, lower=lower, upper=lower + draw(st.integers(0, 40 * width)), width=width, **numeric(draw))


@st.composite
def dates(draw: st.DrawFn, name: str) -> Date:
    lower = draw(st.dates(date(1900, 1, 1), date(2100, 1, 1)))
    upper = date.fromordinal(lower.toordinal() + draw(st.integers(0, 800)))
    rules = {"null": draw(RULES), "unparsable": draw(RULES), "outside": draw(ENDS)}
    every = draw(st.sampled_from(["day", "week", "month", "year"]))
    return Date(name=name, lower=lower, upper=upper, every=every, provenance="public", **rules)


@st.composite
def categories(draw: st.DrawFn, name: str) -> Category:
    texts = st.text('ab0 ,;"\né🙂', min_size=1, max_size=4)
    levels = draw(st.lists(texts, min_size=1, max_size=9, unique_by=meaning))  # 0 and 00 are one level
    return Category(name=name, levels=tuple(levels), provenance="public", null=draw(RULES), unseen=draw(RULES))


@st.composite
def booleans(draw: st.DrawFn, name: str) -> Boolean:
    return Boolean(name=name, provenance="public", null=draw(RULES), unparsable=draw(RULES))


def reread(axis: Column, codes: Any) -> list[int]:
    """The documented rule: regular cells as they were, every trouble as null, which may drop the row."""
    counts = np.bincount(codes, minlength=axis.size)
    troubles = counts[axis.regular :].sum()
    counts[axis.regular :] = 0
    if "null" in axis.own_cells:
        counts[axis.code("null")] = troubles
    return counts.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [numbers, integers, dates, categories, booleans])
@settings(max_examples=8, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_reading_what_was_decoded_gives_the_same_counts(kind: Any, data: st.DataObject, seed: int) -> None:
    rng = np.random.default_rng(seed)
    column: Column = data.draw(kind("value"))
    contract = Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=(column,)
    )
    every_cell = rng.permutation(np.arange(3 * column.size) % column.size).astype(np.int32)
    rows = decode((column,), every_cell[:, None], rng)
    with TemporaryDirectory() as folder:
        write_values(Path(folder) / "rows", rows)
        # What a spreadsheet would take for a formula has an apostrophe before it in CSV files.
        plain = all(no_formula(label) == label for label in column.labels) or column.kind != "category"
        sources = [rows, f"{folder}/rows.parquet", *([f"{folder}/rows.csv"] if plain else [])]
        for source in sources:
            counts = Records(contract, source).counts(("value",))
            assert reread(column, every_cell) == counts.values.tolist()


def test_the_same_generator_gives_the_same_rows() -> None:
    assert decoded(NUMBER, [0, 1, 2]).tolist() == decoded(NUMBER, [0, 1, 2]).tolist()


def test_codes_that_are_no_cells_are_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="a column for each of the 5 axes"):
        decode(AXES, np.zeros((2, 4), dtype=np.int32), rng)
    for wrong in (-1, BOOLEAN.size):
        with pytest.raises(ValueError, match="numbers of cells"):
            decode((BOOLEAN,), np.array([[0], [wrong]], dtype=np.int32), rng)
