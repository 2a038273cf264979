"""A release made again from other records: the same law, and nothing remembered that could change."""

import pickle

import numpy as np
import pytest

from reaedp import Budget, Category, Contract, Laplace, Unit
from reaedp.errors import DeclarationError
from reaedp.evaluation import refit
from reaedp.evaluation.refit import CodedRecords, Refit
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel

NAMES = ("a", "b", "c")
CONTRACT = Contract(
    dataset="made up",
    unit=Unit("add-remove"),
    budget=Budget(4, 1e-6),
    ledger="none",
    columns=tuple(
        Category(name=name, levels=("0", "1", "2", "3"), provenance="public", null="drop", unseen="drop")
        for name in NAMES
    ),
)
SENSITIVITY = counting_sensitivity(CONTRACT.unit)


@pytest.fixture
def codes() -> np.ndarray:
    rng = np.random.default_rng(0)
    first = rng.integers(4, size=500)
    return np.stack([first, (first + (rng.random(500) < 0.2)) % 4, rng.integers(4, size=500)], axis=1)


@pytest.fixture
def again() -> Refit:
    return Refit(CONTRACT, NAMES, Calibrated(MarginalModel.within(4.0, 1e-6, CONTRACT, NAMES), SENSITIVITY), 300)


@pytest.mark.slow
def test_what_is_remembered_changes_no_row(codes: np.ndarray, again: Refit) -> None:
    fixed = codes.copy()
    fixed.setflags(write=False)
    for seed in (1, 2, 1):
        expected = again(codes.copy(), np.random.default_rng(seed))
        assert np.array_equal(expected, again(fixed, np.random.default_rng(seed)))
        assert np.array_equal(expected, pickle.loads(pickle.dumps(again))(fixed, np.random.default_rng(seed)))


def test_records_that_can_change_are_counted_anew(codes: np.ndarray, again: Refit) -> None:
    before = again(codes, np.random.default_rng(1))
    codes[:] = 0
    after = again(codes, np.random.default_rng(1))
    assert (after == 0).mean() > 0.9 > (before == 0).mean()


def test_large_tables_are_counted_by_sorting(codes: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    small = dict(CodedRecords(CONTRACT, NAMES, codes).group_counts([("a", "b"), NAMES]))
    monkeypatch.setattr(refit, "MOST_CELLS", 0)
    large = dict(CodedRecords(CONTRACT, NAMES, codes).group_counts([("a", "b"), NAMES]))
    for group, counted in small.items():
        assert np.array_equal(counted.keys, large[group].keys)
        assert np.array_equal(counted.counts, large[group].counts)


def test_every_method_is_made_again(codes: np.ndarray) -> None:
    """Whatever mechanisms ask of records, coded records answer."""
    for mechanism in (
        MarginalModel.within(8.0, 1e-6, CONTRACT, NAMES),
        Amortised.within(8.0, 1e-6, CONTRACT, NAMES),
        Deniable.within(8.0, 1e-6, CONTRACT, NAMES, 5),
    ):
        made = Refit(CONTRACT, NAMES, Calibrated(mechanism, SENSITIVITY), 100)(codes, np.random.default_rng(1))
        assert len(NAMES) == made.shape[1]
        assert len(made) in (100, *range(6))


def test_only_synthetic_records_are_made_again() -> None:
    with pytest.raises(DeclarationError, match=r"Only synthetic records can be made again.* given discrete Laplace"):
        Refit(CONTRACT, NAMES, Calibrated(Laplace(1.0), SENSITIVITY), 300)
