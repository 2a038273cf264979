"""Resolutions: a column in the model once with all its coarse cells, and again with fewer where tables ask for fewer.

A table of few cells then takes little room in the junction tree, whatever the columns' own cells are: its factor is a
function of the few. A coarser variable is fixed by a finer one of the same column, so that the law is the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reaedp.synthesis.cliques import Group
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.fitting import Link
from reaedp.synthesis.merging import Merging

#: The logarithm of the weight of a value that contradicts its coarser one: no row will show it.
_CONTRADICTION = -60.0


@dataclass(frozen=True, slots=True, eq=False)
class Resolutions:
    """Variable number i < number of columns is column i; each further view of a column has a number of its own."""

    coarsenings: tuple[Coarsening, ...]
    #: Column and view of each variable, and the other way round.
    views: tuple[tuple[int, int], ...]
    numbers: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, coarsenings: Sequence[Coarsening]) -> "Resolutions":
        """All views of all columns."""
        views = [(column, 0) for column in range(len(coarsenings))]
        numbers = []
        for column, coarse in enumerate(coarsenings):
            first = len(views)
            numbers.append((column, *range(first, first + len(coarse.views) - 1)))
            views += [(column, view) for view in range(1, len(coarse.views))]
        return cls(tuple(coarsenings), tuple(views), tuple(numbers))

    @property
    def sizes(self) -> list[int]:
        """Cells of each variable."""
        return [self.merging(number).size for number in range(len(self.views))]

    def merging(self, number: int) -> Merging:
        """From the coarse cells of its column to the variable's."""
        column, view = self.views[number]
        return self.coarsenings[column].views[view]

    def finer(self, number: int) -> list[int]:
        """The variable itself and those that fix it, the finest last."""
        column, view = self.views[number]
        found = []
        while view >= 0:
            found.append(self.numbers[column][view])
            view = self.coarsenings[column].parents[view]
        return found

    def coarser(self, number: int) -> int | None:
        """The next coarser variable of the same column, if there is one."""
        column, view = self.views[number]
        parents = self.coarsenings[column].parents
        return self.numbers[column][parents.index(view)] if view in parents else None

    def between(self, finer: int, coarser: int) -> Merging:
        """From the cells of a variable to those of a coarser one of the same column."""
        return self.merging(coarser).after(self.merging(finer))

    def links(self, used: Iterable[int]) -> list[Link]:
        """What ties each used variable to the next finer one that is used; columns themselves always are."""
        present = {*used}
        found = []
        for number in sorted(present):
            if self.views[number][1]:
                above = next(each for each in self.finer(number)[1:] if each in present or not self.views[each][1])
                cell = self.between(above, number).cell[:, None]
                tie = np.where(cell == np.arange(self.merging(number).size), 0.0, _CONTRADICTION)
                found.append(Link((above, number), tie))
        return found

    def widened(self, group: Group, cliques: Iterable[Group]) -> Group | None:
        """The variables themselves or finer ones that share one of the cliques; none if there are none."""
        ways = [self.finer(number) for number in group]
        for clique in cliques:
            inside = [next((number for number in way if number in clique), None) for way in ways]
            if None not in inside:
                return tuple(number for number in inside if number is not None)
        return None
