"""Releases by the real curator, with noise that tells what it was to hide, and everything that was said."""

import io
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from fuzz.declared import contract
from reaedp import KeyedMarginal, Ledger, Threshold
from reaedp.audits.constant_noise import ConstantNoise
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.contract.files import Files
from reaedp.curator.curator import Curator
from reaedp.disk.duckdb_engine import connect
from reaedp.engines import files, frames
from reaedp.engines.embedded import EmbeddedSource
from reaedp.errors import ReaedpError
from reaedp.plan.request import Request
from reaedp.statistics.levels import Levels

#: Charges after which a ledger is replaced.
CHARGES = 500
#: A noisy count that every threshold lets pass.
SHOWN = 10**12


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a release: `said` is all that anybody outside could see besides noisy numbers."""

    said: tuple[str, ...]
    foreseen: bool
    charged: bool
    #: Whether an engine failed and the count went on without rows.
    failed: bool
    counts: Counter[Any] = field(default_factory=Counter)


class Releases:
    """A place for releases: one embedded engine, and a ledger that is replaced now and then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._engine: duckdb.DuckDBPyConnection | None = None
        self._failures = 0
        self._charges = CHARGES

    @property
    def ledger(self) -> str:
        """The address of a ledger that has room."""
        place = self.folder / "ledger"
        if self._charges >= CHARGES:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            Ledger.create(place / "budget.sqlite").close()
            self._charges = 0
        self._charges += 1
        return str(place / "budget.sqlite")

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Sources share this engine meanwhile, and its failures are counted."""
        before = files.connect_for_rows, frames.connect_for_rows, EmbeddedSource.failed
        failed = EmbeddedSource.failed

        def counted(source: EmbeddedSource, error: Exception) -> BaseException:
            self._failures += 1
            self._engine = None  # an engine that failed within itself answers nothing more
            return failed(source, error)

        files.connect_for_rows = frames.connect_for_rows = self._connected  # type: ignore[attr-defined]
        EmbeddedSource.failed = counted  # type: ignore[method-assign]
        try:
            yield
        finally:
            files.connect_for_rows, frames.connect_for_rows = before[:2]  # type: ignore[attr-defined]
            EmbeddedSource.failed = before[2]  # type: ignore[method-assign]

    def release(self, columns: tuple[Column, ...], data: Any, *, person: bool, files: Files | None = None) -> Outcome:
        """Count all columns together, or each by itself if its levels are not declared."""
        failures, counts = self._failures, Counter[Any]()
        printed = io.StringIO()
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(printed), redirect_stderr(printed):
            warnings.simplefilter("always")
            try:
                said, foreseen = self._released(columns, data, person, counts, files), True
            except ReaedpError as error:
                said, foreseen = (type(error).__name__, str(error.exit_code), str(error)), True
            except Exception as error:  # what nobody foresaw is what is looked for
                said, foreseen = (f"{type(error).__module__}.{type(error).__name__}", "traceback", str(error)), False
        said = (*said, printed.getvalue(), *(f"{one.category.__name__}: {one.message}" for one in warned))
        charged = said[0] == "release" or "The charge stands" in said[2]
        return Outcome(said, foreseen, charged, self._failures > failures, counts)

    def _released(
        self, columns: tuple[Column, ...], data: Any, person: bool, counts: Counter[Any], declared: Files | None
    ) -> tuple[str, str, str]:
        noise = ConstantNoise(SHOWN, np.random.default_rng(0))
        curator = Curator(contract(columns, person, self.ledger, files=declared), data, noise=noise)
        try:
            unknown = [column.name for column in columns if column.kind == Undeclared.kind]
            known = [column.name for column in columns if column.name not in unknown]
            requests = [Request(name, Levels(name), Threshold(0.01, 1e-9)) for name in unknown]
            if known:
                requests.append(Request("cells", KeyedMarginal(*known), Threshold(0.01, 1e-9)))
            releases = curator.release_all(requests)
        finally:
            curator.ledger.close()
        for release, drawn in zip(releases, noise.drawn, strict=True):
            value = release.value
            keys = value if isinstance(value, dict) else map(tuple, value.keys.tolist())
            counts.update({(release.name, key): n for key, n in zip(keys, drawn.exact.tolist(), strict=True)})
        return "release", "0", " ".join(f"{release.name} {release.statistic.title}" for release in releases)

    def _connected(self) -> duckdb.DuckDBPyConnection:
        if self._engine is None:
            self._engine = connect()
            self._engine.execute("SET threads = 1")  # tables are tiny
        cursor = self._engine.cursor()
        cursor.execute("SET TimeZone = 'UTC'")
        cursor.execute("SET enable_progress_bar = false")
        return cursor
