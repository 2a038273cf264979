"""A summary and rates from their plan to its folder, and back: forecast, files, verification, report and evaluation."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from reaedp import Plan, evaluate, public_report, publish, read, verify
from reaedp.errors import ReaedpError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.advice import advice
from reaedp.plan.forecast import Forecast
from tests_support import planned, releases

PLAN = releases(
    'contract = "contract.toml"\n\n',
    planned("ages", "summary", of=["age"], by=["sex"], statistics=["mean", "sd"], mechanism="laplace", epsilon=0.25),
    planned("old", "rate", of="age", at_least=65, by=["sex"], mechanism="laplace", epsilon=0.2),
    planned(
        "women",
        "rate",
        of="sex",
        levels=["f"],
        standard="age",
        weights=[1] * 10,
        mechanism="gaussian",
        epsilon=0.2,
        delta=1e-8,
    ),
    planned("frequent", "summary", of=["age"], by=["sex"], mechanism="threshold", epsilon=0.1, delta=1e-8),
    planned("both", "histogram", columns=["age", "sex"], mechanism="laplace", epsilon=0.25),
)


@pytest.fixture
def plan(clinic: Path) -> Plan:
    (clinic / "plan.toml").write_text(PLAN, encoding="utf-8")
    return Plan.load(clinic / "plan.toml")


def test_a_plan_says_how_far_means_will_be_off_and_what_is_free(plan: Plan) -> None:
    ages, old, _, frequent, _ = plan.requests()
    assert "means are within: age ±" in Forecast.of(ages, plan.contract).words
    assert "the rate is within ±" in Forecast.of(old, plan.contract).words
    assert "rows will not appear" in Forecast.of(frequent, plan.contract).words
    lines = list(advice(plan.requests(), plan.contract))
    for name in ("ages", "old"):
        assert any(line.startswith(f"{name}: The release both of this plan") for line in lines)


@pytest.mark.slow
def test_a_folder_is_verified_read_again_drawn_and_compared_with_the_truth(plan: Plan, clinic: Path) -> None:
    out = clinic / "out"
    made = publish(plan, clinic / "data.csv", out, page=False, noise=SeededNoise(np.random.default_rng(4)))
    checked, folder = verify(out), read(out)
    for name in ("ages", "old", "women", "frequent"):
        assert any(line.startswith(f"{name}:") and "agree with the contract" in line for line in checked)
    found = folder["ages"]
    assert found == next(release for release in made if release.name == "ages")
    assert found.compare("mean", sex=("f", "m")).difference.known
    assert {"f", "m"} == set(folder["frequent"].frame()["sex"])
    assert ["f"] == folder["frequent"].top(1, "mean")["sex"].tolist()
    assert folder["old"].compare("rate", sex=("f", "m")).difference.known
    page = public_report(out)
    for words in (
        "Mean of age in each group",
        "Rate of 65 ≤ age in each group",
        "Standardised rate of sex",
    ):
        assert words in page
    assert "a standardised rate weights the cells" in (out / "README.txt").read_text(encoding="utf-8")
    lines = {line.measure: line.value for line in evaluate(out, clinic / "data.csv", rng=np.random.default_rng(1))}
    assert lines["share of intervals that cover the truth"] > 0.5
    assert lines["mean error of mean of age"] < 5
    assert lines["mean error of rate of 65 ≤ age"] < 0.05
    assert 1.0 == lines["share of rows in released groups"]
    for name in ("ages", "frequent"):
        copy = clinic / f"edited-{name}"
        shutil.copytree(out, copy)
        _edit(copy, name)
        with pytest.raises(ReaedpError):
            verify(copy)


def _edit(folder: Path, name: str) -> None:
    """A noisy number is changed, and nothing that follows from it."""
    record = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    parts = next(one for one in record["releases"] if one["name"] == name)["details"]["noisy_parts"]
    parts[0] += 10**7
    (folder / "release.json").write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")


def test_a_folder_of_rows_that_are_replaced_is_verified(clinic: Path) -> None:
    text = (clinic / "contract.toml").read_text(encoding="utf-8")
    (clinic / "contract.toml").write_text(text.replace('"add-remove"', '"replace"'), encoding="utf-8")
    priced = {"mechanism": "laplace", "epsilon": 0.4}
    asked = [
        planned("ages", "summary", of=["age"], statistics=["count", "mean", "sd"], **priced),
        planned("old", "rate", of="age", at_least=65, **priced),
    ]
    (clinic / "plan.toml").write_text(releases('contract = "contract.toml"\n\n', *asked), encoding="utf-8")
    plan, out = Plan.load(clinic / "plan.toml"), clinic / "out"
    publish(plan, clinic / "data.csv", out, page=False, noise=SeededNoise(np.random.default_rng(4)))
    assert any(line.startswith("ages:") and "agree with the contract" in line for line in verify(out))
