import math
import subprocess
import xml.dom.minidom
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import Calibration, Gaussian, Laplace
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.lattice import Lattice
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity

CHANGES = ["add-remove", "replace"]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("max_rows", [1, 3])
@pytest.mark.parametrize(
    ("facts", "error"),
    [
        ({"kind": "counts", "bins": 30}, 10),
        ({"kind": "counts", "bins": 1}, 0.5),
        ({"kind": "counts", "bins": 10**6, "confidence": 0.999}, 100),
        ({"kind": "counts", "bins": 30, "mechanism": "gaussian", "delta": 1e-6}, 25),
        ({"kind": "entropy", "rows": 1000}, 0.05),
        ({"kind": "entropy", "rows": 10**7, "confidence": 0.5}, 1e-6),
        ({"kind": "entropy", "rows": 500, "mechanism": "gaussian", "delta": 1e-6}, 0.2),
        ({"kind": "histogram-entropy", "rows": 2000, "bins": 12}, 0.1),
    ],
)
def test_the_least_epsilon_keeps_the_error_and_one_digit_less_does_not(
    change: str, max_rows: int, facts: dict[str, Any], error: float
) -> None:
    solved = Calibration(change=change, max_rows=max_rows, **facts).solve(error)  # type: ignore[arg-type]
    epsilon = solved.epsilon
    assert epsilon is not None
    assert f"{epsilon:.4g}" == f"{epsilon:.15g}"
    assert solved.bound() <= error
    less = epsilon - 10.0 ** (math.floor(math.log10(epsilon)) - 3)
    assert replace(solved, epsilon=less).bound() > error


def test_bounds_are_those_of_the_mechanisms_themselves() -> None:
    counts = Calibration(kind="counts", change="replace", epsilon=0.5, bins=30, confidence=0.9, max_rows=2)
    assert Laplace(0.5).error_quantile(Sensitivity(4, 8, 2), 0.9, 30) == counts.bound()
    noise = Gaussian.within(0.5, 1e-6, Sensitivity(1, 1, 1))
    gaussian = Calibration(kind="counts", change="add-remove", epsilon=0.5, bins=7, mechanism="gaussian", delta=1e-6)
    assert noise.error_quantile(Sensitivity(1, 1, 1), 0.95, 7) == gaussian.bound()
    entropy = Calibration(kind="entropy", change="add-remove", epsilon=0.5, rows=100)
    # Inverse of the continuous law: Δ ln(20) / ε, and the lattice adds less than one part in 500.
    plain = shannon_sensitivity(100, change="add-remove") * math.log(20) / 0.5
    assert plain < entropy.bound() < plain * 1.002


def test_the_direct_error_is_kept_as_often_as_promised() -> None:
    solved = Calibration(kind="entropy", change="replace", rows=800, confidence=0.9).solve(0.1)
    lattice = Lattice((shannon_sensitivity(800, change="replace"),))
    exact, repetitions = lattice.rounded(np.array([1.23456])), 20_000
    noisy = solved.noise(lattice.sensitivity).apply(np.tile(exact, repetitions), SeededNoise(np.random.default_rng(1)))
    kept = np.mean(np.abs(lattice.values(noisy) - 1.23456) <= 0.1)
    # 20,000 trials at 0.9 have a standard deviation of 0.21 %: five of them on either side.
    assert 0.9 - 0.0106 < kept < 0.9 + 0.0106


@pytest.mark.parametrize("change", CHANGES)
def test_the_least_rows_keep_the_error_and_one_less_do_not(change: str) -> None:
    for error, epsilon in ((0.05, 1.0), (0.3, 0.1), (1e-5, 2.0)):
        solved = Calibration(kind="entropy", change=change, epsilon=epsilon).solve(error)  # type: ignore[arg-type]
        assert solved.rows is not None
        assert solved.bound() <= error < replace(solved, rows=solved.rows - 1).bound()
    predicted = Calibration(kind="histogram-entropy", change=change, epsilon=1.0, bins=8).solve(0.1)  # type: ignore[arg-type]
    assert predicted.rows is not None
    assert predicted.bound() <= 0.1 < replace(predicted, rows=predicted.rows - 1).bound()


@pytest.mark.parametrize("facts", [{"kind": "counts"}, {"kind": "histogram-entropy", "rows": 2000}])
def test_the_most_bins_keep_the_error_and_one_more_does_not(facts: dict[str, Any]) -> None:
    error = 10 if facts["kind"] == "counts" else 0.05
    solved = Calibration(change="add-remove", epsilon=1.0, **facts).solve(error)
    assert solved.bins is not None
    assert solved.bound() <= error < replace(solved, bins=solved.bins + 1).bound()


@pytest.mark.parametrize(
    ("facts", "error", "words"),
    [
        ({"kind": "entropy"}, 0.1, "left out: epsilon, rows"),
        ({"kind": "entropy", "rows": 10, "epsilon": 1.0}, 0.1, "left out: none"),
        ({"kind": "counts", "rows": 10}, 1, "left out: epsilon, bins"),
        ({"kind": "curves", "rows": 10}, 1, "Unknown kind"),
        ({"kind": "counts", "bins": 3, "mechanism": "threshold"}, 1, "Unknown mechanism"),
        ({"kind": "counts", "bins": 3, "mechanism": "gaussian"}, 1, "delta"),
        ({"kind": "counts", "bins": 3, "delta": 1e-6}, 1, "delta"),
        ({"kind": "counts", "bins": 0}, 1, "bins must be"),
        ({"kind": "counts", "bins": 3, "confidence": 1.0}, 1, "confidence"),
        ({"kind": "counts", "bins": 3}, 0.0, "error"),
        ({"kind": "counts", "epsilon": 1e-3}, 0.5, "cannot be reached"),
        ({"kind": "entropy", "rows": 2}, 1e-9, "cannot be reached"),
        ({"kind": "histogram-entropy", "rows": 100, "bins": 5, "confidence": 0.999}, 1, "confidence"),
    ],
)
def test_questions_without_an_answer_are_refused_with_the_rule(facts: dict[str, Any], error: float, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        Calibration(change="replace", **facts).solve(error)


Calibrate = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def calibrate(reaedp: Calibrate) -> Calibrate:
    return partial(reaedp, "calibrate")


def test_the_command_answers_in_a_sentence_a_table_and_a_file(calibrate: Calibrate, tmp_path: Path) -> None:
    done = calibrate("--change", "add-remove", "--error-bits", "0.05", "--rows", "1000", "--plot", "curve.csv")
    assert 0 == done.returncode, done.stderr
    assert "ε = 0.683 keeps the entropy within 0.05 bits with 95 % confidence." in done.stdout
    assert 9 == done.stdout.count("±")
    assert 1 == done.stdout.count("◀")
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    assert (10, "epsilon,error_bits") == (len(lines), lines[0])
    rows = [tuple(map(float, line.split(","))) for line in lines[1:]]
    assert all(left < right and above > below for (left, above), (right, below) in pairwise(rows))


def test_the_command_solves_for_every_unknown(calibrate: Calibrate, tmp_path: Path) -> None:
    answers = {
        ("--error-count", "10", "--bins", "30", "--plot", "curve.svg"): "ε = 1.206 keeps all counts within 10 rows",
        ("--error-count", "10", "--epsilon", "1"): "At most 10 bins keep all counts within 10 rows",
        ("--error-bits", "0.05", "--epsilon", "1"): "647 rows keep the entropy within 0.05 bits",
    }
    for arguments, answer in answers.items():
        done = calibrate("--change", "replace", *arguments)
        assert answer in done.stdout, done.stderr
    drawn = xml.dom.minidom.parse(str(tmp_path / "curve.svg"))
    # At nine prices; at the highest, counts are exact, and a logarithm of nothing is not drawn.
    assert 8 == len(drawn.getElementsByTagName("circle"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rows", "10"),
        ("--error-bits", "0.1", "--error-count", "3", "--rows", "10"),
        ("--error-bits", "0.1", "--rows", "10", "--route", "shortest"),
        ("--error-bits", "0.1", "--rows", "10", "--plot", "curve.png"),
        ("--error-bits", "0.1", "--rows", "10", "--plot", "absent/curve.csv"),
    ],
)
def test_mistakes_on_the_command_line_exit_with_2(calibrate: Calibrate, arguments: tuple[str, ...]) -> None:
    done = calibrate("--change", "replace", *arguments)
    assert (2, "") == (done.returncode, done.stdout)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("mechanism", [{"mechanism": "laplace"}, {"mechanism": "gaussian", "delta": 1e-6}])
def test_the_price_of_a_mean_is_the_least_that_keeps_its_error(mechanism: dict[str, Any]) -> None:
    asked = Calibration(kind="mean", change="add-remove", width=200_000.0, rows=10_000, **mechanism)
    solved = asked.solve(200.0)
    assert solved.epsilon is not None
    assert solved.bound() <= 200.0
    assert 200.0 < replace(solved, epsilon=0.99 * solved.epsilon).bound()


def test_a_mean_has_a_width_and_nothing_else_has() -> None:
    for wrong in ({"kind": "mean"}, {"kind": "counts", "width": 1.0}):
        with pytest.raises(DeclarationError, match="width"):
            Calibration(change="add-remove", **wrong)  # type: ignore[arg-type]
