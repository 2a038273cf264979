"""A mean curve with bands for the truth, from a plan to a verified folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Contract, Ledger, Plan, Request, Unit, publish, read, verify
from reaedp.audits.replay import replay
from reaedp.audits.worst_case import worst_cases
from reaedp.contract import Curve
from reaedp.curves.mean_curve import MeanCurve
from reaedp.errors import ReaedpError
from reaedp.evaluation.evaluate import evaluate
from reaedp.evaluation.finished import finished
from reaedp.evaluation.originals import original
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.plan.kinds.curves import PlannedMeanCurve
from reaedp.report.published import PublishedFolder
from reaedp.report.releases import release_panel

POINTS = tuple("abcdefghi")
CURVE = Curve(
    name="w",
    form="wide",
    points=POINTS,
    at=tuple(np.linspace(0.0, 1.0, 9).tolist()),
    interval=(0.0, 1.0),
    basis="wiener",
    rank=5,
    clip=2.0,
    smoothness=5.0,
    lower=-6.0,
    upper=6.0,
    provenance="public",
)
UNITS = [
    Unit(change, person, rows, at_least=500)
    for change in ("add-remove", "replace")
    for person, rows in ((None, None), ("p", 3))
]


def terms(unit: Unit, ledger: Path | str = "none.sqlite") -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(9.0, 1e-6), ledger=str(ledger), columns=(), curves=(CURVE,))


@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.rows}")
@pytest.mark.parametrize("covariance", ["A2", "C"])
def test_made_up_neighbours_attain_what_is_paid_for_with_the_count_of_clipped_curves(
    unit: Unit, covariance: str
) -> None:
    statistic = MeanCurve("w", covariance, 0.01, "truth")  # type: ignore[arg-type]
    contract = terms(unit)
    (case,) = worst_cases(statistic, contract)
    move = np.abs(case.second.answer(statistic) - case.first.answer(statistic)).astype(object)
    declared = statistic.sensitivity(contract)
    assert move[-1] == unit.rows * statistic.clipped_weight(contract)
    assert (1 - 1e-5) * declared.l2_squared <= int((move**2).sum()) <= declared.l2_squared


@pytest.mark.slow
def test_the_replay_through_the_curator_finds_nothing() -> None:
    contract, statistic = terms(UNITS[1]), MeanCurve("w", bands="truth")
    request = Request("m", statistic, Gaussian.within(1.0, 1e-6, statistic.sensitivity(contract)))
    findings = replay(contract, [request], np.random.default_rng(1), most_pairs=2)
    assert findings
    assert all("CONSISTENT" in str(finding) for finding in findings), list(map(str, findings))


@pytest.mark.slow
def test_a_folder_tells_the_count_verifies_and_is_read_again(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "budget.sqlite").close()
    contract = terms(UNITS[0], tmp_path / "budget.sqlite")
    rng = np.random.default_rng(2)
    data = pd.DataFrame(rng.normal(size=(600, 9)) + np.linspace(0, 2, 9), columns=list(POINTS))
    planned = PlannedMeanCurve(name="m", kind="mean-curve", curve="w", bands="truth", epsilon=4.0, delta=1e-7)
    publish(Plan(contract, (planned,)), data, tmp_path / "out")
    assert verify(tmp_path / "out")
    release = read(tmp_path / "out")["m"]
    columns = release.columns()
    assert {"noise_width", "bias_width", "clipping_width"} <= set(columns)
    truth = data.to_numpy().mean(axis=0)
    low, high = columns["all_low_95"], columns["all_high_95"]
    # Noise is secret and may leave the band in one release of twenty, but not by a whole width.
    assert np.all((2 * low - high <= truth) & (truth <= 2 * high - low))
    assert "the mean of the original curves" in (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "the mean of the original curves if the declared smoothness" in (tmp_path / "out" / "report.html").read_text(
        encoding="utf-8"
    )
    manifest = tmp_path / "out" / "release.json"
    record = json.loads(manifest.read_text(encoding="utf-8"))
    record["releases"][0]["details"]["noisy_clipped"] += 10**7
    manifest.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ReaedpError):
        verify(tmp_path / "out")


def test_curves_that_cannot_be_read_are_released_as_none(tmp_path: Path) -> None:
    """What an engine fails on by a row becomes an empty count, with a number in every place."""
    from reaedp.curator.records import Records
    from reaedp.engines.source import Unreadable

    class Failing(Records):
        def _origin(self):  # type: ignore[no-untyped-def]
            raise Unreadable("a row")

    records = Failing(terms(UNITS[1]), pd.DataFrame(np.zeros((3, 9)), columns=list(POINTS)))
    statistic = MeanCurve("w", bands="truth")
    assert [0] * 7 == statistic.answer(records).tolist()


@pytest.mark.parametrize("bands", ["noise", "truth"])
def test_the_custodian_compares_with_the_mean_that_the_bands_are_about(tmp_path: Path, bands: Any) -> None:
    Ledger.create(tmp_path / "budget.sqlite").close()
    contract = terms(UNITS[0], tmp_path / "budget.sqlite")
    rng = np.random.default_rng(3)
    data = pd.DataFrame(3 * rng.normal(size=(600, 9)) + np.linspace(0, 4, 9), columns=list(POINTS))
    planned = PlannedMeanCurve(name="m", kind="mean-curve", curve="w", bands=bands, epsilon=4.0, delta=1e-7)
    publish(Plan(contract, (planned,)), data, tmp_path / "out", audited=False)
    (release,) = finished(tmp_path / "out", data, None)
    found = original(release)
    whole = data.to_numpy().mean(axis=0)
    near = np.abs(found - whole).max() < 1e-4
    assert near == (bands == "truth")  # clipping took much away
    (panel,) = PublishedFolder.read(tmp_path / "out").releases
    (figure,) = release_panel(panel, found).figures
    assert ("original curves, neither clipped" in figure.words) == (bands == "truth")
    assert ("the clipped curves" in figure.words) == (bands == "noise")
    assert "Orange" not in release_panel(panel).figures[0].words
    lines = evaluate(tmp_path / "out", data, rng=rng)
    assert any(("original mean" if bands == "truth" else "clipped mean") in line.measure for line in lines)
