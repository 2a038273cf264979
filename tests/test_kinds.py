"""Every table by kind has an answer for every kind, and plans can ask for all of them."""

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import reaedp
from reaedp.contract import Boolean, Category, Number
from reaedp.contract.contract import DECLARED
from reaedp.drafting.contract_text import KIND_OF_TYPE
from reaedp.drafting.drafted import NEEDED
from reaedp.plan import kinds
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.plan.plan import KINDS as PLANNED
from reaedp.statistics.by_kind import ByKind, full_name

#: Modules that start something when they are imported.
STARTED = {"reaedp.__main__"}
KINDS = {
    "statistics": {kind.__name__ for kind in STATISTICS.values() if kind.__module__.startswith("reaedp.")},
    "mechanisms": {kind.__name__ for kind in MECHANISMS.values() if kind.__module__.startswith("reaedp.")},
    "columns": {kind.__name__ for kind in DECLARED},
}


def tables() -> dict[str, ByKind[Any]]:
    """All of them, by where they are."""
    modules = [
        import_module(found.name)
        for found in pkgutil.walk_packages(reaedp.__path__, "reaedp.")
        if found.name not in STARTED
    ]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, ByKind)
    }


TABLES = tables()


def missing(table: ByKind[Any]) -> set[str]:
    """Kinds of which a table says nothing."""
    return KINDS[table.over] - set(table.all_ways) - set(table.plain)


@pytest.mark.parametrize("place", TABLES)
def test_every_table_speaks_of_every_kind_once(place: str) -> None:
    table = TABLES[place]
    ways = set(table.all_ways)
    assert set() == missing(table), f"{table.purpose}: {place} forgets them"
    assert set() == ways & set(table.plain)
    assert ways | set(table.plain) == KINDS[table.over], f"{place} speaks of kinds that there are not"


def test_every_planned_kind_is_found_under_its_own_names() -> None:
    planned = [import_module(f"reaedp.plan.kinds.{one.name}") for one in pkgutil.iter_modules(kinds.__path__)]
    classes = {kind for module in planned for kind in vars(module).values() if getattr(kind, "kinds", ())}
    assert {name: kind for kind in classes for name in kind.kinds} == {
        name: kind for name, kind in PLANNED.items() if kind.__module__.startswith("reaedp.")
    }


def test_a_kind_that_was_forgotten_is_found() -> None:
    table = next(table for table in TABLES.values() if table.over == "statistics" and not table.plain)
    forgotten, *rest = table.all_ways.items()
    assert {forgotten[0]} == missing(ByKind(table.purpose, {}, table.otherwise, named=dict(rest)))


def test_every_layer_that_tells_kinds_apart_has_a_table() -> None:
    """Forecast, advice, words, picture, section, numbers, evaluation, true numbers, exposed people, worst case."""
    rooms = {place.split(".")[1] for place in TABLES}
    assert {"plan", "release", "report", "evaluation", "audits", "engines", "curator", "statistics"} <= rooms
    assert len(TABLES) >= 28


#: Tables by the type of something else: constants of expressions, losses, acts of the ledger, types of narwhals.
OTHER_TYPES = {
    "contract/expression.py",
    "ledger/entry.py",
    "privacy/merging.py",
    "privacy/second_opinion.py",
    "curator/curves.py",
    "studio/ledger_view.py",
}


def test_no_other_table_is_kept_by_type() -> None:
    source = Path(reaedp.__file__).parent
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"^\w+: dict\[type\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert found <= OTHER_TYPES


def test_a_way_that_is_imported_later_is_that_of_its_kind() -> None:
    for table in TABLES.values():
        for place, load in table.later.items():
            assert all(f"{kind.__module__}.".startswith(f"{place}.") for kind in load()), table.purpose
        for kind in (*table.ways, *(kind for load in table.later.values() for kind in load())):
            assert table.all_ways[kind.__name__] == table._ways_near(kind)[kind], table.purpose


def test_a_way_that_is_found_by_name_is_that_of_the_one_kind_of_that_name() -> None:
    kinds = {
        kind.__name__: kind for kind in (*STATISTICS.values(), *MECHANISMS.values()) if full_name(kind)[:7] == "reaedp."
    }
    for table in TABLES.values():
        assert not {kind.__name__ for kind in table.ways} & set(table.named), table.purpose
        for name, way in table.named.items():
            assert way == table._ways_near(kinds[name])[kinds[name]], table.purpose


def test_a_stranger_of_the_same_name_goes_the_plain_way() -> None:
    table = ByKind("a name", {}, otherwise="other", named={"Summary": "summary"})
    stranger = type("Summary", (), {"__module__": "reaedpish.statistics"})
    assert "summary" == table.of(object.__new__(STATISTICS["Summary"]))
    assert "other" == table.of(stranger())


def test_no_other_class_of_the_package_has_the_name_of_a_kind() -> None:
    source = Path(reaedp.__file__).parent
    names = [
        name
        for path in source.rglob("*.py")
        for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    for kind in KINDS["statistics"] | KINDS["mechanisms"]:
        assert 1 == names.count(kind), kind


#: The full name of a kind, as a constant.
NAMED = re.compile(r'^[A-Z_]+ = "(reaedp(?:\.\w+)+\.[A-Z]\w+)"$', re.MULTILINE)


def test_kinds_that_are_asked_for_by_name_are_found_by_it() -> None:
    source = Path(reaedp.__file__).parent
    names = [name for path in source.rglob("*.py") for name in NAMED.findall(path.read_text(encoding="utf-8"))]
    assert names
    for name in names:
        module, _, kind = name.rpartition(".")
        assert name == full_name(getattr(import_module(module), kind))


def test_a_draft_has_the_keys_of_every_kind_of_column() -> None:
    assert {kind.kind for kind in DECLARED} == set(NEEDED) == set(KIND_OF_TYPE)


def test_a_derived_column_goes_the_way_of_the_kind_that_it_is_derived_from() -> None:
    table = ByKind("a name", {Number: "number", Category: "category"}, otherwise="other", over="columns")
    derived = type("Derived", (Number,), {})
    column = derived(name="x", lower=0, upper=1, bins=2, provenance="public")
    assert ["number", "other"] == [table.of(column), table.of(Boolean(name="y", provenance="public"))]
    statistics = ByKind("a name", {Number: "number"}, otherwise="other")
    assert "other" == statistics.of(column)
