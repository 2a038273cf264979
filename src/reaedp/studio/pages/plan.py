"""Plan: what to release, from a gallery of kinds; each with its cost, its error and what it could turn out to be."""

from functools import lru_cache, partial
from math import isfinite
from typing import Any

from starlette.responses import Response

from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.plan.advice import advice
from reaedp.plan.improvements import Improvement, improvements, least_epsilon, other_noise, rounded_down, rounded_up
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.plan import Plan
from reaedp.plan.usefulness import unused
from reaedp.privacy.loss import positive
from reaedp.studio import plan_file
from reaedp.studio.bar import pictured_standing
from reaedp.studio.contract_file import CHANGED_MEANWHILE
from reaedp.studio.error_chart import ErrorChart
from reaedp.studio.form import Form
from reaedp.studio.gallery import SHOWN, Shown, offered
from reaedp.studio.kind_form import BEST, OFF, KeyField, facts_of, fields_of, in_words, known_kind, planned_of
from reaedp.studio.odds import whole_of
from reaedp.studio.outcomes import PRETENDED, Dots, Pretended, Priced, priced
from reaedp.studio.project import Project
from reaedp.studio.shares import shares_of
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

#: Before the names of releases in fields of their prices.
PRICE = "e."
#: The largest ε that an error is bought for, as a multiple of the budget.
MOST = 10.0


def show(visit: Visit) -> Response:
    """The releases with their prices, and the gallery; or the form of the kind that is to be added."""
    return _page(visit)


def figures(visit: Visit) -> Response:
    """What one release would be worth at another price, for a script that follows a slider."""
    plan, query = _plan(visit.project), visit.query
    planned = _named(plan, query)
    epsilon = _price(query, planned.name, planned.price(plan.contract.budget)[0])
    found = priced(planned.costing(epsilon, plan.contract.budget), plan.contract)
    return visit.part("figures.html", one=_figures(found, plan.contract, query))


def together(visit: Visit) -> Response:
    """What all releases would cost together at other prices."""
    return visit.part("shares.html", shares=_shares(_plan(visit.project), visit.query))


def curve(visit: Visit) -> Response:
    """Error against ε for one release, beside the others."""
    plan, query = _plan(visit.project), visit.query
    planned = _named(plan, query)
    price = _price(query, planned.name, planned.price(plan.contract.budget)[0])
    return visit.part("curve.html", chart=ErrorChart.of(plan, planned, price, pictured_standing(plan.contract).left))


def suggest(visit: Visit) -> Response:
    """Begin with the plan that `reaedp init` would draft."""
    if visit.project.plan_path.exists():
        raise DeclarationError("There already is a plan. Change it here, or remove it from the folder first.")
    plan_file.suggest(visit.project)
    return visit.to("plan")


def add(visit: Visit) -> Response:
    """Add a release for an error that can be accepted, or for an ε."""
    form, project = visit.form, visit.project
    kind = known_kind(form.text("kind"))
    try:
        contract = _contract(visit)
        facts = facts_of(kind, form)
        if not form.text("name"):
            facts["name"] = plan_file.free_name(project, facts["name"])
        plan_file.add(project, _bought(facts, form, contract))
    except DeclarationError as error:
        return _page(visit, in_words(kind, error.mistakes), kind)
    return visit.to("plan")


def save(visit: Visit) -> Response:
    """Write the prices that the sliders show, or as many times these as makes them fit."""
    form = visit.form

    def prices(plan: Plan) -> dict[str, float | None]:
        times = form.number("times", "The factor")
        if times is None:
            return {one.name: _price(form, one.name, None) for one in plan.releases}
        now = {one.name: _price(form, one.name, one.price(plan.contract.budget)[0]) for one in plan.releases}
        return {name: rounded_down(positive("times", times) * price) for name, price in now.items()}

    return _changing(visit, prices)


def for_error(visit: Visit) -> Response:
    """Give a release the least ε that keeps its numbers within an error."""
    form = visit.form

    def prices(plan: Plan) -> dict[str, float | None]:
        planned = _named(plan, form)
        error = positive("error", form.number("error", "The error"))
        most = MOST * plan.contract.budget.epsilon
        least = _least(planned, plan.contract, error, most)
        if least is None:
            raise DeclarationError(f"{planned.name}: no ε up to {most:g} keeps it within ±{error:g}.")
        return {planned.name: least}

    return _changing(visit, prices)


def remove(visit: Visit) -> Response:
    """Take a release out of the plan; the last one takes the plan with it."""
    project, name = visit.project, visit.form.text("name")
    _unless_changed(visit)
    if [name] == [table.get("name") for table in plan_file.tables(project)]:
        project.plan_path.unlink()
    else:
        plan_file.change(project, {name: None})
    return visit.to("plan")


def improve(visit: Visit) -> Response:
    """Do what an advice says."""
    project, form = visit.project, visit.form
    _unless_changed(visit)
    plan = _plan(project)
    found = [one for one in _better(plan) if one.name == form.text("name") and one.words == form.text("words")]
    if not found:
        raise DeclarationError(CHANGED_MEANWHILE)
    one = found[0]
    table = next(table for table in plan_file.tables(project) if table.get("name") == one.name)
    if one.epsilon is not None:
        plan_file.change(project, {one.name: plan_file.priced(table, one.epsilon, plan.contract.budget)})
    else:
        plan_file.change(project, {one.name: one.change})
    return visit.to("plan")


def _changing(visit: Visit, prices: Any) -> Response:
    """Write other prices, or say why not."""
    project = visit.project
    try:
        _unless_changed(visit)
        plan = _plan(project)
        wanted = {name: epsilon for name, epsilon in prices(plan).items() if epsilon is not None}
        known = {table.get("name"): table for table in plan_file.tables(project)}
        budget = plan.contract.budget
        now = {one.name: one.price(budget)[0] for one in plan.releases}
        changes = {
            name: plan_file.priced(known[name], epsilon, budget)
            for name, epsilon in wanted.items()
            if epsilon != _few_digits(now[name])
        }
        for name, epsilon in wanted.items():
            if "share" in known[name] and epsilon > budget.epsilon:
                raise DeclarationError(f"{name}: ε = {epsilon:g} is more than the whole budget of {budget.epsilon:g}.")
        if changes:
            plan_file.change(project, changes)
    except DeclarationError as error:
        return _page(visit, error.mistakes)
    return visit.to("plan", **({"guess": visit.form.text("guess")} if visit.form.text("guess") else {}))


def _unless_changed(visit: Visit) -> None:
    if visit.form.text("version") != plan_file.version(visit.project):
        raise DeclarationError(CHANGED_MEANWHILE)


def _contract(visit: Visit) -> Contract:
    if visit.project.contract is None:
        raise DeclarationError(*visit.project.mistakes("contract"))
    return visit.project.contract


def _plan(project: Project) -> Plan:
    if project.plan is None:
        raise DeclarationError(*project.mistakes("plan"))
    return project.plan


def _named(plan: Plan, form: Form) -> Planned:
    return next((one for one in plan.releases if one.name == form.text("name")), plan.releases[0])


def _bought(facts: dict[str, Any], form: Form, contract: Contract) -> dict[str, Any]:
    """The release with the share that buys it: for an error, or for an ε. All mistakes are said at once."""
    mistakes: list[str] = []
    best = facts.get("mechanism") == BEST
    facts = {**facts, "mechanism": "laplace"} if best else facts
    try:
        planned_of({**facts, "share": 1.0}, contract)
    except DeclarationError as wrong:
        mistakes += wrong.mistakes
    epsilon, error = form.number("epsilon", "ε"), form.number("error", "The error")
    if (epsilon is None) == (error is None):
        mistakes.append("Enter either how far off it may be, or an ε.")
    if mistakes:
        raise DeclarationError(*mistakes)
    made = {**facts, "share": _share(facts, epsilon, error, contract)}
    for better in other_noise(planned_of(made, contract), contract) if best else ():
        facts = {**facts, **(better.change or {})}
        made = {**facts, "share": _share(facts, epsilon, error, contract)}
    return made


def _least(planned: Planned, contract: Contract, error: float, most: float) -> float | None:
    """The least ε for an error, and a thousandth more: shares of a budget are rounded down."""
    found = least_epsilon(planned, contract, error, most)
    return None if found is None else min(rounded_up(1.001 * found), most)


def _share(facts: dict[str, Any], epsilon: float | None, error: float | None, contract: Contract) -> float:
    """The part of the budget that gives a release this ε, or the least that keeps it within this error."""
    budget = contract.budget
    if error is not None:
        planned = planned_of({**facts, "share": 1.0}, contract)
        epsilon = _least(planned, contract, positive("error", error), budget.epsilon)
        if epsilon is None:
            expected = priced(planned, contract).forecast.expected
            if not isfinite(expected.aim.bound):
                raise DeclarationError(f"{expected.words} Until then, enter an ε.")
            raise DeclarationError(
                f"The whole budget of ε = {budget.epsilon:g} does not keep it within ±{error:g}: it reaches"
                f" ±{about(expected.aim.bound)}."
            )
    share = plan_file.share(positive("epsilon", epsilon), budget)
    if share == 0 or float(epsilon or 0) > budget.epsilon:
        raise DeclarationError(
            f"ε must be above 0 and at most the whole budget of {budget.epsilon:g}; given {epsilon:g}."
        )
    planned_of({**facts, "share": share}, contract)
    return share


def _price(form: Form, name: str, otherwise: float | None) -> Any:
    value = form.number(f"{PRICE}{name}", f"ε of {name}")
    return otherwise if value is None else positive("epsilon", value)


def _few_digits(epsilon: float) -> float:
    """ε as fields show it: a share of the budget that was rounded down looks like what was asked for."""
    return float(f"{epsilon:.3g}")


def _shares(plan: Plan, form: Form) -> Any:
    prices = [_price(form, one.name, one.price(plan.contract.budget)[0]) for one in plan.releases]
    return shares_of(plan, prices)


def _figures(found: Priced, contract: Contract, query: Form) -> dict[str, Any]:
    """What a card shows of one release at a price."""
    draw, rows = whole_of(query.text("draw")) or 0, whole_of(query.text("guess"), 9) or contract.unit.at_least
    return {
        "name": found.planned.name,
        "forecast": found.forecast,
        "dots": Dots.of(found),
        "pretended": Pretended.of(found, contract, rows or PRETENDED, draw),
        "draw": draw + 1,
    }


def _page(visit: Visit, mistakes: tuple[str, ...] = (), adding: str = "") -> Response:
    project, query = visit.project, visit.query
    contract = project.contract
    adding = adding or (query.text("add") if query.text("add") in offered(contract) else "") if contract else ""
    plan = project.plan if project.plan_path.is_file() else None
    listed = None if adding else plan  # the form of one release shows none of the others
    broken = project.mistakes("plan") if contract and project.plan_path.is_file() and plan is None else ()
    return visit.page(
        "plan",
        mistakes or broken,
        open=() if contract else project.mistakes("contract"),
        contract=contract,
        budget=f"{contract.budget.epsilon:g}" if contract else "",
        kinds=offered(contract) if contract else {},
        adding=adding,
        kind=SHOWN.get(adding, Shown(adding, "")),
        fields=fields_of(adding) if adding else (),
        beside={one.key: [said for said in mistakes if f"“{one.label}”" in said] for one in fields_of(adding)}
        if adding
        else {},
        named=partial(_named_parts, contract),
        off=OFF,
        form=visit.form if visit.form.fields else query,
        cards=_cards(listed, query) if listed else [],
        guess=query.text("guess") or (contract and contract.unit.at_least) or PRETENDED,
        told=_told(listed) if listed else (),
        shares=_shares(listed, Form()) if listed else None,
        raw=plan_file.tables(project) if plan is None and contract else [],
        version=plan_file.version(project),
        there=project.plan_path.exists(),
    )


def _named_parts(contract: Contract | None, field: KeyField) -> list[tuple[str, str]]:
    """The columns or curves that one can be chosen of; where there is but one curve, it is."""
    parts: tuple[Any, ...] = (
        contract.curves if contract and field.sort == "curve" else contract.columns if contract else ()
    )
    choose = [] if field.sort == "curve" and len(parts) == 1 else [("", "Choose")]
    return [*choose, *((part.name, shown(part.called)) for part in parts)]


def _cards(plan: Plan, query: Form) -> list[dict[str, Any]]:
    better = _better(plan)
    budget = plan.contract.budget
    return [
        {
            "planned": planned,
            "shown": SHOWN.get(planned.kind, Shown(planned.kind, "")),
            "epsilon": _few_digits(planned.price(budget)[0]),
            "figures": _figures(priced(planned, plan.contract), plan.contract, query),
            "better": [one for one in better if one.name == planned.name],
        }
        for planned in plan.releases
    ]


@lru_cache(maxsize=32)
def _told(plan: Plan) -> tuple[str, ...]:
    return (*advice(plan.requests(), plan.contract), *unused(plan))


@lru_cache(maxsize=32)
def _better(plan: Plan) -> tuple[Improvement, ...]:
    return tuple(improvements(plan))


def state(project: Project) -> State:
    """Done when there is a plan that can be released."""
    if project.contract is None:
        return "locked"
    if not project.plan_path.is_file():
        return "empty"
    return "incomplete" if project.mistakes("plan") else "done"


_PARTS = {"figures": figures, "together": together, "curve": curve}
_ACTS = {"": save, "suggest": suggest, "add": add, "error": for_error, "remove": remove, "improve": improve}
PLAN = Step("plan", "Plan", state, show, _PARTS, _ACTS)
