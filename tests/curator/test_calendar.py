"""Months and years by arithmetic are those of the calendar, on every day that there is."""

from datetime import date, timedelta

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from reaedp import Budget, Contract, Date, Unit
from reaedp.contract.day import EPOCH, Every
from reaedp.curator import calendar, encode
from reaedp.curator.records import Records

FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)


def starts(every: Every, lower: date, upper: date) -> list[date]:
    """The first days of all cells, by walking from day to day at the ends of months."""
    found, day = [lower], lower
    while True:
        year, month = (day.year + day.month // 12, day.month % 12 + 1) if every == "month" else (day.year + 1, 1)
        if (year, month) > (upper.year, upper.month) or year > 9999:
            return found
        day = date(year, month, 1)
        found.append(day)


def test_every_day_lies_in_its_month_and_year() -> None:
    """All of them, against the calendar of another library."""
    days = np.arange((FIRST - EPOCH).days, (LAST - EPOCH).days + 1)
    found = nw.from_native(pl.LazyFrame({"v": days.astype(np.float64)})).select(
        month=calendar.number(nw.col("v"), years=False), year=calendar.number(nw.col("v"), years=True)
    )
    months, years = found.collect().to_numpy().T
    dates = days.astype("datetime64[D]")
    assert np.array_equal(dates.astype("datetime64[M]").astype(np.int64) + 1970 * 12, months)
    assert np.array_equal(dates.astype("datetime64[Y]").astype(np.int64) + 1970, years)


@pytest.mark.parametrize("every", ["month", "year"])
@pytest.mark.parametrize(
    ("lower", "upper"),
    [(FIRST, LAST), (date(2019, 12, 31), date(2020, 1, 1)), (date(2020, 2, 29), date(2024, 2, 29)), (FIRST, FIRST)],
)
def test_cells_of_dates_are_numbered_without_being_written_out(every: Every, lower: date, upper: date) -> None:
    column = Date(name="d", lower=lower, upper=upper, every=every, provenance="public")
    assert tuple(starts(every, lower, upper)) == column.starts
    assert len(column.starts) == len(column.labels) == column.regular


@pytest.mark.parametrize("every", [pytest.param("month", marks=pytest.mark.slow), "year"])
def test_comparisons_and_arithmetic_put_dates_into_the_same_cells(
    every: Every, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = Date(name="d", lower=date(1899, 3, 5), upper=date(2101, 3, 5), every=every, provenance="public")
    terms = Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="unused", columns=(column,))
    days = [column.lower + timedelta(days=offset) for offset in range(-40, (column.upper - column.lower).days + 40, 7)]
    frame = pd.DataFrame({"d": [*map(str, days), "2000-02-29", "1900-02-28", "1900-03-01", None, "never"]})
    counts = []
    for few in (10**6, 0):
        monkeypatch.setattr(encode, "FEW_STARTS", few)
        counts.append(Records(terms, frame).counts(("d",)).values)
    assert len(frame) == counts[0].sum()
    assert np.array_equal(*counts)


@pytest.mark.parametrize("every", ["month", "year"])
def test_ten_thousand_years_are_not_searched_one_by_one(every: Every, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode, "_search", lambda *_: pytest.fail("a comparison was written out for each cell"))
    column = Date(name="d", lower=FIRST, upper=LAST, every=every, provenance="public")
    terms = Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="unused", columns=(column,))
    found = Records(terms, pd.DataFrame({"d": ["0001-01-01", "9999-12-31"]})).key_counts(("d",))
    assert [[0], [column.regular - 1]] == sorted(found.keys.tolist())
