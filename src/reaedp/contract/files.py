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
    """How to read the files of a data set. None means "as usual for that kind of file"; rows are never asked.

    `separator`, `quote` and `encoding` describe text files such as CSV; `sheet` names a sheet of a workbook; `labels`
    says that value labels in Stata and SPSS files are to be used in place of codes. `decimal` is the decimal mark,
    `thousands` the mark between groups of three digits, `dates` are formats such as %d.%m.%Y, and `first_year` is the
    first of the hundred years that %y can mean. `missing` lists texts that mean "no value"; `signs`, such as "€", may
    stand beside a number and are ignored. `columns` has a `ColumnNotation` for each column that differs. `facts` holds
    what was given.

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
        """How the texts of a column are written: as declared for the column, or else as declared for all columns."""
        own = next((one for one in self.columns if one.column == column), None)
        facts = Notation.facts(self) | ({} if own is None else own.facts())
        return Notation(**frozen(facts))

    def about(self, names: Iterable[str]) -> "Files":
        """The part of these facts that concerns a contract with these columns only."""
        kept = set(names)
        return replace(self, columns=tuple(one for one in self.columns if one.column in kept))

    def facts(self) -> dict[str, Any]:
        """The facts that were given, without the defaults."""
        given = {key: value for key in _LAYOUT if (value := getattr(self, key)) is not None}
        columns = {one.column: one.facts() for one in self.columns}
        return Notation.facts(self) | given | ({"columns": columns} if columns else {})

    @classmethod
    def read(cls, facts: dict[str, Any]) -> "Files":
        """Rebuild the declaration from its `facts`."""
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
        """Whether 1.234 may be a whole number, so that a printed decimal fraction could be misread."""
        return any(one.thousands == "." for one in (self, *self.columns))

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Notation.note_mistakes(self, mistakes)
        self._note(
            mistakes,
            "separator",
            _separates,
            "be one character that is no letter, digit, point, sign or quotation mark",
            remedy='Common ones are "," ";" "|" and "\\t" for a tab.',
        )
        self._note(mistakes, "quote", QUOTES.__contains__, 'be one of \'"\', "\'" and "" for none')
        known = f"be one of {', '.join(ENCODINGS)}"
        self._note(mistakes, "encoding", lambda name: isinstance(name, str) and name.lower() in ENCODINGS, known)
        named = "be the name of a sheet"
        self._note(mistakes, "sheet", lambda name: isinstance(name, str) and 0 < len(name) <= 255, named)
        self._note(mistakes, "labels", lambda said: isinstance(said, bool), "be true or false")
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
