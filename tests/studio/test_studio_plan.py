"""The plan: every kind has a form, prices follow errors, figures follow sliders, and other words in the file stay."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from reaedp import Contract, Forecast, Ledger, Plan
from reaedp.ledger.entry import Charge
from reaedp.plan.plan import KINDS
from reaedp.privacy.accounting import epsilon as composed
from reaedp.privacy.loss import PureDP
from reaedp.studio.error_chart import ErrorChart
from reaedp.studio.form import Form
from reaedp.studio.gallery import SHOWN
from reaedp.studio.kind_form import facts_of, fields_of
from reaedp.studio.outcomes import OUTCOMES, Dots, Pretended, priced
from studio_support import Guest, form_fields, text_of
from tests_support import CONTRACT, PLAN, ledger_in

#: Fields that make a release of every kind that columns allow.
WANTED: dict[str, dict[str, Any]] = {
    "histogram": {"columns": ["age", "sex"], "mechanism": "laplace", "epsilon": "0.2"},
    "summary": {"of": ["age"], "by": ["sex"], "mechanism": "laplace", "statistics": "count, mean", "epsilon": "0.2"},
    "quantiles": {"of": "age", "at": "0.25, 0.5", "epsilon": "0.2"},
    "correlation": {"of": ["age", "pay"], "epsilon": "0.2"},
    "regression": {"of": "age", "on": ["sex"], "epsilon": "0.2"},
    "synthetic": {"columns": ["age", "sex"], "rows": "100", "method": "network", "epsilon": "0.2"},
    "entropy": {"columns": ["age"], "mechanism": "laplace", "route": "histogram", "epsilon": "0.2"},
    "conditional-entropy": {"columns": ["age"], "given": ["sex"], "mechanism": "laplace", "epsilon": "0.2"},
    "mutual-information": {"columns": ["age"], "given": ["sex"], "mechanism": "laplace", "epsilon": "0.2"},
    "entropy-map": {"columns": ["age", "sex"], "mechanism": "gaussian", "epsilon": "0.2"},
}


def folder_of(place: Path, plan: str = "", contract: str = CONTRACT) -> Path:
    folder = place / "clinic"
    folder.mkdir()
    (folder / "contract.toml").write_text(contract.replace('"add-remove"', '"add-remove"\nat_least = 2000'))
    if plan:
        (folder / "plan.toml").write_text(plan)
    ledger_in(folder)
    return folder


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    folder_of(tmp_path, PLAN)
    return Guest(tmp_path)


def test_every_kind_of_this_package_has_words_a_picture_and_a_form() -> None:
    own = {kind for kind, planned in KINDS.items() if planned.__module__.startswith("reaedp.")}
    assert own == set(SHOWN)
    for kind in own:
        asked = {one.key for one in fields_of(kind)}
        assert asked.isdisjoint({"name", "kind", "epsilon", "delta", "share"})
        assert all(one.choices for one in fields_of(kind) if one.sort == "choice")


def test_every_kind_that_columns_allow_is_added_by_its_form(tmp_path: Path) -> None:
    pay = '[columns.pay]\nkind = "integer"\nlower = 0\nupper = 9\nprovenance = "public"\n'
    folder = folder_of(tmp_path, contract=CONTRACT + pay)
    guest = Guest(tmp_path)
    gallery = guest.page("/p/clinic/plan")
    for kind, fields in WANTED.items():
        assert f"add={kind}" in gallery
        guest.done("/p/clinic/plan/add", {"name": kind, **fields}, at="/p/clinic/plan", add=kind)
    plan = Plan.load(folder / "plan.toml")
    assert list(WANTED) == [one.kind for one in plan.releases]
    assert {0.2} == {one.price(plan.contract.budget)[0] for one in plan.releases}
    assert 10 == guest.page("/p/clinic/plan").count("data-release=")
    assert "add=image" not in gallery


def test_what_is_asked_for_holds_with_noise_that_has_a_delta_too(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    wanted = {"columns": ["age"], "mechanism": "gaussian", "error": "30"}
    Guest(tmp_path).done("/p/clinic/plan/add", wanted, at="/p/clinic/plan", add="histogram")
    plan = Plan.load(folder / "plan.toml")
    (request,), (planned,) = plan.requests(), plan.releases
    assert 28 < Forecast.of(request, plan.contract).expected.bound <= 30  # its share of δ is small as well
    other = planned.costing(0.3, plan.contract.budget)
    assert (0.3, 3e-7) == pytest.approx(other.price(plan.contract.budget))


@pytest.mark.parametrize(("columns", "mechanism"), [(["sex"], "laplace"), (["age", "sex"], "laplace")])
def test_a_release_needs_neither_a_name_nor_a_noise(tmp_path: Path, columns: list[str], mechanism: str) -> None:
    folder = folder_of(tmp_path)
    guest = Guest(tmp_path)
    for error in ("30", "40"):
        wanted = {"columns": columns, "mechanism": "best", "error": error}
        guest.done("/p/clinic/plan/add", wanted, at="/p/clinic/plan", add="histogram")
    plan = Plan.load(folder / "plan.toml")
    name = "_".join(columns)
    assert [(name, mechanism), (f"{name}-2", mechanism)] == [(one.name, one.mechanism) for one in plan.releases]
    within = [Forecast.of(request, plan.contract).expected.bound for request in plan.requests()]
    assert within[0] <= 30 < within[1] <= 40  # what was asked for, and not a little more


def test_the_more_precise_noise_is_chosen(tmp_path: Path) -> None:
    many = CONTRACT + "".join(
        f'[columns.x{n}]\nkind = "integer"\nlower = 0\nupper = 9\nprovenance = "public"\n' for n in range(12)
    )
    folder = folder_of(tmp_path, contract=many)
    wanted = {"of": [f"x{n}" for n in range(12)], "mechanism": "best", "epsilon": "0.5"}
    Guest(tmp_path).done("/p/clinic/plan/add", wanted, at="/p/clinic/plan", add="summary")
    assert "gaussian" == Plan.load(folder / "plan.toml").releases[0].mechanism


def test_all_that_is_wrong_with_a_release_is_said_at_once(tmp_path: Path) -> None:
    folder_of(tmp_path)
    nothing = {"name": "a b", "mechanism": ""}
    answer = Guest(tmp_path).send("/p/clinic/plan/add", nothing, at="/p/clinic/plan", add="histogram")
    summed_up, words = answer.text.split("</ul>", 1)[0], answer.text
    for said in ("Enter either how far off it may be, or an ε.", "Fill in “Which columns?”.", "Fill in “Noise”."):
        assert said in summed_up
    assert '<fieldset class="field few bad"><legend>Which columns?</legend><p class="wrong">Fill in' in words
    assert 'id="mechanism-wrong">Fill in “Noise”.' in words


def test_an_error_is_bought_at_the_least_price(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    guest = Guest(tmp_path)
    wanted = {"name": "ages", "columns": ["age"], "mechanism": "laplace", "error": "30"}
    guest.done("/p/clinic/plan/add", wanted, at="/p/clinic/plan", add="histogram")
    plan = Plan.load(folder / "plan.toml")
    (request,), (planned,) = plan.requests(), plan.releases
    assert Forecast.of(request, plan.contract).expected.bound <= 30
    cheaper = planned.costing(0.95 * planned.price(plan.contract.budget)[0], plan.contract.budget)
    assert priced(cheaper, plan.contract).forecast.expected.bound > 30


def test_the_error_of_a_mean_is_that_of_the_mean_and_not_of_the_counts_behind_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    wanted = {"of": ["age"], "by": ["sex"], "mechanism": "laplace", "error": "2"}
    guest = Guest(tmp_path)
    page = guest.page("/p/clinic/plan", add="summary")
    assert "Of a mean, in the unit of its column." in page
    guest.done("/p/clinic/plan/add", wanted, at="/p/clinic/plan", add="summary")
    plan = Plan.load(folder / "plan.toml")
    (request,), (planned,) = plan.requests(), plan.releases
    expected = Forecast.of(request, plan.contract).expected
    assert f"means are within: age ±{expected.aim.bound:.3g}" in expected.words
    assert expected.aim.bound <= 2 < expected.bound
    cheaper = planned.costing(0.95 * planned.price(plan.contract.budget)[0], plan.contract.budget)
    assert priced(cheaper, plan.contract).forecast.expected.aim.bound > 2
    assert max(priced(planned, plan.contract).off) < 2 * expected.aim.bound  # the dots are those of the mean


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "a b"}, "name must be 1 to 100 letters"),
        ({"name": "ages", "columns": []}, "Fill in “Which columns?”."),
        ({"mechanism": ""}, "Fill in “Noise”."),
        ({"epsilon": ""}, "one of the two"),
        ({"epsilon": "7"}, "at most the whole budget"),
        ({"epsilon": "", "error": "0.001"}, "does not keep it within"),
    ],
)
def test_what_is_wrong_with_a_release_is_said_and_nothing_is_written(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    folder = folder_of(tmp_path)
    guest = Guest(tmp_path)
    wanted = {"name": "ages", "columns": ["age"], "mechanism": "laplace", "epsilon": "0.1"}
    answer = guest.send("/p/clinic/plan/add", {**wanted, **changes}, at="/p/clinic/plan", add="histogram")
    assert 400 == answer.status_code
    assert said in text_of(answer.text)
    assert not (folder / "plan.toml").exists()


def test_figures_at_another_price_are_those_of_that_price(guest: Guest) -> None:
    plan = Plan.load(guest.folder / "clinic" / "plan.toml")
    for epsilon in ("0.5", "0.05"):
        words = priced(plan.releases[0].costing(float(epsilon), plan.contract.budget), plan.contract).forecast.words
        assert words in guest.page("/p/clinic/plan/figures", name="ages", **{"e.ages": epsilon})
    assert "That does not fit" in guest.page("/p/clinic/plan/together", **{"e.ages": "0.9"})
    assert "of ε 1 that is left" in guest.page("/p/clinic/plan/together", **{"e.ages": "0.01"})
    assert "Error against ε" in guest.page("/p/clinic/plan/curve", name="both")
    assert 400 == guest.ask("/p/clinic/plan/figures", name="ages", **{"e.ages": "-1"}).status_code
    assert plan.releases == Plan.load(guest.folder / "clinic" / "plan.toml").releases


def test_pretended_tables_have_as_many_rows_as_somebody_guesses(guest: Guest) -> None:
    assert 'name="guess" value="2000"' in guest.page("/p/clinic/plan"), "what the public knows"
    assert "Pretended: 300 rows spread evenly" in guest.page("/p/clinic/plan/figures", name="ages", guess="300")
    assert "/p/clinic/plan?guess=300" == guest.done("/p/clinic/plan", {"guess": "300"})
    assert "Pretended: 300 rows spread evenly" in guest.page("/p/clinic/plan", guess="300")
    for text in ("²", "9" * 5_000, "-3", "many", "0"):
        page = guest.page("/p/clinic/plan/figures", name="ages", guess=text, draw=text)
        assert "Pretended: 2,000 rows spread evenly" in page, text


def test_pictures_know_of_a_charge_that_was_made_meanwhile(guest: Guest) -> None:
    assert "of ε 1 that is left" in guest.page("/p/clinic/plan/together")
    contract = Contract.load(guest.folder / "clinic" / "contract.toml")
    with Ledger.open(contract.ledger) as book:
        book.register(contract.dataset, contract.budget, contract.unit)
        book.charge([Charge(contract.dataset, "counts", "laplace", (PureDP(0.25),), contract.unit, "a" * 64)])
        assert "of ε 0.75 that is left" in guest.page("/p/clinic/plan/together")
        book.charge([Charge(contract.dataset, "counts", "laplace", (PureDP(0.25),), contract.unit, "b" * 64)])
    assert "of ε 0.5 that is left" in guest.page("/p/clinic/plan/together")


def test_saved_prices_keep_the_comments_of_a_plan(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "# For the board.\n" + PLAN.replace("share = 0.25", "share = 0.25  # agreed"))
    guest = Guest(tmp_path)
    before = (folder / "plan.toml").read_text()
    fields = form_fields(guest.page("/p/clinic/plan"), "/p/clinic/plan")
    assert 303 == guest.act("/p/clinic/plan", fields).status_code
    assert before == (folder / "plan.toml").read_text()
    assert 303 == guest.act("/p/clinic/plan", {**fields, "e.ages": "0.1", "e.both": "0.3"}).status_code
    text = (folder / "plan.toml").read_text()
    assert "# For the board." in text
    assert "share = 0.1  # agreed" in text
    assert "epsilon = 0.3" in text
    stale = guest.act("/p/clinic/plan", {**fields, "e.ages": "0.2"})
    assert "changed after this page was opened" in stale.text


def test_a_plan_that_costs_too_much_is_made_to_fit_by_a_click(guest: Guest) -> None:
    dear = {"e.ages": "0.9", "e.both": "0.8"}
    button = re.search(r'name="times" value="([0-9.]+)"', guest.page("/p/clinic/plan/together", **dear))
    assert button is not None
    fields = form_fields(guest.page("/p/clinic/plan"), "/p/clinic/plan") | dear
    assert 303 == guest.act("/p/clinic/plan", {**fields, "times": button[1]}).status_code
    page = guest.page("/p/clinic/plan")
    assert "That does not fit" not in page
    assert "Make it fit" not in page
    plan = Plan.load(guest.folder / "clinic" / "plan.toml")
    ages, both = (one.price(plan.contract.budget)[0] for one in plan.releases[:2])
    assert ages / both == pytest.approx(0.9 / 0.8, rel=0.01), "each has the same part of what it had"
    assert composed(plan.prices(), plan.contract.budget.delta) > 0.97, "and no more is taken away than must be"


@pytest.mark.parametrize("label", ["-1", "--", "_a", "Ärzte & Söhne", "日本", "<b>", "x" * 100])
def test_a_release_that_nobody_named_gets_a_name_that_files_can_have(label: str) -> None:
    form = Form({"label": [label], "columns": ["age"], "mechanism": ["laplace"]})
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", facts_of("histogram", form)["name"])


def test_advice_is_followed_by_a_click(tmp_path: Path) -> None:
    more = '[[release]]\nname = "bits"\nkind = "entropy"\ncolumns = ["age"]\nmechanism = "laplace"\nshare = 0.1\n'
    folder = folder_of(tmp_path, PLAN + more)
    guest = Guest(tmp_path)
    page = guest.page("/p/clinic/plan")
    assert "ages includes it at no extra cost: leave it out." in page
    form = form_fields(page, "/p/clinic/plan/improve")  # the last of them, which is that of the entropy
    assert 303 == guest.act("/p/clinic/plan/improve", form).status_code
    assert ["ages", "both", "frequent"] == [one.name for one in Plan.load(folder / "plan.toml").releases]
    refused = guest.act("/p/clinic/plan/improve", form)
    assert 400 == refused.status_code


def test_a_release_is_taken_out_and_found_a_price(guest: Guest) -> None:
    path = guest.folder / "clinic" / "plan.toml"
    fields = form_fields(guest.page("/p/clinic/plan"), "/p/clinic/plan/error")
    assert 303 == guest.act("/p/clinic/plan/error", {**fields, "name": "ages", "error": "40"}).status_code
    plan = Plan.load(path)
    assert Forecast.of(plan.requests()[0], plan.contract).expected.bound <= 40
    for name in ("both", "frequent", "ages"):
        fields = form_fields(guest.page("/p/clinic/plan"), "/p/clinic/plan/remove")
        assert 303 == guest.act("/p/clinic/plan/remove", {**fields, "name": name}).status_code
    assert not path.exists()
    assert "Suggest a plan" in guest.page("/p/clinic/plan")


def test_a_broken_plan_is_shown_with_its_mistakes(tmp_path: Path) -> None:
    folder_of(tmp_path, PLAN.replace('columns = ["age"]', 'columns = ["agee"]'))
    page = text_of(Guest(tmp_path).ask("/p/clinic/plan").text)
    assert "Did you mean &#39;age&#39;?" in page
    assert "Take out" in page


def test_outcomes_are_twenty_and_as_far_off_as_the_noise() -> None:
    plan = _plan_in_memory()
    found = priced(plan.releases[0], plan.contract)
    assert OUTCOMES == len(found.off) == len(set(Dots.of(found).places))  # type: ignore[union-attr]
    assert sorted(found.off) == list(found.off)
    assert found.forecast.expected.bound == pytest.approx(max(found.off))
    assert min(found.off) == -max(found.off)
    one, other = (Pretended.of(found, plan.contract, 2000, draw) for draw in (0, 1))
    assert one is not None
    assert other is not None
    assert [bar.top for bar in one.bars] != [bar.top for bar in other.bars]
    assert "Pretended: 2,000 rows spread evenly" in one.words


def test_the_chart_of_errors_has_a_line_for_each_release_and_a_handle_on_its_own() -> None:
    plan = _plan_in_memory("age", "sex")
    first, second = plan.releases
    drawn = ErrorChart.of(plan, first, 0.25, 0.5)
    assert drawn is not None
    assert len(drawn.rows) >= 10  # without those at which nothing is off
    assert 2 == len(drawn.lines) == len({name.text for name in drawn.names})
    assert ["age"] == [name.text for name in drawn.names if name.own]
    assert 15 <= abs(drawn.names[0].y - drawn.names[1].y)
    assert drawn.now["power"] == pytest.approx(math.log10(0.25), abs=1e-5)
    expected = priced(first, plan.contract).forecast.expected.bound
    assert 10 ** drawn.now["error"] == pytest.approx(expected, rel=0.05)  # straight between two of the prices
    ended = ErrorChart.of(plan, second, 500.0, 0.0)
    assert ended is not None
    assert ended.now == pytest.approx(ended.own[-1])


def _plan_in_memory(*names: str) -> Plan:
    from reaedp import Budget, Category, Number, PlannedRelease, Unit

    age = Number(name="age", lower=0, upper=100, bins=10, provenance="public")
    sex = Category(name="sex", levels=("f", "m"), provenance="public")
    contract = Contract(
        dataset="clinic", unit=Unit("add-remove", at_least=2000), budget=Budget(1, 1e-6), ledger="x", columns=(age, sex)
    )
    kind: dict[str, Any] = {"kind": "histogram", "share": 0.25}
    noise = {"age": "laplace", "sex": "gaussian"}
    made = (PlannedRelease(name=one, columns=(one,), mechanism=noise[one], **kind) for one in names or ("age",))
    return Plan(contract, tuple(made))
