"""Columns: a card for each, with what is publicly known of it; what is not public can be bought on the next page."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.responses import Response

from reaedp.contract.files import Files
from reaedp.drafting.codebook import Codebook
from reaedp.drafting.draft import drafted
from reaedp.drafting.drafted import NEEDED, Drafted
from reaedp.drafting.public_file import from_public
from reaedp.engines.files import files_of_header
from reaedp.errors import DeclarationError
from reaedp.studio.column_form import KIND_WORDS, RULE_WORDS, ColumnForm
from reaedp.studio.contract_file import CHANGED_MEANWHILE, ContractFile, header_of, unless_changed, version
from reaedp.studio.curve_form import CurveForm
from reaedp.studio.pages import curves, purchase
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

#: So many cards that are not done stand open; the others open when their names are clicked.
MOST_OPEN = 8
#: With more columns than this, a card that is not open is its name and a link, which keeps the page light.
MOST_WHOLE = 40
CODEBOOKS = (".csv", ".tsv", ".json", ".xml", ".toml")


def show(visit: Visit) -> Response:
    """The cards as the contract has them."""
    known = ContractFile.read(visit.project)
    return _page(visit, [ColumnForm.of(column) for column in known.draft.columns])


def save(visit: Visit) -> Response:
    """Write what is right; what is wrong stays on the page with what is wrong about it."""
    project = visit.project
    known = ContractFile.read(project)
    columns = {column.name: column for column in known.draft.columns}
    shown = {name: ColumnForm.of(column) for name, column in columns.items()}
    wrong: list[str] = []
    for number in range(len(columns)):
        card = ColumnForm.sent(visit.form, number)
        if card.name not in columns:  # it was not on the page, and stays as it is
            continue
        try:
            columns[card.name] = card.drafted(columns[card.name])
        except DeclarationError as error:
            card = card.wrong(error)
            wrong += error.mistakes
        shown[card.name] = card
    cards = list(shown.values())
    if visit.form.text("version") != version(project):
        return _page(visit, cards, (CHANGED_MEANWHILE,))
    known.saying(tuple(columns.values())).save(project)
    if wrong:
        return _page(visit, cards, tuple(wrong))
    return visit.to("columns", saved="yes") if any(card.open for card in cards) else visit.to("budget")


def look_up(visit: Visit) -> Response:
    """Take from a codebook, or from the values of a public file, what is not said yet."""
    project, form = visit.project, visit.form
    known = ContractFile.read(project)
    try:
        unless_changed(project, form)
        if not form.text("file"):
            raise DeclarationError("Enter the path of the codebook or the public file, relative to the folder.")
        path = project.folder / form.text("file")
        _looked_up(project, known, path, public=form.text("what") == "public").save(project)
    except DeclarationError as error:
        return _page(visit, [ColumnForm.of(column) for column in known.draft.columns], error.mistakes)
    return visit.to("columns")


def _looked_up(project: Project, known: ContractFile, path: Path, *, public: bool) -> ContractFile:
    """The contract as `reaedp init` would write it with this codebook or public file, and what was said before."""
    said = {column.name: column for column in known.draft.columns if not ColumnForm.of(column).open}
    header = header_of(project, known.draft.files) or tuple(column.name for column in known.draft.columns)
    files = known.draft.files
    if public:
        if os.path.realpath(path) == os.path.realpath(project.data_address):
            raise DeclarationError(f"{path} is the data itself, not a public file.")
        alike = None if files is None else replace(files, separator=None)
        source: Mapping[str, Drafted] = from_public(str(path), files_of_header(str(path), alike), header)
    else:
        book = Codebook.read(path, labels=bool(files and files.labels))
        source = book.columns
        facts = {**book.files, **(files.facts() if files else {})}
        files = Files.read(facts) if facts else files
    wanted = [column.name for column in known.draft.columns]
    draft = drafted(dict.fromkeys(header, ""), [said, source], wanted, known.heading.get("person"), files)
    return ContractFile(draft, known.heading)


def _page(visit: Visit, cards: Sequence[ColumnForm], mistakes: tuple[str, ...] = ()) -> Response:
    project = Project(visit.project.folder, visit.project.name)
    waiting = [card.name for card in cards if card.open or card.mistakes]
    shown_open = {*waiting[:MOST_OPEN], visit.query.raw("card"), *(card.name for card in cards if card.mistakes)}
    return visit.page(
        "columns",
        mistakes,
        cards=cards,
        waiting=waiting,
        shown_open=shown_open,
        light=len(cards) > MOST_WHOLE,
        kinds=tuple(KIND_WORDS.items()),
        needed=NEEDED,
        rules=RULE_WORDS,
        books=_books(project),
        curves={name: CurveForm.of(name, facts) for name, facts in curves.curves_of(project).items()},
        version=version(project),
        noun=purchase.noun(project),
    )


def _books(project: Project) -> list[str]:
    """Files of the folder that could be a codebook."""
    own = (project.data, project.contract_path.name, project.plan_path.name, "studio.toml")
    return [
        path.name
        for path in sorted(project.folder.iterdir())
        if path.suffix.lower() in CODEBOOKS and path.is_file() and path.name not in own
    ][:20]


def state(project: Project) -> State:
    """Done when every column is complete and consistent."""
    if project.document is None or not project.declares:
        return "locked"
    cards = [ColumnForm.of(column) for column in ContractFile.read(project).draft.columns]
    if cards and all("kind" in card.open for card in cards):
        return "empty"
    wrong = any(f": {part}." in mistake for part in ("columns", "curves") for mistake in project.mistakes("contract"))
    return "incomplete" if wrong or any(card.open for card in cards) else "done"


_PARTS: dict[str, Any] = {"buy": purchase.show, "curve": curves.show}
_ACTS: dict[str, Any] = {
    "": save,
    "codebook": look_up,
    "buy": purchase.buy,
    "curve": curves.save,
    "uncurve": curves.remove,
}
COLUMNS = Step("columns", "Columns", state, show, _PARTS, _ACTS)
