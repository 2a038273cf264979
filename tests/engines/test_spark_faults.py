"""Workers, masters and sessions that fail: nothing is counted twice, charged twice, or drawn twice."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from postgres import free_port
from reaedp import Budget, Contract, Curator, Laplace, Ledger, Marginal, Number, Unit
from reaedp.answer import Integers
from reaedp.engines.source import open_source
from reaedp.engines.spark.patience import patience
from reaedp.engines.spark.session import session_of
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.mechanisms.noise import SeededNoise
from spark_cluster import WORKERS, Cluster
from tests_support import ledger_in

pytestmark = pytest.mark.xdist_group("spark")

ROWS, PARTS = 12_000, 12


class Watched(SeededNoise):
    """No noise at all, so that the exact counts show; and how often it was asked for."""

    asked: int = 0

    def laplace(self, exact: Integers, scale: float) -> Integers:  # noqa: ARG002
        Watched.asked += 1
        return exact


def held_rows(session: Any, gate: Path) -> Any:
    """Rows of which the first parts are there at once, and the others when the gate is, wherever they are computed."""
    name = str(gate)

    def later(batches: Iterator[Any]) -> Iterator[Any]:
        import time
        from pathlib import Path

        from pyspark import TaskContext

        while TaskContext.get().partitionId() >= PARTS // 2 and not Path(name).exists():  # type: ignore[union-attr]
            time.sleep(0.05)
        yield from batches

    numbers = session.range(0, ROWS, 1, PARTS)
    return numbers.mapInArrow(later, "id bigint").selectExpr("CAST(id % 10 AS DOUBLE) AS x", "id % 3000 AS who")


@contextmanager
def in_the_middle(session: Any, gate: Path, act: Callable[[], None]) -> Iterator[None]:
    """Do something once a stage of the job in this block has finished some of its tasks, and not all; open the gate.

    While the gate is shut, half of the tasks wait. It is opened at the end of the block in any case.
    """
    over = threading.Event()

    def is_half_done() -> bool:
        tracker = session.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        return any(stage and 2 <= stage.numCompletedTasks < stage.numTasks for stage in stages)

    def watch() -> None:
        try:
            while not over.wait(0.05):
                if is_half_done():
                    act()
                    return
        finally:
            gate.touch()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def terms(folder: Path, name: str, unit: Unit) -> Contract:
    column = Number(name="x", lower=0, upper=10, bins=10, provenance="public")
    ledger = ledger_in(folder, f"{name}.sqlite")
    return Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger=ledger, columns=(column,))


def entries(contract: Contract) -> int:
    return sum(entry.kind == "charge" for entry in Ledger.open(contract.ledger).history(contract.dataset))


def test_a_worker_killed_in_the_middle_changes_no_count(cluster: Cluster, tmp_path: Path) -> None:
    contract = terms(tmp_path, "killed", Unit("add-remove", person="who", max_rows=2))
    session = session_of(cluster.master)
    curator = Curator(contract, held_rows(session, tmp_path / "gate"), noise=Watched(np.random.default_rng(1)))
    Watched.asked = 0
    try:
        with in_the_middle(session, tmp_path / "gate", lambda: cluster.kill("worker1")):
            release = curator.release(Marginal("x"), Laplace(0.5))
    finally:
        assert "worker1" not in cluster.processes
        cluster.start_worker("worker1")
        cluster.wait("Registering worker", cluster.started)
    # Two rows of each of 3,000 people; all rows of a person have the same value.
    assert [600] * 10 == release.counts.values[:10].tolist()
    assert 6_000 == release.counts.values.sum()
    assert 1 == Watched.asked
    assert 1 == entries(contract)


def test_a_session_lost_after_the_charge_fails_whole_and_the_charge_stands(cluster: Cluster, tmp_path: Path) -> None:
    contract = terms(tmp_path, "lost", Unit("add-remove"))
    session = session_of(cluster.master)
    curator = Curator(contract, held_rows(session, tmp_path / "gate"), noise=Watched(np.random.default_rng(1)))
    Watched.asked = 0
    words = r"Spark could not count \(\w+\)\. The charge stands: ledger entry"
    halfway = in_the_middle(session, tmp_path / "gate", session.sparkContext.cancelAllJobs)
    with pytest.raises(ReaedpError, match=words) as caught, halfway:
        curator.release(Marginal("x"), Laplace(0.5))
    assert isinstance(caught.value.__context__, ReaedpError)  # our own words, and nothing before them
    assert caught.value.__context__.__context__ is None
    assert 0 == Watched.asked
    assert 1 == entries(contract)
    assert Ledger.open(contract.ledger).spent("d") == pytest.approx(0.5, abs=1e-4)


def test_a_cluster_that_loses_all_its_workers_ends_in_words(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REAEDP_SPARK_WAIT", "2")
    contract = terms(tmp_path, "deserted", Unit("add-remove"))
    session = session_of(cluster.master)
    curator = Curator(contract, held_rows(session, tmp_path / "gate"), noise=Watched(np.random.default_rng(1)))
    Watched.asked = 0
    names = [f"worker{number}" for number in range(WORKERS)]

    def kill_all() -> None:
        for name in names:
            cluster.kill(name)

    words = r"All workers of Spark were lost, and none came back within 2 s\..* The charge stands: ledger entry"
    try:
        with pytest.raises(ReaedpError, match=words), in_the_middle(session, tmp_path / "gate", kill_all):
            curator.release(Marginal("x"), Laplace(0.5))
    finally:
        for name in names:
            cluster.start_worker(name)
        cluster.wait("Registering worker", cluster.started)
    assert 0 == Watched.asked
    assert 1 == entries(contract)


@pytest.mark.parametrize("said", ["soon", "0", "-1", "nan", "inf"])
def test_how_long_to_wait_for_workers_is_checked_before_the_charge(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REAEDP_SPARK_WAIT", said)
    with pytest.raises(DeclarationError, match="REAEDP_SPARK_WAIT must be a number of seconds above 0"):
        patience()


@pytest.mark.slow
def test_a_master_that_does_not_answer_is_said_and_costs_nothing(tmp_path: Path) -> None:
    contract = terms(tmp_path, "nobody", Unit("add-remove"))
    master = f"spark://127.0.0.1:{free_port()}"
    script = f"import sys; from reaedp.engines.source import open_source; open_source('x.parquet', {master!r})"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"No Spark master answers at {master}" in done.stderr
    assert () == Ledger.open(contract.ledger).datasets()


def test_a_cluster_without_free_workers_is_waited_for_so_long_only(cluster: Cluster, tmp_path: Path) -> None:
    script = (
        "from reaedp.engines import source\n"
        "from reaedp.engines.spark import session\n"
        "session.SECONDS_TO_START = 3\n"
        "try:\n"
        f"    source.open_source('x.parquet', {cluster.master!r})\n"
        "except Exception as error:\n"
        "    print(error)\n"
    )
    settings = tmp_path / "spark-defaults.conf"
    settings.write_text("spark.executor.memory 9g\nspark.cores.max 2\n", encoding="utf-8")  # more than any worker has
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False,
        env=os.environ | cluster.environment | {"SPARK_CONF_DIR": str(tmp_path)},
    )  # fmt: skip
    assert "no worker took up work within 3 s" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr


def test_an_engine_that_is_none_is_refused() -> None:
    for engine in ("nonsense", 7):
        with pytest.raises(DeclarationError, match="The engine must be a Spark master"):
            open_source("x.parquet", engine)
    with pytest.raises(DeclarationError, match="the data must be the name"):
        open_source({"x": np.zeros(1)}, "local[2]")
