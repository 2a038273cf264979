"""Numbers are rounded against us, and what cannot be computed exactly is added."""

import math
from fractions import Fraction

import numpy as np
import pytest

from reaedp.privacy.accounting import simple_epsilon
from reaedp.privacy.conversion import bisect, concentrated_epsilon, rounded_down, rounded_up, steep_bisect
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, Loss, PureDP, UnitGaussian, exact
from reaedp.privacy.merging import LATTICE_COST, merge
from reaedp.privacy.product import Product

#: Sums of tenths and thirds, numbers between neighbouring doubles, tiny ones, and one that is a double.
NUMBERS = [
    *(Fraction(tenths, 10) + Fraction(1, 10**17) for tenths in range(1, 30)),
    *(Fraction(thirds, 3) for thirds in range(1, 30)),
    *(Fraction(1, 10**power) * (1 + Fraction(1, 10**18)) for power in range(1, 250, 7)),
    Fraction(7, 8),
    Fraction(1, 10),
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{float(number):.20g}")
def test_a_number_is_rounded_up_to_the_next_decimal_and_no_further(number: Fraction) -> None:
    above = rounded_up(number)
    assert exact(above) >= number
    assert exact(math.nextafter(above, 0.0)) < number


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{float(number):.20g}")
def test_a_number_is_rounded_down_however_it_is_read(number: Fraction) -> None:
    below = rounded_down(number)
    assert max(exact(below), Fraction(below)) <= number
    above = math.nextafter(below, math.inf)
    assert max(exact(above), Fraction(above)) > number


def test_the_numbers_of_these_tests_can_tell_rounding_up_from_rounding_to_nearest() -> None:
    assert any(exact(float(number)) < number for number in NUMBERS)
    assert any(max(exact(float(number)), Fraction(float(number))) > number for number in NUMBERS)


def test_what_is_too_large_for_a_double_is_rounded_up_to_infinity() -> None:
    assert math.inf == rounded_up(Fraction(10**400))


def test_a_search_returns_a_point_that_was_seen_to_hold() -> None:
    seen = []

    def holds(x: float) -> bool:
        seen.append(x)
        return x <= 1 / 3

    found = bisect(holds, 0.0, 1.0)
    assert found in seen
    assert holds(found)
    assert not holds(found * (1 + 1e-12))


@pytest.mark.parametrize("crossing", [1e-5, 0.3, 2.9])
@pytest.mark.parametrize(("good", "bad"), [(3.0, 0.0), (0.0, 3.0)])
@pytest.mark.parametrize("curve", [1.0, 0.01])
def test_secants_find_what_bisection_finds_in_fewer_looks(
    crossing: float, good: float, bad: float, curve: float
) -> None:
    looks = []

    def height(x: float) -> float:
        looks.append(x)
        distance = (x - crossing) if bad > good else (crossing - x)
        return math.expm1(curve * distance)

    def holds(x: float) -> bool:
        return height(x) <= 0

    plain = bisect(holds, good, bad, 1e-8)
    needed = len(looks)
    assert plain == steep_bisect(holds, height, good, bad, 1e-8)
    assert len(looks) - needed < needed


def test_a_search_along_a_misleading_height_still_returns_a_point_that_was_seen_to_hold() -> None:
    """Heights that are wrong about where something holds: only what was seen to hold is returned."""
    assert steep_bisect(lambda x: x >= 0.7, lambda x: 0.2 - x, 1.0, 0.0, 1e-6) == pytest.approx(0.7, abs=1e-6)
    found = steep_bisect(lambda x: x >= 0.7, lambda x: 0.2 - x, 1.0, 0.0, 1e-6)
    assert found >= 0.7
    assert 1.0 == steep_bisect(lambda x: x >= 1.0, lambda _: 1.0, 1.0, 0.0, 1e-6)


@pytest.mark.parametrize(
    ("loss", "rho"),
    [
        (PureDP(0.3), 0.3 * math.tanh(0.15)),
        (ApproxDP(0.3, 1e-300), 0.3 * math.tanh(0.15)),
        (ZCDP(0.045), 0.045),
        (GaussianDP(0.3), 0.045),
        (UnitGaussian(100 / 9), 0.045),
    ],
    ids=repr,
)
def test_every_kind_of_loss_implies_its_own_concentrated_loss(loss: Loss, rho: float) -> None:
    """ρ = ε·tanh(ε/2) = μ²/2 = 1/(2v); a thousand copies, so that adding up ε's is never the better way."""
    expected = concentrated_epsilon(1000 * rho, 1e-6)
    assert expected <= simple_epsilon({loss: 1000}, 1e-6) <= expected * (1 + 1e-9)


@pytest.mark.parametrize(("variance", "copies"), [(4.0, 2_500), (25.0, 4_000), (2_000.0, 6)])
def test_unit_gaussians_on_the_line_cost_what_the_lattice_adds(variance: float, copies: int) -> None:
    """μ² = (k/v)/(1 - 2/(kv)), not less."""
    parts = merge({UnitGaussian(variance): copies})
    assert 2.0 == LATTICE_COST
    assert () == parts.pairs
    expected = Fraction(copies) / Fraction(variance) / (1 - 2 / (Fraction(copies) * Fraction(variance)))
    assert expected <= Fraction(parts.mu) ** 2 <= expected * (1 + Fraction(1, 10**12))


def test_what_a_product_cannot_account_for_is_added_to_delta() -> None:
    """A single outcome of loss 0 has δ(1) = 0; the tilted mass that was lost weighs e^(K + ρt(1 + t) − tε)."""
    product = Product(tilt=2.0, log_moment=0.5, losses=np.zeros(1), masses=np.ones(1), error=1e-3, rho=0.0)
    assert 1e-3 * math.exp(0.5 - 2.0) <= product.delta(1.0) <= 1e-3 * math.exp(0.5 - 2.0) * (1 + 1e-7)
    beside = Product(tilt=2.0, log_moment=0.5, losses=np.full(1, -90.0), masses=np.ones(1), error=1e-3, rho=0.1)
    assert 1e-3 * math.exp(0.5 + 0.1 * 2 * 3 - 2.0) <= beside.delta(1.0)
