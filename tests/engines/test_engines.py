"""One law over all engines: the exact tables of counts are those of the embedded engine, cell by cell."""

from collections.abc import Callable
from typing import Any

import pytest

from reaedp import Unit
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from troubles import ALL_SHAPES, GROUPS, PERSONS, SHAPES, TEXTS, contract, counted, form

#: What an engine's name opens: data, and the engine to count it on.
Opened = tuple[Any, Any]
Tables = dict[tuple[str, ...], tuple[list[list[int]], list[int]]]


def _file(request: pytest.FixtureRequest) -> Opened:
    return request.getfixturevalue("parquet"), None


def _polars(request: pytest.FixtureRequest) -> Opened:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    return polars.read_parquet(request.getfixturevalue("parquet")), None


def _pandas(request: pytest.FixtureRequest) -> Opened:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    return pandas.read_parquet(request.getfixturevalue("parquet"), dtype_backend="pyarrow"), None


def _postgres(request: pytest.FixtureRequest) -> Opened:
    pytest.importorskip("ibis", reason='ibis is not installed: pip install "reaedp[database]"')
    return "data.troubles", request.getfixturevalue("server")


def _spark(request: pytest.FixtureRequest) -> Opened:
    return request.getfixturevalue("spark_frame"), None


ENGINES: dict[str, Callable[[pytest.FixtureRequest], Opened]] = {
    "file": _file,
    "polars": _polars,
    "pandas": _pandas,
    "postgres": _postgres,
    "spark": _spark,
}


def _marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    group = pytest.mark.xdist_group("spark" if name == "spark" else "engines")
    return (group, pytest.mark.slow) if name in ("postgres", "spark") else (group,)


@pytest.fixture(params=[pytest.param(name, marks=_marks(name)) for name in ENGINES])
def engine(request: pytest.FixtureRequest) -> Opened:
    return ENGINES[request.param](request)


def tables(data: Any, engine: Any, groups: list[tuple[str, ...]], *columns: Column, unit: Unit | None) -> Tables:
    found = Records(contract(*columns, unit=unit), data, engine).group_counts(groups)
    return {group: (table.keys.tolist(), table.counts.tolist()) for group, table in found}


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("shape", ALL_SHAPES)
def test_every_engine_puts_every_value_into_the_same_cell(shape: str, engine: Opened, embedded: Any) -> None:
    """Values of other types than texts are those of test_every_route.py."""
    names = ["words", "double", "day"] if shape in SHAPES else ["words"]
    columns = [form(name, shape) for name in names]
    groups = [(name,) for name in names]
    assert tables(embedded, None, groups, *columns, unit=None) == tables(*engine, groups, *columns, unit=None)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(("number", "group"), list(enumerate(GROUPS)))
def test_every_engine_keeps_the_same_rows_of_a_person(
    number: int, group: tuple[tuple[str, str], ...], engine: Opened, embedded: Any
) -> None:
    rows = 1 + number % 2
    columns = [form(name, shape) for name, shape in group]
    unit = Unit("add-remove", person="person", max_rows=rows)
    expected = counted(embedded, *columns, unit=unit)
    assert expected == counted(engine[0], *columns, unit=unit, engine=engine[1])
    assert rows * (len(PERSONS) - 1) == sum(expected.values())


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("person", ["double", "single", "exact", "huge", "instant"])
def test_every_engine_knows_the_same_persons_whatever_their_type(person: str, engine: Opened, embedded: Any) -> None:
    columns = [form("words", "tenths"), form("tiny", "levels")]
    unit = Unit("add-remove", person=person, max_rows=1)
    assert counted(embedded, *columns, unit=unit) == counted(engine[0], *columns, unit=unit, engine=engine[1])


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("unit", [Unit("add-remove"), Unit("replace", person="person", max_rows=3)])
def test_every_engine_counts_the_same_rows_in_several_ways(unit: Unit, engine: Opened, embedded: Any) -> None:
    columns = (form("words", "tenths"), form("truth", "truth"), form("day", "months"), form("tiny", "levels"))
    groups = [("words", "truth"), ("day",), ("tiny", "day"), ("words", "day", "tiny")]
    expected = tables(embedded, None, groups, *columns, unit=unit)
    assert expected == tables(*engine, groups, *columns, unit=unit)
    assert set(groups) == set(expected)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("side", [0, 1])
def test_every_engine_halves_the_same_people(side: int, engine: Opened, embedded: Any) -> None:
    terms = contract(form("words", "tenths"), unit=Unit("add-remove", person="person", max_rows=5))
    expected, found = (
        Records(terms, data, where).half(side).key_counts(("words",)) for data, where in ((embedded, None), engine)
    )
    assert expected.keys.tolist() == found.keys.tolist()
    assert expected.counts.tolist() == found.counts.tolist()


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("name", ["words", "huge", "exact", "double", "day", "moment", "instant"])
def test_every_engine_finds_the_same_texts_where_levels_are_not_declared(
    name: str, engine: Opened, embedded: Any
) -> None:
    unit = Unit("replace", person="person", max_rows=len(TEXTS) // 8)
    terms = contract(Undeclared(name=name, provenance="public"), unit=unit)
    expected = Records(terms, embedded).level_counts(name, 20)
    assert expected == Records(terms, *engine).level_counts(name, 20)
