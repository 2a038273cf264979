"""Curves: measurements over time that the contract declares beside its columns, one form for each."""

from collections.abc import Mapping
from typing import Any

import tomlkit
from starlette.responses import Response

from reaedp.errors import DeclarationError
from reaedp.studio.column_form import ColumnForm
from reaedp.studio.contract_file import ContractFile, header_of, text_of, unless_changed, version
from reaedp.studio.curve_form import BASES, FORMS, LABELS, MISSING, PROVENANCES, CurveForm
from reaedp.studio.project import Project
from reaedp.studio.visit import Visit

#: Keys that name one column each.
_NAMES = ("id", "time", "value")


def show(visit: Visit) -> Response:
    """The form of a curve that the contract has, or an empty one."""
    name = visit.query.text("curve")
    known = curves_of(visit.project).get(name)
    return _page(visit, CurveForm() if known is None else CurveForm.of(name, known))


def save(visit: Visit) -> Response:
    """Write a curve; columns of which nothing was said yet, and which it is made of, need no card any more."""
    project, card = visit.project, CurveForm.sent(visit.form)
    try:
        unless_changed(project, visit.form)
        facts = card.facts()
        _without_cards(project, {*facts.get("points", ()), *(facts[key] for key in _NAMES if key in facts)})
        _write(Project(project.folder, project.name), card.name, facts)
    except DeclarationError as error:
        return _page(visit, card.wrong(error), error.mistakes)
    return visit.to("columns", saved="yes")


def remove(visit: Visit) -> Response:
    """Take a curve out of the contract."""
    project = visit.project
    unless_changed(project, visit.form)
    _write(project, visit.form.text("curve"), None)
    return visit.to("columns")


def curves_of(project: Project) -> Mapping[str, Mapping[str, Any]]:
    """The curves of the contract as they stand, by their names."""
    found = {} if project.document is None else project.document.table("curves")
    return {name: table for name, table in found.items() if isinstance(table, dict)}


def _without_cards(project: Project, used: set[str]) -> None:
    known = ContractFile.read(project)
    kept = tuple(column for column in known.draft.columns if column.name not in used or not ColumnForm.of(column).open)
    known.saying(kept).save(project)


def _write(project: Project, name: str, facts: Mapping[str, Any] | None) -> None:
    """Set one curve, or take it out; everything else in the file stays as it is."""
    document: Any = tomlkit.parse(text_of(project))
    curves = document.setdefault("curves", tomlkit.table(is_super_table=True))
    if name in curves:
        curves.remove(name)
    if facts is not None:
        curves[name] = tomlkit.item(dict(facts))
    if not curves:
        document.remove("curves")
    project.write(project.contract_path, tomlkit.dumps(document))


def _page(visit: Visit, card: CurveForm, mistakes: tuple[str, ...] = ()) -> Response:
    project = visit.project
    choices = {"form": FORMS, "basis": BASES, "missing": MISSING, "provenance": PROVENANCES}
    return visit.page(
        "columns",
        mistakes,
        template="measurements.html",
        card=card,
        labels=LABELS,
        choices=choices,
        header=header_of(project, ContractFile.read(project).draft.files),
        version=version(project),
    )
