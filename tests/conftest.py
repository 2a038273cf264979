"""A small data set with a contract and a plan, as a custodian would have them on disk."""

import atexit
import contextlib
import gc
import io
import os
import shutil
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from reaedp.cli import main
from reaedp.disk import duckdb_engine
from tests_support import CONTRACT, PLAN, ledger_in

# A busy machine is no defect: no test may fail because an example took long.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

#: Fixtures that start a cluster, a database server or a browser, or build the site: what needs one is slow.
STARTED = {"browser", "cluster", "postgres", "server", "site"}


#: Where ledgers need not wait for a disk at every charge, if there is so much room.
MEMORY, ROOM = Path("/dev/shm"), 4 * 10**9


def pytest_configure(config: pytest.Config) -> None:
    """Folders of tests lie in memory, but for those of slow tests, which may be large."""
    if config.option.markexpr == "not slow" and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests and all modules stay to the end: looking for garbage among them takes half of the time."""
    gc.disable()
    atexit.register(gc.unfreeze)
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    thinned = defaultdict(list)
    for item in items:
        if STARTED.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("quick_every"):
            thinned[item.nodeid.partition("[")[0]].append(item)
    for cases in thinned.values():
        _thin_out(cases)


def _thin_out(cases: list[Any]) -> None:
    """Of all cases of a test with `quick_every(n)`, those whose places among their parameters add up to no n are slow.

    Diagonals of the grid are left, so that every value of a parameter occurs if another one has n values.
    """
    values = [case.callspec.params for case in cases]
    # Parameters that go together count as one.
    places = {_places([value[name] for value in values]) for name in values[0]}
    for case, *place in zip(cases, *places, strict=True):
        if sum(place) % case.get_closest_marker("quick_every").args[0]:
            case.add_marker(pytest.mark.slow)


def _places(values: list[object]) -> tuple[int, ...]:
    """The number of each value among the different ones, in the order in which they come."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(id(value), len(seen)) for value in values)


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Ledgers of tests, also those of processes that tests start, are not remembered in the user's state folder."""
    os.environ["REAEDP_STATE"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="module", autouse=True)
def _own_findings(_own_state: None) -> None:
    """Findings of an audit whose program a test has changed are not kept for other files of tests."""
    shutil.rmtree(Path(os.environ["REAEDP_STATE"], "audits"), ignore_errors=True)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A folder with data.csv, contract.toml, plan.toml and an empty ledger."""
    (tmp_path / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    rows = [f"{(37 * i) % 100},{'fm'[i % 2]}" for i in range(2_000)]
    (tmp_path / "data.csv").write_text("age,sex\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ledger_in(tmp_path)
    return tmp_path


@pytest.fixture
def own_engine() -> Iterator[Callable[[], None]]:
    """Engines are started anew, as by a command; what is called in the end stops them, as its end does."""

    def stop() -> None:
        duckdb_engine.forget_engines()
        gc.collect()

    stop()
    yield stop
    stop()


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def started(clinic: Path) -> Run:
    """Run a command in the clinic's folder as a user would, in a process of its own."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "reaedp", *arguments]
        return subprocess.run(command, cwd=clinic, capture_output=True, text=True, check=False, timeout=600)

    return run


def exit_code(command: Callable[[], None]) -> int:
    try:
        command()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture
def reaedp(clinic: Path) -> Run:
    """Run a command in the clinic's folder within this process, which has loaded all that the command needs."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        printed, said = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(clinic),
            mock.patch.object(sys, "argv", ["reaedp", *arguments]),
            mock.patch.dict(os.environ),
            mock.patch.object(warnings, "formatwarning", warnings.formatwarning),
            warnings.catch_warnings(),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(said),
        ):
            warnings.simplefilter("default")
            code = exit_code(main)
        return subprocess.CompletedProcess(arguments, code, printed.getvalue(), said.getvalue())

    return run
