"""Neighbours that are as far apart as one unit can bring them, made up for each statistic.

Each case says where everyone else's rows are, and where one unit's rows are before and after. Under "add-remove" the
unit is absent before.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reaedp.audits.made_up import MadeUp, Placement, codes, placed
from reaedp.contract import Column, Contract
from reaedp.privacy.unit import Unit
from reaedp.statistics.by_kind import MOMENTS, QUANTILES, ByKind
from reaedp.statistics.entropy.entropies import renyi_entropy
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.statistic import Statistic
from reaedp.table import domain_size

if TYPE_CHECKING:  # what is made up for other kinds is imported when they are met
    from reaedp.curves.mean_curve import MeanCurve
    from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
    from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
    from reaedp.statistics.entropy.entropy_map import EntropyMap
    from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
    from reaedp.statistics.images.pixels import Pixels
    from reaedp.statistics.moments.correlation import Correlation
    from reaedp.statistics.moments.regression import Regression
    from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
    from reaedp.statistics.quantiles.quantiles import Quantiles
    from reaedp.statistics.rates.keyed_rates import KeyedRates
    from reaedp.statistics.rates.rates import Rates
    from reaedp.statistics.summary.keyed_summary import KeyedSummary
    from reaedp.statistics.summary.summary import Summary

#: Rows of everyone else where the contract promises no number of them.
SOME_ROWS = 100
#: Tables have at most so many cells with rows, to keep the search short.
MOST_CELLS = 1_024
#: Tables that a search tries.
TRIED = 32


class Answering(Protocol):
    """Made-up data, as far as one kind of statistic asks for it."""

    @property
    def contract(self) -> Contract:
        """What is public about it."""

    def answer(self, statistic: Any) -> Any:
        """The exact answer of a statistic for which it was made up."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two made-up data sets that differ in one unit, in words and as data."""

    label: str
    first: Answering
    second: Answering


def worst_cases(statistic: Statistic, contract: Contract) -> tuple[Neighbours, ...]:
    """Neighbours for a statistic; none if it is of a kind that nobody made up data for."""
    make = _CASES.of(statistic)
    return () if make is None else tuple(make(statistic, contract))


def shared_rows(unit: Unit) -> int:
    """Rows of everyone else: as few as the contract allows, where one unit weighs most."""
    n = unit.at_least or SOME_ROWS
    return n if unit.change == "add-remove" else max(n - unit.rows, 1)


class Places(NamedTuple):
    """Where everyone else's rows are, and one unit's rows before and after."""

    others: Placement
    before: Placement
    after: Placement


def _neighbours(label: str, contract: Contract, columns: tuple[str, ...], places: Places) -> Neighbours:
    others, before, after = places
    replaced = contract.unit.change == "replace"
    first = others + before if replaced else others
    verb = "has other values" if replaced else "joins"
    words = f"one {contract.unit.noun} of {others.total + before.total:,} rows {verb}: {label}"
    return Neighbours(words, *(MadeUp.of(contract, columns, rows) for rows in (first, others + after)))


def _counts(statistic: "Marginal | EntropyHistogram", contract: Contract) -> Iterator[Neighbours]:
    """All rows of the unit are in one cell, and then in one that is far from it."""
    columns, rows = contract.select(statistic.columns), contract.unit.rows
    others = placed(columns, {0: shared_rows(contract.unit), -1: 1})
    before, after = placed(columns, {-1: rows}), placed(columns, {0: rows})
    yield _neighbours("all its rows in one cell", contract, statistic.columns, Places(others, before, after))


def _keys(statistic: KeyedMarginal, contract: Contract) -> Iterator[Neighbours]:
    """Keys that everyone sees, a key of one's own, and as many keys of one's own as one has rows."""
    columns, rows = contract.select(statistic.columns), contract.unit.rows
    yield from _counts_of_keys(statistic, contract)
    if domain_size(columns) < 3:
        return
    others = placed(columns, {0: shared_rows(contract.unit)})
    old, new = placed(columns, {1: rows}), placed(columns, {-1: rows})
    yield _neighbours("a key of its own", contract, statistic.columns, Places(others, old, new))
    if 1 < rows and domain_size(columns) > rows + 1:
        singles = placed(columns, dict.fromkeys(range(2, rows + 2), 1))
        yield _neighbours("a key of its own for each row", contract, statistic.columns, Places(others, old, singles))


def _counts_of_keys(statistic: KeyedMarginal, contract: Contract) -> Iterator[Neighbours]:
    """Counts far above any threshold: everyone else has as many rows in both cells."""
    columns, rows = contract.select(statistic.columns), contract.unit.rows
    many = max(shared_rows(contract.unit), 100_000)
    others = placed(columns, {0: many, -1: many})
    before, after = placed(columns, {-1: rows}), placed(columns, {0: rows})
    yield _neighbours("all its rows under a frequent key", contract, statistic.columns, Places(others, before, after))


def _entropy(statistic: "Entropy", contract: Contract) -> Iterator[Neighbours]:
    """Of many tables the one on which the rounded entropies move farthest together."""
    columns, lattice = contract.select(statistic.columns), statistic.lattice(contract)

    def movement(tables: tuple[NDArray[np.int64], ...]) -> float:
        others, before, after = tables
        first = others + before if contract.unit.change == "replace" else others
        points = [
            lattice.rounded(np.array([renyi_entropy(table, order) for order in statistic.orders]))
            for table in (first, others + after)
        ]
        return float(np.abs(points[1] - points[0]).sum())

    best = max(_tables(contract.unit, domain_size(columns), max(statistic.orders)), key=movement)
    cells = codes(columns, np.arange(len(best[0])))
    parts = (Placement(cells, table) for table in best)
    yield _neighbours("where its rows count most", contract, statistic.columns, Places(*parts))


def _tables(unit: Unit, cells: int, largest_order: float) -> Iterator[tuple[NDArray[np.int64], ...]]:
    """Everyone else, the unit before and the unit after, as counts of the same cells."""
    size, rows, others = min(cells, MOST_CELLS), unit.rows, shared_rows(unit)
    first = np.zeros(size, dtype=np.int64)
    first[0] = rows
    # One cell holds everything; the unit's rows leave it for cells of their own, or join in such cells.
    yield _even(others, 1, size), first, _even(rows, max(size - 1, 1), size, skip=size > 1)
    if largest_order > 1:
        # A large cell grows at the expense of one that is as small as the others, or that holds nobody else.
        for large in np.unique(np.geomspace(1, others, TRIED).astype(np.int64)).tolist():
            for alone in {0, min(1, max(size - 2, 0))}:
                rest = _even(others - large, max(size - 1 - alone, 1), size, skip=size > 1)
                rest[0] += large
                yield rest, np.roll(first, size - 1), first


def _even(rows: int, cells: int, size: int, *, skip: bool = False) -> NDArray[np.int64]:
    """Rows spread over this many cells as evenly as possible, from the first or the second cell on."""
    spread = np.zeros(size, dtype=np.int64)
    each, more = divmod(rows, cells)
    spread[skip : skip + cells] = each
    spread[skip : skip + more] += 1
    return spread


def _conditional(statistic: "ConditionalEntropy", contract: Contract) -> Iterator[Neighbours]:
    """What is given is constant, so that all that is left is the target's entropy."""
    target, given = contract.select(statistic.target), contract.select(statistic.given)
    rows = contract.unit.rows
    size = min(domain_size(target), rows + 1)
    singles = dict(enumerate(_even(rows, max(size - 1, 1), size, skip=size > 1).tolist()))
    parts = ({0: shared_rows(contract.unit)}, {0: rows}, singles)
    placements = (_beside(target, given, {(cell, 0): count for cell, count in part.items()}) for part in parts)
    yield _neighbours("new values of the target", contract, statistic.columns, Places(*placements))


def _information(statistic: "MutualInformation", contract: Contract) -> Iterator[Neighbours]:
    """Of a few tables the one on which mutual information moves farthest."""
    first, second = contract.select(statistic.first), contract.select(statistic.second)
    sizes = domain_size(first), domain_size(second)

    def movement(case: Neighbours) -> int:
        return int(np.abs(case.second.answer(statistic) - case.first.answer(statistic)).sum())

    cases = [
        _neighbours(
            "values of both sides that tell about each other",
            contract,
            statistic.columns,
            Places(*(_beside(first, second, part) for part in parts)),
        )
        for parts in _joint_tables(contract.unit, *sizes)
    ]
    yield max(cases, key=movement)


Cells = dict[tuple[int, int], int]


def _joint_tables(unit: Unit, first: int, second: int) -> Iterator[tuple[Cells, Cells, Cells]]:
    """Everyone else, the unit before and the unit after."""
    rows, others, values = unit.rows, shared_rows(unit), min(first, second)
    one, two, last = min(1, first - 1), min(1, second - 1), min(2, values - 1)
    yield {(0, 0): others}, {(one, 0): rows}, {(one, two): rows}
    if values >= 3:
        half = others // 2
        yield {(1, 0): half, (0, 1): others - half}, {(1, 1): rows}, {(last, last): rows}
        matched = {(i, i): 0 for i in range(2, min(values, MOST_CELLS))}
        for marked in np.unique(np.geomspace(2, others, TRIED).astype(np.int64)).tolist():
            table: Cells = {(0, 1): marked // 2, (1, 0): marked - marked // 2}
            each, more = divmod(others - marked, len(matched))
            yield table | {cell: each + (i < more) for i, cell in enumerate(matched)}, {(0, 1): rows}, {(0, 0): rows}


def _beside(first: tuple[Column, ...], second: tuple[Column, ...], rows: Cells) -> Placement:
    """Rows at pairs of a cell of the first columns and a cell of the second ones."""
    places = np.array(list(rows), dtype=np.int64)
    found = np.concatenate([codes(first, places[:, 0]), codes(second, places[:, 1])], axis=1)
    return Placement(found, np.array(list(rows.values()), dtype=np.int64))


def _map(statistic: "EntropyMap", contract: Contract) -> Iterator[Neighbours]:
    """New values in every column at once move every entropy."""
    columns, rows = contract.select(statistic.columns), contract.unit.rows
    singles = np.array([[(1 + i) % column.size for column in columns] for i in range(rows)], dtype=np.int32)
    parts = (placed(columns, {0: shared_rows(contract.unit)}), placed(columns, {0: rows}))
    after = Placement(singles, np.ones(rows, dtype=np.int64))
    yield _neighbours("new values in all columns", contract, statistic.columns, Places(*parts, after))


def _routed(statistic: "RoutedEntropy", contract: Contract) -> Iterator[Neighbours]:
    """A table of which the entropy is likely to be released, and one of which the counts are."""
    yield from _entropy(statistic.direct, contract)
    columns, rows = contract.select(statistic.columns), contract.unit.rows
    size = min(domain_size(columns), MOST_CELLS)
    cells = codes(columns, np.arange(size))
    others = Placement(cells, _even(max(shared_rows(contract.unit), size), size, size))
    before, after = placed(columns, {-1: rows}), placed(columns, {0: rows})
    yield _neighbours("one of many equal cells", contract, statistic.columns, Places(others, before, after))


def _quantiles(statistic: "Quantiles | ChosenQuantiles", contract: Contract) -> Iterator[Neighbours]:
    """One unit's rows turn a rank, or are in another group."""
    from reaedp.audits.made_up_ranks import ranks_apart

    for label, *places in ranks_apart(statistic, contract, max(shared_rows(contract.unit), 2)):
        yield _neighbours(label, contract, statistic.columns, Places(*places))


def _mean_curve(statistic: "MeanCurve", contract: Contract) -> Iterator[Neighbours]:
    from reaedp.audits.made_up_sums import farthest_curves

    label, first, second = farthest_curves(statistic, contract, shared_rows(contract.unit))
    yield Neighbours(f"one {contract.unit.noun} has {label}", first, second)


def _moments(statistic: "Correlation | Regression", contract: Contract) -> Iterator[Neighbours]:
    """All rows of the unit at ends of the ranges; others in the middle."""
    from reaedp.audits.made_up_sums import MadeUpSums, farthest_rows

    space, unit = statistic.space(contract), contract.unit
    before, after = farthest_rows(space, contract)
    middle = np.array([[one.cells // 2 for one in space.grids]], dtype=np.int64)
    others = shared_rows(unit) * space.vectors(middle)[0]
    first = others if before is None else others + unit.rows * space.vectors(before)[0]
    second = others + unit.rows * space.vectors(after)[0]
    words = f"one {unit.noun} has all its rows at ends of all ranges"
    yield Neighbours(words, MadeUpSums(contract, first), MadeUpSums(contract, second))


def _pixels(statistic: "Pixels", contract: Contract) -> Iterator[Neighbours]:  # noqa: ARG001
    from reaedp.audits.made_up_sums import pixels_apart

    yield Neighbours("one pixel from end to end", *pixels_apart(contract))


def _summary(statistic: "Summary | Rates", contract: Contract) -> Iterator[Neighbours]:
    """All rows of the unit are at one end of every range, in one group, and were at the other end, in another."""
    from reaedp.audits.made_up_sums import parts_apart

    for label, first, second in parts_apart(statistic, contract, shared_rows(contract.unit)):
        yield Neighbours(f"one {contract.unit.noun} has {label}", first, second)


def _groups(statistic: "KeyedSummary | KeyedRates", contract: Contract) -> Iterator[Neighbours]:
    """Groups that everyone sees, a group of one's own, and as many groups of one's own as one has rows."""
    from reaedp.audits.made_up_groups import groups_apart

    for label, first, second in groups_apart(statistic, contract):
        yield Neighbours(f"one {contract.unit.noun} has {label}", first, second)


_CASES = ByKind[Callable[[Any, Contract], Iterator[Neighbours]] | None](
    "neighbours that it tells apart best",
    {Marginal: _counts, KeyedMarginal: _keys},
    otherwise=None,
    plain=("Synthetic", "SyntheticCurves"),  # audited part by part
    named={
        "EntropyHistogram": _counts,
        "Entropy": _entropy,
        "ConditionalEntropy": _conditional,
        "MutualInformation": _information,
        "EntropyMap": _map,
        "RoutedEntropy": _routed,
        **dict.fromkeys(QUANTILES, _quantiles),
        "MeanCurve": _mean_curve,
        "Pixels": _pixels,
        **dict.fromkeys(MOMENTS, _moments),
        **dict.fromkeys(("Summary", "Rates"), _summary),
        **dict.fromkeys(("KeyedSummary", "KeyedRates"), _groups),
    },
)
