"""The composed ε once more, by an accountant that we did not write: Google's dp-accounting.

Our own composition is faster to start and tighter; this one checks it. dp-accounting rounds privacy losses to a grid,
upwards or downwards as asked, so that the true ε lies between its two answers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from reaedp.errors import DeclarationError
from reaedp.privacy.accounting import Tally, epsilon
from reaedp.privacy.loss import ApproxDP, GaussianDP, Loss, PureDP, UnitGaussian

#: Copies beyond this would make grids that do not fit into memory.
MOST_COPIES = 20_000
#: Its probabilities are doubles, of which none is below e^-745.
MOST_EPSILON = 500.0


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Bounds on ε at δ for everything charged: from optimistic and from pessimistic rounding."""

    low: float
    high: float


def check_installed() -> None:
    """Refuse to go on without dp-accounting, which a plain installation does not bring."""
    try:
        import dp_accounting  # noqa: F401
    except ImportError:
        rule = "This needs dp-accounting. Install it with: pip install 'reaedp[second-opinion]'"
        raise DeclarationError(rule) from None


def second_opinion(tally: Tally, delta: float) -> SecondOpinion | None:
    """Compose by dp-accounting; None where it has no dominating pair, or where copies or losses are too many."""
    check_installed()
    if not tally or not set(map(type, tally)) <= set(_PAIRS) or sum(tally.values()) > MOST_COPIES:
        return None
    if any(getattr(loss, "epsilon", 0.0) > MOST_EPSILON for loss in tally):
        return None
    return SecondOpinion(*(_epsilon(tally, delta, pessimistic=pessimistic) for pessimistic in (False, True)))


def _epsilon(tally: Tally, delta: float, *, pessimistic: bool) -> float:
    parts = [_PAIRS[type(loss)](loss, _grid(tally, delta), pessimistic).self_compose(n) for loss, n in tally.items()]
    composed = reduce(lambda first, second: first.compose(second), parts)
    return float(composed.get_epsilon_for_delta(delta))


def _grid(tally: Tally, delta: float) -> float:
    """A thousandth of the answer, shared among the copies, whose rounding errors add up."""
    return min(1e-3, max(epsilon(tally, delta), 1e-3) / (1_000 * math.sqrt(sum(tally.values()))))


def _parameters(loss: Any, grid: float, pessimistic: bool) -> Any:
    from dp_accounting.pld import common, privacy_loss_distribution

    if pessimistic:
        known = common.DifferentialPrivacyParameters(loss.epsilon, getattr(loss, "delta", 0.0))
        return privacy_loss_distribution.from_privacy_parameters(known, value_discretization_interval=grid)
    # Randomised response attains ε; a failure with probability δ could only add to it.
    lie = 2 / (1 + math.exp(loss.epsilon))
    return privacy_loss_distribution.from_randomized_response(
        lie, 2, value_discretization_interval=grid, pessimistic_estimate=False
    )


def _normal(loss: Any, grid: float, pessimistic: bool) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.from_gaussian_mechanism(
        1 / loss.mu,
        value_discretization_interval=grid,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,  # it has no optimistic form
    )


def _discrete(loss: Any, grid: float, pessimistic: bool) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.from_discrete_gaussian_mechanism(
        math.sqrt(loss.variance), 1, value_discretization_interval=grid, pessimistic_estimate=pessimistic
    )


_PAIRS: dict[type[Loss], Callable[[Any, float, bool], Any]] = {
    PureDP: _parameters,
    ApproxDP: _parameters,
    GaussianDP: _normal,
    UnitGaussian: _discrete,
}
