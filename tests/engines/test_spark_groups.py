"""Many groupings of the same rows on Spark: by its own grouping sets, and by Python on its workers."""

import itertools
import math
import zlib
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from reaedp import Category
from reaedp.curator.records import Records
from reaedp.engines import blocks
from reaedp.engines.spark import groups as spark_groups
from reaedp.engines.spark import source as spark
from reaedp.engines.spark.collect import collected
from reaedp.engines.spark.groups import (
    MOST_CELLS,
    fields_of_words,
    grouped_by_python,
    grouped_by_spark,
    most_tasks,
    passes_of_python,
)
from reaedp.engines.spark.levels import places_by_checksum
from reaedp.engines.spark.session import ANY, WEIGHT, session_of
from spark_cluster import Cluster
from troubles import contract, form

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.parametrize("tasks", [0, 2])
def test_groupings_are_counted_alike_by_spark_and_by_python_on_its_workers(
    tasks: int, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether workers add up what tasks have counted, or the driver does."""
    monkeypatch.setattr(spark_groups, "most_tasks", lambda *_: tasks)
    names, sizes = "abcde", {"a": 3, "b": 300, "c": 2, "d": 900, "e": 1}
    cells = ", ".join(
        f"CAST(id * id * {place + 7} % {size} AS SMALLINT) AS {name}"
        for place, (name, size) in enumerate(sizes.items())
    )
    rows = session_of(cluster.master).range(5_000, numPartitions=3).selectExpr(cells.split(", "))
    groups = [group for size in (1, 2, 3) for group in itertools.combinations(names, size)]
    assert {True, False} == {math.prod(sizes[name] for name in group) <= MOST_CELLS for group in groups}
    tables = [
        [
            sorted(zip(*(found[key].tolist() for key in (*group, "rows")), strict=True))
            for group, found in zip(groups, ways, strict=True)
        ]
        for ways in (grouped_by_spark(rows, groups), grouped_by_python(rows, groups, sizes))
    ]
    assert tables[0] == tables[1]
    assert all(5_000 == sum(row[-1] for row in table) for table in tables[0])


@pytest.mark.parametrize("able", [True, False])
def test_many_groupings_need_no_python_on_the_workers(
    able: bool, spark_frame: Any, embedded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block for each grouping, as if all were large; workers without Python leave all to Spark."""
    asked = []
    monkeypatch.setattr(spark, "workers_run_python", lambda _: asked.append(1) or able)
    monkeypatch.setattr(blocks, "MOST_CELLS", 1)
    columns = (form("words", "tenths"), form("truth", "truth"), form("tiny", "levels"))
    names = [column.name for column in columns]
    groups = [group for size in (1, 2, 3) for group in itertools.permutations(names, size)]
    found = [
        {
            group: (table.keys.tolist(), table.counts.tolist())
            for group, table in Records(contract(*columns), data).group_counts(groups)
        }
        for data in (embedded, spark_frame)
    ]
    assert found[0] == found[1]
    assert [1] == asked


def test_groupings_are_counted_together_as_long_as_there_is_room() -> None:
    sizes = {"a": 2**9, "b": 2**9, "c": 2**10, "d": 3}
    small, large = ("a", "b"), ("b", "c")
    assert [(True, [small] * 8), (True, [small] * 2)] == passes_of_python([small] * 10, sizes)
    mixed = [("d",), large, *[large] * 16, ("d",), small]
    expected = [(True, [("d",)]), (False, [large] * 16), (False, [large]), (True, [("d",), small])]
    assert expected == passes_of_python(mixed, sizes)
    assert [] == passes_of_python([], sizes)


@pytest.mark.parametrize(
    ("master", "cells", "tasks"),
    [("local[4]", 2**21, 4), ("local[4]", 2**21 + 1, 0), ("local[*]", 0, 4)]
    + [(master, 1, 0) for master in ("local-cluster[1, 4, 1024]", "spark://host:7077", "yarn")],
)
def test_the_driver_adds_up_small_arrays_of_one_machine_only(master: str, cells: int, tasks: int) -> None:
    session = SimpleNamespace(sparkContext=SimpleNamespace(master=master, defaultParallelism=4))
    assert tasks == most_tasks(session, cells)
    assert 0 == most_tasks(SimpleNamespace(), cells)


@pytest.mark.parametrize("sizes", [[1], [2**18, 1, 2**18, 3, 2**18, 2**18], [5, 8, 14, 17] * 9, [2] * 63, [2] * 64])
def test_cell_numbers_share_words_without_touching_each_other(sizes: list[int]) -> None:
    fields = fields_of_words(sizes)
    taken = [(word, bit) for word, start, bits in fields for bit in range(start, start + bits)]
    assert len(set(taken)) == len(taken)
    assert all(bit < 63 for _, bit in taken)
    assert all(size <= 2**bits for size, (_, _, bits) in zip(sizes, fields, strict=True))
    assert len({word for word, _, _ in fields}) - 1 == fields[-1][0]


def test_cell_numbers_that_need_several_words_are_counted_alike(cluster: Cluster) -> None:
    keys = [f"k{number}" for number in range(10)]
    rows = session_of(cluster.master).range(700).selectExpr(*(f"CAST(511 - id % 512 AS SMALLINT) AS {k}" for k in keys))
    groups = [(key, other) for key, other in itertools.pairwise(keys)]
    tables = [
        list(zip(*(found[key].tolist() for key in (*group, "rows")), strict=True))
        for group, found in zip(groups, grouped_by_python(rows, groups, dict.fromkeys(keys, 512)), strict=True)
    ]
    assert all([(cell, cell, 2 if cell > 323 else 1) for cell in range(512)] == table for table in tables)


def test_every_level_is_found_by_its_checksum_unless_two_have_the_same() -> None:
    keys = [f"level {number}" for number in range(64)]
    places = places_by_checksum(keys)
    assert places is not None
    assert list(range(64)) == [places[zlib.crc32(key.encode()) % len(places)] for key in keys]
    assert places_by_checksum(["plumless", "level", "buckeroo"]) is None


def test_batches_are_weighed_again_after_a_count_and_always_in_sessions_of_others(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_groups, "most_tasks", lambda *_: 2)
    ours = session_of(cluster.master)
    seen: list[str | None] = []

    def watched(counts: Any) -> Any:
        seen.append(counts.sparkSession.conf.get(WEIGHT, None))
        return collected(counts)

    monkeypatch.setattr(spark_groups, "collected", watched)
    for session in (ours, ours.newSession()):
        rows = session.range(3).selectExpr("CAST(id AS TINYINT) AS k")
        (found,) = grouped_by_python(rows, [("k",)], {"k": 3})
        assert [1, 1, 1] == found["rows"].tolist()
        assert session.conf.get(WEIGHT, None) is None
    assert [ANY, None] == seen


def test_groupings_of_many_keys_are_counted_in_several_passes(cluster: Cluster) -> None:
    keys = [f"k{number}" for number in range(70)]
    rows = session_of(cluster.master).range(300).selectExpr(*(f"CAST(id % 2 AS TINYINT) AS {key}" for key in keys))
    found = list(grouped_by_spark(rows, [tuple(keys[start : start + 7]) for start in range(0, 70, 7)]))
    assert 10 == len(found)
    assert all([150, 150] == table["rows"].tolist() for table in found)


def test_workers_that_fail_in_python_leave_groupings_to_spark(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        def task(batches: Any) -> Any:
            raise ImportError("numpy")

        return task

    monkeypatch.setattr(spark_groups, "_counting", broken)
    rows = session_of(cluster.master).range(300).selectExpr("CAST(id % 3 AS TINYINT) AS k")
    (found,) = grouped_by_python(rows, [("k",)], {"k": 3})
    assert {(0, 100), (1, 100), (2, 100)} == set(zip(found["k"].tolist(), found["rows"].tolist(), strict=True))


def test_rows_of_a_release_are_kept_on_the_workers_until_it_ends(spark_frame: Any, embedded: Any) -> None:
    """Two questions, and one over more columns, answered from what the first has read."""
    columns = (form("words", "tenths"), form("truth", "truth"), form("tiny", "levels"))
    names = tuple(column.name for column in columns)
    asked = [names[:2], names[1:], names]
    here, there = (Records(contract(*columns), data) for data in (embedded, spark_frame))
    alone = [here.counts(question).values.tolist() for question in asked]
    kept = spark_frame.sparkSession.sparkContext._jsc.getPersistentRDDs
    before = len(kept())
    with there.at_once(names):
        assert alone == [there.counts(question).values.tolist() for question in asked]
        assert before + 1 == len(kept())
    assert before == len(kept())
    assert alone == [there.counts(question).values.tolist() for question in asked]
    assert before == len(kept())


@pytest.mark.parametrize(
    ("levels", "cells"),
    [
        (("b", "1", "a", "2024-01-31"), ("a", "b", "1.0", " 1 ", "2", "2024/1/31", "", None, "A", "-0", "1")),
        (("2", "0", "x", "nan"), ("-0.0", "0", "2e0", "NaN", "nan", "x", "x ", None, "1")),
        (("plumless", "Öl", "一"), ("plumless", "buckeroo", "Öl", "öl", "一", "二", "", None)),
        (("plumless", "buckeroo"), ("plumless", "buckeroo", "buckeroo", "buckeroos", None)),
    ],
)
def test_levels_are_found_wherever_they_stand_among_others(
    levels: tuple[str, ...], cells: tuple[str | None, ...], cluster: Cluster
) -> None:
    """Numbers, moments and words among the levels, each sort by itself; plumless and buckeroo have one checksum."""
    column = Category(name="x", levels=levels, provenance="public")
    rows = session_of(cluster.master).createDataFrame([(cell,) for cell in cells], "x string")
    text = ", ".join("(NULL)" if cell is None else f"('{cell}')" for cell in cells)
    embedded = duckdb.sql(f"SELECT x FROM (VALUES {text}) t(x)")
    found = [Records(contract(column), data).counts(("x",)).values.tolist() for data in (embedded, rows)]
    assert found[0] == found[1]


def test_texts_are_levels_by_their_bytes_whatever_their_collation(cluster: Cluster) -> None:
    column = Category(name="x", levels=("a", "B", "1"), provenance="public")
    cells = ("a", "A", "b", "B", "B ", "1", "1.0", "", None)
    texts = session_of(cluster.master).createDataFrame([(cell,) for cell in cells], "x string")
    found = [
        Records(contract(column), texts.selectExpr(f"x COLLATE {collation} AS x")).counts(("x",)).values.tolist()
        for collation in ("UTF8_BINARY", "UTF8_LCASE", "UNICODE_CI")
    ]
    assert [1, 1, 2] == found[0][:3]
    assert found[0] == found[1] == found[2]
