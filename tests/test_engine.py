"""The embedded engine that a process keeps for released numbers."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from reaedp.disk.duckdb_engine import MEMORY, connect_for_released

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
    connection = connect_for_released()
    settings = (
        "current_setting('memory_limit'), current_setting('TimeZone'), current_setting('preserve_insertion_order')"
    )
    assert [("117.3 MiB", "UTC", True)] == connection.execute(f"SELECT {settings}").fetchall()
