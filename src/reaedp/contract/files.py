"""What is public about the files that hold the data: how they are laid out, and how values are written in them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from reaedp.contract.column import repetitions
from reaedp.contract.notation import ColumnNotation, Notation
from reaedp.errors import DeclarationError, Mistakes

#: Encodings by the names that people use, and the names under which they are read.
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-8-bom": "utf-8",
    "latin-1": "latin-1",
    "iso-8859-1": "latin-1",
    "cp1252": "cp1252",
    "windows-1252": "cp1252",
    "utf-16": "utf-16",
}
#: What may quote a cell; nothing, where a quotation mark is a character like any other.
QUOTES = ('"', "'", "")
_LAYOUT = ("separator", "quote", "encoding", "sheet", "labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Files(Notation):
    """How files are to be read. Nothing of it is found out from rows; what is None is as the kind of file has it.

    `separator`, `quote` and `encoding` are those of texts such as CSV, `sheet` is one of a workbook, `labels` says that
    the labels of values in files of Stata and SPSS are the values. `decimal` is the mark before a fraction, `thousands`
    that between groups of three digits, `dates` are formats such as %d.%m.%Y, `first_year` is the first of the hundred
    years that %y stands for, `missing` has words for nothing. `columns` has a `ColumnNotation` for each column that
    differs. `facts` are what was given.

    >>> Files(separator=";", decimal=",", missing=("NA",)).facts()
    {'decimal': ',', 'missing': ['NA'], 'separator': ';'}
    """

    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    labels: bool | None = None
    columns: tuple[ColumnNotation, ...] = ()

    def notation(self, column: str) -> Notation:
        """How the texts of a column are written: what is said of it, and else what is said of all."""
        own = next((one for one in self.columns if one.column == column), None)
        facts = Notation.facts(self) | ({} if own is None else own.facts())
        return Notation(**frozen(facts))

    def about(self, names: Iterable[str]) -> "Files":
        """These facts, as far as they concern a contract of these columns alone."""
        kept = set(names)
        return replace(self, columns=tuple(one for one in self.columns if one.column in kept))

    def facts(self) -> dict[str, Any]:
        """What was given, and nothing else."""
        given = {key: value for key in _LAYOUT if (value := getattr(self, key)) is not None}
        columns = {one.column: one.facts() for one in self.columns}
        return Notation.facts(self) | given | ({"columns": columns} if columns else {})

    @classmethod
    def read(cls, facts: dict[str, Any]) -> "Files":
        """The facts about files, read again from what `facts` gave."""
        rest = dict(facts)
        columns = rest.pop("columns", {})
        if not isinstance(columns, dict) or not all(isinstance(own, dict) for own in columns.values()):
            raise ValueError("columns of files are tables")
        made = tuple(ColumnNotation(column=name, **frozen(own)) for name, own in columns.items())
        return cls(**frozen(rest), columns=made)

    @property
    def written(self) -> tuple[str, ...]:
        """The keys that say how values are written."""
        keys = list(Notation.facts(self))
        return (*keys, *(f"columns.{one.column}" for one in self.columns if one.facts()))

    @property
    def laid_out(self) -> tuple[str, ...]:
        """The keys that say how texts such as CSV are laid out."""
        return tuple(key for key in ("separator", "quote", "encoding") if getattr(self, key) is not None)

    @property
    def points_between_thousands(self) -> bool:
        """Whether 1.234 may be a whole number, so that printed fractions could be taken for others."""
        return any(one.thousands == "." for one in (self, *self.columns))

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Notation.note_mistakes(self, mistakes)
        mistakes.unless(
            self.separator is None or _separates(self.separator),
            f"{self.where('separator')} must be one character that is no letter, digit, point, sign or quotation mark",
            given=self.separator,
            remedy='Common ones are "," ";" "|" and "\\t" for a tab.',
        )
        mistakes.unless(
            self.quote is None or self.quote in QUOTES,
            f'{self.where("quote")} must be one of \'"\', "\'" and "" for none',
            given=self.quote,
        )
        mistakes.unless(
            self.encoding is None or (isinstance(self.encoding, str) and self.encoding.lower() in ENCODINGS),
            f"{self.where('encoding')} must be one of {', '.join(ENCODINGS)}",
            given=self.encoding,
        )
        mistakes.unless(
            self.sheet is None or (isinstance(self.sheet, str) and 0 < len(self.sheet) <= 255),
            f"{self.where('sheet')} must be the name of a sheet",
            given=self.sheet,
        )
        mistakes.unless(
            self.labels is None or isinstance(self.labels, bool),
            f"{self.where('labels')} must be true or false",
            given=self.labels,
        )
        twice = repetitions(one.column for one in self.columns)
        mistakes.unless(not twice, f"{self.where('columns')} must have different names", given=twice)
        if not mistakes:
            self._note_columns(mistakes)

    def _note_columns(self, mistakes: Mistakes) -> None:
        """Note where a column and the rest do not go together."""
        for one in self.columns:
            try:
                self.notation(one.column)
            except DeclarationError as error:
                mistakes.extend(one.where(mistake.removeprefix(f"{self.place}.")) for mistake in error.mistakes)


def frozen(facts: dict[str, Any]) -> dict[str, Any]:
    """The same facts with tuples for lists."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}


def _separates(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1 and (value == "\t" or value in " !#$%&*,/:;<=>?@^|~")
