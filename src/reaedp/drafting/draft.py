"""Which columns a draft has, and what it says of each: the first source that knows a column speaks of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reaedp.contract.files import Files, frozen
from reaedp.contract.meaning import meaning
from reaedp.contract.notation import ColumnNotation
from reaedp.drafting.contract_text import by_type
from reaedp.drafting.drafted import Drafted
from reaedp.errors import DeclarationError, unknown


@dataclass(frozen=True, slots=True)
class Draft:
    """The columns of a draft, those of the data that it leaves out with the reason, and how files are read."""

    columns: tuple[Drafted, ...]
    left_out: Mapping[str, str]
    files: Files | None

    @property
    def open(self) -> tuple[Drafted, ...]:
        """Columns of which something must still be said."""
        return tuple(column for column in self.columns if column.column() is None)

    def without(self, names: Iterable[str]) -> "Draft":
        """The draft without some columns."""
        gone = set(names)
        kept = tuple(column for column in self.columns if column.name not in gone)
        left_out = {**self.left_out, **{column.name: "" for column in self.columns if column.name in gone}}
        return replace(self, columns=kept, left_out=left_out)

    def about(self, person: str | None) -> "Draft":
        """The draft in which this column says whose row it is, and need not be a column of the contract."""
        left_out = {name: why for name, why in self.left_out.items() if name != person}
        return replace(self, columns=tuple(one for one in self.columns if one.name != person), left_out=left_out)

    def saying(self, said: Mapping[str, Drafted]) -> "Draft":
        """The draft with other facts about some columns."""
        return replace(self, columns=tuple(_over(column, said.get(column.name)) for column in self.columns))

    def reading(self, facts: Mapping[str, Any]) -> "Draft":
        """The draft with more said about files; what was said before stays, and so does what is said of a column."""
        if not facts and self.files is None:
            return self
        before = (self.files or Files()).facts()
        own: Mapping[str, Any] = facts.get("columns", {})
        columns = {name: {**own.get(name, {}), **before.get("columns", {}).get(name, {})} for name in
                   {**own, **before.get("columns", {})}}  # fmt: skip
        whole = {**facts, **before} | ({"columns": columns} if columns else {})
        return replace(self, files=Files.read(whole))


def doubts_about_header(names: Sequence[str]) -> Iterator[str]:
    """What may be wrong with the names in the first line of a file, and how to go on."""
    if len(names) == 1:
        yield (
            "Only one name was found in the first line. If the names are further down, delete what is above them; if"
            " an unusual mark lies between them, say which with --separator."
        )
    if any(meaning(name)[0] == "number" for name in names):
        yield (
            "Some names in the first line are numbers. If that line is a row and not a header, add a line of names"
            " above it and draft again: names are published."
        )


def drafted(
    types: Mapping[str, str],
    sources: Sequence[Mapping[str, Drafted]],
    wanted: Sequence[str] | None,
    person: str | None,
    files: Files | None,
) -> Draft:
    """A draft of the columns that are `wanted`, or else of those that a source knows, or else of all.

    `types` are those of the data's columns, by name; where a file has no header they are what the sources name.
    """
    header = list(types) or list(dict.fromkeys(name for source in sources for name in source))
    for name in (*(wanted or ()), *(sources[0] if sources else ()), *([person] if person else ())):
        if types and name not in types:
            raise DeclarationError(f"The data lacks a column. {unknown('column', name, types)}")
    merged = {name: _merged(name, types.get(name, ""), sources) for name in header if name != person}
    if wanted is not None:
        chosen = [name for name in merged if name in set(wanted)]
    else:
        chosen = [name for name in merged if any(name in source and source[name].known for source in sources)]
        chosen = chosen or [name for name in merged if not merged[name].why_not]
    left_out = {name: column.why_not for name, column in merged.items() if name not in chosen}
    columns = tuple(merged[name] for name in chosen)
    return Draft(columns, left_out, _noted(columns, person, files))


def _merged(name: str, kind: str, sources: Sequence[Mapping[str, Drafted]]) -> Drafted:
    """What the first source that knows the column says; a label and the notation from whoever has them."""
    found = [source[name] for source in sources if name in source]
    first = next((one for one in found if one.known), by_type(name, kind))
    return replace(
        first,
        label=next((one.label for one in found if one.label), ""),
        notation=next((one.notation for one in found if one.notation.facts()), first.notation),
        why_not=next((one.why_not for one in found if one.why_not), ""),
    )


def _over(column: Drafted, said: Drafted | None) -> Drafted:
    return column if said is None else replace(said, label=column.label, notation=column.notation)


def _noted(columns: Sequence[Drafted], person: str | None, files: Files | None) -> Files | None:
    """What is said of all files, and of columns that differ; what a codebook says of all columns is said once."""
    given = {} if files is None else files.facts()
    names = {column.name for column in columns} | ({person} if person else set())
    own: dict[str, dict[str, Any]] = {
        name: dict(facts) for name, facts in given.pop("columns", {}).items() if name in names
    }
    said = {column.name: column.notation.facts() for column in columns if column.notation.facts()}
    common = _common(list(said.values())) if len(said) == len(columns) else {}
    whole = {**common, **given}
    for name, facts in said.items():
        rest = {key: value for key, value in facts.items() if whole.get(key) != value}
        if rest:
            own[name] = {**rest, **own.get(name, {})}
    if not whole and not own:
        return files
    made = tuple(ColumnNotation(column=name, **frozen(facts)) for name, facts in own.items())
    return replace(Files.read(whole), columns=made)


def _common(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of them say alike."""
    return (
        {key: value for key, value in facts[0].items() if all(one.get(key) == value for one in facts)} if facts else {}
    )
