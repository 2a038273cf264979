"""The structure of a model: noisy tables, the junction tree that holds their columns, and the law that they give."""

from collections.abc import Iterable, Sequence

import numpy as np

from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.cliques import Group, JunctionTree, cells, junction_tree
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.dependencies import first_view
from reaedp.synthesis.evidence import Evidence
from reaedp.synthesis.fitting import Link, NoisyTable, fit
from reaedp.synthesis.merging import Floats, Merging, merged
from reaedp.synthesis.purse import NoisyCounts
from reaedp.synthesis.resolutions import Resolutions
from reaedp.synthesis.room import GroupsByWidth, costs, growths, spread_to

#: A junction tree that has grown to more than so many times its room is not used: the table is made coarser instead.
_AT_MOST = 2


class Structure:
    """Tables of columns, then of several; `beliefs` is the law of the last fit. All follows from noisy numbers."""

    def __init__(self, coarsenings: Sequence[Coarsening], singles: Sequence[NoisyCounts], total: float) -> None:
        self.coarsenings, self.total = list(coarsenings), total
        self.resolutions = Resolutions.of(coarsenings)
        self.sizes = np.array(self.resolutions.sizes, dtype=np.float64)
        self.tables = self._of_columns(singles)
        self.links: list[Link] = []
        #: Groups of several columns are looked at in few cells of each: the law of these is asked for most.
        self.tree = self._tree([(self.variable(column, 3),) for column in range(len(self.coarsenings))])
        self._factors = [np.zeros(table.counts.shape) for table in self.tables]
        self._pairs: tuple[JunctionTree, Floats] | None = None
        self.fit(0)

    def variable(self, column: int, width: int) -> int:
        """The variable of a column in which groups of so many columns are looked at."""
        return self.resolutions.numbers[column][first_view(self.coarsenings[column], width)]

    def expected(self, group: Group) -> Floats:
        """Rows that the model expects in the cells in which a group of columns is looked at."""
        variables = [self.variable(column, len(group)) for column in group]
        order = np.argsort(np.argsort(variables))
        rows: Floats = self.total * self.beliefs.marginal(tuple(sorted(variables))).transpose(order)
        return rows

    def growths(self, groups: GroupsByWidth) -> Floats:
        """About how many cells the junction tree grows by if each group of variables is to share a clique."""
        pairs = self._growths()
        found = np.zeros(sum(len(places) for places, _ in groups))
        for places, alike in groups:
            found[places] = costs(self.sizes, pairs, alike)
        return found

    def _growths(self) -> Floats:
        """Cells that it takes to connect each pair of variables; computed once for each tree."""
        if self._pairs is None or self._pairs[0] is not self.tree:
            present = self.tree.columns
            ways = (self.resolutions.finer(variable) for variable in range(len(self.sizes)))
            stand_ins = [next(each for each in way if each in present) for way in ways]
            self._pairs = self.tree, spread_to(growths(self.tree), self.sizes, stand_ins)
        return self._pairs[1]

    def foresee_pairs(self, columns: Iterable[int]) -> None:
        """Compute what is expected of all pairs of these columns together."""
        self.beliefs.foresee_pairs({self.variable(column, 2) for column in columns})

    def add(self, group: Group, noisy: NoisyCounts, room: int) -> bool:
        """Put a table where the tree has its variables or finer ones, or make the tree grow; tell whether it was put.

        If the tree would grow far beyond its room, the table's cells are merged further; a table that can be merged no
        further and still finds no room is left out.
        """
        counts, scales = noisy.values, np.full(noisy.values.shape, noisy.scale)
        tree, place = self._home(group)
        while tree.cells > _AT_MOST * max(room, self.tree.cells):
            coarser = self._coarser(group)
            if coarser is None:
                return False
            steps = [self.resolutions.between(*each) for each in zip(group, coarser, strict=True)]
            group, counts, scales = coarser, merged(counts, steps), np.sqrt(merged(scales**2, steps))
            tree, place = self._home(group)
        self.tree = tree
        self.links = self.resolutions.links(tree.columns)
        order = np.argsort(place)
        mergings = tuple(self.resolutions.between(place[axis], group[axis]) for axis in order)
        axes = tuple(place[axis] for axis in order)
        self.tables.append(NoisyTable(axes, mergings, counts.transpose(order), scales.transpose(order)))
        self._factors.append(np.zeros(self.tables[-1].counts.shape))
        return True

    def fit(self, steps: int) -> None:
        """The law of all tables so far, from where the last fit ended."""
        shares = {column: each.coarse_shares for column, each in enumerate(self.coarsenings)}
        self.beliefs: Beliefs
        self._factors, self.beliefs = fit(
            self.tree, shares, self.tables, self.total, self._factors, iterations=steps, links=self.links
        )

    def evidence(self, column_scales: Sequence[float]) -> Evidence:
        """What the last fit was made from, and the factors that it found; `column_scales` are the columns' noise."""
        numbers = range(len(self.resolutions.views))
        owners = tuple(self.resolutions.views[number][0] for number in numbers)
        coarse = [self.coarsenings[owner].merging.cell for owner in owners]
        return Evidence(
            tree=self.tree,
            owners=owners,
            mergings=tuple(Merging(self.resolutions.merging(number).cell[coarse[number]]) for number in numbers),
            shares=tuple(each.coarse_shares for each in self.coarsenings),
            links=tuple(self.links),
            column_scales=tuple(column_scales),
            tables=tuple(self.tables),
            thetas=tuple(self._factors),
            total=self.total,
        )

    def replace_columns(self, coarsenings: Sequence[Coarsening], singles: Sequence[NoisyCounts]) -> None:
        """Better counts of the columns over the same coarse cells."""
        self.coarsenings = list(coarsenings)
        self.tables[: len(singles)] = self._of_columns(singles)

    def _of_columns(self, singles: Sequence[NoisyCounts]) -> list[NoisyTable]:
        return [
            over_coarse_cells(column, single, coarsening, self.total)
            for column, (single, coarsening) in enumerate(zip(singles, self.coarsenings, strict=True))
        ]

    def _tree(self, groups: Sequence[Group]) -> JunctionTree:
        self.links = self.resolutions.links(variable for group in groups for variable in group)
        ties = [link.group for link in self.links]
        return junction_tree(self.resolutions.sizes, [*groups, *ties], always=len(self.coarsenings))

    def _home(self, group: Group) -> tuple[JunctionTree, Group]:
        """A tree that holds the variables or finer ones, and which ones."""
        cliques = sorted(self.tree.cliques, key=lambda clique: cells(self.tree.sizes, clique))
        place = self.resolutions.widened(group, cliques)
        return (self.tree, place) if place is not None else (self._grown(group), group)

    def _grown(self, group: Group) -> JunctionTree:
        """The smaller of two trees: one made anew, and one that extends the present cliques."""
        present = [(variable,) for variable in self.tree.columns]
        anew = self._tree([*present, *(table.group for table in self.tables), group])
        return min(anew, self._tree([*self.tree.cliques, group]), key=lambda tree: tree.cells)

    def _coarser(self, group: Group) -> Group | None:
        """The next coarser view of the variable with the most cells that has one."""
        coarser = [self.resolutions.coarser(variable) for variable in group]
        places = [place for place, variable in enumerate(coarser) if variable is not None]
        if not places:
            return None
        largest = max(places, key=lambda place: self.sizes[group[place]])
        return tuple(
            number if place == largest and number is not None else variable
            for place, (variable, number) in enumerate(zip(group, coarser, strict=True))
        )


def over_coarse_cells(column: int, single: NoisyCounts, coarsening: Coarsening, total: float) -> NoisyTable:
    """A column's own table; what its sum lacks of the common total is spread over its cells like their noise."""
    members = np.bincount(coarsening.merging.cell).astype(np.float64)
    rows = coarsening.merging.sums(single.values)
    rows = rows + (total - rows.sum()) * members / members.sum()
    return NoisyTable((column,), (Merging.none(coarsening.size),), rows, single.scale * np.sqrt(members))
