"""The release folder: written whole or not at all, and checked again by whoever receives it."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
from numpy.typing import NDArray

from reaedp.contract import Contract
from reaedp.disk.claimed_folder import ClaimedFolder
from reaedp.disk.duckdb_engine import connect_for_released
from reaedp.disk.system import rename_folder, sync
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.label import FORMULA, PLAIN, no_formula
from reaedp.release.manifest import manifest
from reaedp.release.place import MANIFEST_FILE, outside_releases, plain_digest
from reaedp.release.readme import readme
from reaedp.release.release import Release
from reaedp.statistics.by_kind import ENTROPIES, HISTOGRAMS, MOMENTS, QUANTILES, SUMMARIES, ByKind
from reaedp.statistics.statistic import Statistic

#: The page for people in a release folder, and what makes it from the other files there.
REPORT = "report.html"
Page = Callable[[Path], str]
#: Room for the page.
REPORT_BYTES = 3_000_000
#: Keys for which room is claimed.
MOST_KEYS = 1_000_000


class ReleaseFolder:
    """A folder in the making: it exists under a hidden name until everything in it is on disk."""

    def __init__(self, target: Path, hidden: Path, created: datetime) -> None:
        self._target, self._hidden, self._created = target, hidden, created

    def write(
        self,
        contract: Contract,
        releases: tuple[Release, ...],
        facts: Mapping[str, Any] = MappingProxyType({}),
        page: Page | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> str:
        """Write all files, make them durable, then give the folder its name; the SHA-256 of its manifest.

        `facts` are further public facts for the manifest. `page` makes a page for people from what lies in the folder;
        `say` is told if it could not be made.
        """
        try:
            columns = {name for release in releases for name in _write_release(self._hidden / release.name, release)}
            names = sorted(path.name for path in self._hidden.iterdir())
            words = readme(
                contract, releases, names, columns, ledger=facts.get("ledger"), wording=facts.get("wording", {})
            )
            (self._hidden / "README.txt").write_text(words, encoding="utf-8", newline="\n")
            written = self._write_manifest(contract, releases, facts)
            if page is not None and (text := self._attempted(page, say)):
                (self._hidden / REPORT).write_text(text, encoding="utf-8", newline="\n")
                written = self._write_manifest(contract, releases, facts)
            for path in [*self._hidden.iterdir(), self._hidden]:
                # How long counting took is nobody's business.
                os.utime(path, (self._created.timestamp(), self._created.timestamp()))
                sync(path)
            self._hidden.chmod(0o755)
            rename_folder(self._hidden, self._target)
            sync(self._target.parent)
        except OSError as error:
            raise ReaedpError(f"{self._target} could not be written: {error.strerror}.") from None
        except duckdb.Error:  # its words are not repeated
            raise ReaedpError(f"{self._target} could not be written; the disk may be full.") from None
        return written

    def _attempted(self, page: Page, say: Callable[[str], None]) -> str:
        """The page, or nothing: what was paid for is not lost because it could not be drawn."""
        try:
            return page(self._hidden)
        except Exception as error:  # public facts alone go into a page, and none of its words are repeated
            say(
                f"{REPORT} could not be made ({type(error).__name__}); all else is there."
                f" `reaedp report {self._target}` tries again"
            )
            return ""

    def _write_manifest(self, contract: Contract, releases: tuple[Release, ...], facts: Mapping[str, Any]) -> str:
        record = manifest(contract, releases, self._created, _hashes(self._hidden)) | dict(facts)
        content = json.dumps(record, indent=1, ensure_ascii=False).encode()
        (self._hidden / MANIFEST_FILE).write_bytes(content)
        return hashlib.sha256(content).hexdigest()


@contextmanager
def new_folder(target: Path, expected_bytes: int) -> Iterator[ReleaseFolder]:
    """Claim room on the disk before anything is charged; leave nothing behind on failure.

    What a release that was killed left in the same place is removed.
    """
    outside_releases(target)
    hidden = None
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise DeclarationError(f"The output folder must be new or empty; {target} is in use. Choose another --out.")
        target.parent.mkdir(parents=True, exist_ok=True)
        hidden = ClaimedFolder.make(target.parent, "release")
        _check_room(hidden.path / "room", expected_bytes)
    except OSError as error:
        if hidden:
            hidden.remove()
        raise DeclarationError(f"{target} cannot be written: {error.strerror}. Nothing was charged.") from None
    except ValueError:  # a NUL in its name
        raise DeclarationError(f"{str(target)!r} is not the name of a folder. Nothing was charged.") from None
    try:
        yield ReleaseFolder(target, hidden.path, datetime.now().astimezone())
    finally:
        hidden.remove()


def _check_room(path: Path, expected_bytes: int) -> None:
    """Fail now rather than after the charge."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, expected_bytes)
    path.unlink()


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file except the manifest itself."""
    return {path.name: plain_digest(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST_FILE}


def _write_release(stem: Path, release: Release) -> list[str]:
    """The numbers as a table, and as a picture where people would rather look; the names of the columns."""
    frame = release.statistic.frame(release.value, release.noise)
    write_values(stem, frame)
    draw = _PICTURES.of(release.statistic)
    pictures = release.attachments
    if draw is not None and len(next(iter(frame.values()))):
        pictures = pictures | {".svg": draw(frame).encode()}
    for suffix, content in pictures.items():
        stem.with_suffix(suffix).write_bytes(content)
    return list(frame)


def _mean_curve(frame: dict[str, NDArray[Any]]) -> str:
    from reaedp.report.charts.curves import mean_curve

    return _drawn(mean_curve(frame))


def _synthetic_curves(frame: dict[str, NDArray[Any]]) -> str:
    from reaedp.report.charts.curves import synthetic_curves

    return _drawn(synthetic_curves(frame))


def _drawn(chart: dict[str, Any]) -> str:
    from reaedp.report.charts.drawing import drawn
    from reaedp.report.charts.picture import picture

    return picture(drawn(chart) | {"background": "white"}, 0)


#: Kinds that would rather be looked at than read, also without the report.
_PICTURES = ByKind[Callable[[dict[str, NDArray[Any]]], str] | None](
    "a picture beside its numbers",
    {},
    otherwise=None,
    named={"MeanCurve": _mean_curve, "SyntheticCurves": _synthetic_curves},
    plain=(*HISTOGRAMS, *ENTROPIES, "KeyedMarginal", "Synthetic", "Pixels", *MOMENTS, *SUMMARIES, *QUANTILES),
)


def write_values(
    stem: Path, columns: dict[str, NDArray[Any]], suffixes: tuple[str, ...] = (".csv", ".parquet")
) -> None:
    """Columns as files of these kinds, which differ in their suffix."""
    write_parts(stem, iter([columns]), suffixes)


def write_parts(stem: Path, parts: Iterator[dict[str, NDArray[Any]]], suffixes: tuple[str, ...]) -> None:
    """The same of rows that come in parts, one or more; if there are several they wait in files beside the stem."""
    with closing(connect_for_released()) as connection:  # in order, so that the same numbers give the same file
        columns = _gathered(connection, stem, parts)
        frame = connection.table("frame")
        texts = {key for key, kind in zip(frame.columns, frame.types, strict=True) if str(kind) == "VARCHAR"}
        exact = {key: key for key in frame.columns}
        safe = exact | {key: NO_FORMULA.format(text=key) for key in texts}
        for suffix, options, cells, named in (
            (".csv", "FORMAT csv, HEADER", safe, map(no_formula, columns)),
            (".parquet", "FORMAT parquet", exact, columns),
        ):
            if suffix not in suffixes:
                continue
            chosen = ", ".join(f"{cells[key]} AS {_quoted(name)}" for key, name in zip(exact, named, strict=True))
            connection.execute(f"COPY (SELECT {chosen} FROM frame) TO {_text(stem.with_suffix(suffix))} ({options})")


def _gathered(connection: Any, stem: Path, parts: Iterator[dict[str, NDArray[Any]]]) -> list[str]:
    """All parts as the table `frame`, whose columns are numbered; their names."""
    columns, waiting = next(parts), list[Path]()
    names = list(columns)
    for later in parts:
        waiting.append(_waiting(connection, stem, columns, len(waiting)))
        columns = later
    if waiting:
        waiting.append(_waiting(connection, stem, columns, len(waiting)))
        files = ", ".join(map(_text, waiting))
        connection.execute(f"CREATE TEMP VIEW frame AS FROM read_parquet([{files}], union_by_name = true)")
    else:
        connection.register("frame", _numbered(columns))
    return names


def _waiting(connection: Any, stem: Path, columns: dict[str, NDArray[Any]], number: int) -> Path:
    """A part in a file of its own."""
    file = stem.with_name(f"{stem.name}-{number}.parquet")
    connection.register("part", _numbered(columns))
    connection.execute(f"COPY part TO {_text(file)} (FORMAT parquet)")
    connection.unregister("part")
    return file


def _numbered(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {f"c{number}": values for number, values in enumerate(columns.values())}


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


#: `label.no_formula` in the engine: spreadsheets open CSV files, and levels come from outside.
NO_FORMULA = (
    f"CASE WHEN regexp_full_match({{text}}, '{FORMULA}') AND NOT regexp_full_match({{text}}, '{PLAIN}')"
    " THEN '''' || {text} ELSE {text} END"
)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def expected_bytes(contract: Contract, statistics: list[Statistic]) -> int:
    """A generous guess at the size of the folder, from public facts."""
    models = sum(_model_bytes(statistic, contract) for statistic in statistics if statistic.answers == "records")
    rows = sum(_rows(statistic, contract) * _bytes_of_a_row(statistic) for statistic in statistics)
    return REPORT_BYTES + rows + models


def _model_bytes(statistic: Statistic, contract: Contract) -> int:
    """The file of a model: numbers for each cell of its columns, and tables of which few are large."""
    cells = sum(column.size for column in contract.select(statistic.columns))
    return 60 * cells + 200_000 * len(statistic.columns)


def _rows(statistic: Statistic, contract: Contract) -> int:
    """The rows of keyed counts, of which few of all possible keys appear."""
    cells = statistic.cells(contract)
    return min(cells, MOST_KEYS) if statistic.answers in ("keyed", "grouped") else cells


def _bytes_of_a_row(statistic: Statistic) -> int:
    """Counts come with estimates and ranges; synthetic records are their values alone."""
    return 40 * len(statistic.columns) + (60 if statistic.answers == "records" else 200)
