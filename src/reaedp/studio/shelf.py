"""Folders of this machine, so that a file can be found without typing where it is; names are read, and no file."""

from dataclasses import dataclass
from pathlib import Path

#: Kinds of files that are listed; a path that is typed may lead to any that the engines know.
SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".gz", ".zst", ".parquet", ".pq", ".jsonl", ".ndjson", ".arrow", ".feather", ".orc"),
    *(".xlsx", ".xlsm", ".dta", ".sav", ".zsav", ".sas7bdat", ".xpt"),
)
#: So many names are listed of either sort.
MOST = 200


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a folder holds that could be data or lead to it: names, with the paths that they stand for."""

    folder: Path
    above: Path | None
    folders: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    #: Whether more is there than is listed.
    more: bool = False

    @classmethod
    def of(cls, folder: Path, project: Path) -> "Shelf":
        """A folder as it is now; for one that cannot be read, a way back."""
        try:
            folder, project = folder.resolve(), project.resolve()
            found = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".") and _text(path)]
            folders = [(path.name, str(path)) for path in found if path.is_dir()]
            data = [path for path in found if path.suffix.lower() in SUFFIXES and path.is_file()]
        except (OSError, ValueError):  # a null character is no path
            return cls(Path(project), Path(project).parent)
        above = folder.parent if folder.parent != folder else None
        files = [(path.name, path.name if folder == project else str(path)) for path in data]
        more = max(len(folders), len(files)) > MOST
        return cls(folder, above, tuple(folders[:MOST]), tuple(files[:MOST]), more)


def _text(path: Path) -> bool:
    """Whether a name can stand on a page; systems allow bytes that are no text."""
    try:
        return bool(str(path).encode())
    except UnicodeEncodeError:
        return False
