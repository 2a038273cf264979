"""Real curves of the public data folder: the chosen smoothing is close to the best one."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curve_support import calibrated, under, wide
from reaedp import Unit
from reaedp.curator.records import Records
from reaedp.curves.bases import BASES
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.smoothing import CANDIDATES, coupled_gain, smoother
from reaedp.mechanisms.noise import SeededNoise

DATA = os.environ.get("REAEDP_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="REAEDP_DATA names no folder of public data")
AGES = (1, 1.25, 1.5, 1.75, 2, 3, 4, 5, 6, 7, 8, *np.arange(8.5, 18.5, 0.5).tolist())
#: File, unit, facts: round numbers, set with these public files in view so that few curves are cut.
SAMPLES: dict[str, tuple[str, Unit, dict[str, Any]]] = {
    "growth": (
        "berkeley-growth.csv",
        Unit("replace", at_least=93),
        {
            "points": tuple(f"age_{age:g}" for age in AGES),
            "at": tuple(map(float, AGES)),
            "interval": (1.0, 18.0),
            "clip": 20.0,
            "offset": tuple(75.0 + 6.0 * (age - 1.0) for age in AGES),
        },
    ),
    "weather": (
        "canadian-weather-temp.csv",
        Unit("replace", at_least=35),
        {
            "points": tuple(f"d{day}" for day in range(1, 366)),
            "at": tuple(day - 0.5 for day in range(1, 366)),
            "interval": (0.0, 365.0),
            "clip": 25.0,
            "offset": -10.0,
        },
    ),
    "brains": (
        "dti-cca.csv",
        Unit("add-remove", "ID", 3, at_least=100),
        {
            "points": tuple(f"s{place}" for place in range(1, 94)),
            "at": tuple(float(place) for place in range(1, 94)),
            "interval": (1.0, 93.0),
            "clip": 0.15,
            "offset": 0.5,
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_chosen_smoothing_is_close_to_the_best_and_better_than_covariance_c(name: str, epsilon: float) -> None:
    file, unit, facts = SAMPLES[name]
    contract = under(wide(2, rank=20, **facts), unit)
    statistic = MeanCurve("x")
    noise = calibrated(statistic, contract, epsilon)
    exact = statistic.answer(Records(contract, str(Path(str(DATA)) / "functional" / file)))
    truth = statistic.value(contract, exact)
    mean, eigenvalues = truth.noisy_coefficients, BASES["wiener"].eigenvalues(20)
    rng = np.random.default_rng(30)
    values = [statistic.value(contract, noise.apply(exact, SeededNoise(rng))) for _ in range(300)]

    def error(estimates: list[np.ndarray]) -> float:
        return float(np.sqrt(((np.array(estimates) - mean) ** 2).sum(axis=1).mean()))

    best = min(error([smoother(eigenvalues, rho) * v.noisy_coefficients for v in values]) for rho in CANDIDATES[::10])
    chosen = error([value.coefficients(noise) for value in values])
    size = float(truth.deviations(noise)[0])
    coupled = min(
        np.hypot(
            np.linalg.norm((1 - smoother(eigenvalues, rho)) * mean),
            size * coupled_gain(eigenvalues, rho).max() * np.sqrt(eigenvalues.sum()),
        )
        for rho in CANDIDATES
    )
    assert chosen <= 1.3 * best
    # An error of 300 runs is known to about 3 %.
    assert best <= 1.1 * coupled


def test_a_brain_with_more_than_three_visits_brings_three_of_them() -> None:
    file, unit, facts = SAMPLES["brains"]
    contract = under(wide(2, rank=20, **facts), unit)
    _, count = Records(contract, str(Path(str(DATA)) / "functional" / file)).curve_sums("x")
    # 142 people with 382 visits in all, counted by hand from the file's ID column.
    rows = (Path(str(DATA)) / "functional" / file).read_text().splitlines()[1:]
    visits = np.unique([row.split(",")[0] for row in rows], return_counts=True)[1]
    assert (142, 382) == (len(visits), visits.sum())
    assert np.minimum(visits, 3).sum() == count
