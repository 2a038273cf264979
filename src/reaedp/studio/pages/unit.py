"""Who is protected: the questions one by one, and the unit in words and in TOML; accepted, it is in the contract."""

from typing import Any

from starlette.responses import Response

from reaedp.errors import DeclarationError
from reaedp.privacy.unit import Unit
from reaedp.studio.contract_file import ContractFile, header_of, unless_changed, version
from reaedp.studio.form import Form
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.unit_questions import Path, walk
from reaedp.studio.visit import Visit

KEYS = ("several", "whose", "rows_accepted", "most_rows", "together", "which", "most_of_group", "secret", "at_least")


def show(visit: Visit) -> Response:
    """The question that is open, or the sentence to be accepted; or what the contract says already."""
    return _page(visit, visit.query)


def save(visit: Visit) -> Response:
    """Write the unit that the answers lead to, if it was accepted."""
    project = visit.project
    known = ContractFile.read(project)
    path = _path(project, known, visit.form)
    try:
        unless_changed(project, visit.form)
        if path.open is not None:
            raise DeclarationError(f"Please answer this question: {path.open.words}")
        if visit.form.text("accepted") != "yes":
            raise DeclarationError("Read the sentence, and tick that you accept it.")
        unit = {key: path.unit.get(key) for key in ("change", "person", "max_rows", "at_least")}
        about = ContractFile(known.draft.about(unit["person"]), known.heading).answering(unit)
        about.saying(about.draft.columns).save(project)
    except DeclarationError as error:
        return _page(visit, visit.form, error.mistakes)
    return visit.to("columns" if any(step.key == "columns" for step in visit.steps) else "unit")


def _path(project: Project, known: ContractFile, form: Form) -> Path:
    names = [column.name for column in known.draft.columns]
    person = known.heading.get("person")
    header = header_of(project, known.draft.files) or (*names, *([person] if person else ()))
    # A button that leaves a question out is sent beside the empty field of that question.
    return walk({key: (form.texts(key) or [""])[-1] for key in KEYS}, header)


def _page(visit: Visit, form: Form, mistakes: tuple[str, ...] = ()) -> Response:
    project = visit.project
    known = ContractFile.read(project)
    path = _path(project, known, form)
    asked = any(form.text(key) for key in KEYS)
    if path.open is not None and path.misunderstood and not mistakes:
        mistakes = (f"{path.open.words} Answer with a whole number from 1 on; given {path.misunderstood!r}.",)
    return visit.page(
        "unit",
        mistakes,
        path=path,
        earlier=_earlier(visit, path),
        header=header_of(project, known.draft.files) or [column.name for column in known.draft.columns],
        now=None if asked else _now(known),
        version=version(project),
    )


def _earlier(visit: Visit, path: Path) -> list[dict[str, Any]]:
    """Answers with the address that asks each again, and keeps those before it."""
    listed = []
    kept: dict[str, str] = {}
    for question, answer in path.answered:
        listed.append(
            {
                "question": question,
                "answer": answer,
                "words": question.spoken(answer),
                "again": visit.place("unit", **(kept or {"again": "yes"})),
            }
        )
        kept = {**kept, question.key: answer}
    return listed


def _now(known: ContractFile) -> dict[str, Any] | None:
    """What the contract says already, in words and in TOML."""
    facts = {key: known.heading[key] for key in ("change", "person", "max_rows", "at_least") if key in known.heading}
    if "change" not in facts:
        return None
    try:
        Unit(**facts)
    except DeclarationError:
        return None
    path = Path((), None, facts, "person" if facts.get("person") else "row")
    return {"sentence": path.sentence, "toml": path.toml}


def state(project: Project) -> State:
    """Done when the contract has a unit that can be."""
    if project.document is None:
        return "locked"
    return "done" if _now(ContractFile.read(project)) else "empty"


UNIT = Step("unit", "Who is protected", state, show, acts={"": save})
