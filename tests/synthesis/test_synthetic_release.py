"""Synthetic records through the curator: from a plan to a folder, by every method."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Curator, Date, Integer, Number, Plan, Unit, publish, verify
from reaedp.curator.records import Records
from reaedp.errors import BudgetRefused, DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from reaedp.privacy.accounting import fits, tally
from reaedp.privacy.loss import ApproxDP, GaussianDP, PureDP
from reaedp.privacy.unit import Sensitivity
from reaedp.synthesis.amortised import Amortised, price_of_parts
from reaedp.synthesis.deniability import Deniable, seed_unit
from reaedp.synthesis.marginal_model import MarginalModel
from tests_support import ledger_in

NAMES = ("age", "sex", "city", "income", "born")
METHODS = ("network", "amortised", "deniable")


def columns() -> tuple[Any, ...]:
    from datetime import date

    return (
        Integer(name="age", lower=0, upper=9, provenance="public"),
        Category(name="sex", levels=("f", "m"), provenance="public"),
        Category(name="city", levels=("Bern", "Chur", "Genf"), provenance="public"),
        Number(name="income", lower=0, upper=100, bins=5, provenance="public"),
        Date(name="born", lower=date(2000, 1, 1), upper=date(2003, 12, 31), every="year", provenance="public"),
    )


def contract(folder: Path, unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="people",
        unit=unit or Unit("add-remove", at_least=1_000),
        budget=Budget(8, 1e-5),
        ledger=ledger_in(folder),
        columns=columns(),
    )


def people(rows: int = 3_000, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 10, rows)
    return pd.DataFrame(
        {
            "who": np.arange(rows) // 2,
            "age": age,
            "sex": np.where(rng.random(rows) < 0.5, "f", "m"),
            "city": np.array(["Bern", "Chur", "Genf"])[np.minimum(age // 4, 2)],
            "income": np.where(age < 5, 10.0, 70.0) + rng.random(rows) * 20,
            "born": pd.to_datetime("2000-01-01") + pd.to_timedelta(rng.integers(0, 1400, rows), unit="D"),
        }
    )


def planned(method: str, rows: int = 40, **keys: Any) -> PlannedSynthetic:
    given: dict[str, Any] = {"columns": NAMES, "epsilon": 4.0, "delta": 1e-6, **keys}
    return PlannedSynthetic(name="s", kind="synthetic", rows=rows, method=method, **given)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_plan_becomes_a_folder_of_records_that_checks_out(tmp_path: Path, method: str) -> None:
    plan = Plan(contract(tmp_path), (planned(method),))
    (release,) = publish(plan, people(), tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "s.csv")
    assert NAMES == tuple(table.columns)
    assert len(table) == len(release.value) <= 40
    assert method == "deniable" or len(table) == 40
    assert set(table["sex"].dropna()) <= {"f", "m"}
    assert table["age"].dropna().between(0, 9).all()
    assert verify(tmp_path / "out", str(tmp_path / "budget.sqlite"))
    record = json.loads((tmp_path / "out" / "release.json").read_text())["releases"][0]
    assert (method == "network") == ("kept" not in record["details"])
    assert fits(tally([release.price]), Budget(4.0, 1e-6))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "unit",
    [Unit("replace", at_least=1_000), Unit("add-remove", "who", 2, 400), Unit("add-remove")],
    ids=["replace", "people", "unknown size"],
)
def test_every_unit_is_priced_within_what_was_allowed(tmp_path: Path, method: str, unit: Unit) -> None:
    request = planned(method, rows=5).request(contract(tmp_path, unit))
    price = request.charge(contract(tmp_path, unit)).price
    assert fits(tally([price]), Budget(4.0, 1e-6))


@pytest.mark.slow
def test_dependences_survive(tmp_path: Path) -> None:
    """City follows from age, income nearly so: synthetic rows keep both, independent ones would not."""
    (release,) = publish(Plan(contract(tmp_path), (planned("network", rows=2_000),)), people(20_000), tmp_path / "out")
    codes = release.value.codes
    right = np.minimum(codes[:, 0] // 4, 2) == codes[:, 2]
    # Independent columns would agree for about 34 %; noise of a few hundred rows in 20,000 leaves most of it.
    assert right.mean() > 0.8


@pytest.mark.slow
def test_kept_columns_hold_only_keys_that_many_records_have(tmp_path: Path) -> None:
    rare = people()
    rare.loc[0, ["age", "city"]] = [0, "Genf"]  # nobody else of this age lives there
    for seed in range(3):
        terms = contract(tmp_path / str(seed))
        noise = SeededNoise(np.random.default_rng(seed))
        plan = Plan(terms, (planned("deniable", rows=20, keep=("age", "city")),))
        (release,) = publish(plan, rare, tmp_path / str(seed) / "out", noise=noise, audited=False)
        codes = release.value.codes
        assert len(codes) > 0
        assert not ((codes[:, 0] == 0) & (codes[:, 2] == 2)).any()


@pytest.mark.slow
def test_people_can_be_split_between_model_and_seeds(tmp_path: Path) -> None:
    unit = Unit("add-remove", "who", 2, 400)
    terms = contract(tmp_path, unit)
    whole, halves = Records(terms, people()), [Records(terms, people()).half(side) for side in (0, 1)]
    counts = [part.counts(("age",)).values for part in halves]
    assert (whole.counts(("age",)).values == counts[0] + counts[1]).all()
    # 1,500 people fall to either side by a digest of their names: half of them within six standard deviations.
    assert abs(counts[0].sum() - 1_500) < 6 * 2 * np.sqrt(1_500) / 2
    (release,) = publish(Plan(terms, (planned("amortised", split_people=True),)), people(), tmp_path / "out")
    assert 40 == len(release.value)
    assert fits(tally([release.price]), Budget(4.0, 1e-6))


def test_people_cannot_be_split_where_they_are_replaced_or_unknown(tmp_path: Path) -> None:
    for unit in (Unit("replace", "who", 2, 400), Unit("add-remove", at_least=400)):
        with pytest.raises(DeclarationError, match=r"split_people needs unit\.person"):
            planned("amortised", split_people=True).request(contract(tmp_path, unit))


def test_a_bound_on_rows_counts_no_rows_that_cannot_be_seeds(tmp_path: Path) -> None:
    """Where the contract drops rows, or half of the people make the model, `at_least` says nothing about seeds."""
    terms = contract(tmp_path, Unit("add-remove", "who", 2, 400))
    dropping = replace(terms, columns=(replace(terms.columns[0], null="drop"), *terms.columns[1:]))
    assert 400 == seed_unit(terms, NAMES, halves=False).at_least
    assert 400 == seed_unit(dropping, NAMES[1:], halves=False).at_least
    assert seed_unit(dropping, NAMES, halves=False).at_least is None
    assert seed_unit(terms, NAMES, halves=True).at_least is None


def test_model_and_seeds_are_charged_both() -> None:
    """Without halves everybody is in the model and among the seeds: the price is that of one and of the other."""
    model, keys = (GaussianDP(0.3), PureDP(0.1)), (ApproxDP(0.5, 1e-7),)
    assert model + keys == price_of_parts(model, keys, None, Sensitivity(1, 1, 1))


def test_halves_are_refused_where_a_replaced_person_may_change_them() -> None:
    model, keys = (PureDP(0.1),), (PureDP(0.2),)
    assert (ApproxDP(0.2, 1e-6),) == price_of_parts(model, keys, (0.2, 1e-6), Sensitivity(3, 9, 3))
    with pytest.raises(DeclarationError, match="given 'replace'"):
        price_of_parts(model, keys, (0.2, 1e-6), Sensitivity(6, 18, 3))


def test_halves_never_promise_less_than_either_part_costs(tmp_path: Path) -> None:
    """Keys must have a smaller δ than was asked for here; the model does not, and the price is that of the larger."""
    unit = Unit("add-remove", "who", 20, 400)
    wanted = planned("amortised", epsilon=0.5, delta=0.1, split_people=True).request(contract(tmp_path, unit))
    (loss,) = wanted.charge(contract(tmp_path, unit)).price
    assert (0.5, 0.1) == (loss.epsilon, loss.delta)  # type: ignore[union-attr]
    sensitivity = wanted.statistic.sensitivity(contract(tmp_path, unit))
    noisy = MarginalModel(3, mu=50.0)
    for broken in (
        Amortised(noisy, 0.01, 1e-9, ("age",), together=(0.01, 1e-9)),
        Deniable(noisy, 100, 5.0, 1e-3, 0.01, None, keep=("age",), together=(0.005, 1e-9)),
    ):
        with pytest.raises(DeclarationError, match="joint cost must be at least"):
            broken.price(sensitivity)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_of_no_rows_is_released_like_any_other(tmp_path: Path, method: str, rows: int) -> None:
    plan = Plan(contract(tmp_path, Unit("add-remove")), (planned(method, rows=4),))
    publish(plan, people(rows), tmp_path / "out", audited=False)
    assert (tmp_path / "out" / "s.csv").exists()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"method": "copy"}, "method must be one of deniable, amortised, network"),
        ({"method": "network", "keep": ("age",)}, "keep and split_people must be left out"),
        ({"method": "amortised", "keep": ("height",)}, "keep must name some of the columns"),
        ({"method": "amortised", "proposal": "mixed"}, "proposal must be used with method deniable"),
        ({"method": "network", "delta": None}, "delta must be declared for network"),
    ],
)
def test_bad_keys_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        planned(**{"method": "network", **keys})


def test_rows_must_be_a_sensible_number(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="rows must be a whole number from 1"):
        planned("network", rows=0).request(contract(tmp_path))


def test_a_model_cannot_be_learned_without_paying(tmp_path: Path) -> None:
    """The curator charges before it hands records to a mechanism; a budget that is too small stops it."""
    plan = Plan(contract(tmp_path), (planned("deniable", epsilon=9.0),))
    with pytest.raises(BudgetRefused):
        publish(plan, people(), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not hasattr(Curator(contract(tmp_path), people()), "records")


@pytest.mark.slow
def test_the_same_seeded_noise_gives_the_same_rows_and_another_gives_others(tmp_path: Path) -> None:
    found = []
    for number, seed in enumerate((1, 1, 2)):
        (tmp_path / str(number)).mkdir()
        plan = Plan(contract(tmp_path / str(number)), (planned("amortised"),))
        noise = SeededNoise(np.random.default_rng(seed))
        (release,) = publish(plan, people(), tmp_path / str(number) / "out", noise=noise, audited=False)
        found.append(release.value.codes)
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()
