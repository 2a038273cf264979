"""A short run of benchmarks/entropy_error.py, with what it must show at ε = 1."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp.statistics.entropy.entropies import shannon_entropy

FOLDER = os.environ.get("REAEDP_DATA")
SCRIPT = Path(__file__).parent.parent / "benchmarks" / "entropy_error.py"

#: How many times smaller our mean error is than the published algorithm's at ε = 1; expected, from 16,000 repetitions.
EXPECTED = {
    ("house", "add-remove"): 2.24,
    ("house", "replace"): 4.22,
    ("unemployment", "add-remove"): 1.88,
    ("unemployment", "replace"): 3.38,
    ("r_diff", "add-remove"): 11.3,
    ("r_diff", "replace"): 21.6,
    ("tabular-fe", "add-remove"): 1.10,
    ("tabular-fe", "replace"): 1.07,
    ("pow", "add-remove"): 1.13,
    ("pow", "replace"): 1.10,
}


@pytest.fixture(scope="module")
def experiment() -> Any:
    specification = importlib.util.spec_from_file_location("entropy_error", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["entropy_error"] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables(experiment: Any) -> dict[str, np.ndarray]:
    if FOLDER is None:
        pytest.skip("REAEDP_DATA names no folder with the paper's data sets")
    found: dict[str, np.ndarray] = experiment.load(Path(FOLDER))
    return found


@pytest.mark.parametrize("name", sorted({name for name, _ in EXPECTED}))
def test_the_entropies_of_the_paper_are_found_to_four_decimals(experiment: Any, tables: Any, name: str) -> None:
    if name not in tables:
        pytest.skip(f"{name} is not in REAEDP_DATA")
    assert experiment.SETS[name][2] == round(shannon_entropy(tables[name]), 4)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change"), EXPECTED)
def test_the_best_route_beats_the_published_algorithm_at_epsilon_one(
    experiment: Any, tables: Any, name: str, change: str
) -> None:
    if name not in tables:
        pytest.skip(f"{name} is not in REAEDP_DATA")
    trial = experiment.Trial(tables[name], change, 1.0, 4000, np.random.default_rng(1))
    ratio, width = experiment.ratio(trial.errors_published(), trial.errors_best()[0])
    # Five standard deviations, each 1/1.96 of the interval's half width, which is about 3.5 % of the ratio.
    margin = 5 / 1.96 * width
    assert margin < 0.12 * ratio
    assert abs(ratio - EXPECTED[name, change]) < margin
    assert ratio > {"house": 2.0, "unemployment": 1.65, "r_diff": 10.0}.get(name, 0.95)
