"""Copies of a model and the rules that combine them."""

import math

import numpy as np
import pytest

import reaedp
from modelled import released_by
from reaedp.errors import DeclarationError
from reaedp.synthesis.copies import copied
from reaedp.synthesis.published_model import PublishedModel

ROWS = 6_000


def figures(model: PublishedModel, rng: np.random.Generator) -> np.ndarray:
    """Mean age, share of women, shares of three cities, share of women in Bern."""
    age, sex, city = model.cells(ROWS, rng).T
    return np.array(
        [age.mean(), (sex == 0).mean(), *np.bincount(city, minlength=3)[:3] / ROWS, ((sex + city) == 0).mean()]
    )


def network() -> PublishedModel:
    found = released_by()["network"].value.model
    assert isinstance(found, PublishedModel)
    return found


@pytest.mark.slow
def test_intervals_of_five_copies_cover_what_the_data_would_give() -> None:
    """The model stands for the data: 60 releases of it, five copies each.

    At 95 % fewer than 46 hits of one figure have a chance below 10^-6.
    """
    rng, true = np.random.default_rng(1), network()
    wanted = np.mean([figures(true, rng) for _ in range(20)], axis=0)
    hits, widths = np.zeros(len(wanted)), []
    for _ in range(60):
        released = copied(true, rng)
        found = np.array([figures(copied(released, rng), rng) for _ in range(5)])
        rates = [reaedp.combine(column) for column in found.T]
        hits += [rate.low <= truth <= rate.high for rate, truth in zip(rates, wanted, strict=True)]
        widths.append([rate.high - rate.low for rate in rates])
    assert (hits >= 46).all()
    assert (np.median(widths, axis=0)[1:] < 0.12).all(), "intervals say something"


def test_copies_differ_by_the_noise_of_the_model_and_not_by_their_rows_alone() -> None:
    rng, model = np.random.default_rng(2), network()
    same = np.std([figures(model, rng)[1] for _ in range(12)])
    other = np.std([figures(copied(model, rng), rng)[1] for _ in range(12)])
    assert other > 2 * same


def test_several_numbers_are_combined_by_rubins_rules() -> None:
    values, variances = [1.0, 2.0, 3.0, 4.0, 5.0], [0.5] * 5
    between = 1.2 * 2.5
    alone, both = reaedp.combine(values), reaedp.combine(values, variances)
    assert (3.0, 3.0) == (alone.value, both.value)
    # Student's law of four degrees of freedom: 2.7764; with (1 + .5 / 3)² times as many, 5.44: 2.5089.
    assert 2.7764 * math.sqrt(between) == pytest.approx(alone.high - 3, rel=1e-4)
    assert 2.509 * math.sqrt(between + 0.5) == pytest.approx(both.high - 3, rel=1e-3)
    assert 2.0 == reaedp.combine([2.0, 2.0, 2.0]).high
    assert 1.95996 * 2 == pytest.approx(reaedp.combine([2.0] * 3, [4.0] * 3).high - 2, rel=1e-4)


@pytest.mark.parametrize(
    ("values", "variances", "confidence"),
    [
        ([1.0, 2.0], None, 0.95),
        ([1.0, 2.0, math.nan], None, 0.95),
        ([[1.0], [2.0], [3.0]], None, 0.95),
        ([1.0, 2.0, 3.0], [1.0, 1.0], 0.95),
        ([1.0, 2.0, 3.0], [1.0, 1.0, -1.0], 0.95),
        ([1.0, 2.0, 3.0], None, 95),
    ],
)
def test_what_cannot_be_combined_is_refused(
    values: list[float], variances: list[float] | None, confidence: float
) -> None:
    with pytest.raises(DeclarationError):
        reaedp.combine(values, variances, confidence=confidence)


def test_copies_are_drawn_from_a_release_and_only_from_tables() -> None:
    release = released_by()["network"]
    first, again = ([each.codes.tolist() for each in release.copies(3, 50, {"sex": "f"}, seed=1)] for _ in range(2))
    assert first == again
    assert 3 == len({str(codes) for codes in first})
    assert all(row[1] == 0 for codes in first for row in codes)
    with pytest.raises(DeclarationError, match="cannot be replayed"):
        list(released_by()["amortised"].copies(3, 50))
    with pytest.raises(DeclarationError, match="copies must be"):
        release.copies(2, 50)
