"""Sums of the parts of columns are the same whole numbers on every engine, whatever the rows hold."""

from datetime import date
from typing import Any

import pytest

from reaedp import Boolean, Category, Date, Integer, KeyedSummary, Number, Rates, Summary, Unit
from reaedp.answer import GroupedParts
from reaedp.curator.records import Records
from troubles import contract

COLUMNS = (
    Number(name="words", lower=0, upper=1e9, bins=3, provenance="public"),
    Number(name="double", lower=-1.5, upper=1e9, bins=7, provenance="public", infinite="cell"),
    Number(name="single", edges=(0.0, 0.3, 7.0), provenance="public", outside="cell"),
    Integer(name="large", lower=-1, upper=10, provenance="public"),
    Date(name="day", lower=date(1960, 1, 1), upper=date(2021, 1, 1), every="year", provenance="public"),
    Boolean(name="truth", provenance="public"),
    Category(name="mood", levels=("a", "b", "7"), provenance="public"),
)
SUMMED = tuple(column.name for column in COLUMNS[:-1])
UNITS = [Unit("add-remove"), Unit("replace", person="person", max_rows=2)]
WAYS = {
    "by groups": Summary(SUMMED, "mood"),
    "squares": Summary(SUMMED, (), ("variance",), clipped=True),
    "levels": Rates("mood", "truth", levels=("a", "7")),
    "limits": Rates("double", "mood", at_least=0.5, below=1e6),
    "days": Rates("day", at_least=date(1999, 12, 31)),
    "two columns": Rates("words", "mood", per="single"),
    "groups that are selected": KeyedSummary("large", ("mood", "day")),
}


def sums(data: Any, unit: Unit, statistic: Any) -> list[Any]:
    found = statistic.answer(Records(contract(*COLUMNS, unit=unit), data))
    if isinstance(found, GroupedParts):
        return sorted(zip(found.keys.tolist(), found.parts.tolist(), strict=True))
    return found.tolist()


def everywhere(test: Any) -> Any:
    units = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.noun)
    return pytest.mark.parametrize("statistic", list(WAYS.values()), ids=list(WAYS))(units(test))


@everywhere
def test_a_database_adds_up_the_same(unit: Unit, statistic: Any, server: str, embedded: Any) -> None:
    assert sums(embedded, unit, statistic) == sums(f"{server}?table=troubles", unit, statistic)


@everywhere
def test_spark_adds_up_the_same(unit: Unit, statistic: Any, spark_frame: Any, embedded: Any) -> None:
    assert sums(embedded, unit, statistic) == sums(spark_frame, unit, statistic)


def middles(data: Any) -> list[int]:
    """A median a person, by groups."""
    terms = contract(*COLUMNS, unit=Unit("replace", person="person", max_rows=3))
    return Records(terms, data).middle_counts(("mood", "double")).values.ravel().tolist()


def test_a_database_finds_the_same_medians_of_people(server: str, embedded: Any) -> None:
    found = middles(embedded)
    assert sum(found) > 0
    assert found == middles(f"{server}?table=troubles")


def test_spark_finds_the_same_medians_of_people(spark_frame: Any, embedded: Any) -> None:
    assert middles(embedded) == middles(spark_frame)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.noun)
def test_every_row_that_counts_is_one_row_in_each_column(unit: Unit, embedded: Any) -> None:
    terms, statistic = contract(*COLUMNS, unit=unit), Summary(SUMMED, "mood")
    rows = Records(terms, embedded)
    found = statistic.answer(rows).reshape(statistic.groups(terms), -1)
    at, totals = 0, set()
    for parts in statistic.parts(terms):
        totals.add(int(found[:, at : at + len(parts.names)].sum()) // parts.steps)
        at += len(parts.names)
    assert (found >= 0).all()
    assert 1 == len(totals)
