import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Budget,
    Category,
    Contract,
    Gaussian,
    Integer,
    Laplace,
    Marginal,
    Number,
    Unit,
    calibrated_histogram,
)
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram, coarser, nested
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts

AGE = Number(name="age", lower=0, upper=1, bins=10, provenance="public")
STEP = Integer(name="step", lower=-3, upper=9, provenance="public")
SEX = Category(name="sex", levels=("f", "m"), provenance="public")


def contract(unit: Unit | None = None, **arguments: Any) -> Contract:
    columns = arguments.pop("columns", (AGE, STEP, SEX))
    unit = unit or Unit("add-remove", at_least=2000)
    return Contract(dataset="d", unit=unit, budget=Budget(9, 1e-6), ledger="unused", columns=columns)


def frame(rows: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    ages = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 11, rows) / 10)
    return pd.DataFrame({"age": ages, "step": rng.integers(-5, 12, rows), "sex": rng.choice(["f", "m", "?"], rows)})


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("every", [1, 2, 3, 4, 8, 100])
@pytest.mark.parametrize("columns", [("age",), ("step",), ("sex",), ("age", "sex"), ("step", "age")])
def test_coarse_counts_are_those_of_the_coarser_columns(every: int, columns: tuple[str, ...]) -> None:
    """The same rows counted under a contract that declares the coarser columns."""
    statistic, data = EntropyHistogram(columns, every), frame()
    fine, coarse = contract(), contract(columns=tuple(coarser(column, every) for column in (AGE, STEP, SEX)))
    found = statistic.answer(Records(fine, data))
    expected = Marginal(*columns).answer(Records(coarse, data))
    assert expected.tolist() == found.tolist()
    assert len(found) == statistic.cells(fine)
    assert coarse.select(columns) == statistic.value(fine, found).axes
    assert Marginal(*columns).sensitivity(fine) == statistic.sensitivity(fine)


def test_bins_are_halved_in_number_until_two_are_left() -> None:
    assert [1, 2, 4] == nested(contract(), ("age",))
    assert [1, 2, 4] == nested(contract(), ("step", "sex"))
    assert [1] == nested(contract(), ("sex",))


def test_files_hold_the_entropy_beside_the_counts() -> None:
    terms = contract()
    statistic = EntropyHistogram.under(terms, ("age",))
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
    columns = statistic.frame(statistic.value(terms, np.full(13, 50)), noise)
    assert {"age", "count", "entropy_bits", "entropy_low_95", "entropy_high_95"} <= columns.keys()
    assert columns["entropy_bits"] == pytest.approx(np.full(13, math.log2(13)))
    assert 2000 == statistic.at_least
    dropping = contract(columns=(Integer(name="age", lower=0, upper=3, provenance="public", null="drop"),))
    assert EntropyHistogram.under(dropping, ("age",)).at_least is None


def test_a_tighter_error_takes_a_coarser_histogram_and_keeps_what_it_says() -> None:
    wide = Number(name="age", lower=0, upper=1, bins=64, provenance="public")
    terms = contract(columns=(wide,))
    chosen = [calibrated_histogram(terms, ("age",), epsilon=1.0, error_bits=error) for error in (0.2, 0.1, 0.06)]
    assert [1, 2, 4] == [choice.statistic.every for choice in chosen]
    rng = np.random.default_rng(2)
    for choice, error in zip(chosen, (0.2, 0.1, 0.06), strict=True):
        assert choice.error <= error
        cells = choice.statistic.cells(terms)
        counts = rng.multinomial(2000, rng.dirichlet(np.full(cells, 0.3)))
        noise = Calibrated(choice.mechanism, choice.statistic.sensitivity(terms))
        noisy = noise.apply(np.tile(counts, (2000, 1)), SeededNoise(rng))
        off = np.abs(entropies_from_counts(noisy, noise, at_least=2000).value - shannon_entropy(counts))
        # The prediction holds for the worst of its examples; 0.93 is four standard deviations below 0.95.
        assert np.mean(off <= error) > 0.93


def test_gaussian_noise_is_chosen_where_it_is_better_and_allowed() -> None:
    terms = contract(Unit("replace", at_least=5000))
    pure = calibrated_histogram(terms, ("age",), epsilon=0.2, error_bits=1.0)
    both = calibrated_histogram(terms, ("age",), epsilon=0.2, error_bits=1.0, delta=0.05)
    assert (Laplace, Gaussian) == (type(pure.mechanism), type(both.mechanism))
    assert both.error < pure.error
    assert pure == calibrated_histogram(terms, ("age",), epsilon=0.2, error_bits=1.0, delta=1e-9)


def test_an_error_out_of_reach_names_the_closest() -> None:
    with pytest.raises(DeclarationError, match="comes closest"):
        calibrated_histogram(contract(), ("age",), epsilon=0.01, error_bits=0.001)
    with pytest.raises(DeclarationError, match="at_least"):
        calibrated_histogram(contract(Unit("replace")), ("age",), epsilon=1.0, error_bits=1.0)
    with pytest.raises(DeclarationError, match="every"):
        EntropyHistogram(("age",), 0)
