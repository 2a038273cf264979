"""Budgets hold although each price is chosen after looking at all earlier answers."""

import itertools
import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from analyst import Answers, Rest, patient_delta, reached, two_steps
from ledger_worker import ROWS, release
from reaedp.errors import BudgetRefused, LedgerDamaged
from reaedp.ledger.admission import OVERDRAWN
from reaedp.ledger.ledger import Ledger
from reaedp.ledger.state_folder import state_in
from reaedp.privacy import accounting, filters
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import gaussian_delta, gaussian_epsilon
from reaedp.privacy.covering import least_cover, pure_cover, pure_mu, unit_cover
from reaedp.privacy.filters import GRAIN, LossSums, sums_of
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, Loss, Price, PureDP, UnitGaussian, exact
from reaedp.privacy.merging import total_rho
from reaedp.privacy.spending import NOTHING, Spending, admit, admits, copies, room

WIDE = Budget(1.0, 0.05)
USUAL = Budget(1.0, 1e-6)


def spending_admits(budget: Budget):
    """The ledger's decision, without a ledger."""

    def admits(plans: Sequence[Price], price: Price) -> bool:
        state: Spending | None = NOTHING
        for plan in (*plans, price):
            state = admit(state, accounting.tally([plan]), budget) if state else None
        return state is not None

    return admits


def ledger_admits(folder: Path, budget: Budget, part: str | None = None):
    """Ask a real ledger, a new one for each path through the answers."""
    numbers = itertools.count()

    def admits(plans: Sequence[Price], price: Price) -> bool:
        with Ledger.create(folder / f"{next(numbers)}.db") as book:
            book.register("census", budget, ROWS)
            for plan in plans:
                book.charge([release(price=plan, part=part)])
            with suppress(BudgetRefused):
                return bool(book.charge([release(price=price, part=part)]))
        return False

    return admits


def fixed_admits(budget: Budget):
    """Tight composition, as if prices had been fixed in advance."""
    return lambda plans, price: accounting.fits(accounting.tally([*plans, price]), budget)


# Analysts


def test_an_analyst_of_two_steps_breaks_fixed_prices_and_not_the_ledger(tmp_path: Path) -> None:
    assert reached(two_steps, fixed_admits(WIDE), 1.0) == pytest.approx(0.074, abs=5e-4)
    assert reached(two_steps, ledger_admits(tmp_path, WIDE), 1.0) <= WIDE.delta


@pytest.mark.slow
@pytest.mark.parametrize(("charges", "small", "worse"), [(81, 0.0225, 4.5), (321, 0.0112, 7)])
def test_a_patient_analyst_breaks_fixed_prices_and_not_the_filters(charges: int, small: float, worse: float) -> None:
    fixed = [_fixed_rest({PureDP(small): count}) for count in range(1, charges + 1)]
    broken = patient_delta(USUAL, small, [Rest(1.0, USUAL.delta), *(rest for rest in fixed if rest.failure > 0)])
    assert broken > worse * USUAL.delta
    states = [NOTHING]
    while len(states) <= charges and (state := admit(states[-1], {PureDP(small): 1}, USUAL)):
        states.append(state)
    rests = [_filtered_rest(state) for state in states[1:]]
    assert len(rests) > 0.9 * charges
    # Whoever does not take all of δ as a failure at once gets less.
    assert 0.01 * USUAL.delta < patient_delta(USUAL, small, [Rest(1.0, 0.0), *rests]) < 0.9 * USUAL.delta
    assert patient_delta(USUAL, small, [Rest(1.0, USUAL.delta), *rests]) <= USUAL.delta


def _fixed_rest(spent: dict[Loss, int]) -> Rest:
    left = max(0.0, 1 - accounting.epsilon(spent, USUAL.delta))
    return Rest(left, USUAL.delta - accounting.delta(spent, 1.0))


def _filtered_rest(state: Spending) -> Rest:
    left = state.filters(USUAL).most_failures - state.sums.failures
    return Rest(float(room(state, USUAL)), float(left))


#: Prices that come near the limits of the filters of `WIDE`, so that trees of three plans are often cut off.
PRICES = st.sampled_from(
    [
        (PureDP(0.07),),
        (PureDP(0.5),),
        (PureDP(0.95),),
        (PureDP(1.0693),),
        (PureDP(0.3), PureDP(0.3)),
        (ApproxDP(1e-12, 0.0499),),
        (ApproxDP(0.4, 0.0025),),
        (ApproxDP(0.9, 0.002), PureDP(0.05)),
    ]
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.lists(st.integers(0, 3), max_size=3).map(tuple), PRICES, min_size=4))
def test_no_tree_of_choices_goes_beyond_the_budget(tree: dict[tuple[int, ...], Price]) -> None:
    def strategy(answers: Answers) -> Price | None:
        return tree.get(tuple(seen[0] for seen in answers), (PureDP(0.5),) if len(answers) < 2 else None)

    assert reached(strategy, spending_admits(WIDE), WIDE.epsilon) <= WIDE.delta * (1 + 1e-12)


def test_a_part_is_chosen_after_looking_at_another(tmp_path: Path) -> None:
    # Who is in one part gains nothing from answers about the other, and whoever looks may choose the first plan of
    # a part by them; charges to all rows count in both.
    with Ledger.create(tmp_path / "ledger.db") as book:
        book.register("census", WIDE, ROWS)
        book.charge([release(0.0697, part="sex=F")])
        book.charge([release(part="sex=M", price=(ApproxDP(1e-12, 0.049999495),))])
        with pytest.raises(BudgetRefused):
            book.charge([release(part="sex=F", price=(ApproxDP(1e-12, 0.049999495),))])
        with pytest.raises(BudgetRefused, match="All releases after the first plan can spend"):
            book.charge([release(price=(ApproxDP(1e-12, 0.01),))])
        book.charge([release(0.9)])
        with pytest.raises(BudgetRefused):
            book.charge([release(0.9, part="sex=X")])
        assert book.holds("census")
        assert book.verify() == 4
    assert reached(two_steps, ledger_admits(tmp_path, WIDE, "sex=F"), 1.0) <= WIDE.delta


# Filters


def test_shares_of_delta_never_add_up_to_more_than_all() -> None:
    for first in (Fraction(0), Fraction(1, 3)):
        shares = filters._shares(first, Fraction(1, 10**6))
        given_out = sum(map(Fraction, (shares.first, shares.concentrated, shares.gaussian)), Fraction(0))
        given_out += Fraction(shares.mixture) * len(filters.MIXTURES) + filters._failures(first) / 10**6
        assert given_out <= Fraction(1, 10**6)


@pytest.mark.parametrize("budget", [USUAL, WIDE, Budget(8.0, 1e-9)])
@pytest.mark.parametrize("first", [0.0, 0.2])
def test_each_filter_alone_keeps_its_share(budget: Budget, first: float) -> None:
    limits = filters.filters(exact(budget.epsilon), exact(budget.delta), exact(first))
    share = filters._shares(exact(first), exact(budget.delta))
    assert gaussian_delta(math.sqrt(limits.covered / GRAIN + limits.reserve), budget.epsilon) <= share.gaussian
    given = [share.mixture] * 7 + [share.first]
    assert limits.mixtures[0] == (exact(budget.epsilon), 0)
    for (pure, smooth), at in zip(limits.mixtures[1:], given, strict=False):
        losses = {PureDP(float(pure)): 1, GaussianDP(math.sqrt(smooth / GRAIN)): 1}
        # The general composition rounds up by less than one in a thousand.
        assert 0.45 * at < accounting.delta(losses, budget.epsilon) <= at * 1.001
    concentrated = {ZCDP(limits.rho / GRAIN): 1}
    assert accounting.delta(concentrated, budget.epsilon) <= share.concentrated * (1 + 1e-9)


#: A loss of each kind.
MIXED = (PureDP(0.2), GaussianDP(0.05), UnitGaussian(90.0), ApproxDP(0.1, 1e-9))


@given(st.lists(st.sampled_from(MIXED), max_size=5))
@settings(max_examples=40, deadline=None)
def test_sums_only_grow_and_what_fits_at_the_end_fits_before(losses: list[Loss]) -> None:
    states = [NOTHING]
    for loss in losses:
        states.append(states[-1].after({loss: 1}, USUAL))
    fitting = [state.fits(USUAL) for state in states]
    assert fitting == sorted(fitting, reverse=True)
    certified = [float(state.certified(USUAL)) for state in states if state.plans]
    # Searches stop within 1e-13 of where they should.
    assert all(before <= after * (1 + 1e-12) for before, after in itertools.pairwise(certified))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(MIXED), min_size=1, max_size=4), st.sampled_from(MIXED), st.floats(0.001, 0.9))
def test_a_quick_answer_is_what_the_ledger_decides(earlier: list[Loss], kind: Loss, size: float) -> None:
    state: Spending = NOTHING
    for loss in earlier:
        state = admit(state, {loss: 1}, USUAL) or state
    price: dict[Loss, int] = {kind: 1, PureDP(size): 2}
    for spending in (NOTHING, state):
        assert (admit(spending, price, USUAL) is not None) == admits(spending, price, USUAL)


def test_what_pure_losses_add_is_searched_for_only_where_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = admit(NOTHING, {PureDP(0.25): 1, GaussianDP(0.05): 1}, USUAL)
    assert spent is not None
    monkeypatch.setattr(filters, "pure_cover", None)
    assert admits(spent, {PureDP(0.25): 1}, USUAL)
    assert not admits(spent, {PureDP(4.0): 1}, USUAL)


@pytest.mark.parametrize("reserve", [0.0, 1e-4, 1e-2])
@pytest.mark.parametrize("losses", [{0.01: 1}, {0.5: 3, 0.1: 7}, {3.0: 1}, {20.0: 2}])
def test_no_cover_adds_less_than_twice_the_mean_loss(losses: dict[float, int], reserve: float) -> None:
    assert 0 < least_cover(losses) <= pure_cover(losses, reserve)


def test_a_plan_is_one_charge_and_costs_what_its_exact_composition_costs() -> None:
    exactly = accounting.epsilon({PureDP(0.01): 1000}, 1e-6)
    assert admit(NOTHING, {PureDP(0.01): 1000}, Budget(exactly, 1e-6)) is not None
    # As any later plan it adds hardly more than Σ ε² to the squares of μ, and one by one a hundredth more.
    assert 0.1 < (sums_of({PureDP(0.01): 1000}, 1e-3).covered or 0) / GRAIN < 0.10003
    assert 0.101 < (sums_of({PureDP(0.01): 1}, 1e-3).covered or 0) / GRAIN * 1000 < 0.102
    one_by_one = NOTHING.after({PureDP(0.01): 1}, Budget(1.4, 1e-6), 1000)
    assert 1.03 * exactly < one_by_one.certified(Budget(1.4, 1e-6)) < 1.12 * exactly


def test_gaussian_charges_and_sums_lose_less_than_one_percent() -> None:
    for kind in (GaussianDP(0.01), UnitGaussian(1e4)):
        count = copies(NOTHING, {kind: 1}, USUAL, 10**6)
        assert 1 < 1 / accounting.epsilon({kind: count}, USUAL.delta) < 1.01
    assert copies(NOTHING, {PureDP(0.1): 1}, Budget(1.0, 1e-12), 100) == 10


def test_failures_after_the_first_plan_have_a_share_and_no_more() -> None:
    start = admit(NOTHING, {ApproxDP(0.1, 4e-7): 1}, USUAL)
    assert start is not None
    assert admit(start, {ApproxDP(0.1, 9e-8): 1}, USUAL) is not None
    assert admit(start, {ApproxDP(0.1, 9.1e-8): 1}, USUAL) is None
    smooth = admit(NOTHING, {GaussianDP(0.01): 1}, USUAL)
    assert smooth is not None
    assert admit(smooth, {ApproxDP(0.1, 5e-8): 1}, USUAL) is not None
    assert admit(smooth, {ApproxDP(0.1, 5.1e-8): 1}, USUAL) is None


def test_a_first_plan_may_use_up_the_budget_and_then_nothing_fits() -> None:
    price = {GaussianDP(accounting.gaussian_mu(1.0, 1e-6)): 1}
    spent = admit(NOTHING, price, USUAL)
    assert spent is not None
    assert spent.base > Fraction(999, 1000)
    assert admit(spent, {GaussianDP(1e-3): 1}, USUAL) is None
    assert admit(spent, price, Budget(2.0, 2e-6)) is None
    assert admit(spent, {GaussianDP(0.1): 1}, Budget(2.0, 2e-6)) is not None


# Covers


def _curve(losses: dict[float, int], mu: float, epsilon: float) -> float:
    """δ at ε of pure losses beside a Gaussian one, by going through all their answers."""
    total = 0.0
    sides = [[(2 * k - n) * eps for k in range(n + 1)] for eps, n in losses.items()]
    weights = [binom.pmf(range(n + 1), n, 1 / (1 + math.exp(-eps))) for eps, n in losses.items()]
    for places, chances in zip(itertools.product(*sides), itertools.product(*weights), strict=True):
        at = epsilon - sum(places)
        side = gaussian_delta(mu, at) if at >= 0 else 1 - math.exp(at) + math.exp(at) * gaussian_delta(mu, -at)
        total += math.prod(chances) * side
    return total


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("reserve", [1e-4, 0.01, 0.3])
@pytest.mark.parametrize("losses", [{0.01: 1}, {0.3: 1}, {1.5: 1}, {0.05: 40}, {0.1: 3, 0.4: 2}, {0.02: 7, 0.03: 9}])
def test_a_cover_lies_above_the_enumerated_curve_and_not_far_above(losses: dict[float, int], reserve: float) -> None:
    added = pure_cover(losses, reserve)
    small = min(reserve, 16 * max(losses) ** 2)
    mu = math.sqrt(small + added)
    spread = math.sqrt(small + sum(copies * epsilon**2 for epsilon, copies in losses.items()))
    points = np.linspace(0.0, 6 * spread, 60)
    curves = [(_curve(losses, math.sqrt(small), epsilon), gaussian_delta(mu, epsilon)) for epsilon in points]
    assert all(exact_delta <= covered * (1 + 1e-9) for exact_delta, covered in curves)
    less = math.sqrt(small + 0.97 * added)
    assert any(
        exact_delta > gaussian_delta(less, epsilon) for (exact_delta, _), epsilon in zip(curves, points, strict=True)
    )


@given(st.floats(1e-6, 20.0))
@settings(max_examples=60, deadline=None)
def test_a_pure_loss_meets_its_gaussian_on_the_diagonal(epsilon: float) -> None:
    # Both curves have the same largest advantage, tanh(ε/4) = 2Φ(μ/2) - 1 for the pair e^ε : 1.
    advantage = math.erf(pure_mu(epsilon) / 2 / math.sqrt(2))
    assert math.tanh(epsilon / 2) <= advantage * (1 + 1e-12) <= math.tanh(epsilon / 2) * (1 + 1e-9) + 1e-11


@pytest.mark.parametrize(("variance", "copies"), [(0.3, 1), (1.0, 4), (5.0, 1), (9.0, 3), (60.0, 2), (2e4, 1)])
def test_a_cover_of_unit_gaussians_lies_above_their_convolved_curve(variance: float, copies: int) -> None:
    reach = math.ceil(20 * math.sqrt(variance))
    noise = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * variance))
    noise /= noise.sum()
    summed = noise
    for _ in range(copies - 1):
        summed = np.convolve(summed, noise)
    first, second = np.pad(summed, (copies, 0)), np.pad(summed, (0, copies))
    mu = math.sqrt(unit_cover(UnitGaussian(variance), copies))
    assert mu < 1.2 * math.sqrt(copies / variance)
    for epsilon in np.linspace(0.0, 6 * mu, 80):
        exact_delta = float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())
        assert exact_delta <= gaussian_delta(mu, epsilon) * (1 + 1e-9) + 1e-15


def test_losses_that_no_gaussian_covers_are_left_to_the_other_filters() -> None:
    assert sums_of({ZCDP(0.01): 1}, 0.0).covered is None
    assert sums_of({UnitGaussian(0.01): 1}, 0.0).smooth is None
    assert admit(NOTHING, {ZCDP(0.01): 1}, USUAL) is not None
    # A loss that doubles lose still counts.
    assert sums_of({GaussianDP(1e-200): 1}, 0.0).smooth == 1
    assert sums_of({PureDP(1e-200): 1}, 0.0) == LossSums(pure=exact(1e-200), smooth=0, covered=1, rho=1)


@given(st.floats(1e-3, 10.0), st.floats(1e-3, 100.0))
@settings(max_examples=100, deadline=None)
def test_a_pure_loss_is_as_concentrated_as_its_moments_say(epsilon: float, order: float) -> None:
    def log_moment(tilt: float) -> float:
        high, low = (tilt + 0.5) * epsilon, epsilon / 2
        return high - low + math.log1p(math.exp(-2 * high)) - math.log1p(math.exp(-2 * low))

    rho = total_rho({PureDP(epsilon): 1})
    assert log_moment(order) <= rho * order * (1 + order) * (1 + 1e-9) + 1e-14
    assert log_moment(1e-4) >= rho * 1e-4 * 0.99 - 1e-14


# Ledgers of earlier programs


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Path]:
    """A ledger that the program before filters wrote."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            (Path(__file__).parents[1] / "golden" / "0.0" / "layout_1.sql").read_text(encoding="utf-8")
        )
    with state_in(tmp_path):  # the same ledger for several tests
        yield path


def test_an_old_ledger_opens_and_goes_on_within_the_filters(old: Path) -> None:
    with Ledger.open(old) as book:
        assert book.holds("within")
        assert 0.79 < book.spent("within") <= 1.0
        assert [entry.plan for entry in book.history("within") if entry.charge] == [None] * 4
        (number,) = book.charge([release(book.remaining("within"), "within")])
        assert book.verify() == number == 11
    with Ledger.open(old) as book:
        assert book.holds("within")
        assert [entry.plan for entry in book.history("within") if entry.charge] == [None] * 4 + [11]


def test_an_old_ledger_beyond_every_filter_opens_verifies_and_admits_nothing(old: Path) -> None:
    with Ledger.open(old) as book:
        assert not book.holds("beyond")
        assert book.spent("beyond") > 1.0
        assert book.remaining("beyond") == 0.0
        with pytest.raises(BudgetRefused, match=OVERDRAWN):
            book.charge([release(1e-9, "beyond")])
        assert book.verify() == 10
        book.raise_budget("beyond", Budget(1.5, 1e-6), "the filters ask for more")
        book.charge([release(0.01, "beyond")])
        assert book.verify() == 12


# The record


def test_charges_made_together_are_told_apart_from_charges_made_one_by_one(tmp_path: Path) -> None:
    price = (PureDP(0.01),)
    with Ledger.create(tmp_path / "ledger.db") as book:
        for name in ("together", "apart"):
            book.register(name, Budget(1.5, 1e-6), ROWS)
        assert len(book.charge([release(dataset="together", price=price)] * 1000)) == 1000
        assert {entry.plan for entry in book.history("together") if entry.charge} == {3}
        for _ in range(20):
            book.charge([release(dataset="apart", price=price * 50)])
        assert book.spent("together") < book.spent("apart") <= 1.5
        book.verify()


def test_a_plan_that_the_budget_had_no_room_for_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.create(tmp_path / "ledger.db") as book:
        book.register("census", USUAL, ROWS)
        book.charge([release(0.9)])
        monkeypatch.setattr(Spending, "fits", lambda *_: True)
        book.charge([release(0.9)])
        monkeypatch.undo()
        with pytest.raises(LedgerDamaged, match=r"Entry 3 .* did not fit"):
            book.verify()


def test_a_dry_run_says_what_a_charge_will_do_and_spends_nothing(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "ledger.db") as book:
        book.register("census", USUAL, ROWS)
        assert book.admits([release(0.6), release(0.4)])
        book.charge([release(0.6)])
        assert not book.admits([release(0.6)])
        assert book.spent("census") == pytest.approx(0.6, rel=1e-5)
        assert gaussian_epsilon(0.05, 1e-6) < 0.4
        assert book.admits([replace(release(), price=(GaussianDP(0.05),))])
