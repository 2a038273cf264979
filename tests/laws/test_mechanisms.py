"""What every mechanism must fulfil, whatever its noise."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from reaedp import Gaussian, Laplace, Threshold, TwoStage, Unit
from reaedp.answer import Keyed
from reaedp.errors import DeclarationError
from reaedp.mechanisms.fine_gaussian import FINEST, FineGaussian, bought_mu
from reaedp.mechanisms.gaussian import dominating_mu
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.mechanisms.noise import SecretNoise, SeededNoise
from reaedp.privacy.accounting import epsilon as composed
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import ZCDP, PureDP, UnitGaussian, exact
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity

UNITS = [
    Unit("add-remove"),
    Unit("replace"),
    Unit("add-remove", person="p", max_rows=3),
    Unit("replace", person="p", max_rows=3),
]
MECHANISMS = [Laplace(0.5), Laplace(3.0), Gaussian(0.02), Gaussian(1.0), Threshold(0.5, 1e-7), TwoStage(0.5, 0.05, 9)]
everywhere = pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.rows}")
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)

epsilons = st.floats(1e-6, 50.0)


@given(epsilons, st.integers(1, 1000))
def test_the_laplace_scale_costs_no_more_than_epsilon_in_exact_arithmetic(epsilon: float, l1: int) -> None:
    scale = Laplace(epsilon).scale(Sensitivity(l1, l1 * l1, l1))
    assert Fraction(l1) / Fraction(scale) <= exact(epsilon)
    assert Fraction(l1) / Fraction(math.nextafter(scale, 0.0)) > exact(epsilon) * (1 - Fraction(1, 10**15))


@given(st.floats(1e-8, 50.0), st.integers(1, 1000))
def test_the_gaussian_scale_costs_no_more_than_rho_in_exact_arithmetic(rho: float, l2_squared: int) -> None:
    scale = Gaussian(rho).scale(Sensitivity(l2_squared, l2_squared, l2_squared))
    assert Fraction(l2_squared) / (2 * Fraction(scale) ** 2) <= exact(rho)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-6), (4.0, 1e-5)])
@pytest.mark.parametrize("shift", [20, 100, 1_000])
def test_on_a_fine_lattice_the_loss_is_that_of_the_normal_law(epsilon: float, delta: float, shift: int) -> None:
    """Enumerate the divergence of one integer moved by the whole sensitivity; it is near what is charged."""
    from reaedp.privacy.loss import GaussianDP

    sensitivity = Sensitivity(shift, shift**2, shift)
    mechanism = Gaussian.within(epsilon, delta, sensitivity)
    (price,) = mechanism.price(sensitivity)
    assert isinstance(price, GaussianDP)
    assert composed(tally([(price,)]), delta) <= epsilon
    scale = mechanism.scale(sensitivity)
    x = np.arange(-math.ceil(12 * scale), math.ceil(12 * scale) + shift + 1, dtype=np.float64)
    law, moved = np.exp(-(x**2) / (2 * scale**2)), np.exp(-((x - shift) ** 2) / (2 * scale**2))
    true = float(np.maximum(law / law.sum() - math.exp(epsilon) * moved / law.sum(), 0).sum())
    assert true <= delta
    assert true >= delta * (0.5 if shift == 20 else 0.95)  # what is lost is the 4 in the variance


@pytest.mark.parametrize("mu", [0.05, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("shift", [1, 3])
def test_noise_for_a_gaussian_loss_is_dominated_by_it(mu: float, shift: int) -> None:
    """Enumerate the divergence at several ε; a little less noise, or none for the lattice, would exceed the loss."""
    sensitivity = Sensitivity(shift, shift**2, shift)
    mechanism = Gaussian.dominated(mu, sensitivity)
    scale = mechanism.scale(sensitivity)
    assert (shift / mu) ** 2 + 4 == pytest.approx(scale**2, rel=1e-9)
    assert mu * (1 - 1e-9) < dominating_mu(scale, sensitivity) <= mu
    x = np.arange(-math.ceil(12 * scale), math.ceil(12 * scale) + shift + 1, dtype=np.float64)
    law, moved = np.exp(-(x**2) / (2 * scale**2)), np.exp(-((x - shift) ** 2) / (2 * scale**2))
    for epsilon in (0.0, 0.3 * mu, mu, 2 * mu, 3 * mu):
        true = float(np.maximum(law / law.sum() - math.exp(epsilon) * moved / law.sum(), 0).sum())
        allowed = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
        assert true <= allowed


@pytest.mark.parametrize("finest", [1, 4, FINEST])
@pytest.mark.parametrize("mu", [0.02, 0.3, 1.5, 8.0])
@pytest.mark.parametrize("shift", [1, 3])
def test_counts_in_parts_of_rows_are_dominated_by_their_loss(mu: float, shift: int, finest: int) -> None:
    """Enumerate the law of what is drawn, in parts, with and without a unit's rows; it shows nearly all of the loss."""
    sensitivity, mechanism, noise = Sensitivity(shift, shift**2, shift), FineGaussian(mu, finest), Parts()
    given = mechanism.apply(np.array([7]), sensitivity, noise)  # type: ignore[arg-type]
    (grain, scale), moved = (noise.grain, noise.scale), shift * noise.grain
    assert 7.0 == given[0]
    assert mechanism.grain(sensitivity) == grain <= finest
    assert mechanism.scale(sensitivity) == scale / grain
    assert (shift / mu) ** 2 + 4 / grain**2 == pytest.approx((scale / grain) ** 2, rel=1e-9)
    assert bought_mu(scale / grain, sensitivity, finest) == pytest.approx(mu, rel=1e-9)
    x = np.arange(-math.ceil(12 * scale), math.ceil(12 * scale) + moved + 1, dtype=np.float64)
    law, other = np.exp(-(x**2) / (2 * scale**2)), np.exp(-((x - moved) ** 2) / (2 * scale**2))
    for epsilon in (0.0, 0.3 * mu, mu, 2 * mu, 3 * mu):
        true = float(np.maximum(law - math.exp(epsilon) * other, 0).sum() / law.sum())
        allowed = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
        assert true <= allowed
        if finest == FINEST and epsilon <= mu:
            assert true > 0.99 * allowed


class Parts:
    """A source that adds nothing and remembers in which parts it was asked."""

    def gaussian(self, exact: np.ndarray, scale: float, grain: int = 1) -> np.ndarray:
        self.scale, self.grain = scale, grain
        return exact * grain


def test_noise_is_added_to_counts_in_parts_whatever_its_source() -> None:
    """Noise of 40 parts is below 20 rows of 64 but in 1e-200 of draws; whole rows would be far away."""
    exact = np.array([[1_000, 0], [5, 2_000_000]])
    for noise in (SeededNoise(np.random.default_rng(1)), SecretNoise()):
        noisy = noise.gaussian(exact, 40.0, 64)
        assert np.int64 == noisy.dtype
        assert (np.abs(noisy - 64 * exact) < 20 * 64).all()


@pytest.mark.parametrize("scale", [10.0, 12.5, 300.0, 1e6])
@pytest.mark.parametrize("l2_squared", [4, 900, 10**8])
def test_the_charged_mu_contains_the_variance_of_the_lattice(scale: float, l2_squared: int) -> None:
    """μ² = l2² / (s² - 4) or a little more, in exact arithmetic; without the 4 it would be that of a continuous law."""
    from reaedp.privacy.loss import GaussianDP

    sensitivity = Sensitivity(2 * l2_squared, l2_squared, 2)
    mechanism = Gaussian(l2_squared / (2 * scale**2))
    variance = Fraction(mechanism.scale(sensitivity)) ** 2
    mu = Fraction(l2_squared) / (variance - 4)
    (price,) = mechanism.price(sensitivity)
    if mechanism.scale(sensitivity) >= 10 and Fraction(1, 10**12) < mu < 63:
        assert isinstance(price, GaussianDP)
        assert mu < Fraction(price.mu) ** 2 < mu * (1 + Fraction(1, 10**11))
    else:
        assert ZCDP(mechanism.rho) == price


@pytest.mark.parametrize("rho", [1e-9, 3e-4, 0.02, 0.7, 31.0])
def test_the_variance_charged_for_unit_steps_is_never_more_than_is_drawn(rho: float) -> None:
    """The loss falls with the variance, so that it is rounded down, by no more than the last digits."""
    sensitivity = Sensitivity(2, 2, 1)
    drawn = Fraction(Gaussian(rho).scale(sensitivity)) ** 2
    prices = Gaussian(rho).price(sensitivity)
    assert 2 == len(prices)
    for price in prices:
        assert isinstance(price, UnitGaussian)
        assert drawn * (1 - Fraction(1, 10**15)) < Fraction(price.variance) <= drawn


@everywhere
def test_laplace_noise_is_charged_in_shares_only_where_every_step_is_a_unit_step(unit: Unit) -> None:
    """One row replaced is two cells moved by one each; three rows may be one cell moved by three."""
    sensitivity = counting_sensitivity(unit)
    shares = sensitivity.l1 if sensitivity.linf == 1 else 1
    assert (PureDP(0.6 / shares),) * shares == Laplace(0.6).price(sensitivity)


@everywhere
@every_mechanism
def test_spread_covers_as_often_as_it_says_and_not_much_more(mechanism: Mechanism, unit: Unit) -> None:
    """Exact laws: Pr[|x| ≤ t] ≥ confidence > Pr[|x| ≤ t - 1]."""
    sensitivity = counting_sensitivity(unit)
    law = _law(mechanism, sensitivity)
    for confidence in (0.5, 0.9, 0.95, 0.999):
        for cells in (1, 30, 10_000):
            distance = mechanism.error_quantile(sensitivity, confidence, cells)
            assert _within(law, distance) ** cells >= confidence - 1e-9
            assert distance == 0 or _within(law, distance - 1) ** cells < confidence + 1e-9


@everywhere
@every_mechanism
def test_mean_error_is_that_of_the_exact_law(mechanism: Mechanism, unit: Unit) -> None:
    sensitivity = counting_sensitivity(unit)
    law = _law(mechanism, sensitivity)
    expected = 2 * float(np.sum(np.arange(len(law)) * law))
    assert expected == pytest.approx(mechanism.mean_error(sensitivity), rel=1e-6)


@everywhere
@every_mechanism
def test_price_is_what_was_asked_for(mechanism: Mechanism, unit: Unit) -> None:
    sensitivity = counting_sensitivity(unit)
    asked = {
        "epsilon": lambda m: m.epsilon,
        "rho": lambda m: composed(tally([(ZCDP(m.rho),)]), 1e-6),
    }["rho" if isinstance(mechanism, Gaussian) else "epsilon"](mechanism)
    assert composed(tally([mechanism.price(sensitivity)]), 1e-6) <= asked * (1 + 1e-9)


def _law(mechanism: Mechanism, sensitivity: Sensitivity) -> np.ndarray:
    """Pr[x = k] for k = 0, 1, …, by summation."""
    scale = mechanism.scale(sensitivity)
    k = np.arange(math.ceil(60 * scale) + 60)
    weights = np.exp(-(k**2) / (2 * scale**2)) if isinstance(mechanism, Gaussian) else np.exp(-k / scale)
    return weights / (2 * weights.sum() - weights[0])


def _within(law: np.ndarray, distance: int) -> float:
    return float(2 * law[: distance + 1].sum() - law[0])


@everywhere
@pytest.mark.parametrize("mechanism", [Laplace(0.7), Laplace(2.0)], ids=str)
def test_laplace_noise_hides_every_neighbour_exactly(mechanism: Laplace, unit: Unit) -> None:
    """The largest log-ratio over all outputs is Σ|moved| / scale; take every way to move one unit over three cells."""
    sensitivity = counting_sensitivity(unit)
    worst = max(sum(map(abs, move)) for move in _moves(unit, cells=3))
    assert worst == sensitivity.l1
    assert Fraction(worst) / Fraction(mechanism.scale(sensitivity)) <= exact(mechanism.epsilon)


def _moves(unit: Unit, cells: int) -> set[tuple[int, ...]]:
    from itertools import combinations_with_replacement, product

    def rows() -> list[tuple[int, ...]]:
        return [
            tuple(chosen.count(cell) for cell in range(cells))
            for size in range(unit.rows + 1)
            for chosen in combinations_with_replacement(range(cells), size)
        ]

    if unit.change == "add-remove":
        return {tuple(sign * count for count in row) for row in rows() for sign in (1, -1)}
    return {tuple(a - b for a, b in zip(old, new, strict=True)) for old, new in product(rows(), rows())}


@everywhere
@pytest.mark.parametrize("epsilon", [1.0, 8.0])
def test_a_new_key_is_shown_with_probability_at_most_delta(unit: Unit, epsilon: float) -> None:
    """Enumerate every way in which a new unit's rows can form new keys; Pr[j + L ≥ T] by the exact tail.

    Of three rows three keys are worst where noise is wide, and one key where it is narrow.
    """
    mechanism = Threshold(epsilon, 1e-4)
    sensitivity = counting_sensitivity(unit)
    scale, threshold = mechanism.scale(sensitivity), mechanism.threshold(sensitivity)
    ratio = math.exp(-1 / scale)

    def shown(rows: int) -> float:
        return ratio ** (threshold - rows) / (1 + ratio)

    worst = max(sum(shown(part) for part in parts) for parts in _partitions(unit.rows))
    assert worst <= mechanism.delta
    looser = max(
        sum(ratio ** (threshold - 1 - part) / (1 + ratio) for part in parts) for parts in _partitions(unit.rows)
    )
    assert looser > mechanism.delta  # the threshold is the least one


def _partitions(total: int, largest: int | None = None) -> list[tuple[int, ...]]:
    if total == 0:
        return [()]
    top = min(total, largest or total)
    return [(first, *rest) for first in range(top, 0, -1) for rest in _partitions(total - first, first)]


def test_a_threshold_shows_only_keys_that_reach_it() -> None:
    mechanism = Threshold(1.0, 1e-6)
    one_row = counting_sensitivity(Unit("add-remove"))
    assert 15 == mechanism.threshold(one_row)
    exact_counts = Keyed(np.arange(3).reshape(-1, 1), np.array([1, 5, 1_000]))
    shown = mechanism.apply(exact_counts, one_row, SeededNoise(np.random.default_rng(1)))
    assert [[2]] == shown.keys.tolist()
    assert shown.counts[0] >= 15


def test_a_key_appears_if_its_noisy_count_reaches_the_threshold() -> None:
    """One below it, a key appears with probability q/(1 + q), q = e^-1: 0.269; at it, with 1/(1 + q): 0.731."""
    mechanism, one_row, keys = Threshold(1.0, 1e-6), counting_sensitivity(Unit("add-remove")), 4_000
    least, noise = mechanism.threshold(one_row), SeededNoise(np.random.default_rng(2))
    for count, chance in ((least - 1, 0.2689), (least, 0.7311)):
        shown = mechanism.apply(Keyed(np.arange(keys).reshape(-1, 1), np.full(keys, count)), one_row, noise)
        # Seven standard deviations: beyond them with a probability below 3e-12.
        assert abs(len(shown.counts) - chance * keys) < 7 * math.sqrt(chance * (1 - chance) * keys)
        assert shown.counts.min() >= least


def test_a_threshold_refuses_a_delta_that_would_betray_absence() -> None:
    with pytest.raises(DeclarationError, match="delta must be at most"):
        Threshold(0.01, 0.1).price(counting_sensitivity(Unit("add-remove")))


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 1e-310, 10**400, True, "1", None])
def test_no_mechanism_takes_a_meaningless_price(value: object) -> None:
    for make in (Laplace, Gaussian, lambda v: Threshold(v, 1e-6), lambda v: Threshold(1.0, v)):
        with pytest.raises(DeclarationError):
            make(value)  # type: ignore[operator]


@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_gaussian_within_epsilon_and_delta_is_within_and_close(change: str) -> None:
    sensitivity = counting_sensitivity(Unit(change))  # type: ignore[arg-type]
    mechanism = Gaussian.within(1.0, 1e-6, sensitivity)
    price = mechanism.price(sensitivity)
    assert all(isinstance(loss, UnitGaussian) for loss in price)
    assert 0.98 <= composed(tally([price]), 1e-6) <= 1.0
