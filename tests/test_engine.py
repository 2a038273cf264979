"""The embedded engines that a process keeps: for released numbers, and for rows."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import pytest

from reaedp import Budget, Contract, Integer, Unit
from reaedp.curator.records import Records
from reaedp.disk import duckdb_engine
from reaedp.disk.duckdb_engine import MEMORY, connect_for_released, connect_for_rows, forget_engines

FORK = """
import os, sys
from reaedp.disk.duckdb_engine import connect_for_released

def asked():
    connection = connect_for_released()
    answer = connection.execute("SELECT 40 + 2").fetchall()
    connection.close()
    return answer

assert asked() == [(42,)]
child = os.fork()
if child == 0:
    sys.exit(0 if asked() == [(42,)] else 1)
assert os.waitpid(child, 0)[1] == 0
assert asked() == [(42,)]
"""


def test_a_forked_process_has_an_engine_of_its_own_and_ends_as_it_should() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr


def test_connections_do_not_see_what_others_registered() -> None:
    def total(number: int) -> int:
        connection = connect_for_released()
        connection.register("frame", {"x": np.full(1_000, number)})
        (row,) = connection.execute("SELECT sum(x)::BIGINT FROM frame").fetchall()
        connection.close()
        return int(row[0])

    with ThreadPoolExecutor(8) as threads:
        assert [1_000 * number for number in range(40)] == list(threads.map(total, range(40)))


def test_a_connection_has_the_limit_and_the_zone_of_any_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "123MB")
    monkeypatch.setattr(duckdb_engine, "resident_bytes", lambda: 23_000_000)
    connection = connect_for_released()
    settings = (
        "current_setting('memory_limit'), current_setting('TimeZone'), current_setting('preserve_insertion_order')"
    )
    assert [("87.9 MiB", "UTC", True)] == connection.execute(f"SELECT {settings}").fetchall()


def test_rows_of_one_connection_are_seen_by_no_other() -> None:
    one, other = connect_for_rows(), connect_for_rows()
    one.execute("CREATE TEMP TABLE mine AS SELECT 1 AS x")
    one.register("frame", {"x": np.arange(3)})
    for name in ("mine", "frame"):
        with pytest.raises(duckdb.CatalogException):
            other.execute(f"FROM {name}")


def test_an_engine_that_is_forgotten_is_asked_by_nobody_who_comes_later() -> None:
    before = connect_for_rows()
    before.execute("CREATE TABLE everybodys AS SELECT 1 AS x")
    assert [(1,)] == connect_for_rows().execute("FROM everybodys").fetchall()
    forget_engines()
    with pytest.raises(duckdb.CatalogException):
        connect_for_rows().execute("FROM everybodys")
    assert [(1,)] == before.execute("FROM everybodys").fetchall()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_was_written_again_is_read_again(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data.{suffix}"
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    terms = Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=(column,))
    for value in (1, 2):
        duckdb.sql(f"COPY (SELECT {value} AS x) TO '{path}'")
        os.utime(path, (1_000_000_000, 1_000_000_000))
        assert 1 == Records(terms, str(path)).counts(("x",)).values[value]
