import numpy as np
import pytest

from reaedp.curves.bases import BASES
from reaedp.curves.smoothing import CANDIDATES, coupled_gain, likely_rho, public_rho, smoother

LAMBDA = BASES["wiener"].eigenvalues(400)


def test_the_coupled_gain_is_largest_where_lambda_is_rho() -> None:
    for rho in LAMBDA[[0, 3, 50]]:
        assert 1 / (2 * np.sqrt(rho)) == pytest.approx(coupled_gain(LAMBDA, rho).max())
    # Beyond the largest λ the gain is largest at the first coefficient.
    assert np.sqrt(LAMBDA[0]) / (LAMBDA[0] + 3.0) == coupled_gain(LAMBDA, 3.0).max()


def test_the_public_rule_minimises_the_bound_on_the_error() -> None:
    d, b = 0.03, 2.0
    fine = np.logspace(-5, 1, 20_001)
    bounds = {
        "C": [rho * b**2 / 4 + d**2 * coupled_gain(LAMBDA, rho).max() ** 2 / 2 for rho in fine],
        "A2": [rho * b**2 / 4 + d**2 * (smoother(LAMBDA, rho) ** 2).sum() for rho in fine],
    }
    for covariance, errors in bounds.items():
        rho = public_rho(covariance, d, b)
        at_rule = errors[np.searchsorted(fine, rho)]
        # Sums over λ are not quite the integrals of the rule, so its place may be a little off.
        assert 1.03 * min(errors) >= at_rule


def test_a_worst_mean_of_the_given_smoothness_has_the_bias_of_the_rule() -> None:
    # (ρ/(λ+ρ))² λ is largest at λ = ρ, where it is ρ/4.
    rho = LAMBDA[5]
    bias = (rho / (LAMBDA + rho)) ** 2 * LAMBDA
    assert rho / 4 == pytest.approx(bias.max())


def test_the_likely_rho_is_the_ratio_of_noise_and_signal_where_the_model_holds() -> None:
    rng = np.random.default_rng(9)
    deviation, theta = 0.01, 0.3
    found = [
        likely_rho(
            np.sqrt(theta * LAMBDA) * rng.normal(size=400) + deviation * rng.normal(size=400), deviation, LAMBDA, 1.0
        )
        for _ in range(200)
    ]
    # About 17 coefficients carry signal, so log θ is known to about √(2/17) from one curve, 0.025 from 200 of them.
    assert np.log(deviation**2 / theta) == pytest.approx(np.mean(np.log(found)), abs=0.25)


def test_pure_noise_is_smoothed_away_and_a_strong_signal_hardly_at_all() -> None:
    rng = np.random.default_rng(10)
    shares = [smoother(LAMBDA, likely_rho(rng.normal(size=400), 1.0, LAMBDA, 100.0))[0] for _ in range(200)]
    # Half of the draws have less than their noise, and get the largest ρ there is.
    assert 0.5 > np.median(shares)
    strong = likely_rho(np.sqrt(LAMBDA), 1e-9, LAMBDA, 1.0)
    assert 1e-12 <= strong < 1e-10


def test_the_mean_is_not_believed_longer_than_the_clip() -> None:
    coefficients, deviation = np.full(10, 50.0), 1.0
    eigenvalues = LAMBDA[:10]
    for clip in (0.5, 3.0):
        assert likely_rho(coefficients, deviation, eigenvalues, clip) >= deviation**2 * eigenvalues.sum() / clip**2


def test_candidates_are_close_to_each_other() -> None:
    assert np.all(np.diff(np.log(CANDIDATES)) < 0.12)
