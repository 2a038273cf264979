"""A mechanism that is asked for by (ε, δ) is the one that a plan with the same price makes."""

import copy
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp import (
    Amortised,
    Budget,
    Category,
    Contract,
    Curator,
    Curve,
    Deniable,
    DeniableCurves,
    Entropy,
    Gaussian,
    Integer,
    KeyedMarginal,
    Marginal,
    MarginalModel,
    MeanCurve,
    Plan,
    PlannedMeanCurve,
    PlannedRelease,
    PlannedStatistic,
    PlannedSynthetic,
    PlannedSyntheticCurves,
    Synthetic,
    SyntheticCurves,
    Unit,
)
from reaedp.errors import DeclarationError
from reaedp.mechanisms.by_price import ByPrice
from reaedp.plan.description import read_mechanism
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.request import Request
from reaedp.privacy.accounting import fits, tally
from tests_support import ledger_in

PRICE = {"epsilon": 1.0, "delta": 1e-6}


def contract(change: str = "add-remove", ledger: str = "nowhere.sqlite") -> Contract:
    return Contract(
        dataset="people",
        unit=Unit(change, at_least=1000),  # type: ignore[arg-type]
        budget=Budget(epsilon=2.0, delta=1e-5),
        ledger=ledger,
        columns=(
            Integer(name="age", lower=0, upper=9, provenance="public"),
            Category(name="sex", levels=("f", "m"), provenance="public"),
        ),
        curves=(
            Curve(
                name="height", form="wide", points=("a", "b", "c"), at=(1.0, 5.0, 18.0), interval=(1.0, 18.0),
                basis="wiener", rank=3, clip=2.0, provenance="public",
            ),
        ),
    )  # fmt: skip


CASES: dict[str, tuple[Request, Planned]] = {
    "histogram": (
        Request("x", Marginal("age"), Gaussian(**PRICE)),
        PlannedRelease(name="x", kind="histogram", columns=("age",), mechanism="gaussian", **PRICE),
    ),
    "entropy": (
        Request("x", Entropy("age"), Gaussian(**PRICE)),
        PlannedRelease(name="x", kind="entropy", columns=("age",), mechanism="gaussian", **PRICE),
    ),
    "mean": (
        Request("x", MeanCurve("height"), Gaussian(**PRICE)),
        PlannedMeanCurve(name="x", kind="mean-curve", curve="height", **PRICE),
    ),
    "network": (
        Request("x", Synthetic(["age", "sex"], 50), MarginalModel(**PRICE)),  # type: ignore[arg-type, call-arg]
        PlannedSynthetic(name="x", kind="synthetic", columns=("age", "sex"), rows=50, method="network", **PRICE),
    ),
    "amortised": (
        Request("x", Synthetic(["age", "sex"], 50), Amortised(**PRICE, keep="sex")),  # type: ignore[arg-type, call-arg]
        PlannedSynthetic(
            name="x", kind="synthetic", columns=("age", "sex"), rows=50, method="amortised", keep=("sex",), **PRICE
        ),
    ),
    "deniable": (
        Request("x", Synthetic(["age", "sex"], 5), Deniable(**PRICE, keep=["sex"])),  # type: ignore[arg-type, call-arg]
        PlannedSynthetic(
            name="x", kind="synthetic", columns=("age", "sex"), rows=5, method="deniable", keep=("sex",), **PRICE
        ),
    ),
    "curves": (
        Request("x", SyntheticCurves("height", 5), DeniableCurves(**PRICE, kept=1, spread=0.2)),  # type: ignore[call-arg]
        PlannedSyntheticCurves(
            name="x", kind="synthetic-curves", curve="height", curves=5, kept=1, spread=0.2, **PRICE
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_price_in_python_buys_what_it_buys_in_a_plan(name: str) -> None:
    asked, planned = CASES[name]
    assert isinstance(asked.mechanism, ByPrice)
    terms = contract()
    wanted = planned.request(terms)
    assert wanted == asked.settled(terms)
    in_plan = PlannedStatistic(name="x", statistic=asked.statistic, mechanism=asked.mechanism)
    assert (wanted,) == Plan(terms, (in_plan,)).requests()


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0.01, 5),
    st.floats(1e-12, 1e-3),
    st.sampled_from(["add-remove", "replace"]),
    st.sampled_from([Marginal("age"), Marginal(["age", "sex"]), Entropy("sex")]),
)
def test_gaussian_noise_of_a_price_never_costs_more(
    epsilon: float, delta: float, change: str, statistic: Marginal | Entropy
) -> None:
    terms = contract(change)
    request = Request("x", statistic, Gaussian(epsilon=epsilon, delta=delta)).settled(terms)
    assert fits(tally([request.calibrated(terms).price]), Budget(epsilon, delta))


def test_the_curator_takes_a_price_and_charges_for_the_mechanism_that_it_buys(tmp_path: Path) -> None:
    import pandas as pd

    data = pd.DataFrame({"age": range(10), "sex": ["f", "m"] * 5})
    plain = contract(ledger=ledger_in(tmp_path))
    release = Curator(plain, data[["age", "sex"]]).release(Marginal("age"), Gaussian(**PRICE))
    assert Gaussian is type(release.noise.mechanism)
    assert Marginal("age").sensitivity(plain) == release.noise.sensitivity
    assert fits(tally([release.price]), Budget(1.0, 1e-6))


def test_a_mechanism_with_a_scale_of_its_own_is_no_wish() -> None:
    for mechanism in (Gaussian(0.1), Gaussian(rho=0.1)):
        assert Gaussian is type(mechanism)
        for again in (copy.deepcopy(mechanism), pickle.loads(pickle.dumps(mechanism))):
            assert (Gaussian, 0.1) == (type(again), again.rho)
    network = MarginalModel.within(1.0, 1e-6, contract(), ("age", "sex"))
    assert Amortised is type(Amortised(network, 0.5, 1e-7)) is type(Amortised(network=network, epsilon=1, delta=1e-7))
    assert "Gaussian(epsilon=1.0, delta=1e-06)" == repr(Gaussian(**PRICE))


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: Gaussian(1.0, 1e-6), r"Gaussian\(epsilon=1, delta=1e-6\); given"),
        (lambda: Gaussian(1.0, epsilon=1.0), "rho, or epsilon and delta, but not both"),
        (lambda: Gaussian(epsilon=1.0), "missing a required argument: 'delta'"),
        (lambda: Gaussian(epsilon=0.0, delta=1e-6), "epsilon must be a finite number"),
        (lambda: Gaussian(epsilon=1.0, delta=1.0), "delta must be a finite number .* below 1"),
        (lambda: Deniable(epsilon=1.0, delta=1e-6, kep="sex"), "unexpected keyword argument 'kep'"),
        (lambda: Request("x", KeyedMarginal("age"), Gaussian(**PRICE)).settled(contract()), "KeyedMarginal takes"),
        (lambda: Request("x", Marginal("height"), Gaussian(**PRICE)).settled(contract()), "Unknown column 'height'"),
        (lambda: Request("x", SyntheticCurves("height", 5), MarginalModel(**PRICE)).settled(contract()), "Synthetic"),
        (
            lambda: Request("x", Synthetic("age", 5), DeniableCurves(**PRICE, kept=1, spread=1.0)).settled(contract()),
            "SyntheticCurves",
        ),
    ],
)
def test_a_wish_that_cannot_be_met_says_what_to_write(attempt: object, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        attempt()  # type: ignore[operator]


def test_a_price_alone_is_not_read_back_as_a_mechanism() -> None:
    with pytest.raises(ValueError, match="not complete"):
        read_mechanism({"name": "discrete Gaussian", "epsilon": 1.0, "delta": 1e-6})
