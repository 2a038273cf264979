"""The ceilings against closed forms, against optimal tests computed by enumeration, and against each other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.errors import DeclarationError
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, PureDP, UnitGaussian
from reaedp.privacy.permitted import GaussianPromised, Promised, permitted, permitted_by

EPSILON = st.floats(0.0, 20.0)
DELTA = st.floats(0.0, 1.0)


@settings(deadline=None)
@given(EPSILON, DELTA)
def test_one_promise_has_the_closed_forms(epsilon: float, delta: float) -> None:
    e = math.exp(epsilon)
    promise = permitted(epsilon, delta)
    assert (e + delta) / (e + 1) == pytest.approx(promise.accuracy, abs=1e-12)
    assert delta + (1 - delta) * math.tanh(epsilon / 2) == pytest.approx(promise.advantage, abs=1e-12)
    assert 1 - (1 - delta) ** 2 / (1 + e) == pytest.approx(promise.auc, abs=1e-12)
    rate = np.linspace(0, 1, 11)
    expected = np.minimum(1, np.minimum(e * rate + delta, 1 - (1 - rate - delta) / e))
    np.testing.assert_allclose(expected, promise.true_positives(rate), atol=1e-12)


def test_no_promise_permits_everything_and_epsilon_zero_nothing() -> None:
    assert 1.0 == permitted(1.0, 1.0).auc == permitted(1e6).auc
    nothing = permitted(0.0)
    assert (0.5, 0.5, 0.0) == (nothing.auc, nothing.accuracy, nothing.advantage)


def curve(present: np.ndarray, absent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The optimal tests of two laws on finitely many outcomes: corners of the curve, by likelihood ratio."""
    order = np.argsort(-(present / absent))
    return np.concatenate([[0], np.cumsum(absent[order])]), np.concatenate([[0], np.cumsum(present[order])])


@settings(deadline=None)
@given(st.floats(0.01, 3), st.floats(0, 0.5))
def test_the_ceiling_is_reached_by_the_worst_mechanism_of_a_promise(epsilon: float, delta: float) -> None:
    # Tells outright with probability δ, else answers the truth with odds e^ε.
    lie = (1 - delta) / (1 + math.exp(epsilon))
    truth = 1 - delta - lie
    told = max(delta, 1e-300)
    present, absent = np.array([told, truth, lie, 1e-300]), np.array([1e-300, lie, truth, told])
    false, true = curve(present, absent)
    promise = permitted(epsilon, delta)
    # The first corner accuses nobody; the second does so where only a member can be.
    np.testing.assert_allclose(true[1:], promise.true_positives(false[1:]), atol=1e-9)
    assert promise.auc == pytest.approx(float(np.trapezoid(true, false)), abs=1e-9)
    assert promise.advantage == pytest.approx(float((true - false).max()), abs=1e-9)


@pytest.mark.parametrize("times", [1, 2])
def test_a_price_of_equal_pure_losses_permits_what_so_many_honest_coins_reach(times: int) -> None:
    truth = 1 / (1 + math.exp(-0.5))
    present = absent = np.ones(1)
    for _ in range(times):
        present, absent = np.outer(present, [truth, 1 - truth]).ravel(), np.outer(absent, [1 - truth, truth]).ravel()
    false, true = curve(present, absent)
    promise = permitted_by((PureDP(0.5),) * times)
    # The accountant rounds up by less than 1e-9; the last promise spends a δ of 1e-12.
    assert promise.auc == pytest.approx(float(np.trapezoid(true, false)), abs=1e-8)
    assert promise.accuracy == pytest.approx((1 + float((true - false).max())) / 2, abs=1e-8)
    assert promise.auc >= float(np.trapezoid(true, false))


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_gaussian_losses_permit_the_gaussian_curve(mu: float) -> None:
    exact, bounded = GaussianPromised(mu), permitted_by((GaussianDP(mu),))
    rate = np.array([0.0001, 0.001, 0.01, 0.1, 0.5, 0.9])
    # Tangents touch the curve from above; 65 of them leave less than two thousandths between.
    gaps = bounded.true_positives(rate) - exact.true_positives(rate)
    assert (gaps >= 0).all()
    assert gaps.max() < 2e-3
    assert 0 <= bounded.auc - exact.auc < 2e-3
    assert exact.accuracy == pytest.approx(bounded.accuracy, abs=1e-9)
    assert 2 * exact.accuracy - 1 == exact.advantage


@pytest.mark.parametrize("mu", [0.2, 1.0, 2.5])
def test_gaussian_figures_are_those_of_their_own_curve(mu: float) -> None:
    promise = GaussianPromised(mu)
    rates = np.linspace(0, 1, 200_001)
    tops = promise.true_positives(rates)
    # The curve is steep next to 0, where a step of 5e-6 is worth less than its height there.
    assert promise.auc == pytest.approx(float(np.trapezoid(tops, rates)), abs=1e-4)
    assert promise.advantage == pytest.approx(float((tops - rates).max()), abs=1e-6)


@pytest.mark.parametrize("loss", [PureDP(1.0), ApproxDP(1.0, 0.01), ZCDP(0.1), UnitGaussian(2.0)])
def test_ceilings_are_concave_and_between_chance_and_certainty(loss: PureDP) -> None:
    promise = permitted_by((loss,))
    rates = np.linspace(0, 1, 1_001)
    tops = promise.true_positives(rates)
    assert (tops >= rates - 1e-12).all()
    assert (tops <= 1 + 1e-12).all()
    assert (np.diff(tops, 2) <= 1e-12).all()
    assert 0.5 < promise.accuracy <= promise.auc < 1


def test_a_promise_must_be_one() -> None:
    for bad in ((), ((-1.0, 0.0),), ((1.0, 1.5),), ((math.nan, 0.0),)):
        with pytest.raises(DeclarationError):
            Promised(bad)


@settings(deadline=None)
@given(st.floats(0.01, 5.0), st.sampled_from([1e-15, 1e-12, 2e-12, 1e-9, 1e-5, 0.01, 0.3, 0.9, 1 - 1e-13]))
def test_a_price_that_may_fail_permits_what_its_promise_does(epsilon: float, delta: float) -> None:
    # The accountant rounds up by less than 1e-9.
    expected, actual = permitted(epsilon, delta), permitted_by((ApproxDP(epsilon, delta),))
    rates = np.array([0.0, 1e-6, 0.001, 0.1, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(actual.true_positives(rates), expected.true_positives(rates), atol=1e-9)
    assert (actual.true_positives(rates) >= expected.true_positives(rates) - 1e-15).all()
    assert expected.auc == pytest.approx(actual.auc, abs=1e-9)


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.2])
def test_a_price_of_two_losses_that_may_fail_permits_what_two_worst_mechanisms_reach(delta: float) -> None:
    lie = (1 - delta) / (1 + math.exp(0.5))
    one = np.array([delta, 1 - delta - lie, lie, 0.0])
    present, absent = np.outer(one, one).ravel(), np.outer(one[::-1], one[::-1]).ravel()
    false, true = curve(present, np.maximum(absent, 1e-300))
    promise = permitted_by((ApproxDP(0.5, delta),) * 2)
    # Both worst mechanisms together have four losses, at which the price's curve is read to 1e-8.
    assert (promise.true_positives(false) >= true - 1e-12).all()
    assert float(np.trapezoid(true, false)) == pytest.approx(promise.auc, abs=1e-3)
