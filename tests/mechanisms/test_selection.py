import math
from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit, ndtri
from scipy.stats import chi2

from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SecretNoise, SeededNoise
from reaedp.mechanisms.selection import Selection, bounded_range, chosen_mu
from reaedp.privacy.loss import GaussianDP
from reaedp.privacy.unit import Sensitivity

ONE_ROW = Sensitivity(l1=1, l2_squared=1, linf=1)


def law(scores: np.ndarray, scale: float) -> np.ndarray:
    weights = np.exp((scores - scores.max()) / scale)
    return weights / weights.sum()


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("l1", [1, 3])
def test_the_price_covers_every_event_of_the_worst_neighbours(mu: float, l1: int) -> None:
    """All events of five candidates whose scores move by -l1, 0 or l1; μ-GDP bounds Φ⁻¹(P) - Φ⁻¹(Q)."""
    sensitivity = Sensitivity(l1=l1, l2_squared=l1 * l1, linf=l1)
    scale = Selection(mu).scale(sensitivity)
    scores = np.array([0, 1, 0, 2, 0]) * round(scale)
    events = np.array(list(product([0, 1], repeat=5)))[1:-1]
    worst = 0.0
    for move in product([-l1, 0, l1], repeat=5):
        here, there = events @ law(scores, scale), events @ law(scores + np.array(move), scale)
        worst = max(worst, float(np.max(ndtri(there) - ndtri(here))))
    assert worst <= mu * (1 + 1e-9)
    # The bound is attained where an event and its rest are as likely as each other; small tables come near.
    assert worst > mu / 2


@pytest.mark.parametrize("mu", [1e-6, 0.01, 1.0, 5.0, 12.0])
def test_the_bound_is_attained_by_two_candidates_of_opposite_moves(mu: float) -> None:
    attained = -2 * ndtri(expit(-bounded_range(mu) / 2))  # two equal scores, one up and one down
    assert mu == pytest.approx(attained, rel=1e-9)
    assert attained <= mu
    assert mu == pytest.approx(chosen_mu(Selection(mu).scale(ONE_ROW), ONE_ROW), rel=1e-8)


def test_the_curve_of_bounded_range_is_concave_beyond_zero() -> None:
    """Second differences of Φ⁻¹∘σ, computed where both are accurate, are negative."""
    x = np.linspace(0, 30, 3001)
    curve = -ndtri(expit(-x))
    assert np.all(np.diff(curve, 2) < 0)
    assert np.all(np.diff(curve) > 0)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 6.0])
def test_no_pair_of_laws_with_this_range_is_further_apart_than_mu(epsilon: float) -> None:
    mu = 2 * ndtri(expit(epsilon / 2))
    share = expit(np.linspace(-25, 25, 2001))
    assert np.all(ndtri(expit(logit(share) + epsilon)) - ndtri(share) <= mu * (1 + 1e-9))


def test_scale_is_five_quarters_of_the_sensitivity_over_a_small_mu() -> None:
    """ε(μ) = 8 μ / (2 √(2π)) + O(μ³), so scale · μ = √(2π) / 2."""
    assert math.sqrt(2 * math.pi) / 2 == pytest.approx(Selection(1e-4).scale(ONE_ROW) * 1e-4, rel=1e-6)
    assert 3 * Selection(0.1).scale(ONE_ROW) == pytest.approx(Selection(0.1).scale(Sensitivity(3, 9, 3)))


def test_price_is_one_gaussian_loss() -> None:
    assert (GaussianDP(0.2),) == Selection(0.2).price(ONE_ROW)


@pytest.mark.parametrize("mu", [0.0, -1.0, math.inf, math.nan, 20.0, True, "1"])
def test_what_is_no_sensible_mu_is_refused(mu: object) -> None:
    with pytest.raises(DeclarationError):
        Selection(mu)  # type: ignore[arg-type]


@pytest.mark.parametrize("noise", [SecretNoise(), SeededNoise(np.random.default_rng(5))], ids=["secret", "seeded"])
def test_choices_follow_the_stated_law_and_no_other(noise: SecretNoise) -> None:
    """χ² of 2,000 choices among four: beyond the threshold with probability 10⁻⁷ under the law, surely under others."""
    selection, scores, draws = Selection(0.5), np.array([0, 3, 6, 1]), 2000
    scale = selection.scale(ONE_ROW)
    alone = [selection.choose(scores, ONE_ROW, noise) for _ in range(draws)]
    together = selection.choose_each(np.tile(scores, (draws, 1)), ONE_ROW, noise)

    def distance(places: object, factor: float) -> float:
        expected = draws * law(scores, scale * factor)
        return float(((np.bincount(places, minlength=4) - expected) ** 2 / expected).sum())  # type: ignore[arg-type]

    threshold = chi2.isf(1e-7, 3)
    for places in (alone, together):
        assert distance(places, 1.0) < threshold
        assert distance(places, 1 / 1.3) > threshold
        assert distance(places, 1.3) > threshold
