"""Memory that is limited, tables that are wide, keys that are many."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from reaedp import Budget, Contract, Curator, Integer, KeyedMarginal, Marginal, Number, Threshold, Unit
from reaedp.answer import Keyed, KeyedParts
from reaedp.curator import counted_cells
from reaedp.curator.records import Records
from reaedp.disk import duckdb_engine
from reaedp.disk.duckdb_engine import connect
from reaedp.disk.memory import engines_share, size_in_bytes
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from tests_support import ledger_in

SIDE = 1_000


def keyed_contract(ledger: str) -> Contract:
    columns = tuple(Integer(name=name, lower=0, upper=SIDE - 1, provenance="public") for name in "ab")
    return Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(100, 1e-3), ledger=ledger, columns=columns)


def keyed_rows(keys: int) -> duckdb.DuckDBPyRelation:
    """Every key once, and the first ten of them a thousand times more."""
    mixed = f"SELECT if(i < {keys}, i * 7919 % {keys}, i % 10) AS j FROM range({keys + 10_000}) t(i)"
    return connect().sql(f"SELECT j % {SIDE} AS a, j // {SIDE} AS b FROM ({mixed})")


@pytest.mark.slow
def test_many_keys_are_hidden_in_parts_and_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_cells, "CELLS_OF_A_PART", 10_000)
    terms = keyed_contract(ledger_in(tmp_path))
    data = keyed_rows(300_000)
    parts = list(Records(terms, data).key_parts(("a", "b")))
    assert len(parts) > 3
    keys = np.concatenate([part.keys for part in parts])
    assert 300_000 == len(keys) == len(np.unique(keys, axis=0))
    assert 310_000 == sum(int(part.counts.sum()) for part in parts)
    release = Curator(terms, data).release(KeyedMarginal("a", "b"), Threshold(1.0, 1e-6))
    # Keys of 1001 rows at threshold 15 fail to appear with probability e^-986; one of 300,000 single rows appears with
    # probability below 300,000 · e^-14 = 0.25, all of twenty with far less than 1e-6.
    assert 10 <= len(release.value.counts) < 30
    frequent = release.value.counts > 500
    assert [[a, 0] for a in range(10)] == release.value.keys[frequent].tolist()


def test_few_keys_are_hidden_at_once_and_none_is_a_part_too() -> None:
    terms = keyed_contract("unused")
    assert isinstance(KeyedMarginal("a", "b").answer(Records(terms, keyed_rows(100))), Keyed)
    nothing = connect().sql("SELECT 1 AS a, 1 AS b WHERE false")
    (part,) = Records(terms, nothing).key_parts(("a", "b"))
    assert (0, 2) == part.keys.shape


def test_parts_and_a_whole_draw_the_same_noise() -> None:
    counts, hidden = np.arange(1_000), Threshold(1.0, 1e-6)
    keys, sensitivity = counts.reshape(-1, 1), Sensitivity(1, 1, 1)
    whole = hidden.apply(Keyed(keys, counts), sensitivity, SeededNoise(np.random.default_rng(1)))
    parts = [Keyed(keys[start : start + 300], counts[start : start + 300]) for start in range(0, 1_000, 300)]
    found = hidden.apply(KeyedParts(iter(parts)), sensitivity, SeededNoise(np.random.default_rng(1)))
    assert len(whole.keys) == pytest.approx(len(found.keys), abs=40)  # other noise, the same law
    assert set(map(int, found.keys.ravel())) <= set(range(1_000))


SCRIPT = """
import pathlib, re, sys
from reaedp import Budget, Contract, Integer, KeyedMarginal, Marginal, Number, Threshold, Unit
from reaedp.curator.records import Records
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
import numpy as np
columns = tuple(Integer(name=name, lower=0, upper=2_999, provenance="public") for name in "ab")
columns += (Number(name="x", lower=0, upper=1, bins=4, provenance="public"),)
terms = Contract(dataset="d", unit=Unit("add-remove", person="who", max_rows=1), budget=Budget(1, 1e-6),
                 ledger="unused", columns=columns)
records = Records(terms, sys.argv[1])
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) // 1024
before = peak()
assert 3_000_000 == records.counts(("x",)).values.sum()
exact = KeyedMarginal("a", "b").answer(records)
seen = sum(len(part.counts) for part in exact.parts)
assert 3_000_000 == seen, seen
print(peak() - before)
"""


@pytest.mark.slow
def test_people_and_millions_of_keys_are_counted_within_the_limit_of_memory(tmp_path: Path) -> None:
    """A file of 250 MB whose rows must be ranked by person and grouped by 3 million keys, in an engine of 150 MB."""
    path = tmp_path / "large.parquet"
    rows = "SELECT i % 3000 AS a, i // 3000 AS b, random() AS x, random() AS y, random() AS z, 'person ' || i AS who"
    connect().sql(f"{rows}, 'some words that nobody asks for ' || i AS words FROM range(3000000) t(i)").write_parquet(
        str(path), compression="uncompressed"
    )
    assert path.stat().st_size > 200 * 2**20
    environment = os.environ | {"REAEDP_MEMORY": "150MB"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=False, env=environment
    )
    assert 0 == done.returncode, done.stderr
    # What is not the engine's own: one part of the keys, buffers of the file, and what the allocator keeps back.
    assert int(done.stdout) < 300


@pytest.mark.slow
def test_a_table_of_500_columns_is_counted_column_by_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REAEDP_MEMORY", "200MB")
    cells = ", ".join(f"random() AS x{number}" for number in range(500))
    connect().sql(f"SELECT {cells} FROM range(5000)").write_parquet(str(tmp_path / "wide.parquet"))
    columns = tuple(Number(name=f"x{n}", lower=0, upper=1, bins=4, provenance="public") for n in range(500))
    terms = Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="unused", columns=columns)
    found = Records(terms, str(tmp_path / "wide.parquet"))
    assert 5_000 == Marginal("x499").answer(found).sum()
    tables = dict(found.group_counts([(column.name,) for column in columns]))
    assert {5_000} == {int(table.counts.sum()) for table in tables.values()}


def test_a_limit_is_a_size_and_the_engine_keeps_to_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REAEDP_MEMORY", "150MB")
    monkeypatch.setattr(duckdb_engine, "resident_bytes", lambda: 50_000_000)
    settings = "current_setting('memory_limit'), current_setting('threads')"
    assert [("107.2 MiB", 1)] == connect().sql(f"SELECT {settings}").fetchall()
    monkeypatch.setenv("REAEDP_MEMORY", "much")
    with pytest.raises(DeclarationError, match=r"memory must be a size such as 1GB or 800MB; given 'much'"):
        connect()
    monkeypatch.setenv("REAEDP_MEMORY", "1MB")
    with pytest.raises(ReaedpError):
        Records(keyed_contract("unused"), keyed_rows(900_000)).key_counts(("a", "b"))


@pytest.mark.parametrize(
    ("text", "size"),
    [("1GB", 10**9), ("800MB", 8 * 10**8), ("1.5 GiB", 3 * 2**29), ("64kb", 64_000), ("2TB", 2 * 10**12)],
)
def test_sizes_are_written_in_several_ways(text: str, size: int) -> None:
    assert size == size_in_bytes(text)


@pytest.mark.parametrize("text", ["1", "GB", "-1GB", "80%", "1e3MB", "1GB or so", "1 PB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="memory must be a size"):
        size_in_bytes(text)


def test_the_engine_gets_what_the_program_leaves_and_never_less_than_three_quarters() -> None:
    assert 810 == engines_share(1_000, 100)
    assert 750 == engines_share(1_000, 600) == engines_share(1_000, 5_000)
