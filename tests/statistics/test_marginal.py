import math
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Contract, Integer, KeyedMarginal, Marginal, Unit
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError

DROPPING: dict[str, Any] = {"null": "drop", "nan": "drop", "unparsable": "drop"}
X = Integer(name="x", lower=0, upper=1, provenance="public", **DROPPING)
Y = Integer(name="y", lower=0, upper=1, provenance="public", **DROPPING)
ROWS = list(product((0, 1), (0, 1)))


def contract(unit: Unit) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="unused", columns=(X, Y))


def answer(statistic: Marginal, unit: Unit, rows: list[tuple[str, int, int]]) -> np.ndarray:
    frame = pd.DataFrame(rows, columns=["p", "x", "y"]).astype({"p": "string", "x": "Int64", "y": "Int64"})
    return statistic.answer(Records(contract(unit), frame))


def bundles(size: int) -> list[tuple[tuple[int, int], ...]]:
    return [bundle for count in range(size + 1) for bundle in combinations_with_replacement(ROWS, count)]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("limit", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("columns", [("x",), ("x", "y")])
def test_the_sensitivity_of_people_is_attained_and_never_exceeded_by_any_neighbour(
    change: str, limit: int, columns: tuple[str, ...]
) -> None:
    """Every set of up to max_rows + 1 rows that one person can bring, beside two other people."""
    unit = Unit(change, person="p", max_rows=limit)  # type: ignore[arg-type]
    _check(Marginal(*columns).sensitivity(contract(unit)), change, brought(columns, limit))


@cache
def brought(columns: tuple[str, ...], limit: int) -> list[np.ndarray]:
    """What one person adds by each set of rows; how rows are counted does not depend on the change."""
    worlds = bundles(limit + 1)
    world = Integer(name="world", lower=0, upper=len(worlds) - 1, provenance="public", **DROPPING)
    unit = Unit("add-remove", person="p", max_rows=limit)
    terms = Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="unused", columns=(X, Y, world))

    def counts(people: dict[str, tuple[tuple[int, int], ...]], *, mine: bool) -> np.ndarray:
        """All worlds at once, in which nobody is in two."""
        rows = [
            (f"{name} {number}", x, y, number)
            for number, brought in enumerate(worlds)
            for name, own in (people | ({"me": brought} if mine else {})).items()
            for x, y in own
        ]
        frame = pd.DataFrame(rows, columns=["p", "x", "y", "world"])
        return Marginal(*columns, "world").answer(Records(terms, frame)).reshape(-1, len(worlds)).T

    others = {"other": ((0, 1), (1, 1)), "third": ((0, 0),)}
    return list(counts(others, mine=True) - counts(others, mine=False))


@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_the_sensitivity_of_rows_is_attained_and_never_exceeded_by_any_neighbour(change: str) -> None:
    unit = Unit(change)  # type: ignore[arg-type]
    statistic = Marginal("x", "y")
    base = answer(statistic, unit, [("", 0, 1), ("", 0, 1)])
    brought = [answer(statistic, unit, [("", 0, 1), ("", 0, 1), ("", x, y)]) - base for x, y in ROWS]
    _check(statistic.sensitivity(contract(unit)), change, brought if change == "replace" else [*brought, 0 * base])


def _check(sensitivity: object, change: str, brought: list[np.ndarray]) -> None:
    old = brought if change == "replace" else [0 * brought[0]]
    moves = np.array([new - before for before in old for new in brought])
    found = (np.abs(moves).sum(axis=1).max(), (moves**2).sum(axis=1).max(), np.abs(moves).max())
    assert (sensitivity.l1, sensitivity.l2_squared, sensitivity.linf) == found  # type: ignore[attr-defined]


def test_a_histogram_too_large_to_write_out_is_refused_with_the_way_out() -> None:
    wide = tuple(Integer(name=f"c{i}", lower=0, upper=999, provenance="public") for i in range(3))
    terms = Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="l", columns=wide)
    with pytest.raises(DeclarationError, match="threshold"):
        Marginal("c0", "c1", "c2").check(terms)
    KeyedMarginal("c0", "c1", "c2").check(terms)


@pytest.mark.parametrize("columns", [(), ("x", "x"), (1,)])
def test_a_histogram_needs_different_column_names(columns: tuple[object, ...]) -> None:
    with pytest.raises(DeclarationError):
        Marginal(*columns)  # type: ignore[arg-type]


def test_an_unknown_column_is_named_with_what_there_is() -> None:
    with pytest.raises(DeclarationError, match="Known: x, y"):
        Marginal("z").check(contract(Unit("replace")))


def test_key_counts_are_the_nonzero_cells_of_the_dense_table() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(0, 2, 50), "y": rng.integers(0, 2, 50)})
    records = Records(contract(Unit("add-remove")), frame)
    keyed = KeyedMarginal("x", "y").answer(records)
    dense = Marginal("x", "y").answer(records)
    assert math.prod((X.size, Y.size)) == dense.size
    flat = np.ravel_multi_index(tuple(keyed.keys.T), (X.size, Y.size))
    assert dense[flat].tolist() == keyed.counts.tolist()
    assert dense.sum() == keyed.counts.sum() == 50
