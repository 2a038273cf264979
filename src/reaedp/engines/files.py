"""Files as tables of the embedded engine: nothing about their columns is guessed from rows."""

import glob
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import duckdb

from reaedp.contract.files import Files
from reaedp.disk.duckdb_engine import connect_for_rows
from reaedp.engines.bytes_of_files import READ_AGAIN, check_readable, suffixes
from reaedp.engines.csv_files import DELIMITERS, open_csv, separator_of
from reaedp.engines.embedded import EmbeddedSource, Part, refuse_points
from reaedp.engines.parquet_files import Partitions, parquet_parts
from reaedp.errors import DeclarationError

#: Opens files of one kind, all of which can be read.
Opener = Callable[[list[str], Files | None], EmbeddedSource]


def open_files(address: str, files: Files | None = None) -> EmbeddedSource:
    """Open a file, a folder of Parquet, or all files that a pattern matches; no row is shown to anybody."""
    if address == "-" and not Path(address).exists():
        raise DeclarationError(f"Standard input cannot be read. {_instead(Path('/dev/stdin'))}")
    if Path(address).is_dir():
        return _open_folder(str(Path(address).absolute()), files)
    paths = [str(Path(path).absolute()) for path in _matching(address)]
    for path in paths:
        if Path(path).is_dir():
            raise DeclarationError(f"{path} is a folder. Name files in it, such as {Path(path) / '*.parquet'}.")
        check_readable(path)
    suffix, packed = suffixes(paths[0])
    if any(suffixes(path)[0] != suffix for path in paths):
        raise DeclarationError(f"All files of {address!r} must be of the same kind. Write their suffix, as in *.csv.")
    if suffix in DELIMITERS or (files is not None and files.separator and suffix not in OPENERS):
        return open_csv(paths, suffix, files, connect_for_rows)
    if suffix not in OPENERS or (packed and suffix not in PACKED):
        raise DeclarationError(f"{paths[0]} is not a kind of file that can be read. {_instead(Path(paths[0]))}")
    if suffix not in TOLD_APART:
        refuse_points(files, f"Files of {suffix}")
    return OPENERS[suffix](paths, files)


def files_of_header(address: str, files: Files | None) -> Files | None:
    """What is declared, with the separator that the header line of the first file shows if that is not its suffix's."""
    path = _matching(address)[0]
    if suffixes(path)[0] not in DELIMITERS or not Path(path).is_file():
        return files
    check_readable(path)
    found = separator_of(path, files)
    return files if found is None else replace(files or Files(), separator=found)


def labels_of_header(address: str) -> dict[str, tuple[str, ...]]:
    """The labels of values, by column, in the header of the first file, if that is one of Stata or SPSS."""
    from reaedp.engines.statistical_files import labels_in_header

    path = _matching(address)[0]
    return labels_in_header(path) if Path(path).is_file() else {}


def names_of_header(address: str) -> dict[str, str]:
    """What columns are called in words, in the header of the first file, if that is one of Stata or SPSS."""
    from reaedp.engines.statistical_files import names_in_header

    path = _matching(address)[0]
    return names_in_header(path) if Path(path).is_file() else {}


def sheets_of_header(address: str) -> tuple[str, ...]:
    """The names of the sheets of the first file, if that is a workbook."""
    from reaedp.engines.workbooks import sheets_of

    path = _matching(address)[0]
    return sheets_of(path) if suffixes(path)[0] in TOLD_APART and Path(path).is_file() else ()


def gaps_of_header(address: str, files: Files | None) -> int:
    """How many columns between others have no name in the first row of a sheet; they are passed over."""
    from reaedp.engines.workbooks import gaps_in_header

    path = _matching(address)[0]
    if suffixes(path)[0] not in TOLD_APART or not Path(path).is_file():
        return 0
    return gaps_in_header(path, None if files is None else files.sheet)


def _open_parquet(paths: list[str], files: Files | None) -> EmbeddedSource:
    return EmbeddedSource(lambda: parquet_parts(connect_for_rows(), paths), files)


def _open_json(paths: list[str], files: Files | None) -> EmbeddedSource:
    from reaedp.engines.json_lines import json_part

    return EmbeddedSource(lambda: [json_part(connect_for_rows(), paths)], files)


def _open_arrow(paths: list[str], files: Files | None) -> EmbeddedSource:
    from reaedp.engines.arrow_files import arrow_part

    return _open_each(paths, files, arrow_part)


def _open_orc(paths: list[str], files: Files | None) -> EmbeddedSource:
    from reaedp.engines.arrow_files import orc_part

    return _open_each(paths, files, orc_part)


def _open_workbook(paths: list[str], files: Files | None) -> EmbeddedSource:
    from reaedp.engines.workbooks import workbook_part

    sheet = None if files is None else files.sheet
    return _open_each(paths, files, lambda connection, path: workbook_part(connection, path, sheet))


def _open_statistical(paths: list[str], files: Files | None) -> EmbeddedSource:
    from reaedp.engines.statistical_files import statistical_part

    suffix = suffixes(paths[0])[0]
    return _open_each(paths, files, lambda connection, path: statistical_part(connection, path, suffix, files))


def _open_each(
    paths: list[str], files: Files | None, open_part: Callable[[duckdb.DuckDBPyConnection, str], Part]
) -> EmbeddedSource:
    """Files that are parts, each with types of its own."""

    def parts() -> list[Part]:
        connection = connect_for_rows()
        made = [open_part(connection, path) for path in paths]
        for path, part in zip(paths, made, strict=True):
            if set(part.columns) != set(made[0].columns):
                raise DeclarationError(f"{path} has different column names than {paths[0]}.")
        return made

    return EmbeddedSource(parts, files)


#: By the suffix of the files.
OPENERS: Mapping[str, Opener] = {
    ".parquet": _open_parquet,
    ".pq": _open_parquet,
    ".jsonl": _open_json,
    ".ndjson": _open_json,
    ".arrow": _open_arrow,
    ".feather": _open_arrow,
    ".orc": _open_orc,
    ".xlsx": _open_workbook,
    ".xlsm": _open_workbook,
    ".dta": _open_statistical,
    ".sav": _open_statistical,
    ".zsav": _open_statistical,
    ".sas7bdat": _open_statistical,
    ".xpt": _open_statistical,
}
#: Kinds that may be compressed besides.
PACKED = (*DELIMITERS, ".jsonl", ".ndjson")
#: Kinds whose reader tells numbers from texts that have points between thousands.
TOLD_APART = (".xlsx", ".xlsm")


#: How to go on with other kinds of files, by their suffixes.
_SAVE_AGAIN = "Open it in the program that wrote it, and save it as .xlsx or .csv."
_FROM_R = 'In R: write.csv(data, "data.csv", row.names = FALSE), or arrow::write_parquet(data, "data.parquet").'
_FROM_PANDAS = 'In Python: read it with pandas and write it with to_parquet("data.parquet").'
_UNPACK = "Unpack it, and give the name of the file inside."
_REPACK = "Decompress it, or compress it by gzip (.gz) or Zstandard (.zst) instead."
_INSTEAD = {
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers", ".mdb", ".accdb", ".dbf"), _SAVE_AGAIN),
    **dict.fromkeys((".rds", ".rdata", ".rda"), _FROM_R),
    **dict.fromkeys((".pkl", ".pickle", ".h5", ".hdf5"), _FROM_PANDAS),
    **dict.fromkeys((".zip", ".7z", ".rar", ".tar", ".tgz"), _UNPACK),
    **dict.fromkeys((".bz2", ".xz", ".lzma", ".z"), _REPACK),
    ".json": "Write one object per line, as .jsonl: jq -c '.[]' data.json > data.jsonl.",
    ".duckdb": "Write its address with a table: duckdb:///path/to/data.duckdb?table=people.",
    ".sqlite": 'Export the table: sqlite3 -header -csv data.sqlite "select * from people" > people.csv.',
}


def _instead(path: Path) -> str:
    """How to go on with a file that cannot be read."""
    if str(path) in ("/dev/stdin", "/proc/self/fd/0"):
        return READ_AGAIN
    others = ", ".join(suffix for suffix in OPENERS if suffix not in PACKED)
    return _INSTEAD.get(path.suffix.lower()) or (
        f"Known: {', '.join(PACKED)} (also with .gz or .zst), {others}, and folders of Parquet. If it is a text with"
        ' separated cells, write its separator under [files] in the contract, such as separator = ";" (`reaedp init`'
        " has --separator)."
    )


def _open_folder(folder: str, files: Files | None) -> EmbeddedSource:
    """All Parquet files in a folder and in those within it, but for names that begin with a point or _."""
    found = sorted(
        str(path)
        for path in Path(folder).rglob("*")
        if path.suffix.lower() in (".parquet", ".pq") and path.is_file() and not _hidden(path.relative_to(folder))
    )
    if not found:
        raise DeclarationError(
            f"{folder} is a folder without Parquet files. Name files in it, such as {Path(folder) / '*.csv'}."
        )
    for path in found:
        check_readable(path)
    refuse_points(files, "Parquet files")
    partitions = Partitions.of(folder, found)
    return EmbeddedSource(lambda: parquet_parts(connect_for_rows(), found, partitions), files)


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _matching(address: str) -> list[str]:
    """A path that exists is that file, whatever signs are in its name."""
    if Path(address).exists() or not glob.has_magic(address):
        return [address]
    paths = sorted(glob.glob(address))
    if not paths:
        raise DeclarationError(f"No file matches {address!r}. Check the folder's name, and upper and lower case.")
    return paths
