"""Every place that draws noise draws it at the scale that its price stands for: ± 30 % is rejected everywhere.

Scales are written here a second time, from sensitivity and price alone: neither `scale` nor `apply` can be wrong alone.
"""

import ast
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import (
    Budget,
    Contract,
    Curator,
    Entropy,
    EntropyMap,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    MeanCurve,
    Pixels,
    RoutedEntropy,
    Threshold,
    TwoStage,
    Unit,
)
from reaedp.answer import Integers, Keyed, KeyedParts, Routed
from reaedp.contract import Curve, Picture
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise, SeededNoise
from reaedp.mechanisms.selection import Selection
from reaedp.privacy.unit import Sensitivity
from sampling import follows
from source_rules import parsed, walked
from tests_support import ledger_in

DRAWS = 6_000
ZEROS = np.zeros(DRAWS, dtype=np.int64)
#: One row added or removed, one replaced, three rows of a person replaced, and a number on a lattice.
SENSITIVITIES = {
    "add-remove": Sensitivity(1, 1, 1),
    "replace": Sensitivity(2, 2, 1),
    "three rows replaced": Sensitivity(6, 18, 3),
    "steps": Sensitivity(9, 81, 9),
}
every_sensitivity = pytest.mark.parametrize("sensitivity", SENSITIVITIES.values(), ids=SENSITIVITIES.keys())


@every_sensitivity
def test_laplace_noise_is_drawn_at_l1_over_epsilon(sensitivity: Sensitivity) -> None:
    drawn = Laplace(0.5).apply(ZEROS, sensitivity, SecretNoise())
    assert follows(drawn, "laplace", sensitivity.l1 / 0.5)


@every_sensitivity
def test_gaussian_noise_is_drawn_at_l2_over_the_root_of_two_rho(sensitivity: Sensitivity) -> None:
    drawn = Gaussian(0.05).apply(ZEROS, sensitivity, SecretNoise())
    assert follows(drawn, "gaussian", math.sqrt(sensitivity.l2_squared / 0.1))


@every_sensitivity
def test_a_mechanism_hides_the_sensitivity_that_it_was_calibrated_to(sensitivity: Sensitivity) -> None:
    drawn = Calibrated(Laplace(0.5), sensitivity).apply(ZEROS, SecretNoise())
    assert follows(drawn, "laplace", sensitivity.l1 / 0.5)


@every_sensitivity
@pytest.mark.parametrize("parts", [False, True])
def test_keys_are_counted_with_noise_at_l1_over_epsilon(sensitivity: Sensitivity, parts: bool) -> None:
    """Counts far above the threshold all appear, at any scale near this one."""
    high = Keyed(np.arange(DRAWS).reshape(-1, 1), np.full(DRAWS, 10**6))
    halves = KeyedParts(
        iter([Keyed(high.keys[:2_000], high.counts[:2_000]), Keyed(high.keys[2_000:], high.counts[2_000:])])
    )
    shown = Threshold(0.5, 1e-7).apply(halves if parts else high, sensitivity, SecretNoise())
    assert DRAWS == len(shown.counts)
    assert follows(shown.counts - 10**6, "laplace", sensitivity.l1 / 0.5)


def two_stage(noise: Any, look: int) -> list[Routed]:
    """One row replaced moves the number by at most 7 steps, look and counts by at most 2 each."""
    exact = Routed(np.array([look]), np.array([123]), np.array([500, 300]))
    mechanism, sensitivity = TwoStage(1.0, 0.25, 10_000), Sensitivity(l1=7 + 2 * 2, l2_squared=49 + 8, linf=7)
    return [mechanism.apply(exact, sensitivity, noise) for _ in range(DRAWS)]


def test_a_look_a_number_and_counts_each_have_noise_for_their_share_of_epsilon() -> None:
    noise = SeededNoise(np.random.default_rng(11))
    low, high = two_stage(noise, 0), two_stage(noise, 20_000)
    assert follows(np.array([answer.look.item() for answer in low]), "laplace", 2 / 0.25)
    assert follows(np.array([answer.number.item() - 123 for answer in low]), "laplace", 7 / 0.75)
    counts = np.array([answer.counts - [500, 300] for answer in high])
    assert follows(counts.ravel(), "laplace", 2 / 0.75)


@every_sensitivity
def test_a_choice_is_made_at_twice_the_sensitivity_over_its_range(sensitivity: Sensitivity) -> None:
    """Of two candidates one scale apart the better is chosen with probability σ(1) = 0.731.

    At 0.7 and 1.3 of the scale it would be σ(1/0.7) = 0.807 and σ(1/1.3) = 0.683. The range at μ = 1 is
    2 logit Φ(1/2) = 1.6138. With 20,000 choices seven standard deviations, 0.025 at most, have a probability of 3e-12.
    """
    selection, noise, draws = Selection(1.0), SeededNoise(np.random.default_rng(13)), 20_000
    scale = 2 * sensitivity.l1 / 1.6138
    scores = np.array([0, round(10 * scale)])
    chosen = np.mean([selection.choose(scores // 10, sensitivity, noise) for _ in range(draws)])
    gap = (scores // 10)[1] / scale
    right, wrong = 1 / (1 + math.exp(-gap)), [1 / (1 + math.exp(-gap / factor)) for factor in (0.7, 1.3)]
    near = 7 * math.sqrt(0.25 / draws)
    assert abs(chosen - right) < near
    assert min(abs(chosen - share) for share in wrong) > near


# Through the curator: what each kind of release asks of its noise


@dataclass
class Recorded:
    """A source that adds nothing and remembers what it was asked for."""

    seeded: bool = True
    asked: list[tuple[str, int, float]] = field(default_factory=list)

    def laplace(self, exact: Integers, scale: float) -> Integers:
        self.asked.append(("laplace", exact.size, scale))
        return exact

    def gaussian(self, exact: Integers, scale: float) -> Integers:
        self.asked.append(("gaussian", exact.size, scale))
        return exact


X = Integer(name="x", lower=0, upper=3, provenance="public")
Y = Integer(name="y", lower=0, upper=1, provenance="public")
CURVE = Curve(
    name="c", form="wide", points=("p", "q"), at=(0.0, 1.0), interval=(0.0, 1.0), basis="wiener", rank=2, clip=1.0,
    provenance="public",
)  # fmt: skip
ROWS = {"x": [1, 2, 2, 3] * 50, "y": [0, 1] * 100, "p": [0.1] * 200, "q": [0.2] * 200}
UNIT = Unit("replace", at_least=100)


def asked(
    folder: Path, statistic: Any, mechanism: Any, **facts: Any
) -> tuple[Sensitivity, list[tuple[str, int, float]]]:
    import pandas as pd

    given: dict[str, Any] = {"unit": UNIT, "columns": (X, Y), "curves": (CURVE,), "data": pd.DataFrame(ROWS), **facts}
    data = given.pop("data")
    terms = Contract(dataset="d", budget=Budget(9, 1e-3), ledger=ledger_in(folder), **given)
    noise = Recorded()
    Curator(terms, data, noise=noise).release(statistic, mechanism)
    return statistic.sensitivity(terms), noise.asked


VECTORS = {
    "histogram": (Marginal("x"), 7),
    "entropy": (Entropy(("x",)), 1),
    "entropy map": (EntropyMap("x", "y"), 3),
    "mean curve": (MeanCurve("c"), 3),
}


@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.parametrize("mechanism", [Laplace(0.5), Gaussian(0.05)], ids=str)
def test_a_release_has_noise_of_the_stated_scale_in_every_number(tmp_path: Path, kind: str, mechanism: Any) -> None:
    statistic, numbers = VECTORS[kind]
    moved, found = asked(tmp_path, statistic, mechanism)
    scale = moved.l1 / 0.5 if isinstance(mechanism, Laplace) else math.sqrt(moved.l2_squared / 0.1)
    ((family, size, used),) = found
    assert (type(mechanism).__name__.lower(), numbers) == (family, size)
    assert scale == pytest.approx(used, rel=1e-12)


def test_a_picture_has_noise_of_the_stated_scale_in_every_value(tmp_path: Path) -> None:
    picture = Picture(width=4, height=3, channels=3, lower=10, upper=200, provenance="public")
    facts = {
        "unit": Unit("replace"),
        "columns": (),
        "curves": (),
        "picture": picture,
        "data": np.zeros((3, 4, 3), np.uint8),
    }
    _, found = asked(tmp_path, Pixels(), Laplace(0.5), **facts)
    assert [("laplace", 36, pytest.approx(3 * 190 / 0.5, rel=1e-12))] == found


def test_frequent_keys_have_noise_of_the_stated_scale_in_every_count(tmp_path: Path) -> None:
    _, found = asked(tmp_path, KeyedMarginal("x"), Threshold(0.5, 1e-7))
    assert [("laplace", 3, pytest.approx(2 / 0.5, rel=1e-12))] == found


def test_a_routed_entropy_has_noise_of_the_stated_scale_in_look_and_number(tmp_path: Path) -> None:
    moved, found = asked(tmp_path, RoutedEntropy(("x",)), TwoStage(1.0, 0.25, 10**9))
    rows, steps = (moved.l1 - moved.linf) // 2, moved.linf
    scales = [pytest.approx(rows / 0.25, rel=1e-12), pytest.approx(steps / 0.75, rel=1e-12)]
    assert [("laplace", 1, scale) for scale in scales] == found


#: Every file of the package that asks a source for noise, and where its scale or law is pinned.
DRAWING: dict[str, str] = {
    "mechanisms/laplace.py": "tests/laws/test_stated_scales.py",
    "mechanisms/gaussian.py": "tests/laws/test_stated_scales.py",
    "mechanisms/threshold.py": "tests/laws/test_stated_scales.py",
    "mechanisms/group_threshold.py": "tests/mechanisms/test_group_threshold.py",
    "mechanisms/selection.py": "tests/laws/test_stated_scales.py",
    "mechanisms/exponential.py": "tests/mechanisms/test_exponential.py",
    "mechanisms/noise.py": "tests/mechanisms/test_noise.py",
    "mechanisms/fine_gaussian.py": "tests/laws/test_mechanisms.py",
    "synthesis/purse.py": "tests/audits/test_audit_of_all_kinds.py",
    "synthesis/seeds.py": "tests/synthesis/test_seeds.py",
    "synthesis/deniable.py": "tests/synthesis/test_deniable.py",
}
#: These draw to break, to audit or to describe, on made-up or public data, or replay the noise of what is published.
FOR_EXPERIMENTS = ("attacks/", "audits/", "evaluation/", "inference/", "paper/")


def test_no_other_file_asks_for_noise() -> None:
    """Whoever writes another place that draws finds out here that its scale must be pinned, too."""
    source = Path(__file__).resolve().parents[2] / "src" / "reaedp"
    names = {"laplace", "gaussian", "choose", "words"}
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        for node in walked(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    }
    assert set(DRAWING) == {file for file in found if not file.startswith(FOR_EXPERIMENTS)}


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_the_test_itself_rejects_thirty_percent_and_accepts_the_truth(family: str, factor: float) -> None:
    draw = getattr(SeededNoise(np.random.default_rng(17)), family)
    for scale in (1.0, 4.0, 18.0):
        assert follows(draw(ZEROS, scale), family, scale)
        assert not follows(draw(ZEROS, factor * scale), family, scale)
