"""Data: where the file is, how it is read, and which of its columns matter. The header is read, and no value."""

from os.path import relpath
from pathlib import Path
from typing import Any

from starlette.responses import Response

from reaedp.contract.files import ENCODINGS, Files
from reaedp.drafting.draft import Draft, drafted
from reaedp.errors import DeclarationError
from reaedp.studio.contract_file import ContractFile, unless_changed, version
from reaedp.studio.form import Form
from reaedp.studio.header import Reading, names_of, read_as, ways_of
from reaedp.studio.project import Project
from reaedp.studio.shelf import Shelf
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

#: Keys of [files] with one text, and with several.
ONE, SEVERAL = ("separator", "quote", "encoding", "sheet", "decimal", "thousands"), ("dates", "missing", "signs")
#: What is said of a file, in words.
SAID = {
    "separator": "separator",
    "quote": "quotation mark",
    "encoding": "encoding",
    "sheet": "sheet",
    "decimal": "decimal mark",
    "thousands": "mark between thousands",
    "first_year": "first year",
    "dates": "dates as",
    "missing": "nothing written as",
    "signs": "signs",
    "labels": "labels of values:",
}
#: How dates are written in offices, by an example of each.
DATES = {
    "%d.%m.%Y": "31.12.2024",
    "%d/%m/%Y": "31/12/2024",
    "%m/%d/%Y": "12/31/2024",
    "%d-%m-%Y": "31-12-2024",
    "%Y/%m/%d": "2024/12/31",
    "%Y%m%d": "20241231",
}
#: How separators are chosen, as browsers cannot send a tab that somebody typed.
SEPARATORS = {"": "as the header shows", ",": "comma", ";": "semicolon", "tab": "tab", "|": "vertical bar"}
_NOWHERE = "Enter where the data is: a path, or the address of a database."


def show(visit: Visit) -> Response:
    """The file as it is noted, or as the form above the header says."""
    if visit.query.text("data"):
        return _page(visit, visit.query, visit.query.text("data"))
    if "data" in visit.query.fields:
        return _page(visit, None, "", (_NOWHERE,))
    return _page(visit, None, visit.project.data)


def save(visit: Visit) -> Response:
    """Note the file, and write the contract with the chosen columns."""
    form, project = visit.form, visit.project
    address = form.text("data")
    try:
        unless_changed(project, form)
        known = ContractFile.read(project)
        made = _chosen(project, known, form, address)
        project.remember(address)
        made.save(Project(project.folder, project.name))
    except DeclarationError as error:
        return _page(visit, form, address, error.mistakes)
    return visit.to("unit")


def _chosen(project: Project, known: ContractFile, form: Form, address: str) -> ContractFile:
    """The contract with the columns that were chosen, of which all that is known is kept."""
    files = read_as(_placed(project, address), files_of(form, known.draft.files))
    header = names_of(_placed(project, address), files) or tuple(form.lines("names"))
    if not header:
        raise DeclarationError("The file has no header: enter the columns you need, one per line.")
    wanted = form.texts("columns") or list(form.lines("names"))
    person = known.heading.get("person")
    draft = drafted(dict.fromkeys(header, ""), [], wanted, person if person in header else None, files)
    if not draft.columns and not _other_parts(project):
        raise DeclarationError("Choose at least one column.")
    was = {column.name: column for column in known.draft.columns}
    columns = tuple(was.get(column.name, column) for column in draft.columns)
    made = ContractFile(Draft(columns, draft.left_out, draft.files), known.heading)
    return made.answering({"name": form.text("name") or None})


def _other_parts(project: Project) -> bool:
    """Whether the contract has curves, which need no columns beside them."""
    return project.document is not None and bool(project.document.table("curves"))


def files_of(form: Form, known: Files | None) -> Files:
    """What a form says about how files are read; what contracts say of single columns stays."""
    facts: dict[str, Any] = {key: form.text(key) for key in ONE if form.text(key)}
    for key in SEVERAL:
        parts = [part.strip() for text in form.texts(key) for part in text.split(",") if part.strip()]
        facts |= {key: list(dict.fromkeys(parts))} if parts else {}
    if facts.get("separator") == "tab":
        facts["separator"] = "\t"
    if form.text("labels"):
        facts["labels"] = True
    if known is not None and known.columns:
        facts["columns"] = known.facts()["columns"]
    if any("%y" in one for one in facts.get("dates", ())):
        facts["first_year"] = form.whole("first_year", "The first of the hundred years that %y stands for")
    return Files.read({key: value for key, value in facts.items() if value is not None})


def _page(visit: Visit, form: Form | None, address: str, mistakes: tuple[str, ...] = ()) -> Response:
    """The header as it will be read, or why it cannot be."""
    project = visit.project
    known = ContractFile.read(project)
    files = known.draft.files or Files()
    header: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    try:
        files = files if form is None else files_of(form, known.draft.files)
        if address:
            read = read_as(_placed(project, address), files)
            header, files = names_of(_placed(project, address), read), read or files
    except DeclarationError as error:
        unread = error.mistakes
    ways = _ways(project, address, files) if unread and address else ()
    columns = [column.name for column in known.draft.columns]
    return visit.page(
        "data",
        mistakes or (() if ways else unread),
        data=address,
        shelf=_shelf(visit, address),
        start=relpath(visit.workspace.folder, project.folder),
        ways=ways,
        dates=DATES,
        said=SAID,
        facts=files.facts(),
        separators=SEPARATORS,
        encodings=tuple(ENCODINGS),
        header=header,
        chosen=[
            *([name for name in columns if name in header or not header] or (() if _other_parts(project) else header)),
            known.heading.get("person"),
        ],
        person=known.heading.get("person"),
        lacking=[name for name in columns if header and name not in header],
        name=known.heading.get("name") or (project.name if project.document is None else ""),
        version=version(project),
        opened=bool(address) and not unread,
    )


def _ways(project: Project, address: str, files: Files) -> tuple[Reading, ...]:
    try:
        return ways_of(_placed(project, address), files)
    except DeclarationError:
        return ()


def _shelf(visit: Visit, address: str) -> Shelf | None:
    """The folder that is looked into, while no file is chosen: first that of all projects, where files are put."""
    if visit.query.text("in"):
        return Shelf.of(visit.project.folder / visit.query.text("in"), visit.project.folder)
    if address:
        return None
    own = Shelf.of(visit.project.folder, visit.project.folder)
    return own if own.files else Shelf.of(visit.workspace.folder, visit.project.folder)


def _placed(project: Project, address: str) -> str:
    """Where the data is, for engines; a path is meant from the project's folder."""
    if not address:
        raise DeclarationError(_NOWHERE)
    if "://" in address:
        return address
    path = project.folder / Path(address)
    try:
        path.exists()
    except OSError as error:  # longer than names may be
        raise DeclarationError(f"There can be no file of this name: {error.strerror}.") from None
    return str(path)


def state(project: Project) -> State:
    """Done when the data is noted and columns are chosen."""
    if not project.declares:
        return "incomplete" if project.data else "empty"
    return "done" if project.data else "incomplete"


DATA = Step("data", "Data", state, show, acts={"": save})
