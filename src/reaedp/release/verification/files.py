"""The files of a folder: regular ones, exactly those that are listed, as they were."""

import os
import stat
from pathlib import Path
from typing import Any

from reaedp.errors import ReaedpError
from reaedp.release.manifest import SIGNATURE_FILE, own_files
from reaedp.release.place import MANIFEST_FILE, plain_digest
from reaedp.synthesis.published_model import MODEL_SUFFIX

#: Files of a folder that belong to no release.
_COMMON = ("README.txt", "report.html")
#: What a release must have, and what it may have beside that.
_TABLES, _OTHERS = (".csv", ".parquet"), (".svg", ".png", MODEL_SUFFIX)


def check_files(folder: Path, record: dict[str, Any]) -> str:
    """Names first, then contents; nothing but regular files is opened."""
    _check_names(record)
    found, expected = _present(folder), record["files"]
    for name in sorted(found | expected.keys()):
        if name not in found:
            raise ReaedpError(f"{name} was removed after the release was made.")
        if name not in expected:
            raise ReaedpError(f"{name} was added after the release was made.")
        if plain_digest(folder / name) != expected[name]:
            raise ReaedpError(f"{name} was changed after the release was made.")
    return f"{len(found)} files are unchanged"


def _present(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        found = {entry.name: entry.stat(follow_symlinks=False).st_mode for entry in entries}
    strange = sorted(name for name, mode in found.items() if not stat.S_ISREG(mode))
    if strange:
        raise ReaedpError(
            f"A release folder must hold regular files only; {strange[0]!r} is a folder, a link, a pipe or a device."
        )
    return found.keys() - {MANIFEST_FILE, SIGNATURE_FILE}


def _check_names(record: dict[str, Any]) -> None:
    """Every listed file belongs to one release, or to all; names of releases and entries of the ledger differ."""
    names = [release["name"] for release in record["releases"]]
    for what, values in (("name", names), ("ledger entry", [release["entry"] for release in record["releases"]])):
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise ReaedpError(f"Each release must have a {what} of its own; release.json has {twice[0]!r} twice.")
    listed = set(record["files"]) - set(_COMMON)
    for release in record["releases"]:
        own = own_files(release["name"], record["files"])
        suffixes = {name.removeprefix(release["name"]) for name in own}
        if own != release["files"] or not suffixes.issuperset(_TABLES) or suffixes - {*_TABLES, *_OTHERS}:
            raise ReaedpError(f"The files that release.json lists for {release['name']!r} are not those of its kind.")
        listed -= set(own)
    if listed or "README.txt" not in record["files"]:
        raise ReaedpError(
            f"release.json must list README.txt and files of its releases only; others: {sorted(listed)}."
        )
