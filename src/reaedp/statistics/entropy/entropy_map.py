"""The entropy map: all single and all pairwise joint entropies of some columns in one release."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.consistency import consistent
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.entropy import EntropyStatistic, most_bits, public_rows
from reaedp.statistics.entropy.information import InformationMap, spread_of_three
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity
from reaedp.statistics.names import listed
from reaedp.statistics.resolution import CONFIDENCE, Resolution
from reaedp.statistics.statistic import Cells

#: How far, in steps of the lattice, consistent entropies may break an inequality about three columns: a hundredth of
#: what one unit moves, so far below the noise.
TOLERATED_STEPS = 16


@dataclass(frozen=True, slots=True, init=False)
class EntropyMap(EntropyStatistic):
    """Shannon entropies of d columns and of their d (d - 1) / 2 pairs, which show which columns depend on each other.

    Mutual information and symmetric uncertainty of every pair follow at no further cost. Use it before choosing columns
    for histograms, models or synthetic data: pairs that share no information need no joint table, and a column
    determined by another need not be released twice. One unit can move all entropies at once, each by the sensitivity
    of a single entropy, so the noise of each grows with the square root of their number for Gaussian noise, and with
    their number for Laplace noise.

    >>> EntropyMap("age", "sex", "smokes").cells(contract)
    6
    """

    columns: tuple[str, ...]

    def __init__(self, *columns: str | Sequence[str]) -> None:
        names = listed(columns)
        if not all(isinstance(name, str) for name in names) or len(names) < 2 or len(set(names)) < len(names):
            raise DeclarationError(f"An entropy map needs two or more different column names; given {columns!r}.")
        object.__setattr__(self, "columns", names)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Each column, then each pair, in the order of the released numbers."""
        return *((name,) for name in self.columns), *combinations(self.columns, 2)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entropies in the usual notation."""
        return tuple(f"H({', '.join(group)})" for group in self.groups)

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"entropy map of {', '.join(self.columns)}"

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        """The number of entropies."""
        return len(self.groups)

    def reach(self, contract: Contract) -> tuple[float, ...]:
        """The farthest that one unit can move each entropy."""
        unit = contract.unit
        one = shannon_sensitivity(public_rows(unit), change=unit.change, max_rows=unit.rows)
        return (one,) * len(self.groups)

    def largest(self, contract: Contract) -> float:
        """The mutual information of the two largest columns, if each determines the other."""
        return sorted(most_bits(contract, (name,)) for name in self.columns)[-2]

    def resolution(self, contract: Contract, noise: Calibrated) -> Resolution:
        """The error of a mutual information, which combines three entropies, relative to its largest value."""
        error = (spread_of_three(noise, CONFIDENCE) + 1.5) * self.step(contract)
        return Resolution(error, self.largest(contract), "bits")

    def measure(self, records: Cells) -> NDArray[np.float64]:
        """The entropies of the same rows by every column and every pair."""
        found = {group: shannon_entropy(counts.counts) for group, counts in records.group_counts(self.groups)}
        return np.array([found[group] for group in self.groups])

    def value(self, contract: Contract, noisy: Integers) -> InformationMap:  # type: ignore[override]
        """The noisy entropies, and the nearest ones that satisfy all entropy inequalities."""
        size, step = len(self.columns), self.step(contract)
        entropies = np.diag(noisy[:size] * step)
        first, second = np.triu_indices(size, 1)
        entropies[first, second] = entropies[second, first] = noisy[size:] * step
        limits = np.log2([float(column.size) for column in contract.select(self.columns)])
        nearest = consistent(entropies, limits, TOLERATED_STEPS * step)
        return InformationMap(self.columns, entropies, nearest, limits, step)

    def frame(self, value: InformationMap, noise: Calibrated) -> dict[str, NDArray[Any]]:  # type: ignore[override]
        """What is written to files."""
        return value.frame(noise)
