"""Entropies as statistics: how far one unit moves their points on the lattice, and releases of all kinds."""

import itertools
import math
from collections.abc import Iterator, Sequence
from decimal import MIN_EMIN, Decimal, localcontext
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp import (
    Budget,
    Category,
    ConditionalEntropy,
    Contract,
    Entropy,
    EntropyMap,
    MutualInformation,
    Plan,
    PlannedRelease,
    Unit,
    publish,
    verify,
)
from reaedp.answer import Integers
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.plan.description import read_statistic, statistic_record
from reaedp.privacy.unit import Change, Sensitivity
from reaedp.statistics.entropy.entropies import renyi_entropy
from reaedp.statistics.entropy.entropy import EntropyStatistic
from reaedp.statistics.entropy.lattice import COMPUTING_ERROR, Lattice
from reaedp.statistics.statistic import Countable
from reaedp.table import KeyCounts, Table
from tests_support import ledger_in

STATISTICS: tuple[EntropyStatistic, ...] = (
    Entropy(("x",), (0.0, 0.5, 1.0, 2.0, math.inf)),
    Entropy(("x", "y"), (1.0, 3.0)),
    ConditionalEntropy(("y",), ("x",)),
    MutualInformation(("x",), ("y",)),
    EntropyMap("x", "y", "z"),
)
#: Rows that share all, some or no values; one letter for each column.
ROWS = ("aaa", "aba", "bab", "ccc")
ALL = ("x", "y", "z")
CHANGES: tuple[Change, ...] = ("add-remove", "replace")
every_statistic = pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.title)
every_change = pytest.mark.parametrize("change", CHANGES)


def contract(unit: Unit, folder: Path | str = "unused", null: str = "cell") -> Contract:
    columns = tuple(Category(name=name, levels=tuple("abc"), provenance="public", null=null) for name in "xyz")  # type: ignore[arg-type]
    return Contract(dataset="d", unit=unit, budget=Budget(20, 1e-6), ledger=f"{folder}/budget.sqlite", columns=columns)


class Remembered:
    """What `Records` counted once, under every contract whose people and `max_rows` are the same."""

    def __init__(self, records: Countable, terms: Contract) -> None:
        self._records, self.contract = records, terms
        self._found: dict[tuple[str, ...], KeyCounts] = {}
        self._groups: dict[Sequence[tuple[str, ...]], list[tuple[tuple[str, ...], KeyCounts]]] = {}

    def under(self, terms: Contract) -> "Remembered":
        self.contract = terms
        return self

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """Counted at once for all columns where rows count one by one; which rows of a person count is by columns."""
        counted = names if self.contract.unit.person else ALL
        if counted not in self._found:
            self._found[counted] = self._records.key_counts(counted)
        return self._found[counted].project(*names)

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        if groups not in self._groups:
            self._groups[groups] = list(self._records.group_counts(groups))
        return iter(self._groups[groups])

    def counts(self, names: tuple[str, ...]) -> Table:
        return self.key_counts(names).dense()

    def level_counts(self, name: str, longest: int) -> dict[str, int]:
        return self._records.level_counts(name, longest)


@cache
def engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@cache
def counted(people: tuple[tuple[str, str], ...], limit: int | None) -> Remembered:
    values = ", ".join(f"('{name}', '{x}', '{y}', '{z}')" for name, (x, y, z) in people)
    person = None if limit is None else "p"
    terms = contract(Unit("add-remove", person=person, max_rows=limit))
    return Remembered(Records(terms, engine().sql(f"SELECT * FROM (VALUES {values}) t(p, x, y, z)")), terms)


def points(statistic: EntropyStatistic, people: Sequence[tuple[str, str]], limit: int | None, unit: Unit) -> Integers:
    return statistic.answer(counted(tuple(people), limit).under(contract(unit)))


def largest(moves: Sequence[Integers]) -> Sensitivity:
    lengths = np.abs(np.array(moves))
    return Sensitivity(int(lengths.sum(axis=1).max()), int((lengths**2).sum(axis=1).max()), int(lengths.max(initial=0)))


def assert_within(found: Sensitivity, claimed: Sensitivity) -> None:
    assert found.l1 <= claimed.l1
    assert found.l2_squared <= claimed.l2_squared
    assert found.linf <= claimed.linf


def tables(size: int) -> list[tuple[str, ...]]:
    return list(itertools.combinations_with_replacement(ROWS, size))


def replaced(rows: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for row, new in itertools.product(sorted(set(rows)), ROWS):
        others = list(rows)
        others.remove(row)
        yield tuple(sorted([*others, new]))


@pytest.mark.quick_every(3)
@every_statistic
@every_change
@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_row_moves_the_points_further_than_the_sensitivity(
    statistic: EntropyStatistic, change: Change, size: int
) -> None:
    """All tables of this size of four different rows, and all their neighbours."""
    unit = Unit(change, at_least=size)

    def answer(rows: tuple[str, ...]) -> Integers:
        return points(statistic, [("", row) for row in rows], None, unit)

    moves = [
        answer(rows) - answer(other)
        for rows in tables(size)
        for other in (replaced(rows) if change == "replace" else (tuple(sorted((*rows, row))) for row in ROWS))
    ]
    assert_within(largest(moves), statistic.sensitivity(contract(unit)))


def bundles(limit: int) -> list[tuple[str, ...]]:
    """What one person can bring: one row or more, also more than are used."""
    return [bundle for size in range(1, limit + 2) for bundle in itertools.combinations_with_replacement(ROWS, size)]


@pytest.mark.quick_every(2)
@every_statistic
@every_change
@pytest.mark.parametrize("limit", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("others", [("aaa",) * 2, pytest.param(("aba", "bab", "ccc"), marks=pytest.mark.slow)])
def test_no_person_moves_the_points_further_than_the_sensitivity(
    statistic: EntropyStatistic, change: Change, limit: int, others: tuple[str, ...]
) -> None:
    """Everything that one person can bring, beside other people with a row each."""
    replace = change == "replace"
    unit = Unit(change, person="p", max_rows=limit, at_least=len(others) + replace)
    beside = [(f"person {number}", row) for number, row in enumerate(others)]
    brought = [[*beside, *(("me", row) for row in bundle)] for bundle in bundles(limit)]
    answers = [points(statistic, people, limit, unit) for people in brought]
    before = answers if replace else [points(statistic, beside, limit, unit)]
    moves = [first - second for first in before for second in answers]
    assert_within(largest(moves), statistic.sensitivity(contract(unit)))


@every_change
@pytest.mark.parametrize("size", [2, 3, 40])
def test_one_row_moves_all_entropies_of_a_map_at_once(change: Change, size: int) -> None:
    """Equal rows and one with new values: up to the rounding of each number, no bound could be smaller."""
    statistic, unit = STATISTICS[-1], Unit(change, at_least=size)
    equal = [("", "aaa")] * (size - (change == "replace"))
    one = points(statistic, [*equal, ("", "ccc")], None, unit)
    none = points(statistic, equal if change == "add-remove" else [*equal, ("", "aaa")], None, unit)
    claimed, found = statistic.sensitivity(contract(unit)), largest([one - none])
    assert_within(found, claimed)
    # Each number is at least 1024 steps, and rounding takes two of them at most.
    assert found.l1 >= claimed.l1 * (1 - 2 / 1024)
    assert found.l2_squared >= claimed.l2_squared * (1 - 2 / 1024) ** 2


# The lattice


@given(
    st.floats(1e-9, 4.0),
    st.floats(0, 64),
    st.floats(-1, 1),
    st.floats(-COMPUTING_ERROR, COMPUTING_ERROR),
    st.floats(-COMPUTING_ERROR, COMPUTING_ERROR),
)
def test_rounded_numbers_move_no_further_than_the_lattice_says(
    reach: float, value: float, share: float, error: float, other_error: float
) -> None:
    lattice = Lattice((reach,))
    moved = value + share * reach * (1 - 1e-9)  # the test's own sum must not exceed the reach by rounding
    one, other = (lattice.rounded(np.array([number])) for number in (value + error, moved + other_error))
    assert abs(int((one - other)[0])) <= lattice.sensitivity.linf
    # The nearest point, halves upwards: as near as half a step.
    assert abs(lattice.values(one)[0] - (value + error)) <= lattice.steps[0] * (0.5 + 1e-9)


@pytest.mark.parametrize("steps", [1024, 1025, 1500, 2047])
@pytest.mark.parametrize("power", [-46, -40, -30, -10, 0])
def test_the_sensitivity_of_a_lattice_contains_the_error_of_computing(steps: int, power: int) -> None:
    """A reach of a whole number of steps needs one more, because both ends are computed; sums here are exact."""
    reach = steps * 2.0**power
    lattice = Lattice((reach,))
    assert 2.0**power == lattice.steps[0]
    assert lattice.sensitivity.linf * lattice.steps[0] >= reach + 2 * COMPUTING_ERROR
    assert (lattice.sensitivity.linf - 1) * lattice.steps[0] < reach + 2 * COMPUTING_ERROR


def exact_entropy(groups: dict[int, int], order: float) -> Decimal:
    """In bits, to fifty digits; `groups` says how many cells have a count."""
    with localcontext(prec=60, Emin=MIN_EMIN):
        total = Decimal(sum(count * cells for count, cells in groups.items()))
        shares = {Decimal(count) / total: cells for count, cells in groups.items()}
        if order == 1:
            nats = -sum(cells * share * share.ln() for share, cells in shares.items())
        elif order == math.inf:
            nats = -max(shares).ln()
        else:
            powers = sum(cells * (share.ln() * Decimal(order)).exp() for share, cells in shares.items())
            nats = powers.ln() / (1 - Decimal(order))
        return nats / Decimal(2).ln()


#: Large tables, among them those on which a plain dot product or a logarithm next to -1 lose the most.
TABLES: tuple[dict[int, int], ...] = (
    {5: 1, 2: 10**6},
    {10**6: 1, 1: 10**6},
    {1000: 1, 1: 10**6},
    {2**40: 3, 1: 500_000, 7: 300_000},
    {1: 2_000_000},
    {3: 7, 2: 5, 10**12: 1},
)


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("groups", TABLES)
@pytest.mark.parametrize("order", [0, 0.5, 0.999, 1, 1.001, 1.06, 1.0625, 1.5, 2, 5, 15, 100, 10**6, math.inf])
def test_computed_entropies_are_nearer_to_the_real_ones_than_the_lattice_assumes(
    groups: dict[int, int], order: float
) -> None:
    counts = np.repeat(np.array(list(groups), dtype=float), list(groups.values()))
    error = abs(Decimal(renyi_entropy(counts, order)) - exact_entropy(groups, order))
    # A mutual information is made of three.
    assert float(error) <= COMPUTING_ERROR / 4


@pytest.mark.parametrize("groups", [{3: 7, 2: 5, 10**12: 1}, {1000: 1, 1: 1000}, {5: 3, 4: 2}])
@pytest.mark.parametrize("distance", [1e-13, 1e-11, 1e-9, 1e-7])
def test_computed_entropies_of_orders_next_to_one_lose_no_digits(groups: dict[int, int], distance: float) -> None:
    counts = np.repeat(np.array(list(groups), dtype=float), list(groups.values()))
    for order in (1 - distance, 1 + distance):
        error = abs(Decimal(renyi_entropy(counts, order)) - exact_entropy(groups, order))
        assert float(error) <= COMPUTING_ERROR / 4


# Released


@every_statistic
def test_columns_that_drop_rows_are_refused(statistic: EntropyStatistic) -> None:
    with pytest.raises(DeclarationError, match="drops rows for"):
        statistic.check(contract(Unit("add-remove", at_least=10), null="drop"))


@every_statistic
def test_an_unknown_number_of_rows_is_refused_with_the_three_ways_out(statistic: EntropyStatistic) -> None:
    with pytest.raises(DeclarationError, match=r"at_least.*'replace'.*histogram"):
        statistic.check(contract(Unit("add-remove")))


@every_statistic
def test_a_statistic_is_read_back_from_its_record(statistic: EntropyStatistic) -> None:
    assert statistic == read_statistic(statistic_record(statistic))


KINDS = {
    "entropy": {"columns": ("x", "y"), "orders": (0.5, 1.0, math.inf)},
    "conditional-entropy": {"columns": ("y",), "given": ("x", "z")},
    "mutual-information": {"columns": ("x",), "given": ("y",)},
    "entropy-map": {"columns": ("x", "y", "z")},
}
MECHANISMS = {"laplace": {"epsilon": 1.0}, "gaussian": {"epsilon": 1.0, "delta": 1e-8}}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_published_and_verified(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(8)
    data = pd.DataFrame(rng.choice(list("abc"), (500, 3)), columns=list("xyz"))
    releases = tuple(
        PlannedRelease(name=mechanism, kind=kind, mechanism=mechanism, **KINDS[kind], **price)  # type: ignore[arg-type]
        for mechanism, price in MECHANISMS.items()
    )
    terms = contract(Unit("add-remove", at_least=400), tmp_path)
    ledger_in(tmp_path)
    released = publish(Plan(terms, releases), data, tmp_path / "out")
    assert 9 == len(verify(tmp_path / "out", terms.ledger))
    for release in released:
        from_csv, from_parquet = (
            pd.read_csv(tmp_path / "out" / f"{release.name}.csv"),
            pd.read_parquet(tmp_path / "out" / f"{release.name}.parquet"),
        )
        expected = pd.DataFrame(release.statistic.frame(release.value, release.noise))
        assert list(expected.columns) == list(from_csv.columns) == list(from_parquet.columns)
        numbers = expected.select_dtypes("number").to_numpy()
        assert numbers == pytest.approx(from_csv.select_dtypes("number").to_numpy(), abs=1e-12)
        assert np.array_equal(numbers, from_parquet.select_dtypes("number").to_numpy())
