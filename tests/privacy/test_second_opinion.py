"""Our composition against an accountant that we did not write."""

from collections import Counter

import pytest

from reaedp.privacy.accounting import epsilon
from reaedp.privacy.loss import Approximate, Concentrated, Gaussian, Loss, Pure, UnitGaussian
from reaedp.privacy.second_opinion import second_opinion

TALLIES = [
    {Pure(0.1): 10},
    {Pure(0.02): 100},
    {Approximate(0.1, 1e-12): 50},
    {Gaussian(0.1): 10},
    {UnitGaussian(50.0): 10},
    {UnitGaussian(3.3): 2},
    {Pure(0.05): 20, Gaussian(0.2): 3, UnitGaussian(100.0): 5, Approximate(0.01, 1e-12): 7},
]


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("tally", TALLIES, ids=lambda tally: "+".join(type(loss).__name__ for loss in tally))
def test_our_epsilon_lies_between_the_bounds_of_dp_accounting(tally: dict[Loss, int], delta: float) -> None:
    opinion = second_opinion(Counter(tally), delta)
    assert opinion is not None
    assert opinion.low <= epsilon(tally, delta) <= opinion.high
    # The sandwich is thin enough to notice an error of 2 %.
    assert opinion.high <= 1.02 * opinion.low


def test_there_is_no_second_opinion_where_no_pair_is_known() -> None:
    assert second_opinion({Concentrated(0.1): 1}, 1e-6) is None
    assert second_opinion({Pure(1e-6): 10**6}, 1e-6) is None
    assert second_opinion({}, 1e-6) is None
