"""How much of the truth a synthetic table keeps: its marginals, entropies, dependences and use for prediction.

Both tables are arrays of cell numbers with a column for each axis. A number outside its axis counts as one cell more,
so that lost rows show as error. The figures are computed on true rows without noise: for the custodian's eyes only.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import CustodianOnly
from reaedp.errors import DeclarationError, sentence
from reaedp.evaluation.prediction_utility import Codes, PredictionUtility, prediction_utility
from reaedp.rate import Rate, mean
from reaedp.statistics.entropy.entropies import shannon_entropy

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
ColumnSet = tuple[int, ...]

#: Marginals with more cells to a row are counted by sorting: an array of all cells would take longer, or not fit.
MOST_CELLS_TO_A_ROW = 4


class UtilityFigure(NamedTuple):
    """A line of a table, without a range where the figure is exact for the two tables compared."""

    measure: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Distances:
    """Total variation over marginals of one width; `sampling` is the mean's range if not all were compared."""

    ways: int
    marginals: int
    mean: float
    worst: float
    sampling: Rate | None

    @property
    def summary(self) -> tuple[UtilityFigure, UtilityFigure]:
        """The mean and the worst total variation, as lines of a table."""
        name = f"total variation, {self.ways}-way"
        ends = (self.sampling.low, self.sampling.high) if self.sampling else ()
        return UtilityFigure(f"{name}, mean", self.mean, *ends), UtilityFigure(f"{name}, worst", self.worst)


@dataclass(frozen=True, slots=True)
class Utility(CustodianOnly):
    """All measures of a synthetic table; errors of entropy and mutual information are mean absolute ones, in bits.

    One column has no pairs, two have no triples, and without a label there is no prediction.
    """

    distances: tuple[Distances, ...]
    entropy_error: float
    information_error: float | None
    prediction: PredictionUtility | None

    @property
    def summary(self) -> tuple[UtilityFigure, ...]:
        """Every figure, with its range if it has one."""
        figures = [figure for distances in self.distances for figure in distances.summary]
        figures.append(UtilityFigure("entropy error, bits", self.entropy_error))
        if self.information_error is not None:
            figures.append(UtilityFigure("mutual information error, bits", self.information_error))
        rates = self.prediction.rates if self.prediction else {}
        return (*figures, *(UtilityFigure(name, rate.value, rate.low, rate.high) for name, rate in rates.items()))


def utility(
    real: Codes,
    synthetic: Codes,
    sizes: Sequence[int],
    *,
    rng: np.random.Generator,
    triples: int = 300,
    label: int | None = None,
    test: Codes | None = None,
) -> Utility:
    """Compare the rows that a synthesizer saw with those it made.

    `rng` chooses the three-way marginals where there are more than `triples`. To predict the column at position
    `label`, `test` holds real rows that the synthesizer never saw.
    """
    if (label is None) != (test is None):
        raise DeclarationError(
            "label and test must be given together: the column to predict, and rows that the synthesizer has not seen."
        )
    tables = _TwoTables.of(real, synthetic, sizes)
    columns = len(sizes)
    pairs = column_sets(columns, 2)
    chosen = (column_sets(columns, 1), pairs, sampled_sets(columns, 3, triples, rng))
    return Utility(
        tuple(_distances(tables, sets) for sets in chosen if sets),
        float(np.abs(np.subtract(*_column_entropies(tables))).mean()),
        _information_error(tables, pairs) if pairs else None,
        None if label is None or test is None else prediction_utility(real, synthetic, test, label),
    )


def marginal_distances(real: Codes, synthetic: Codes, sizes: Sequence[int], sets: Sequence[ColumnSet]) -> Floats:
    """Total variation, ½ Σ|p - q|, of the marginal over each set of columns."""
    return _total_variations(_TwoTables.of(real, synthetic, sizes), sets)


def column_sets(columns: int, ways: int) -> list[ColumnSet]:
    """All sets of this many columns."""
    return list(combinations(range(columns), ways))


def sampled_sets(columns: int, ways: int, most: int, rng: np.random.Generator) -> list[ColumnSet]:
    """All sets of this many columns, or a random choice if there are more than `most`."""
    every = column_sets(columns, ways)
    kept = np.sort(rng.permutation(len(every))[:most])
    return [every[place] for place in kept]


@dataclass(frozen=True, slots=True, eq=False)
class _TwoTables:
    """Real rows, then synthetic ones, as an array for each column; `sizes` include the cell for what lies outside."""

    codes: tuple[Counts, ...]
    sizes: tuple[int, ...]
    real_rows: int

    @classmethod
    def of(cls, real: Codes, synthetic: Codes, sizes: Sequence[int]) -> "_TwoTables":
        shapes = [table.shape[1:] for table in (real, synthetic)]
        if len(sizes) == 0 or shapes != [(len(sizes),)] * 2:
            raise DeclarationError(sentence(f"Both tables must have {len(sizes)} columns, at least one", given=shapes))
        both = np.concatenate([real, synthetic]).T.astype(np.int64)
        inside = [np.where((code >= 0) & (code < size), code, size) for code, size in zip(both, sizes, strict=True)]
        return cls(tuple(inside), tuple(int(size) + 1 for size in sizes), len(real))

    def counts(self, columns: ColumnSet) -> tuple[Counts, Counts]:
        """How many rows of each table are in each cell of a marginal, at least those cells where there are any."""
        cells, keys = 1, np.zeros_like(self.codes[0])
        for column in columns:
            cells, keys = cells * self.sizes[column], keys * self.sizes[column] + self.codes[column]
            if cells > MOST_CELLS_TO_A_ROW * len(keys):
                used, keys = np.unique(keys, return_inverse=True)
                cells = len(used)
        real, synthetic = keys[: self.real_rows], keys[self.real_rows :]
        return np.bincount(real, minlength=cells), np.bincount(synthetic, minlength=cells)


def _distances(tables: _TwoTables, sets: list[ColumnSet]) -> Distances:
    values, ways = _total_variations(tables, sets), len(sets[0])
    sampled = 1 < len(sets) < math.comb(len(tables.sizes), ways)
    sampling = _sampling(values) if sampled else None
    return Distances(ways, len(sets), math.fsum(values) / len(sets), float(values.max()), sampling)


def _sampling(values: Floats) -> Rate:
    """Student's range, rather too wide for sets drawn without replacement; distances are from 0 to 1."""
    rate = mean(values.tolist())
    return replace(rate, low=max(rate.low, 0.0), high=min(rate.high, 1.0))


def _total_variations(tables: _TwoTables, sets: Sequence[ColumnSet]) -> Floats:
    return np.array([_total_variation(*tables.counts(columns)) for columns in sets], dtype=np.float64)


def _total_variation(real: Counts, synthetic: Counts) -> float:
    """One minus the overlap of the shares, in integers up to the last division; nothing overlaps with no rows."""
    rows = int(real.sum()), int(synthetic.sum())
    overlap = int(np.minimum(real * rows[1], synthetic * rows[0]).sum())
    product = rows[0] * rows[1]
    return (product - overlap) / product if product else 1.0


def _entropies(tables: _TwoTables, sets: Sequence[ColumnSet]) -> Floats:
    """A row for the real table and one for the synthetic, a column for each set."""
    return np.array([[shannon_entropy(counts) for counts in tables.counts(columns)] for columns in sets]).T


def _column_entropies(tables: _TwoTables) -> Floats:
    return _entropies(tables, column_sets(len(tables.sizes), 1))


def _information_error(tables: _TwoTables, pairs: list[ColumnSet]) -> float:
    first, second = np.array(pairs).T
    single = _column_entropies(tables)
    information = single[:, first] + single[:, second] - _entropies(tables, pairs)
    return float(np.abs(np.subtract(*information)).mean())
