"""Names of columns, and nothing else of the data: not even types, which follow from rows in some kinds of files."""

from functools import lru_cache
from pathlib import Path

from reaedp.contract.files import Files
from reaedp.engines.files import files_of_header
from reaedp.engines.source import open_source

#: Kinds of files that are offered in the list of files; an address may lead to any that the engines know.
SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".gz", ".zst", ".parquet", ".pq", ".jsonl", ".ndjson", ".arrow", ".feather", ".orc"),
    *(".xlsx", ".xlsm", ".dta", ".sav", ".zsav", ".sas7bdat", ".xpt"),
)
MOST_OFFERED = 50


def names_of(address: str, files: Files | None) -> tuple[str, ...]:
    """The header of the data, as a release will read it; empty where a kind of file has none."""
    return _names(address, files, _changed(address))


def read_as(address: str, files: Files) -> Files | None:
    """How the files are read: what was said, and else the separator that the header line shows."""
    said = files if files.facts() else None
    return said if "://" in address else files_of_header(address, said)


def offered(*folders: Path) -> list[str]:
    """Files that could be the data, in these folders, as seen from the first."""
    found = [
        path.name if folder == folders[0] else str(path.absolute())
        for folder in dict.fromkeys(folders)
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in SUFFIXES and path.is_file() and not path.name.startswith(".")
    ]
    return found[:MOST_OFFERED]


@lru_cache(maxsize=16)
def _names(address: str, files: Files | None, _changed: float) -> tuple[str, ...]:
    """Some kinds of files are read whole for their header, which is done once."""
    return tuple(open_source(address, None, files).types)


def _changed(address: str) -> float:
    try:
        return Path(address).stat().st_mtime
    except (OSError, ValueError):
        return 0.0
