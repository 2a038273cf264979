"""A contract while it is filled in: read as it stands, changed by forms, and written so that nothing of it is lost.

A file that `reaedp init` could have written is written anew as that command would. In a file that somebody edited, only
what a form changed is changed, and comments stay where they are.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tomlkit

from reaedp.contract.contract import KINDS
from reaedp.contract.document import FILL_IN
from reaedp.contract.files import Files
from reaedp.drafting.contract_text import contract_text
from reaedp.drafting.draft import Draft
from reaedp.drafting.drafted import Drafted
from reaedp.drafting.heading import Heading
from reaedp.errors import DeclarationError
from reaedp.studio.form import Form
from reaedp.studio.header import names_of
from reaedp.studio.project import Project

#: Where each answer of the heading stands.
TABLE_OF = {
    "name": "dataset",
    **dict.fromkeys(("change", "person", "max_rows", "at_least"), "unit"),
    **dict.fromkeys(("epsilon", "delta", "ledger"), "budget"),
}
CHANGED_MEANWHILE = (
    "The file was changed after this page was opened, in another window or by a command. Nothing was saved: check the"
    " current version and make your changes again."
)


@dataclass(frozen=True, slots=True)
class ContractFile:
    """The columns, how files are read, and the answers of the heading, by their keys; what is open is not there."""

    draft: Draft
    heading: Mapping[str, Any]

    @classmethod
    def read(cls, project: Project) -> "ContractFile":
        """What the contract of a project says so far; nothing, if there is none."""
        document = project.document
        if document is None:
            return cls(Draft((), {}, None), {})
        heading = {
            key: value
            for key, table in TABLE_OF.items()
            if (value := document.table(table).get(key)) is not None and value != FILL_IN
        }
        columns = tuple(_drafted(name, table) for name, table in document.table("columns").items())
        files = _files(document.table("files"))
        known = {column.name for column in columns} | {heading.get("person")}
        left_out = {name: "" for name in header_of(project, files) if name not in known}
        return cls(Draft(columns, left_out, files), heading)

    def text(self) -> str:
        """The contract as `reaedp init` writes it."""
        return contract_text(self.draft.columns, Heading(**self.heading), self.draft.files, self.draft.left_out)

    def answering(self, answers: Mapping[str, Any]) -> "ContractFile":
        """The same with other answers in the heading; None makes a question open again."""
        heading = {key: value for key, value in {**self.heading, **answers}.items() if value is not None}
        return replace(self, heading=heading)

    def saying(self, columns: tuple[Drafted, ...]) -> "ContractFile":
        """The same with these columns; others of the data are left out."""
        kept = {column.name for column in columns} | {self.heading.get("person")}
        known = {**dict.fromkeys(column.name for column in self.draft.columns), **dict.fromkeys(self.draft.left_out)}
        left_out = {name: self.draft.left_out.get(name, "") for name in known if name not in kept}
        return replace(self, draft=replace(self.draft, columns=columns, left_out=left_out))

    def save(self, project: Project) -> None:
        """Write it over what is there, and keep what is not ours."""
        before = ContractFile.read(project)
        Heading(**self.heading)  # what is wrong is not written
        if project.document is None or before.is_text_of(project):
            project.write(project.contract_path, self.text())
        else:
            project.write(project.contract_path, _edited(text_of(project), before, self))

    def is_text_of(self, project: Project) -> bool:
        """Whether `reaedp init` could have written the file."""
        try:
            return self.text() == text_of(project)
        except (DeclarationError, KeyError, TypeError):  # what somebody wrote may be anything
            return False


def unless_changed(project: Project, form: Form) -> None:
    """Refuse a form that was sent from a page which shows an earlier contract."""
    if form.text("version") != version(project):
        raise DeclarationError(CHANGED_MEANWHILE)


def version(project: Project) -> str:
    """What tells one state of the contract from another, for forms that two windows show."""
    return hashlib.sha256(text_of(project).encode()).hexdigest()[:16]


def text_of(project: Project) -> str:
    """The contract as it stands; "" if there is none."""
    try:
        return project.contract_path.read_text(encoding="utf-8")
    except OSError:
        return ""


def header_of(project: Project, files: Files | None) -> tuple[str, ...]:
    """The names of the data's columns, where it can be reached."""
    if not project.data:
        return ()
    try:
        return names_of(project.data_address, files)
    except DeclarationError:
        return ()


def _drafted(name: str, table: Any) -> Drafted:
    facts = dict(table) if isinstance(table, dict) else {}
    label = facts.pop("label", "")
    known = facts.get("kind") in KINDS
    return Drafted(name, facts if known else {}, label if isinstance(label, str) else "")


def _files(table: Mapping[str, Any]) -> Files | None:
    try:
        return Files.read(dict(table)) if table else None
    except (DeclarationError, TypeError, ValueError):  # `check` says what is wrong with it
        return None


def _edited(text: str, before: ContractFile, after: ContractFile) -> str:
    """The text with what differs between the two, and with everything else as it was."""
    document: Any = tomlkit.parse(text)
    for key, table in TABLE_OF.items():
        if before.heading.get(key) != after.heading.get(key):
            _set(document.setdefault(table, tomlkit.table()), key, after.heading.get(key))
    if before.draft.files != after.draft.files:
        _edit_files(document, before.draft.files or Files(), after.draft.files or Files())
    _edit_columns(document, before, after)
    return str(tomlkit.dumps(document))


def _edit_columns(document: Any, before: ContractFile, after: ContractFile) -> None:
    was = {column.name: column for column in before.draft.columns}
    now = {column.name: column for column in after.draft.columns}
    columns: Any = document.setdefault("columns", tomlkit.table(is_super_table=True))
    for name in was.keys() - now.keys():
        columns.remove(name)
    for name, column in now.items():
        if column == was.get(name):
            continue
        line, known = column.line(), columns.get(name)
        if not isinstance(known, dict):
            columns[name] = tomlkit.inline_table() if isinstance(columns, tomlkit.items.Table) else tomlkit.table()
        for key in [key for key in columns[name] if key not in line]:
            columns[name].remove(key)
        for key, value in line.items():
            if columns[name].get(key) != value:
                columns[name][key] = value


def _edit_files(document: Any, before: Files, after: Files) -> None:
    was, now = before.facts(), after.facts()
    table = document.setdefault("files", tomlkit.table())
    for key in {**was, **now}:
        if was.get(key) != now.get(key):
            _set(table, key, now.get(key))


def _set(table: Any, key: str, value: Any) -> None:
    if value is not None:
        table[key] = value
    elif key in table:
        table.remove(key)
