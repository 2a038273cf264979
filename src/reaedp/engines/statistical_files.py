"""Files of Stata, SPSS and SAS as tables of the embedded engine: types, labels and what is missing by their headers."""

import codecs
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from reaedp.contract.files import ENCODINGS, Files
from reaedp.engines.bytes_of_files import importing
from reaedp.engines.embedded import Part, refuse_duplicates
from reaedp.engines.loaded import loaded
from reaedp.errors import DeclarationError

#: Rows that are held together.
BATCH = 100_000
#: One character for each byte, so that no text fails the library.
BYTES = "ISO-8859-1"
#: Microseconds from the first day of 1960, and of the Gregorian calendar, to that of 1970.
_1960, _1582 = -315_619_200_000_000, -12_219_379_200_000_000
DAY, SECOND, MILLISECOND = 86_400_000_000, 1_000_000, 1_000
#: Further away no moment is counted in microseconds; there the engine's own endless moments are.
ENDLESS = 2**63 - 1

_SPSS = "DATE|ADATE|EDATE|SDATE|JDATE|QYR|MOYR|WKYR|DATETIME|YMDHMS"
_SAS_DAYS = "DATE|DDMMYY[A-Z]?|MMDDYY[A-Z]?|YYMMDD[A-Z]?|E8601DA|B8601DA|IS8601DA|WEEKDATE|WEEKDATX|WORDDATE|WORDDATX"
_SAS_SECONDS = "DATETIME|E8601DT|B8601DT|IS8601DT|DATEAMPM|MDYAMPM"
_SAS = ((_SAS_DAYS, DAY, _1960), (_SAS_SECONDS, SECOND, _1960))
#: By the suffix: shapes of the formats of moments, the length of their unit in microseconds, and where they start.
MOMENTS: Mapping[str, tuple[tuple[str, int, int], ...]] = {
    ".dta": (("%-?t?d.*", DAY, _1960), ("%-?t[cC].*", MILLISECOND, _1960)),
    ".sav": ((f"({_SPSS})[0-9.]*", SECOND, _1582),),
    ".zsav": ((f"({_SPSS})[0-9.]*", SECOND, _1582),),
    ".sas7bdat": tuple((f"({shape})[0-9.]*", unit, start) for shape, unit, start in _SAS),
    ".xpt": tuple((f"({shape})[0-9.]*", unit, start) for shape, unit, start in _SAS),
}
#: Files whose header may have labels for values.
LABELLED = (".dta", ".sav", ".zsav")
_PROGRAMS = {".dta": "Stata", ".sav": "SPSS", ".zsav": "SPSS", ".sas7bdat": "SAS", ".xpt": "SAS"}


@dataclass(frozen=True, slots=True)
class Variable:
    """One column as the file's header declares it."""

    name: str
    #: From a value as the library gives it to a cell.
    cell: Callable[[Any], Any]
    kind: Any


def statistical_part(connection: duckdb.DuckDBPyConnection, path: str, suffix: str, files: Files | None) -> Part:
    """A file of a statistical program.

    Values that the header declares missing are nothing, and so are empty texts. Values in a format of dates are
    moments. With labels, a value that has one is its label.
    """
    program = _PROGRAMS[suffix]
    with importing("pyreadstat", f"Files of {program}"):
        import pyarrow as pa
        import pyreadstat

    read = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }[suffix]
    with _refusing_damage(path, program):
        _, meta = read(path, metadataonly=True, output_format="dict")
        variables = _variables(meta, suffix, files, _encoding(path, suffix, meta, files))
        refuse_duplicates(path, tuple(variable.name for variable in variables))
        schema = pa.schema([(variable.name, variable.kind) for variable in variables])
        return loaded(connection, schema, (_table(batch, variables, schema) for batch in _batches(read, path)))


@contextmanager
def _refusing_damage(path: str, program: str) -> Iterator[None]:
    """Refuse a file that the library cannot read; of some that are damaged it says so by a TypeError of its own."""
    import pyreadstat

    try:
        yield
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, OSError, TypeError, duckdb.Error):
        raise DeclarationError(
            f"{path} is damaged, or no file of {program}. Save it again there, or as .csv."
        ) from None


def _variables(meta: Any, suffix: str, files: Files | None, encoding: str) -> list[Variable]:
    import pyarrow as pa

    labels = meta.variable_value_labels if files is not None and files.labels else {}
    made = []
    for name in meta.column_names:
        texts = meta.readstat_variable_types[name] == "string"
        moment = _moment(meta.original_variable_types.get(name), suffix)
        if labels.get(name):
            made.append(Variable(name, _labelled(labels[name], texts, encoding), pa.string()))
        elif texts:
            made.append(Variable(name, partial(_decoded, encoding=encoding), pa.string()))
        elif moment is not None:
            unit, start = moment
            made.append(Variable(name, partial(_microseconds, unit=unit, start=start), pa.timestamp("us")))
        else:
            made.append(Variable(name, _number, pa.float64()))
    return made


def _encoding(path: str, suffix: str, meta: Any, files: Files | None) -> str:
    """What is declared, or else what the file's header says."""
    if files is not None and files.encoding:
        return ENCODINGS[files.encoding.lower()]
    if suffix == ".dta":
        with Path(path).open("rb") as file:
            found = re.match(rb"<stata_dta><header><release>(\d+)", file.read(40))
        return "utf-8" if found and int(found[1]) >= 118 else "cp1252"
    try:
        return codecs.lookup(meta.file_encoding or "utf-8").name
    except LookupError:
        return "utf-8"


def _moment(form: str | None, suffix: str) -> tuple[int, int] | None:
    """Unit and start of the moments of a format; None if it is no format of moments."""
    known = MOMENTS[suffix]
    return next(((unit, start) for shape, unit, start in known if re.fullmatch(shape, form or "")), None)


def _batches(read: Any, path: str) -> Iterator[dict[str, list[Any]]]:
    """Some rows, then some more; without the library's own dates, which fail on numbers that are none."""
    start = 0
    while True:
        options = {"disable_datetime_conversion": True, "output_format": "dict", "encoding": BYTES}
        batch, _ = read(path, row_limit=BATCH, row_offset=start, **options)
        columns = list(batch.values())
        rows = len(columns[0]) if columns else 0
        if rows:
            yield batch
        if rows < BATCH:
            return
        start += rows


def _table(batch: dict[str, list[Any]], variables: list[Variable], schema: Any) -> Any:
    import pyarrow as pa

    columns = [
        pa.array([variable.cell(value) for value in cells], _stored(variable.kind)).cast(variable.kind)
        for variable, cells in zip(variables, batch.values(), strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _stored(kind: Any) -> Any:
    import pyarrow as pa

    return pa.int64() if pa.types.is_timestamp(kind) else kind


def _number(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _decoded(value: Any, encoding: str) -> str | None:
    """A text from its bytes, with question marks for what is none."""
    if not value:
        return None
    return str(value).encode("latin-1", "replace").decode(encoding, "replace")


def _labelled(labels: Mapping[Any, str], texts: bool, encoding: str) -> Callable[[Any], str | None]:
    def cell(value: Any) -> str | None:
        plain = _decoded(value, encoding) if texts else _number(value)
        if plain is None or plain in labels:
            return None if plain is None else str(labels[plain])
        if isinstance(plain, str):
            return plain
        return str(int(plain)) if math.isfinite(plain) and plain == int(plain) else repr(plain)

    return cell


def _microseconds(value: Any, unit: int, start: int) -> int | None:
    """Microseconds since 1970; beyond those that can be counted, the engine's endless moments."""
    number = _number(value)
    if number is None:
        return None
    if not abs(number) * unit < 9e18:
        return ENDLESS if number > 0 else -ENDLESS
    whole = math.floor(number)
    micros = whole * unit + round((number - whole) * unit) + start
    return min(max(micros, -ENDLESS), ENDLESS)


def labels_in_header(path: str) -> dict[str, tuple[str, ...]]:
    """The labels that the header of a file of Stata or SPSS gives to values, by column; no row is read."""
    meta = _header(path)
    labels = {} if meta is None else meta.variable_value_labels
    return {name: tuple(dict.fromkeys(map(str, known.values()))) for name, known in labels.items() if known}


def names_in_header(path: str) -> dict[str, str]:
    """What the header of a file of Stata or SPSS calls its columns, where it says so; no row is read."""
    meta = _header(path)
    named = {} if meta is None else meta.column_names_to_labels
    return {name: " ".join(str(label).split()) for name, label in named.items() if label and str(label).strip()}


def _header(path: str) -> Any:
    """What the header says; nothing for other kinds of files."""
    suffix = Path(path).suffix.lower()
    if suffix not in LABELLED:
        return None
    with importing("pyreadstat", f"Files of {_PROGRAMS[suffix]}"):
        import pyreadstat
    with _refusing_damage(path, _PROGRAMS[suffix]):
        read = pyreadstat.read_dta if suffix == ".dta" else pyreadstat.read_sav
        _, meta = read(path, metadataonly=True, output_format="dict")
    return meta
