"""Budget: the error that can be accepted comes first, and ε follows from it; beside it what ε means for people."""

from typing import Any

from starlette.responses import Response

from reaedp.contract import Column, Contract
from reaedp.contract.document import FILL_IN
from reaedp.errors import DeclarationError, LedgerMissing
from reaedp.ledger.ledger import Ledger
from reaedp.plan.calibration import Calibration
from reaedp.studio.bar import registered
from reaedp.studio.contract_file import ContractFile, unless_changed, version
from reaedp.studio.deployments import DEPLOYMENTS
from reaedp.studio.form import Form
from reaedp.studio.odds import ALARMS, PRIORS, Odds, given, whole_of
from reaedp.studio.pages.purchase import noun
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

#: What can be asked to be precise, in words.
PRECISE = {"counts": "Counts of a column", "mean": "The mean of a column", "median": "The median of a column"}
KEYS = ("epsilon", "delta", "ledger")


def show(visit: Visit) -> Response:
    """The question about the error, the fields, and the pictures."""
    return _page(visit, visit.query)


def pictures(visit: Visit) -> Response:
    """The pictures alone, for a script that follows a slider."""
    return visit.part("odds.html", odds=_odds(visit.query), priors=PRIORS, alarms=ALARMS)


def save(visit: Visit) -> Response:
    """Write ε, δ and the ledger into the contract; the ledger is made first, as `reaedp init` does."""
    form, project = visit.form, visit.project
    try:
        unless_changed(project, form)
        answers = {
            "epsilon": _decimal(form.number("epsilon", "budget.epsilon")),
            "delta": _decimal(form.number("delta", "budget.delta")),
            "ledger": form.text("ledger") or None,
        }
        made = ContractFile.read(project).answering(answers)
        made.text()  # what is wrong makes no ledger
        if answers["ledger"] is not None:
            _make_ledger(project, str(answers["ledger"]))
        made.save(project)
    except DeclarationError as error:
        return _page(visit, form, error.mistakes)
    return visit.to("budget" if None in answers.values() else "plan" if _has(visit, "plan") else "budget")


def _has(visit: Visit, key: str) -> bool:
    return any(step.key == key for step in visit.steps)


def _decimal(value: float | int | None) -> float | None:
    return None if value is None else float(value)


def _make_ledger(project: Project, ledger: str) -> None:
    place = ledger if "://" in ledger else project.contract_path.parent / ledger
    if "://" not in ledger and not (project.folder / ledger).resolve().parent.is_dir():
        raise DeclarationError(f"budget.ledger must lie in a folder that exists; given {ledger!r}.")
    try:
        Ledger.open(place).close()
    except LedgerMissing:
        Ledger.create(place).close()


def _odds(form: Form) -> Odds | None:
    try:
        delta = form.number("delta", "δ")
        return Odds.of(
            given(form.number("epsilon", "ε")), delta, whole_of(form.text("prior")), whole_of(form.text("alarm"))
        )
    except DeclarationError:
        return None


def _page(visit: Visit, form: Form, mistakes: tuple[str, ...] = ()) -> Response:
    project = visit.project
    heading = ContractFile.read(project).heading
    values = {key: form.text(key) or _text(heading.get(key)) for key in KEYS}
    answer, asked = "", bool(form.text("error"))
    try:
        if asked and not mistakes:
            values["epsilon"], answer = _solved(project, form)
    except DeclarationError as error:
        mistakes = error.mistakes
    fields = {key: [text for text in mistakes if f"{key} " in text or f"budget.{key}" in text] for key in KEYS}
    return visit.page(
        "budget",
        mistakes,
        wrong_fields=fields,
        values=values,
        form=form,
        answer=answer,
        precise=PRECISE,
        columns=_columns(project),
        odds=_odds(Form({"prior": [form.text("prior")], "alarm": [form.text("alarm")],
                         **{key: [text] for key, text in values.items()}})),
        priors=PRIORS,
        alarms=ALARMS,
        deployments=DEPLOYMENTS,
        fixed=registered(project),
        noun=noun(project),
        version=version(project),
    )  # fmt: skip


def _text(value: Any) -> str:
    return (
        ""
        if value is None or value == FILL_IN
        else f"{value:g}".replace("e-0", "e-")
        if isinstance(value, float)
        else str(value)
    )


def _columns(project: Project) -> list[Column]:
    """The columns that are complete, for which errors can be asked."""
    found = []
    for drafted in ContractFile.read(project).draft.columns:
        try:
            found.append(drafted.column())
        except DeclarationError:
            continue
    return [column for column in found if column is not None]


def _solved(project: Project, form: Form) -> tuple[str, str]:
    """The least ε for an error, as text, and what it buys, in a sentence."""
    heading = ContractFile.read(project).heading
    column = next((one for one in _columns(project) if one.name == form.raw("column")), None)
    if "change" not in heading:
        raise DeclarationError("First say who is protected: the amount of noise depends on it.")
    if column is None:
        raise DeclarationError("Choose a column that is fully declared.")
    error = form.number("error", "The error")
    if error is None:
        raise DeclarationError("Enter how far off it may be.")
    kind = form.text("precise") if form.text("precise") in PRECISE else "counts"
    facts: dict[str, Any] = {"kind": kind, "change": heading["change"], "max_rows": heading.get("max_rows") or 1}
    solved = Calibration(**facts, **_facts(kind, column, heading)).solve(float(error))
    return f"{solved.epsilon:g}", f"ε = {solved.epsilon:g} is the smallest that achieves this with 95 % confidence."


def _facts(kind: str, column: Column, heading: Any) -> dict[str, Any]:
    if kind == "counts":
        return {"bins": column.size}
    ends = column.ends
    if ends is None or ends.low.dtype.kind == "M":
        raise DeclarationError(f"{column.called} has no numbers. Ask for counts, or choose another column.")
    if kind == "median":
        return {"bins": column.regular}
    if "at_least" not in heading:
        raise DeclarationError(
            "The error of a mean depends on the number of rows: enter a lower bound under Who is protected."
        )
    return {"width": float(ends.high[-1] - ends.low[0]), "rows": heading["at_least"]}


def state(project: Project) -> State:
    """Done when ε, δ and a ledger are there."""
    if project.document is None:
        return "locked"
    heading = ContractFile.read(project).heading
    there = [key for key in KEYS if key in heading]
    if not there:
        return "empty"
    try:
        Contract.load_without_columns(project.contract_path)
    except DeclarationError as error:
        return "incomplete" if any("budget" in mistake for mistake in error.mistakes) else "done"
    return "done"


BUDGET = Step("budget", "Budget", state, show, {"pictures": pictures}, {"": save})
