"""What noise alone could have made is told from what it could not, for all numbers of a release at once."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from reaedp import Budget, Category, Contract, EntropyMap, Gaussian, Integer, Laplace, Marginal, Unit
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.doubt import FALSE_FINDINGS, doubtful_numbers, doubtful_pairs

#: Repetitions, and the most of them that may find something where there is nothing. Each does so with a chance of at
#: most 0.05, so that more than 14 of 40 do with a chance of 3e-9.
RUNS, MOST_FALSE = 40, 14
NAMES = tuple(f"c{number}" for number in range(16))


def contract(*columns: Any) -> Contract:
    return Contract(
        dataset="doubt",
        unit=Unit("add-remove", at_least=10_000),
        budget=Budget(1.0, 1e-6),
        ledger="none.sqlite",
        columns=columns,
    )


def test_empty_cells_hardly_ever_stand_out_however_many_they_are() -> None:
    terms, statistic = contract(Integer(name="x", lower=0, upper=999, provenance="public")), Marginal("x")
    noise = Calibrated(Laplace(0.5), statistic.sensitivity(terms))
    source = SeededNoise(np.random.default_rng(1))
    found = 0
    for _ in range(RUNS):
        noisy = noise.apply(np.zeros(statistic.cells(terms), dtype=np.int64), source)
        found += not doubtful_numbers(statistic.frame(statistic.value(terms, noisy), noise)).all()
    assert found <= MOST_FALSE
    assert FALSE_FINDINGS == 0.05


@pytest.mark.parametrize("mechanism", [Laplace(1.0), Gaussian(0.1)])
def test_independent_columns_hardly_ever_seem_related_however_many_they_are(mechanism: Any) -> None:
    frame_of, noise, step = entropy_map(mechanism)
    found = sum(not doubtful_pairs(frame_of(0.0), noise, step)[len(NAMES) :].all() for _ in range(RUNS))
    assert found <= MOST_FALSE


def test_what_is_large_stands_out_and_a_column_with_itself_is_no_finding() -> None:
    frame_of, noise, step = entropy_map(Laplace(100.0))
    doubt = doubtful_pairs(frame_of(1.0), noise, step)
    assert not doubt.any()
    assert not doubtful_pairs(frame_of(0.0), noise, step)[: len(NAMES)].any()
    assert [True, False] == doubtful_numbers({"low_95": np.array([0, 1])}).tolist()


def entropy_map(mechanism: Any) -> tuple[Any, Calibrated, float]:
    """Noisy entropies of columns of two bits, of which each pair has some in common; no rows are needed for that."""
    columns = tuple(Category(name=name, levels=("a", "b"), provenance="public") for name in NAMES)
    terms, statistic = contract(*columns), EntropyMap(*NAMES)
    noise, step = Calibrated(mechanism, statistic.sensitivity(terms)), statistic.step(terms)
    source = SeededNoise(np.random.default_rng(2))
    pairs = list(combinations(NAMES, 2))
    first = np.array([*NAMES, *(one for one, _ in pairs)], dtype=object)
    second = np.array([*NAMES, *(other for _, other in pairs)], dtype=object)

    def frame_of(shared: float) -> dict[str, Any]:
        exact = np.array([1.0] * len(NAMES) + [2.0 - shared] * len(pairs))
        noisy = noise.apply(np.rint(exact / step).astype(np.int64), source)
        return {"first": first, "second": second, "bits": noisy * step}

    return frame_of, noise, step
