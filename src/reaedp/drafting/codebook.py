"""Codebooks: what is written down about the columns of a data set, apart from the data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaedp.contract.document import MOST_BYTES, Document
from reaedp.contract.files import Files, frozen
from reaedp.contract.notation import Notation
from reaedp.drafting.codebook_csv import read_table
from reaedp.drafting.ddi import read_ddi
from reaedp.drafting.drafted import NEEDED, Drafted
from reaedp.drafting.table_schema import read_schema
from reaedp.drafting.variable import Variable
from reaedp.errors import DeclarationError


@dataclass(frozen=True, slots=True)
class Codebook:
    """The columns that a codebook describes, and how the files of the data are laid out, if it says so."""

    columns: Mapping[str, Drafted]
    files: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, *, labels: bool = False) -> "Codebook":
        """A CSV table, a Frictionless table schema or data package, DDI, or another contract, by its suffix.

        With `labels`, values are their labels, as `[files]` says it of Stata and SPSS.
        """
        suffix = path.suffix.lower()
        if suffix == ".toml":
            return _of_contract(path)
        if suffix not in _READERS:
            raise DeclarationError(
                f"{path} cannot be read as a codebook. Known: a table (.csv, .tsv), a Frictionless table schema"
                " (.json), DDI (.xml) or another contract (.toml)."
            )
        variables, files = _READERS[suffix](_text(path), path)
        return cls({one.name: one.drafted(f"public: {path.name}", labels) for one in variables}, files)


_READERS: Mapping[str, Callable[[str, Path], tuple[list[Variable], dict[str, Any]]]] = {
    ".csv": read_table,
    ".tsv": read_table,
    ".json": read_schema,
    ".xml": read_ddi,
}


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > MOST_BYTES:
        raise DeclarationError(f"{path} must be at most {MOST_BYTES:,} bytes long; it is longer.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")  # as programs for Windows write


def _of_contract(path: Path) -> Codebook:
    """The columns of another contract; what was bought for it has been released, and is public since."""
    document = Document.read(path)
    declared = document.table("files")
    try:
        files = Files.read(declared)
    except (TypeError, ValueError):
        raise DeclarationError(f"{path}: [files] has unknown keys. Run: reaedp check {path}") from None
    columns = {}
    for name, table in document.table("columns").items():
        if not isinstance(table, dict) or table.get("kind") not in NEEDED:
            continue
        facts = {key: value for key, value in table.items() if key not in ("kind", "provenance", "entry")}
        said = str(table.get("provenance", ""))
        provenance = said if said.startswith("public") else f"public: {path.name}"
        own = next((one.facts() for one in files.columns if one.column == name), {})
        columns[name] = Drafted.of(name, table["kind"], provenance, facts, notation=Notation(**frozen(own)))
    return Codebook(columns, {key: value for key, value in files.facts().items() if key != "columns"})
