"""Texts of cells in lines as tables of the embedded engine: nothing about them is guessed from rows."""

import codecs
import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from reaedp.contract.files import ENCODINGS, Files
from reaedp.engines.bytes_of_files import Copies, PlainTexts, first_line, most_lines, opened, suffixes
from reaedp.engines.embedded import EmbeddedSource, Part, refuse_header
from reaedp.engines.literal_paths import literally
from reaedp.engines.plain_numbers import plain_numbers
from reaedp.errors import DeclarationError

#: A longer line is no row.
LONGEST_LINE = 8 * 2**20
#: What the engine reads at once; it holds several of these, and by itself would take each for 16 longest lines.
BUFFER = 2 * LONGEST_LINE
#: What lies between cells, by the suffix of a file, and what quotes a cell, by what lies between cells.
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
QUOTES = {"\t": ""}
#: What else may lie between the names in a header.
_OTHERS = (";", "\t", ",", "|")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are separated and quoted, and how characters are bytes; all of it declared or by the suffix."""

    separator: str
    quote: str
    encoding: str

    @classmethod
    def declared(cls, suffix: str, files: Files | None) -> "Dialect":
        """What the contract says, or else what the suffix does."""
        files = files or Files()
        separator = files.separator or DELIMITERS.get(suffix, ",")
        quote = QUOTES.get(separator, '"') if files.quote is None else files.quote
        return cls(separator, quote, ENCODINGS[(files.encoding or "utf-8").lower()])

    def names(self, line: str) -> tuple[str, ...] | None:
        """The cells of a header line; None if a quotation mark at the start of one is never closed."""
        form: dict[str, Any] = {
            "delimiter": self.separator,
            "quotechar": self.quote or None,
            "quoting": csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
        }
        reader = csv.reader([line, ""], **form)
        names = tuple(next(reader, ()))
        return names if reader.line_num == 1 else None  # an open quotation mark asks for the next line


def open_csv(
    paths: list[str], suffix: str, files: Files | None, connect: Callable[[], duckdb.DuckDBPyConnection]
) -> EmbeddedSource:
    """Read every cell as text: a type guessed from rows would be a fact about rows.

    Nothing about the dialect is guessed either: by its suffix, cells between commas may be quoted, and cells between
    tabs are as they are. A line with too few cells, a line over 8 MiB and a line that is not UTF-8 are no rows; cells
    beyond the header are not looked at, and columns without a name are passed over. Which lines belong together is
    believed of the file's writer: an unclosed quote would swallow the lines after it.
    """
    dialect = Dialect.declared(suffix, files)
    header, *others = (_header(path, dialect) for path in paths)
    for path, other in zip(paths[1:], others, strict=True):
        if other != header:
            raise DeclarationError(f"The header of {path} differs from that of {paths[0]}.")
    return EmbeddedSource(
        lambda: [_part(connect(), paths, dialect, header)], files, lambda names: _advice(paths[0], dialect, names)
    )


def _part(connection: duckdb.DuckDBPyConnection, paths: list[str], dialect: Dialect, header: tuple[str, ...]) -> Part:
    """The engine's own decoders fail on some bytes, which are a row's: it is given UTF-8.

    It looks only at cells that are asked for. The condition, which is true of every row, asks for all of them: or which
    lines are UTF-8 and well quoted, and so rows, would depend on the question. Where the bytes show that all lines are,
    nothing is asked but what is wanted. Where they show that no text has a strange sign, none is looked for in cells;
    and if lines end in one way, Arrow's library may read their numbers.
    """
    cells = tuple(f"c{number}" for number in range(len(header)))
    copies = None if dialect.encoding == "utf-8" else Copies(paths, dialect.encoding)
    texts = copies.paths if copies else paths
    relation = connection.read_csv(
        literally(connection, texts),  # type: ignore[arg-type]
        columns=dict.fromkeys(cells, "VARCHAR"),
        auto_detect=False,
        header=True,
        delimiter=dialect.separator,
        quotechar=dialect.quote,
        escapechar=dialect.quote,
        ignore_errors=True,
        strict_mode=False,
        max_line_size=LONGEST_LINE,
        buffer_size=BUFFER,
    )
    plain = PlainTexts(texts, dialect.quote)
    named = {name: (cell, "VARCHAR") for name, cell in zip(header, cells, strict=True) if name}
    return Part(
        relation,
        named,
        connection,
        copies,
        most_rows=lambda: most_lines(paths) // len(header) + len(paths),  # a row has that many cells and its end
        also_read=lambda: () if plain() else cells,
        bare=plain.bare,
        made=lambda columns: (
            plain_numbers(connection, texts, dialect.separator, header, columns) if plain.in_lines() else None
        ),
        known=lambda: (plain(), plain.bare(), plain.in_lines()),
    )


def _header(path: str, dialect: Dialect) -> tuple[str, ...]:
    """The names in the first line, and in no other; headers are public, rows are not."""
    try:
        names = dialect.names(first_line(path, dialect.encoding))
        "".join(names or ()).encode()
    except (UnicodeError, csv.Error, OSError, EOFError):
        raise DeclarationError(
            f"{path} does not begin with a line of column names in {dialect.encoding.upper()}. {_encoding(path)}"
        ) from None
    if names is None:  # the rest of the header would be in the rows
        raise DeclarationError(
            f"{path}: a quoted column name must end in the header line; given one without a closing quotation mark."
            " Remove line breaks from the names in the file; or, if the mark belongs to a name, write under [files] in"
            ' the contract: quote = "".'
        )
    refuse_header(path, names)
    return names


def _encoding(path: str) -> str:
    """How to go on: a mark at the beginning names the encoding; else a program for Windows is the usual cause."""
    try:
        with opened(path) as file:
            marked = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    except (OSError, EOFError):
        marked = False
    name = "utf-16" if marked else "cp1252"
    origin = "It begins as UTF-16 does" if marked else "If it was written by a program for Windows, it may be cp1252"
    return f'{origin}: write under [files] in the contract: encoding = "{name}" (`reaedp init` has --encoding).'


def separator_of(path: str, files: Files | None) -> str | None:
    """What lies between the names of a header that is one name by its suffix; None if nothing does, or it is said."""
    dialect = Dialect.declared(suffixes(path)[0], files)
    if files is not None and files.separator is not None:
        return None
    if len(_header(path, dialect)) > 1:
        return None
    line = first_line(path, dialect.encoding)
    found = {other: len(Dialect(other, '"', "").names(line) or ()) for other in _OTHERS}
    best = max(found, key=lambda other: found[other])
    return best if found[best] > 1 else None


def _advice(path: str, dialect: Dialect, declared: Sequence[str]) -> str:
    """What to write if another mark lies between the names of the header; a row is told from one by no such name."""
    line = first_line(path, dialect.encoding)
    for other in _OTHERS:
        found = Dialect(other, dialect.quote or '"', dialect.encoding).names(line)
        if other != dialect.separator and set(found or ()) & set(declared):
            mark = "\\t" if other == "\t" else other
            return (
                f" In its header line the names are separated by {other!r}, not by {dialect.separator!r}:"
                f' write under [files] in the contract: separator = "{mark}".'
            )
    return ""
