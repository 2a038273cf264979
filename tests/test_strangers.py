"""Kinds that another package wrote go all the way; what nobody could read again is refused before the charge."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import stranger_kinds
from reaedp import (
    Boolean,
    Budget,
    Contract,
    Curator,
    EntropyHistogram,
    EntropyMap,
    Forecast,
    KeyedMarginal,
    Laplace,
    Ledger,
    Marginal,
    Number,
    Plan,
    PlannedRelease,
    PlannedStatistic,
    RoutedEntropy,
    Unit,
    custodian_report,
    evaluate,
    plan_page,
    public_report,
    publish,
    read,
    register,
    register_engine,
    verify,
)
from reaedp.audits.request_audit import audit_request
from reaedp.cli.app import app
from reaedp.contract import Column
from reaedp.engines.source import open_source
from reaedp.errors import DeclarationError, Mistakes
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.advice import advice
from reaedp.plan.affordable import largest_factor, rest_of
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.information import spread_of_three
from reaedp.statistics.noise_variance import noise_variance
from reaedp.statistics.statistic import Statistic
from stranger_kinds import CountsAbove, Logarithmic, PlannedCountsAbove, ShyKeys, WideLaplace
from tests_support import forgotten_kinds, ledger_in

ABOVE, WIDE = CountsAbove("age", (30.0, 50.0)), WideLaplace(epsilon=1.0, factor=2.0)


@pytest.fixture(autouse=True, scope="module")
def _registered() -> Iterator[None]:
    with forgotten_kinds():
        stranger_kinds.register_all()
        yield


def contract_in(folder: Path, *more: Column) -> Contract:
    return Contract(
        dataset="strangers",
        unit=Unit("add-remove", at_least=100),
        budget=Budget(3, 1e-6),
        ledger=ledger_in(folder),
        columns=(Number(name="age", lower=0, upper=100, bins=10, provenance="public"), *more),
    )


PAY = Logarithmic(name="pay", lower=1, upper=1000, bins=3, provenance="public")
AGES = np.arange(200) % 100
PAYS = 10.0 ** (np.arange(200) % 3) * 2


def data_in(folder: Path) -> str:
    rows = "".join(f"{age},{pay}\n" for age, pay in zip(AGES, PAYS, strict=True))
    (folder / "data.csv").write_text(f"age,pay\n{rows}", encoding="utf-8")
    return str(folder / "data.csv")


def one(statistic: Statistic, mechanism: Mechanism) -> PlannedStatistic:
    return PlannedStatistic(name="above", statistic=statistic, mechanism=mechanism)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, and with what was published from it."""
    folder = tmp_path_factory.mktemp("strangers")
    publish(plan_in(folder), data_in(folder), folder / "out")
    return folder


def plan_in(folder: Path) -> Plan:
    planned = PlannedCountsAbove(name="more", kind="counts-above", column="pay", thresholds=(10,), epsilon=0.5)
    return Plan(contract_in(folder, PAY), (one(ABOVE, WIDE), planned))


def fresh(*arguments: str, folder: Path, also: Path | None = None) -> CompletedProcess[str]:
    """A command in a process of its own, which knows what this one was told only if it is installed."""
    paths = [os.environ.get("PYTHONPATH", ""), *([str(also)] if also else [])]
    return subprocess.run(
        [sys.executable, "-m", "reaedp", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `pip install` leaves it: a module that registers its kinds, and its entry point."""
    site = tmp_path_factory.mktemp("site")
    shutil.copy(stranger_kinds.__file__, site / "stranger_package.py")
    with (site / "stranger_package.py").open("a", encoding="utf-8") as file:
        file.write("\n\nregister_all()\n")
    facts = site / "stranger_package-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger-package\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text("[reaedp.kinds]\nstranger = stranger_package\n", encoding="utf-8")
    return site


def test_the_curator_releases_a_strangers_statistic(tmp_path: Path) -> None:
    curator = Curator(contract_in(tmp_path), data_in(tmp_path), noise=SeededNoise(np.random.default_rng(1)))
    release = curator.release(ABOVE, WIDE)
    assert pytest.approx(0.5, rel=1e-4) == curator.ledger.spent("strangers")
    # Scale 4: off by more than 140 with probability 2 exp(-35).
    assert np.abs(release.value - [140, 100]).max() < 140
    with pytest.raises(DeclarationError, match="no Shannon entropy"):
        release.entropy()


def test_a_plan_says_what_it_will_cost_and_how_far_it_will_be_off(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    fixed, planned = (Forecast.of(request, plan.contract) for request in plan.requests())
    assert [pytest.approx(0.5, rel=1e-4)] * 2 == [fixed.epsilon, planned.epsilon]
    assert "Numbers will be off by about 4" in fixed.words
    assert [] == list(advice(plan.requests(), plan.contract))
    assert "above" in plan_page(plan)
    assert largest_factor(plan, rest_of(plan.contract)) is None


def test_a_planned_statistic_leaves_the_price_to_its_mechanism() -> None:
    with pytest.raises(DeclarationError, match="The mechanism states the cost"):
        PlannedStatistic(name="above", statistic=ABOVE, mechanism=WIDE, epsilon=1.0)


def test_a_strangers_release_is_verified_as_far_as_it_is_known(home: Path) -> None:
    checked = verify(home / "out", ledger=home / "budget.sqlite")
    assert "above: ε = 0.5 follows from wide discrete Laplace, scale 4 and the privacy unit" in checked
    assert (
        "above: CSV and Parquet hold the same 2 rows; contents of kind CountsAbove are not checked further" in checked
    )
    assert "above: paid for by ledger entry 2, which confirms this folder" in checked


def test_a_strangers_release_is_read_and_shown_as_it_is_written(tmp_path: Path) -> None:
    """Nobody knows what its numbers followed from, so that they come back as they stand in the files."""
    contract, data = contract_in(tmp_path, PAY), data_in(tmp_path)
    histogram = PlannedRelease(name="pays", kind="histogram", columns=("pay",), mechanism="laplace", epsilon=0.5)
    plan = Plan(contract, (*plan_in(tmp_path).releases, histogram))
    releases = publish(plan, data, tmp_path / "out", audited=False, page=False)
    again = read(tmp_path / "out")
    assert list(releases) == list(again.values())
    for written, found in zip(releases, again.values(), strict=True):
        assert written.to_pandas().equals(found.to_pandas())
        assert repr(written) == repr(found)
        assert written._repr_html_() == found._repr_html_()
    pays = again["pays"].to_pandas()
    assert PAY.boundaries.tolist() == [*pays["pay_low"][:3], pays["pay_high"][2]]


def test_a_strangers_release_is_reported_and_evaluated(home: Path) -> None:
    rng = np.random.default_rng(1)
    words = (home / "out" / "README.txt").read_text(encoding="utf-8")
    assert f"above.csv, above.parquet: {ABOVE.title}" in words
    page = (home / "out" / "report.html").read_text(encoding="utf-8")
    assert page == public_report(home / "out")
    assert ABOVE.title in page
    found = {(line.release, line.measure) for line in evaluate(home / "out", str(home / "data.csv"), rng=rng)}
    assert {("above", "mean error of rows"), ("more", "mean error of rows")} <= found
    assert ABOVE.title in custodian_report(home / "out", str(home / "data.csv"), rng=rng)


def test_the_audit_says_that_it_does_not_cover_a_stranger(home: Path) -> None:
    findings = json.loads((home / "out" / "release.json").read_text(encoding="utf-8"))["audit"]
    own = {finding["verdict"] for finding in findings if finding["subject"] == f"{ABOVE.title}, {WIDE.name}, scale 4"}
    assert {"NOT COVERED"} == own
    moved = [finding for finding in findings if finding["subject"].startswith(f"{ABOVE.title}: movement within L1 2")]
    assert ["CONSISTENT"] == [finding["verdict"] for finding in moved]


def test_a_stranger_that_moves_farther_than_it_says_is_caught_by_the_replay(tmp_path: Path) -> None:
    @register
    @dataclass(frozen=True)
    class Understated(CountsAbove):
        def sensitivity(self, contract: Contract) -> Sensitivity:  # noqa: ARG002
            return Sensitivity(1, 1, 1)

    plan = Plan(contract_in(tmp_path), (one(Understated("age", (0.0, 10.0)), WIDE),))
    with pytest.raises(DeclarationError, match="the answer moves by 2 in L1"):
        publish(plan, data_in(tmp_path), tmp_path / "out")
    assert 0 == spent_in(tmp_path)


def spent_in(folder: Path) -> float:
    """What the ledger has charged; a data set that it never heard of has spent nothing."""
    with Ledger.open(folder / "budget.sqlite") as ledger:
        return sum(1 for entry in ledger.history() if entry.charge is not None)


@pytest.mark.slow
@pytest.mark.parametrize("command", [("verify", "out"), ("report", "out", "--out", "page.html")], ids=lambda c: c[0])
def test_a_process_that_lacks_the_package_says_which_kind_is_missing(home: Path, command: tuple[str, ...]) -> None:
    done = fresh(*command, folder=home)
    assert 1 == done.returncode
    assert "release.json cannot be read here." in done.stderr
    for kind in ("CountsAbove", "wide discrete Laplace", "logarithmic"):
        assert f"'{kind}' is not a kind that is known here." in done.stderr
    assert "install that package" in done.stderr
    assert "Traceback" not in done.stderr


CONTRACT = """
[dataset]
name = "strangers"
[unit]
change = "add-remove"
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"
[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 10
provenance = "public"
[columns.pay]
kind = "logarithmic"
lower = 1
upper = 1000
bins = 3
provenance = "public"
"""
PLAN = """
contract = "contract.toml"
[[release]]
name = "above"
kind = "counts-above"
column = "pay"
thresholds = [10.0]
share = 0.5
"""


@pytest.mark.slow
def test_an_installed_package_serves_every_command(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    ledger_in(tmp_path)
    data_in(tmp_path)
    for command in (
        ("check", "plan.toml"),
        ("plan", "plan.toml"),
        ("release", "plan.toml", "--data", "data.csv", "--out", "out"),
        ("verify", "out", "--ledger", "budget.sqlite"),
        ("evaluate", "out", "--data", "data.csv", "--out", "figures.csv"),
    ):
        done = fresh(*command, folder=tmp_path, also=installed)
        assert 0 == done.returncode, done.stderr
    refused = fresh("check", "plan.toml", folder=tmp_path)
    assert 2 == refused.returncode
    assert "kind must be one of number, integer, category, boolean, date" in refused.stderr


@dataclass(frozen=True)
class Unheard(CountsAbove):
    """Nobody registered it."""


@dataclass(frozen=True)
class Unseen(WideLaplace):
    name: ClassVar[str] = "unseen"


@dataclass(frozen=True)
class Routing(WideLaplace):
    hides: ClassVar[Any] = "routed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cubes(Number):
    kind: ClassVar[str] = "cubes"


@pytest.mark.parametrize(
    ("planned", "column", "name"),
    [
        (one(Unheard("age", (30.0,)), WIDE), PAY, "Unheard"),
        (one(ABOVE, Unseen(1.0, 2.0)), PAY, "Unseen"),
        (one(ABOVE, WIDE), Cubes(name="pay", lower=1, upper=9, bins=2, provenance="public"), "Cubes"),
    ],
    ids=["statistic", "mechanism", "column"],
)
def test_what_is_not_registered_is_refused_before_the_charge(
    tmp_path: Path, planned: PlannedStatistic, column: Column, name: str
) -> None:
    with pytest.raises(DeclarationError, match=f"{name} is not registered.*reaedp.register\\({name}\\)"):
        publish(Plan(contract_in(tmp_path, column), (planned,)), data_in(tmp_path), tmp_path / "out")
    assert 0 == spent_in(tmp_path)
    assert not (tmp_path / "out").exists()


def test_parameters_that_do_not_come_back_from_a_file_are_refused_before_the_charge(tmp_path: Path) -> None:
    strange = CountsAbove("age", {30.0})  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="parameters of CountsAbove must be numbers, texts or tuples"):
        publish(Plan(contract_in(tmp_path), (one(strange, WIDE),)), data_in(tmp_path), tmp_path / "out")
    assert 0 == spent_in(tmp_path)


def test_a_stranger_that_fails_on_made_up_data_is_refused_before_the_charge(tmp_path: Path) -> None:
    @register
    @dataclass(frozen=True)
    class Failing(CountsAbove):
        def frame(self, value: Any, noise: Calibrated) -> dict[str, NDArray[Any]]:
            return {"rows": value, "off": np.array([noise.spreading])}  # type: ignore[attr-defined]

    plan = Plan(contract_in(tmp_path), (one(Failing("age", (30.0,)), WIDE),))
    with pytest.raises(DeclarationError, match=r"nothing was charged\.\n.*it fails on made-up data: AttributeError"):
        publish(plan, data_in(tmp_path), tmp_path / "out")
    assert 0 == spent_in(tmp_path)


def broken_page(folder: Path) -> str:
    raise KeyError(folder.name)


def test_a_page_that_cannot_be_made_is_said_and_everything_else_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reaedp.release.publication.public_report", broken_page)
    said: list[str] = []
    publish(plan_in(tmp_path), data_in(tmp_path), tmp_path / "out", said.append, audited=False)
    assert (
        f"report.html could not be made (KeyError); all else is there. `reaedp report {tmp_path / 'out'}`" in said[-1]
    )
    names = {"README.txt", "release.json", "above.csv", "above.parquet", "more.csv", "more.parquet"}
    assert names == {path.name for path in (tmp_path / "out").iterdir()}
    assert verify(tmp_path / "out", ledger=tmp_path / "budget.sqlite")


def test_the_command_says_that_a_page_could_not_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reaedp.release.publication.public_report", broken_page)
    (tmp_path / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    ledger_in(tmp_path)
    arguments = ["release", str(tmp_path / "plan.toml"), "--data", data_in(tmp_path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    assert 0 == done.exit_code, done.output
    assert f"The report could not be drawn; try: reaedp report {tmp_path / 'out'}" in done.output
    assert (tmp_path / "out" / "release.json").exists()


def test_names_that_are_taken_are_refused_and_the_same_class_may_come_again() -> None:
    taken = dataclass(frozen=True)(type("Marginal", (CountsAbove,), {"__module__": "elsewhere"}))
    with pytest.raises(DeclarationError, match=r"'Marginal' is taken by reaedp\.statistics"):
        register(taken)
    again = dataclass(frozen=True)(type("CountsAbove", (CountsAbove,), {"__module__": CountsAbove.__module__}))
    assert again is register(again)
    assert CountsAbove is register(CountsAbove)


@dataclass(frozen=True)
class Odd:
    answers: ClassVar[str] = "matrix"


@dataclass(frozen=True)
class Bare(Column):
    kind: ClassVar[str] = "bare"


@pytest.mark.parametrize(
    "strange",
    [Laplace(1.0), int, Odd, Bare],
    ids=["a value", "no dataclass", "another shape", "a column of no known kind"],
)
def test_what_is_no_kind_is_not_registered(strange: Any) -> None:
    with pytest.raises(DeclarationError):
        register(strange)


def test_a_column_of_no_known_kind_is_refused_by_the_contract(tmp_path: Path) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Alien(Column):
        kind: ClassVar[str] = "alien"
        troubles: ClassVar[tuple[Any, ...]] = ()

        @property
        def labels(self) -> tuple[str, ...]:
            return ("a",)

    with pytest.raises(DeclarationError, match="columns must be of a kind derived from Number"):
        contract_in(tmp_path, Alien(name="x", provenance="public"))


def test_a_derived_kind_puts_every_value_into_the_bin_that_it_draws(tmp_path: Path) -> None:
    column = replace(PAY, bins=7)
    values = [*np.random.default_rng(3).uniform(0.5, 1100, 500).tolist(), *column.boundaries.tolist()]
    curator = Curator(contract_in(tmp_path, column), pd.DataFrame({"age": 1, "pay": values}))
    counts = curator._records.counts(("pay",)).values
    places = np.clip(np.searchsorted(column.boundaries, values, side="right") - 1, 0, 6)
    assert np.bincount(places, minlength=7).tolist() == counts[:7].tolist()


def test_an_engine_of_a_stranger_is_opened_by_its_address(tmp_path: Path) -> None:
    lines = "".join(f"{age:3d}{sex}\n" for age, sex in zip(AGES, "fm" * 100, strict=True))
    (tmp_path / "people.txt").write_text(lines, encoding="utf-8")
    curator = Curator(contract_in(tmp_path), f"fixed://{tmp_path / 'people.txt'}")
    assert [20] * 10 == curator._records.counts(("age",)).values[:10].tolist()
    assert {"age": "VARCHAR", "sex": "VARCHAR"} == dict(open_source(f"fixed://{tmp_path / 'people.txt'}").types)


@pytest.mark.parametrize("scheme", ["duckdb", "Fixed", "", "a b", 7])
def test_a_scheme_that_is_taken_or_is_none_is_refused(scheme: Any) -> None:
    with pytest.raises(DeclarationError):
        register_engine(scheme, stranger_kinds.open_fixed)


def test_an_entropy_that_does_not_follow_from_a_strangers_noise_is_refused_before_the_charge(tmp_path: Path) -> None:
    curator = Curator(contract_in(tmp_path), data_in(tmp_path))
    with pytest.raises(DeclarationError, match="derived from counts of all cells with Laplace or Gaussian noise"):
        curator.release(EntropyHistogram(("age",)), WIDE)
    with pytest.raises(DeclarationError, match="The better of two routes takes TwoStage noise"):
        curator.release(RoutedEntropy(("age",)), Routing(1.0, 1.0))
    assert 0 == spent_in(tmp_path)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_errors_of_noise_that_nobody_knows_are_those_of_its_tail(epsilon: float) -> None:
    """The same noise under another name: its variance is met within a step of the quantiles, and never from below."""
    sensitivity = Sensitivity(1, 1, 1)
    known, strange = Calibrated(Laplace(epsilon), sensitivity), Calibrated(WideLaplace(epsilon, 1.0), sensitivity)
    assert noise_variance(known) <= noise_variance(strange) <= 1.25 * noise_variance(known)
    assert spread_of_three(known, 0.95) - 3 <= spread_of_three(strange, 0.95)


@pytest.mark.slow
def test_our_own_statistics_take_a_strangers_noise(tmp_path: Path) -> None:
    contract = contract_in(tmp_path, Boolean(name="member", provenance="public"))
    (tmp_path / "members.csv").write_text("age,member\n" + "7,true\n93,false\n" * 100, encoding="utf-8")
    planned = (
        PlannedStatistic(name="counts", statistic=Marginal("age", "member"), mechanism=WIDE),
        PlannedStatistic(name="map", statistic=EntropyMap("age", "member"), mechanism=WIDE),
        PlannedStatistic(name="keys", statistic=KeyedMarginal("age", "member"), mechanism=ShyKeys(0.5, 1e-7)),
        PlannedRelease(name="usual", kind="histogram", columns=("age",), mechanism="laplace", epsilon=0.5),
    )
    publish(Plan(contract, planned), str(tmp_path / "members.csv"), tmp_path / "out")
    assert any("counts: 52 rows agree" in line for line in verify(tmp_path / "out"))
    findings = audit_request(Plan(contract, planned).requests()[0], contract, rng=np.random.default_rng(2), runs=2_000)
    assert all(finding.verdict.value.startswith("CONSISTENT") for finding in findings)


def test_mistakes_in_a_strangers_keys_are_told_like_all_others() -> None:
    with pytest.raises(DeclarationError, match="thresholds must be one or more numbers"):
        PlannedCountsAbove(name="x", kind="counts-above", column="age", thresholds=(), epsilon=1.0)
    mistakes = Mistakes()
    with mistakes.gathered():
        replace(PAY, lower=-1)
    assert "columns.pay.lower must be a positive number" in mistakes[0]
