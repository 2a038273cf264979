"""Several groupings of the same rows in one pass."""

import itertools
import math
import pickle
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp import Budget, Category, Contract, Integer, Unit
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from reaedp.engines import embedded, kept_rows
from reaedp.engines.blocks import MOST_CELLS, merged
from reaedp.engines.source import collect_each
from reaedp.errors import ReaedpError
from reaedp.table import KeyCounts

Group = tuple[str, ...]
COLUMNS: tuple[Column, ...] = (
    Integer(name="a", lower=0, upper=2, provenance="public"),
    Integer(name="b", lower=0, upper=300, provenance="public"),
    Category(name="c", levels=("x", "y"), provenance="public"),
    Integer(name="d", lower=0, upper=99_999, provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)
SIZES = {column.name: column.size for column in COLUMNS}
GROUPS = [group for size in (1, 2, 3) for group in itertools.combinations(NAMES, size)]


def contract(unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="d", unit=unit or Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=COLUMNS
    )


def frame(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    cells = {"a": rng.integers(0, 3, rows), "b": rng.integers(-5, 310, rows), "d": rng.integers(0, 100_000, rows)}
    words = rng.choice(np.array(["x", "y", "z", None], dtype=object), rows)
    return pd.DataFrame({"p": rng.integers(0, 60, rows).astype(str), "c": words} | cells)


def plain(counts: KeyCounts) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, counts.keys.tolist()), counts.counts.tolist(), strict=True))


def test_every_grouping_has_the_counts_of_a_query_of_its_own() -> None:
    records = Records(contract(), frame())
    found = dict(records.group_counts(GROUPS))
    assert set(GROUPS) == set(found)
    for group in GROUPS:
        assert group == found[group].names
        assert plain(records.key_counts(group)) == plain(found[group])


@pytest.mark.parametrize(("numbers", "cells"), [(0, 2**20), (2**25, 0), (2**25, 700), (2**25, 2**20)])
def test_few_rows_that_are_added_up_have_the_counts_of_the_engine(
    numbers: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_rows, "FEW_NUMBERS", numbers)
    monkeypatch.setattr(kept_rows, "FEW_CELLS", cells)
    records = Records(contract(), frame())
    for group, counts in records.group_counts(GROUPS):
        assert plain(records.key_counts(group)) == plain(counts)


@pytest.mark.parametrize("groups", [[("a", "c"), ("c", "a")], [("d", "b"), ("b", "d"), ("b",)]])
def test_the_order_of_the_columns_is_the_one_asked_for(groups: list[Group]) -> None:
    records = Records(contract(), frame())
    for group, counts in records.group_counts(groups):
        assert plain(records.key_counts(group)) == plain(counts)


@pytest.mark.parametrize("limit", [1, 3])
def test_all_groupings_count_the_same_rows_of_a_person(limit: int) -> None:
    data = frame()
    terms = contract(Unit("add-remove", person="p", max_rows=limit))
    found = dict(Records(terms, data).group_counts([NAMES, *GROUPS]))
    assert data["p"].value_counts().clip(upper=limit).sum() == found[NAMES].counts.sum()
    for group in GROUPS:
        assert plain(found[NAMES].project(*group)) == plain(found[group])


def test_a_source_that_keeps_no_rows_counts_the_same() -> None:
    records = Records(contract(), frame())
    source = records._source
    rows = records._encoded(COLUMNS).rename({f"k{place}": name for place, name in enumerate(NAMES)})
    for group, each, kept in zip(
        GROUPS, collect_each(source, rows, GROUPS), source.collect_groups(rows, GROUPS, SIZES), strict=True
    ):
        tables = [
            sorted(zip(*(found[key].tolist() for key in (*group, "rows")), strict=True)) for found in (each, kept)
        ]
        assert tables[0] == tables[1]


def test_no_rows_are_rows() -> None:
    for _, counts in Records(contract(), frame(0)).group_counts(GROUPS):
        assert 0 == len(counts.counts)


def tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def test_the_kept_rows_are_gone_afterwards_also_when_counting_stops_halfway() -> None:
    connection = duckdb.connect()
    data = frame()
    counting = Records(contract(), connection.from_df(data)).group_counts(GROUPS)
    next(counting)
    assert 1 == len(tables(connection))
    counting.close()  # type: ignore[attr-defined]
    assert [] == tables(connection)
    assert len(GROUPS) == len(list(Records(contract(), connection.from_df(data)).group_counts(GROUPS)))
    assert [] == tables(connection)


def test_a_failing_engine_leaves_nothing_and_is_not_quoted() -> None:
    connection = duckdb.connect(config={"memory_limit": "2MB", "temp_directory": ""})
    columns = "i % 3 AS a, i % 300 AS b, 'x' AS c, i % 100000 AS d"
    records = Records(contract(), connection.sql(f"SELECT {columns} FROM range(10000000) t(i)"))
    with pytest.raises(ReaedpError, match=r"could not count \(OutOfMemoryException\)") as failure:
        list(records.group_counts(GROUPS))
    assert failure.value.__context__ is None
    assert [] == tables(connection)


def stored(folder: Path, suffix: str) -> str:
    """Rows in a file, some of which a column drops and some of which have no person."""
    rows = frame().assign(e=lambda data: data["b"] % 7)
    rows.loc[::9, "e"], rows.loc[::31, "p"] = 99, None
    path = folder / f"rows{suffix}"
    if suffix == ".parquet":
        duckdb.connect().from_df(rows).write_parquet(str(path))
    else:
        rows.to_csv(path, index=False)
    return str(path)


DROPPING = Integer(name="e", lower=0, upper=6, outside="drop", provenance="public")
QUESTIONS = [("a", "c"), ("b",), ("e", "a"), ("c", "b", "a"), ("d",)]


@pytest.mark.parametrize(("suffix", "person"), [(".csv", None), (".csv", "p"), (".csv.gz", None), (".parquet", None)])
def test_a_file_that_is_read_once_answers_as_if_each_question_read_it(
    suffix: str, person: str | None, tmp_path: Path
) -> None:
    terms = contract(Unit("add-remove", person=person, max_rows=2 if person else None))
    terms = replace(terms, columns=(*COLUMNS, DROPPING))
    path = stored(tmp_path, suffix)
    records = Records(terms, path)
    with records.at_once(*QUESTIONS):
        assert (person is None and suffix != ".csv.gz") == bool(records._held)
        asked = {names: plain(records.key_counts(names)) for names in QUESTIONS}
        together = {names: plain(counts) for names, counts in records.group_counts(QUESTIONS[:2])}
    for names, counts in asked.items():
        assert plain(Records(terms, path).key_counts(names)) == counts
    assert {names: plain(counts) for names, counts in Records(terms, path).group_counts(QUESTIONS[:2])} == together


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_rows_that_another_column_drops_are_held_for_questions_about_all_alone(suffix: str, tmp_path: Path) -> None:
    terms = replace(contract(), columns=(*COLUMNS, DROPPING))
    path = stored(tmp_path, suffix)
    alone, records, names = Records(terms, path), Records(terms, path), (*NAMES, "e")
    groups = [(name,) for name in names], [("a", "e"), ("c", "b", "d")], [("a",), ("b", "c")]
    with records.at_once(names, names[::-1]):
        assert names == tuple(column.name for column in records._held)
        for asked in (names, ("e", "a"), ("a",), ("c", "b")):
            assert plain(alone.key_counts(asked)) == plain(records.key_counts(asked))
        for several in groups:
            found = [
                {group: plain(counts) for group, counts in each.group_counts(several)} for each in (alone, records)
            ]
            assert found[0] == found[1]


def test_what_was_read_once_is_forgotten_and_large_files_are_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, ".csv")
    records = Records(contract(), path)
    with records.at_once(NAMES):
        before = plain(records.key_counts(("a",)))
        assert 1 == len(tables(records._source._parts[0].connection))  # type: ignore[attr-defined]
    assert [] == tables(records._source._parts[0].connection)  # type: ignore[attr-defined]
    Path(path).write_text("".join(Path(path).read_text().splitlines(keepends=True)[:21]))
    with records.at_once(NAMES):
        assert (400, 20) == (sum(before.values()), sum(plain(records.key_counts(("a",))).values()))
    most = len(NAMES) * (Path(path).stat().st_size // len(pd.read_csv(path).columns) + 1)
    for few, held in ((most, NAMES), (most - 1, ())):
        monkeypatch.setattr(embedded, "FEW_HELD", few)
        with records.at_once(NAMES):
            assert held == tuple(column.name for column in records._held)


def test_cells_that_are_held_are_neither_shown_nor_asked_for_what_they_lack(tmp_path: Path) -> None:
    records = Records(contract(), stored(tmp_path, ".csv"))
    with records.at_once(("a", "b")):
        cells = records._cells
        assert cells is not None
        a, b, c = (contract().column(name) for name in "abc")
        assert [True, False, False, False] == [cells.answer(*some) for some in ([(b, a)], [(a, c)], [(a,), (c,)], [()])]
        assert "HeldCells of 2 columns" == repr(cells)
        with pytest.raises(TypeError, match="never pickled"):
            pickle.dumps(cells)
    assert records._cells is None


def test_rows_that_cannot_be_held_are_read_for_each_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> object:
        raise duckdb.InternalException("a row")

    monkeypatch.setattr(embedded, "kept", failing)
    records = Records(contract(), stored(tmp_path, ".csv"))
    with records.at_once(NAMES):
        assert 400 == records.key_counts(("a",)).counts.sum()


names = st.sampled_from("abcdefgh")
families = st.lists(st.lists(names, min_size=1, max_size=3, unique=True).map(tuple), max_size=40)
all_sizes = st.fixed_dictionaries({name: st.integers(1, 300) for name in "abcdefgh"})


@given(families, all_sizes)
def test_every_grouping_follows_from_exactly_one_block_that_is_not_too_large(
    groups: list[Group], sizes: dict[str, int]
) -> None:
    blocks = merged(groups, sizes)
    assert sorted(set(groups)) == sorted(group for answered in blocks.values() for group in answered)
    for block, answered in blocks.items():
        assert all(set(group) <= set(block) for group in answered)
        assert math.prod(sizes[name] for name in block) <= MOST_CELLS or answered == [block]


def test_pairs_of_fifty_columns_take_few_passes() -> None:
    sizes = {f"c{number}": 5 + number for number in range(50)}
    pairs = list(itertools.combinations(sizes, 2))
    assert len(merged(pairs, sizes)) < 0.4 * len(pairs)
