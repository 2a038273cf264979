"""Every erratum is described, its commands exist, and those that are arithmetic are checked here."""

import math
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from broken import cases
from reaedp.mechanisms.published_acceptance import PublishedTest
from reaedp.paper.datasets import DIFFERENCES
from reaedp.paper.item import Experiment, Item
from reaedp.privacy.conversion import gaussian_delta, gaussian_mu

ROOT = Path(__file__).parent.parent
NUMBERS = range(1, 35)
NAMES = (
    "pass-rate",
    "wiener-mean",
    "sensitivity-bound",
    "empirical-sensitivity",
    "baselines",
    "bins-ablation",
    "attacks",
    "attribute-inference",
    "real-data",
    "datasets",
    "renyi-constants",
    "image-error",
    "image-table",
    "composition",
    "related-work",
    "parameter-domain",
    "noisy-sgd",
    "adaptive-bins",
)


def sections() -> dict[int, str]:
    """The text of every erratum by its number."""
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    parts = re.split(r"^### (\d+)\. ", text, flags=re.MULTILINE)[1:]
    return dict(zip(map(int, parts[::2]), parts[1::2], strict=True))


SECTIONS = sections()


def items() -> dict[str, Item]:
    """Every item whose module defines one, by its name."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "src/reaedp/paper").glob("*.py")}
    found = [
        import_module(f"reaedp.paper.{stem}").ITEM for stem, text in texts.items() if "\nITEM = Item.declared(" in text
    ]
    return {item.name: item for item in found}


def commands(number: int) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", SECTIONS[number], flags=re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_all_34_errata_are_there_in_order() -> None:
    assert list(NUMBERS) == list(SECTIONS)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_erratum_says_what_is_stated_what_is_true_and_what_shows_it(number: int) -> None:
    assert "**Stated.**" in SECTIONS[number]
    assert "**True.**" in SECTIONS[number]
    assert commands(number)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_command_exists(number: int) -> None:
    for command in commands(number):
        words = command.split()
        assert CHECKS[words[0], words[1] if words[0] == "reaedp" else ""](words), command


def reproduces(words: list[str]) -> bool:
    return bool(words[2:]) and set(words[2:]) <= set(NAMES)


def examines_itself(words: list[str]) -> bool:
    return ["reaedp", "audit", "--self-test"] == words


def names_a_test(words: list[str]) -> bool:
    """The file exists, and one of its tests, or one of the broken forms it is run on, has this in its name."""
    text = (ROOT / words[1]).read_text(encoding="utf-8")
    names = re.findall(r"^def (test_\w+)", text, flags=re.MULTILINE)
    if words[1].endswith("test_broken.py"):
        names += [case.name for case in cases()]
    return len(words) == 2 or (words[2] == "-k" and any(words[3] in name for name in names))


CHECKS = {
    ("reaedp", "reproduce"): reproduces,
    ("reaedp", "audit"): examines_itself,
    ("pytest", ""): names_a_test,
}


def test_items_have_the_names_under_which_they_are_called() -> None:
    assert items().keys() <= set(NAMES)


def test_every_item_that_shows_an_erratum_names_it_and_no_item_names_one_that_is_not_there() -> None:
    for name, item in items().items():
        assert set(item.errata) <= set(NUMBERS), name
        shown = {number for number in NUMBERS if any(name in c.split() for c in commands(number))}
        assert shown <= set(item.errata), name


# What is arithmetic

TEST = PublishedTest(30, 5, 1.0)


def test_erratum_09_the_printed_condition_holds_without_noise_and_the_needed_one_does_not() -> None:
    passes = np.arange(60) >= 30
    assert (passes[:-1] <= math.exp(1.0) * passes[1:]).all()
    assert not (passes[1:] <= math.exp(1.0) * passes[:-1]).all()


def test_erratum_10_one_plausible_seed_more_makes_passing_easier() -> None:
    rates = TEST.rate(np.arange(1, 40))
    assert (rates[1:] > rates[:-1]).all()


def weight(count: int) -> float:
    """q of a class of so many seeds that all make the candidate for certain."""
    return count * float(TEST.rate(np.array(count)))


def test_erratum_11_the_weight_of_a_class_grows_by_more_than_the_lemma_says() -> None:
    growth = weight(11) / weight(10)
    assert math.exp(1.0) * (1 + 1 / 10) == pytest.approx(growth)
    assert math.exp(1.0) < growth <= math.exp(1.0) * (1 + 2 / TEST.t)


def test_erratum_12_noise_that_is_allowed_passes_more_often_than_the_lemma_says() -> None:
    moved = TEST.rate(np.arange(1, 50) + 10)
    assert (moved[1:] <= math.exp(1.0) * moved[:-1] * (1 + 1e-12)).all()
    assert moved[TEST.t - 1] > 1000 * TEST.delta()


def test_erratum_14_one_trial_grows_by_more_than_the_lemma_ends_with() -> None:
    growth = (weight(11) / 101) / (weight(10) / 100)
    assert math.exp(1.0) < growth <= math.exp(TEST.epsilon(gamma=2.0))


def test_erratum_15_the_weight_of_a_class_is_no_probability() -> None:
    assert weight(40) > 39


def test_erratum_17_the_largest_t_allowed_gives_no_privacy() -> None:
    assert 1.0 == PublishedTest(20, 20, 0.5).delta()


def test_erratum_18_the_parameters_of_the_figure_promise_little() -> None:
    assert 1.95 == round(PublishedTest(10, 2, 1e-9).epsilon(gamma=12.0), 2)
    deltas = [PublishedTest(k, 2, 0.1).delta() for k in (10, 20, 30, 50)]
    assert [0.449, 0.165, 0.061, 0.008] == [round(delta, 3) for delta in deltas]


def classical_mu(epsilon: float, delta: float) -> float:
    """One over the textbook scale for a sensitivity of one."""
    return epsilon / math.sqrt(2 * math.log(1.25 / delta))


def test_erratum_21_the_textbook_scale_is_wasteful_at_one_and_false_at_ten() -> None:
    assert 1.30 == round(gaussian_mu(1.0, 1e-5) / classical_mu(1.0, 1e-5), 2)
    assert gaussian_delta(classical_mu(8.4, 1e-5), 8.4) < 1e-5 < gaussian_delta(classical_mu(8.45, 1e-5), 8.45)
    assert 2.3e-5 == pytest.approx(gaussian_delta(classical_mu(10.0, 1e-5), 10.0), rel=0.02)


def test_erratum_23_the_best_attack_on_continuous_and_discrete_noise() -> None:
    """Half of one plus the total variation between two laws that lie one row apart, at ε = 1."""
    continuous, discrete = 1 - math.exp(-0.5), (math.e - 1) / (math.e + 1)
    assert (0.697, 0.731) == (round((1 + continuous) / 2, 3), round((1 + discrete) / 2, 3))


def test_erratum_29_clipping_leaves_half_a_scale_in_an_empty_bin() -> None:
    for epsilon in (0.1, 1.0, 4.0):
        x = np.linspace(0, 60 / epsilon, 400_001)
        mean = np.trapezoid(x * epsilon / 2 * np.exp(-epsilon * x), x)
        assert 0.5 / epsilon == pytest.approx(mean, rel=1e-6)


def test_erratum_31_one_bin_has_nearly_all_rows() -> None:
    values = DIFFERENCES.values(Experiment(np.random.default_rng(0), quick=True, data=None))
    assert values is not None
    counts = np.histogram(values, bins=30)[0]
    assert (9_981, 10_000) == (counts.max(), counts.sum())
    assert (-24_976, 4_206) == (round(values.min()), round(values.max()))


def test_erratum_32_a_kernel_of_two_families_is_not_symmetric_and_that_of_one_is_the_wiener_kernel() -> None:
    times, frequencies = np.linspace(0.05, 1, 20), (np.arange(1, 4_001) - 0.5) * np.pi
    sines, cosines = (wave(np.outer(times, frequencies)) * math.sqrt(2) for wave in (np.sin, np.cos))
    two, one = (sines / frequencies**2 @ other.T for other in (cosines, sines))
    assert np.abs(two - two.T).max() > 0.1
    assert np.minimum.outer(times, times) == pytest.approx(one, abs=1e-4)


def test_erratum_34_one_row_moves_others_across_quantiles_and_mwem_chooses_nearly_at_random() -> None:
    def quarters(values: np.ndarray) -> np.ndarray:
        return np.argsort(np.argsort(values, kind="stable"), kind="stable") * 4 // len(values)

    values = np.arange(100.0)
    moved = np.where(values == 0, 1_000.0, values)  # the least value becomes the largest
    assert 3 == (quarters(values)[1:] != quarters(moved)[1:]).sum()
    # Of 30 bins one has all rows and none is expected to: the weights e^(ε/2 · difference) of 24 rounds at ε = 1.
    differences = np.abs(np.eye(30)[0] - 1 / 30)
    weights = np.exp(1.0 / 48 / 2 * differences)
    assert weights.max() / weights.min() < 1.03
