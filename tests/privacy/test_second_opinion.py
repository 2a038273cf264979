"""Our composition against an accountant that we did not write."""

import sys
from collections import Counter

import pytest

from reaedp.errors import DeclarationError
from reaedp.privacy.accounting import epsilon
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, Loss, PureDP, UnitGaussian
from reaedp.privacy.second_opinion import second_opinion

TALLIES = [
    {PureDP(0.1): 10},
    {PureDP(0.02): 100},
    {ApproxDP(0.1, 1e-12): 50},
    {GaussianDP(0.1): 10},
    {UnitGaussian(50.0): 10},
    {UnitGaussian(3.3): 2},
    {PureDP(0.05): 20, GaussianDP(0.2): 3, UnitGaussian(100.0): 5, ApproxDP(0.01, 1e-12): 7},
]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("tally", TALLIES, ids=lambda tally: "+".join(type(loss).__name__ for loss in tally))
def test_our_epsilon_lies_between_the_bounds_of_dp_accounting(tally: dict[Loss, int], delta: float) -> None:
    opinion = second_opinion(Counter(tally), delta)
    assert opinion is not None
    assert opinion.low <= epsilon(tally, delta) <= opinion.high
    # The sandwich is thin enough to notice an error of 2 %.
    assert opinion.high <= 1.02 * opinion.low


def test_there_is_no_second_opinion_where_no_pair_is_known() -> None:
    assert second_opinion({ZCDP(0.1): 1}, 1e-6) is None
    assert second_opinion({PureDP(1e-6): 10**6}, 1e-6) is None
    assert second_opinion({}, 1e-6) is None


def test_without_dp_accounting_the_way_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(DeclarationError, match=r"pip install 'reaedp\[second-opinion\]'"):
        second_opinion({PureDP(0.1): 1}, 1e-6)
