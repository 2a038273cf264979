"""What synthetic rows say of a canary: shares of rows in its cells, column by column and pair by pair.

Whole rows like the canary's say next to nothing; cells of one and two columns are what a model was bought from. The
published model has these tables themselves.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.audits.neighbour_files import Canary
from reaedp.audits.pair import Floats
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.synthetic import SyntheticRecords

#: The counts of some columns in both neighbours.
Counted = Callable[[tuple[str, ...]], list[Integers]]


@dataclass(frozen=True, slots=True)
class CanaryCells:
    """The canary's cells before and after, and how many rows both neighbours have there on average."""

    canary: Canary
    columns: tuple[str, ...]
    #: For each group of one or two columns: rows midway between the neighbours, in the cells before and after.
    middles: dict[tuple[int, ...], tuple[float, float]]

    @classmethod
    def of(cls, canary: Canary, columns: tuple[str, ...], counted: Counted) -> "CanaryCells":
        """`counted(names)` gives the tables of both neighbours for some columns."""
        middles = {}
        for group in _groups(len(columns)):
            tables = counted(tuple(columns[place] for place in group))
            cells = [tuple(rows[0, list(group)]) if len(rows) else None for rows in (canary.before, canary.after)]
            before, after = (0.0 if cell is None else float(sum(table[cell] for table in tables)) / 2 for cell in cells)
            middles[group] = (before, after)
        return cls(canary, columns, middles)

    def shares(self, value: SyntheticRecords, group: tuple[int, ...]) -> tuple[float, float]:
        """Rows, as a share of all rows times their estimated number, in the cells before and after."""
        total = float(value.details["rows_found"])
        return tuple(  # type: ignore[return-value]
            total * float((value.codes[:, group] == rows[0, list(group)]).all(axis=1).mean())
            if len(rows) and len(value)  # a privacy test may let nothing pass
            else 0.0
            for rows in (self.canary.before, self.canary.after)
        )

    def score(self, value: SyntheticRecords) -> float:
        """The logarithm of the likelihood ratio of the tables that were bought, as far as the rows tell them."""
        details = value.details
        named = {" × ".join(self.columns[place] for place in group): group for group in self.middles}
        # A table of three columns says little that its pairs do not.
        bought = [named[table] for table in details["tables"] if table in named]
        singles = [(place,) for place in range(len(self.columns))]
        scales = [details["noise_of_columns"]] * len(singles) + [details["noise_of_tables"]] * len(bought)
        rows = len(self.canary.after)
        return rows * math.fsum(
            self._beyond(value, group) / scale**2 for group, scale in zip([*singles, *bought], scales, strict=True)
        )

    def features(self, value: SyntheticRecords) -> Floats:
        """The shares of rows in the canary's cells one by one, the total, and the number of rows."""
        found = [share for group in self.middles for share in self.shares(value, group)]
        return np.array([*found, value.details["rows_found"], len(value)], dtype=np.float64)

    def _beyond(self, value: SyntheticRecords, group: tuple[int, ...]) -> float:
        """How far the rows lie on the second neighbour's side."""
        before, after = (
            share - middle for share, middle in zip(self.shares(value, group), self.middles[group], strict=True)
        )
        return after - before


@dataclass(frozen=True, slots=True)
class PublishedTables:
    """The noisy tables of a published model, beside the exact ones of both neighbours."""

    counted: Counted
    _exact: dict[tuple[str, ...], list[Integers]] = field(default_factory=dict)

    def score(self, value: SyntheticRecords) -> float:
        """The logarithm of the likelihood ratio of all of them, as their noise is nearly normal."""
        assert value.model is not None
        return math.fsum(self._scores(value.model.learned))

    def _scores(self, learned: LearnedModel) -> Iterator[float]:
        evidence = learned.evidence
        for single, scale in zip(learned.singles, evidence.column_scales, strict=True):
            yield _ratio(single.values, scale, self._of((single.axes[0].name,)))
        for table in learned.tables:
            owners = [evidence.owners[variable] for variable in table.group]
            cells = [
                merging.cell[evidence.mergings[variable].cell]
                for merging, variable in zip(table.mergings, table.group, strict=True)
            ]
            columns = sorted(set(owners))
            exact = self._of(tuple(learned.axes[column].name for column in columns))
            places = [columns.index(owner) for owner in owners]
            yield _ratio(table.counts, table.scales, [_merged(one, places, cells, table.counts.shape) for one in exact])
        for each in learned.inner:
            columns = sorted((each.column, each.parent))
            exact = self._of(tuple(learned.axes[column].name for column in columns))
            places = [columns.index(each.column), columns.index(each.parent)]
            parents = learned.coarsenings[each.parent].merging.cell
            cells = [np.arange(learned.axes[each.column].size), parents]
            yield _ratio(each.counts, each.scale, [_merged(one, places, cells, each.counts.shape) for one in exact])

    def _of(self, names: tuple[str, ...]) -> list[Integers]:
        if names not in self._exact:
            self._exact[names] = self.counted(names)
        return self._exact[names]


def _ratio(noisy: NDArray[Any], scale: Floats | float, exact: Sequence[NDArray[Any]]) -> float:
    first, second = exact
    return float(((noisy - (first + second) / 2) * (second - first) / np.square(scale)).sum())


def _merged(counts: Integers, places: list[int], cells: list[Integers], shape: tuple[int, ...]) -> Integers:
    """The counts in merged cells; a column may occur twice, merged in two ways."""
    whole = np.indices(counts.shape)
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, tuple(cell[whole[place]] for cell, place in zip(cells, places, strict=True)), counts)
    return table


@dataclass(frozen=True, slots=True)
class CanaryKeys:
    """The canary's keys, before and after.

    `first` and `second` are their counts in both neighbours; `others` is how many rows have other keys. A key is made
    of the cells at `places`.
    """

    places: tuple[int, ...]
    keys: Floats
    first: Floats
    second: Floats
    others: float

    @classmethod
    def of(cls, canary: Canary, places: tuple[int, ...], tables: Any) -> "CanaryKeys":
        """`tables` are those of the key's columns, of both neighbours."""
        keys = np.array([rows[0, list(places)] for rows in canary if len(rows)])
        first, second = (np.array([table[tuple(key)] for key in keys], dtype=np.float64) for table in tables)
        return cls(places, keys, first, second, float(tables[0].sum() - first.sum()))

    def counts(self, value: SyntheticRecords) -> Floats:
        """Rows under the canary's keys, if as many rows have other keys as really do.

        Rows come in proportion to noisy counts of keys, and many other keys together are hardly noisy.
        """
        codes = value.codes[:, list(self.places)]
        found = np.array([(codes == key).all(axis=1).sum() for key in self.keys], dtype=np.float64)
        counts: Floats = found * self.others / max(len(value) - float(found.sum()), 1.0)
        return counts

    def score(self, counts: Floats, scale: float) -> Floats:
        """The logarithm of the likelihood ratio of Laplace noise of this scale."""
        near: Floats = ((np.abs(counts - self.first) - np.abs(counts - self.second)) / scale).sum(axis=1)
        return near


def _groups(columns: int) -> list[tuple[int, ...]]:
    return [*combinations(range(columns), 1), *combinations(range(columns), 2)]
