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
from typer.testing import CliRunner

from postgres import free_port
from reaedp import Budget, Contract, Curator, Laplace, Ledger, Marginal, Number, Unit
from reaedp.answer import Integers
from reaedp.cli.app import app
from reaedp.engines.source import open_source
from reaedp.engines.spark import groups, python_workers
from reaedp.engines.spark import patience as spark_patience
from reaedp.engines.spark.patience import WorkersLost, patience, waiting_for_workers
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


@pytest.mark.parametrize("many", [False, True])
def test_many_groupings_do_not_wait_again_when_all_workers_are_lost(
    many: bool, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither to hear whether workers run Python, nor to leave to Spark what Python could not count."""
    asked = []

    def lost(counts: Any) -> Any:
        asked.append(counts)
        raise WorkersLost("lost")

    monkeypatch.setattr(groups, "collected", lost)
    rows = session_of(cluster.master).range(10).selectExpr("CAST(id AS TINYINT) AS a")
    wanted = [("a",)] * (200 if many else 9)
    with pytest.raises(WorkersLost):
        list(groups.grouped_by_python(rows, wanted, {"a": 10}))
    assert 1 == len(asked)


def test_whether_workers_run_python_is_not_said_of_workers_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def lost(_: Any) -> Iterator[None]:
        raise WorkersLost("lost")
        yield

    monkeypatch.setattr(python_workers, "waiting_for_workers", lost)
    with pytest.raises(WorkersLost):
        python_workers.workers_run_python(None)


class Observed:
    """A session that tells how many workers it has, as often as it is asked, and counts how often that is."""

    def __init__(self, workers: list[bool]) -> None:
        self.workers, self.looks, self.cancelled = workers, 0, threading.Event()
        self.seen_all = threading.Event()
        self.sparkContext = self.conf = self._jsc = self
        self.master = "spark://nowhere:1"

    def get(self, name: str, default: str | None) -> str | None:
        return "10" if name == "spark.reaedp.wait" else default

    def sc(self) -> "Observed":
        return self

    def getExecutorMemoryStatus(self) -> "Observed":  # noqa: N802 - Spark's name
        return self

    def size(self) -> int:
        there = self.workers[min(self.looks, len(self.workers) - 1)]
        self.looks += 1
        if self.looks > len(self.workers):
            self.seen_all.set()
        return 2 if there else 1

    def run_until_cancelled(self) -> None:
        assert self.cancelled.wait(600)
        raise RuntimeError("what Spark says of a job that was given up")

    def cancelAllJobs(self) -> None:  # noqa: N802 - Spark's name
        self.cancelled.set()
        self.seen_all.set()  # nobody looks any more


@pytest.mark.parametrize(
    ("workers", "lost"),
    [
        ([True] * 9, False),  # a query of any length
        ([False, False, True] * 3, False),  # workers that come and go
        ([True, False, False, False, False], True),
    ],
)
def test_only_time_without_any_worker_is_counted(
    workers: list[bool], lost: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four seconds pass between two looks, and ten without a worker are too many."""
    session = Observed(workers)
    monkeypatch.setattr(spark_patience, "BETWEEN_LOOKS", 0.001)
    monkeypatch.setattr(spark_patience, "monotonic", lambda: 4 * session.looks)
    if not lost:
        with waiting_for_workers(session):
            assert session.seen_all.wait(600)
        assert not session.cancelled.is_set()
        return
    with pytest.raises(WorkersLost, match="none came back within 10 s"), waiting_for_workers(session):
        session.run_until_cancelled()


@pytest.mark.parametrize("said", ["soon", "0", "-1", "nan", "inf"])
def test_how_long_to_wait_for_workers_is_checked_before_the_charge(
    said: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of(cluster.master)
    session.conf.set("spark.reaedp.wait", said)
    with pytest.raises(DeclarationError, match=r"spark\.reaedp\.wait must be a number of seconds above 0"):
        open_source(session.range(1))
    monkeypatch.setenv("REAEDP_SPARK_WAIT", said)
    with pytest.raises(DeclarationError, match="REAEDP_SPARK_WAIT must be a number of seconds above 0"):
        open_source(session.range(1))


def test_how_long_to_wait_for_workers_is_said_by_the_environment_first(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of(cluster.master)
    assert 300 == patience(session)
    session.conf.set("spark.reaedp.wait", "60")
    assert 60 == patience(session)
    monkeypatch.setenv("REAEDP_SPARK_WAIT", "7.5")
    assert 7.5 == patience(session)


def test_the_command_line_says_how_long_to_wait_for_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REAEDP_SPARK_WAIT", "60")  # so that it is as it was when the test ends
    command = ["release", str(tmp_path / "none.toml"), "--data", "x.csv", "--out", str(tmp_path / "out")]
    assert 0 != CliRunner().invoke(app, [*command, "--spark-wait", "7.5"]).exit_code  # there is no plan
    assert "7.5" == os.environ["REAEDP_SPARK_WAIT"]


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
