"""Which candidates are still open in a batch: those that no table chosen since the last fit may have explained."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.cliques import Group


class Apart:
    """`open` tells of each candidate, by the columns of its table, whether it may be chosen."""

    def __init__(self, groups: Sequence[Group], columns: int) -> None:
        self.open: NDArray[np.bool_] = np.ones(len(groups), dtype=bool)
        self._members = np.zeros((len(groups), columns), dtype=np.int8)
        self._places: dict[Group, list[int]] = {}
        self._chosen: list[Group] = []
        for place, group in enumerate(groups):
            self._members[place, list(group)] = 1
            self._places.setdefault(group, []).append(place)

    def close(self, group: Group) -> None:
        """Close what shares two columns with a chosen group, and what it and one chosen before may tell together."""
        self.open &= self._members[:, list(group)].sum(axis=1) < 2
        for other in self._chosen:
            if len(set(group) & set(other)) == 1:
                self.open[self._places.get(tuple(sorted(set(group) ^ set(other))), [])] = False
        self._chosen.append(group)
