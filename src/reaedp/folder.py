"""The release folder: written whole or not at all, and checked again by whoever receives it."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from reaedp.charts import chart
from reaedp.contract import Contract
from reaedp.engine import connect
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.manifest import manifest
from reaedp.readme import readme
from reaedp.release import Release
from reaedp.statistics.statistic import Statistic

#: Keys for which room is claimed.
MOST_KEYS = 1_000_000


class ReleaseFolder:
    """A folder in the making: it exists under a hidden name until everything in it is on disk."""

    def __init__(self, target: Path, hidden: Path, created: datetime) -> None:
        self._target, self._hidden, self._created = target, hidden, created

    def write(self, contract: Contract, releases: tuple[Release, ...]) -> None:
        """Write all files, make them durable, then give the folder its name."""
        try:
            for release in releases:
                _write_release(self._hidden / release.name, release)
            names = sorted(path.name for path in self._hidden.iterdir())
            (self._hidden / "README.txt").write_text(readme(contract, releases, names), encoding="utf-8")
            record = manifest(contract, releases, self._created, hashes(self._hidden))
            (self._hidden / "release.json").write_text(json.dumps(record, indent=1, ensure_ascii=False), "utf-8")
            for path in [*self._hidden.iterdir(), self._hidden]:
                # How long counting took is nobody's business.
                os.utime(path, (self._created.timestamp(), self._created.timestamp()))
                _sync(path)
            self._hidden.chmod(0o755)
            self._hidden.rename(self._target)
            _sync(self._target.parent)
        except OSError as error:
            raise ReaedpError(f"{self._target} could not be written: {error.strerror}. The charge stands.") from None


@contextmanager
def new_folder(target: Path, expected_bytes: int) -> Iterator[ReleaseFolder]:
    """Claim room on the disk before anything is charged; leave nothing behind on failure."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise DeclarationError(f"The output folder must be new or empty; {target} is in use. Choose another --out.")
    hidden = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        hidden = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        _check_room(hidden / "room", expected_bytes)
    except OSError as error:
        if hidden:
            shutil.rmtree(hidden, ignore_errors=True)
        raise DeclarationError(f"{target} cannot be written: {error.strerror}. Nothing was charged.") from None
    try:
        yield ReleaseFolder(target, hidden, datetime.now().astimezone())
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _check_room(path: Path, expected_bytes: int) -> None:
    """Fail now rather than after the charge."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, expected_bytes)
    path.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file except the manifest itself."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name != "release.json"
    }


def _write_release(stem: Path, release: Release) -> None:
    """The numbers as a table, and as a picture where people would rather look."""
    frame = release.statistic.frame(release.value, release.noise)
    _write_values(stem, frame)
    picture = chart(release.value, frame)
    pictures = release.attachments | ({".svg": picture} if picture else {})
    for suffix, content in pictures.items():
        stem.with_suffix(suffix).write_bytes(content)


def _write_values(stem: Path, columns: dict[str, NDArray[Any]]) -> None:
    connection = connect()
    # Rows keep their order, so that the same numbers give the same file.
    connection.execute("SET preserve_insertion_order = true")
    frame = {f"c{number}": values for number, values in enumerate(columns.values())}
    connection.register("frame", frame)
    names = ", ".join(
        f'{key} AS "{name.replace(chr(34), chr(34) * 2)}"' for key, name in zip(frame, columns, strict=True)
    )
    for suffix, options in ((".csv", "FORMAT csv, HEADER"), (".parquet", "FORMAT parquet")):
        target = str(stem.with_suffix(suffix)).replace("'", "''")
        connection.execute(f"COPY (SELECT {names} FROM frame) TO '{target}' ({options})")
    connection.close()


def expected_bytes(contract: Contract, statistics: list[Statistic]) -> int:
    """A generous guess at the size of the folder, from public facts."""
    return 100_000 + sum(_rows(statistic, contract) * _bytes_of_a_row(statistic) for statistic in statistics)


def _rows(statistic: Statistic, contract: Contract) -> int:
    """Of all possible keys few appear."""
    cells = statistic.cells(contract)
    return min(cells, MOST_KEYS) if statistic.answers == "keyed" else cells


def _bytes_of_a_row(statistic: Statistic) -> int:
    """Counts come with estimates and ranges; synthetic records are their values alone."""
    return 40 * len(statistic.columns) + (60 if statistic.answers == "records" else 200)
