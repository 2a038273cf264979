"""Names of columns, and nothing else of the data: not even types, which follow from rows in some kinds of files."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from reaedp.contract.files import Files
from reaedp.engines.files import files_of_header, sheets_of_header
from reaedp.engines.source import open_source
from reaedp.errors import DeclarationError

#: Encodings that are tried where a header is not UTF-8.
ENCODINGS = ("cp1252", "utf-16")


class Reading(NamedTuple):
    """One way to read a file that can be read in several: what is to be said for it, and how it would look."""

    key: str
    value: str
    header: str = ""


def names_of(address: str, files: Files | None) -> tuple[str, ...]:
    """The header of the data, as a release will read it; empty where a kind of file has none."""
    return _names(address, files, _changed(address))


def read_as(address: str, files: Files) -> Files | None:
    """How the files are read: what was said, and else the separator that the header line shows."""
    said = files if files.facts() else None
    return said if "://" in address else files_of_header(address, said)


def ways_of(address: str, files: Files) -> tuple[Reading, ...]:
    """The sheets of a workbook, or the encodings in which a header can be read, where one of them must be named."""
    if "://" in address:
        return ()
    if files.sheet is None and len(sheets := sheets_of_header(address)) > 1:
        return tuple(Reading("sheet", sheet) for sheet in sheets)
    if files.encoding is None and not _readable(address, files):
        tried = ((name, _readable(address, replace(files, encoding=name))) for name in ENCODINGS)
        return tuple(Reading("encoding", name, ", ".join(_telling(names))) for name, names in tried if names)
    return ()


def _telling(names: tuple[str, ...]) -> list[str]:
    """The names by which one encoding is told from another."""
    return [name for name in names if not name.isascii()] or list(names)


def _readable(address: str, files: Files) -> tuple[str, ...]:
    """The header, if it can be read so; a text of another encoding has signs that no name has."""
    try:
        names = names_of(address, read_as(address, files))
    except DeclarationError:
        return ()
    return names if all(name.isprintable() for name in names) else ()


@lru_cache(maxsize=16)
def _names(address: str, files: Files | None, _changed: float) -> tuple[str, ...]:
    """Some kinds of files are read whole for their header, which is done once."""
    return tuple(open_source(address, None, files).types)


def _changed(address: str) -> float:
    try:
        return Path(address).stat().st_mtime
    except (OSError, ValueError):
        return 0.0
