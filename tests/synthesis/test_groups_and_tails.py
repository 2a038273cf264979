"""Groups of levels and shapes of tails follow from noisy counts alone, whatever the rows are."""

import numpy as np
import pytest

from cell_rows import UNITS, Recorded, Rows
from reaedp import Budget, Category, Contract, Integer
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis import coarsening
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.merging import Floats

TOWNS, REGIONS = 60, 3
COLUMNS = (
    Integer(name="income", lower=0, upper=499, provenance="public"),
    Category(
        name="town",
        levels=tuple(f"t{town}" for town in range(TOWNS)),
        groups=tuple(f"r{town % REGIONS}" for town in range(TOWNS)),
        provenance="public",
    ),
)
NAMES = tuple(column.name for column in COLUMNS)


def learned(count: int, noise: Recorded, seed: int) -> LearnedModel:
    """Incomes fall off evenly; most towns are rare."""
    rng = np.random.default_rng(seed)
    income = np.minimum(rng.exponential(60.0, count), 499).astype(int)
    town = np.minimum(rng.exponential(8.0, count), TOWNS - 1).astype(int)
    unit = UNITS["add-remove"]
    terms = Contract(dataset="d", unit=unit, budget=Budget(9, 1e-6), ledger="unused", columns=COLUMNS)
    rows = Rows(terms, np.column_stack([income, town]))
    network = MarginalModel(len(NAMES), mu=0.5)
    return network.learn(rows, NAMES, counting_sensitivity(unit), noise, lambda _: None)  # type: ignore[arg-type]


def test_equal_answers_give_equal_groups_and_tails_whatever_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows and few are answered alike: rare towns share a cell with their region's, and the tail has a law."""
    shaped: list[Floats | None] = []
    real = coarsening.shaped_end
    monkeypatch.setattr(coarsening, "shaped_end", lambda noisy, scale: shaped.append(real(noisy, scale)) or shaped[-1])
    noise = Recorded(SeededNoise(np.random.default_rng(1)))
    one = learned(20_000, noise, 2)
    assert any(tail is not None for tail in shaped)
    other = learned(50, Recorded(SeededNoise(np.random.default_rng(3)), noise.answers), 4)
    half = len(shaped) // 2
    for first, second in zip(shaped[:half], shaped[half:], strict=True):
        assert (first is None) == (second is None)
        assert first is None or np.array_equal(first, second)  # type: ignore[arg-type]
    for expected, actual in zip(one.coarsenings, other.coarsenings, strict=True):
        assert np.array_equal(expected.shares, actual.shares)
        assert np.array_equal(expected.merging.cell, actual.merging.cell)
        assert [view.cell.tolist() for view in expected.views] == [view.cell.tolist() for view in actual.views]
    towns = one.coarsenings[1].merging.cell[:TOWNS]
    together = [np.flatnonzero(towns == cell) for cell in np.unique(towns)]
    merged = [cells for cells in together if len(cells) > 1]
    assert merged
    assert any(len({cell % REGIONS for cell in cells.tolist()}) == 1 for cells in merged)


def test_low_cells_that_hold_many_rows_together_are_no_tail() -> None:
    noisy = np.array([200.0] * 4 + [17.0] * 8)
    # With 936 rows in all, 136 are in the low cells, which do not stand out; with 800 there are none.
    many, few = (
        coarsening.estimated_shares(noisy, 30.0, smooth=0, regular=12, along=12, total=total)
        for total in (936.0, 800.0)
    )
    assert 136 / 936 == pytest.approx(many[4:].sum(), rel=1e-3)
    assert few[4:].sum() < 1e-3
