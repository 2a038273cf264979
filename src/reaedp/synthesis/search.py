"""The search: tables of several columns are chosen where the model errs most, counted with noise, and fitted."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from reaedp.answer import Integers
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.selection import Selection
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.cliques import Group, JunctionTree, junction_tree
from reaedp.synthesis.coarsening import Coarsening, coarsen
from reaedp.synthesis.dependencies import (
    Candidate,
    Dependence,
    affordable,
    candidates,
    coarse_counts,
    misplaced,
    most_cells,
    scores,
)
from reaedp.synthesis.evidence import Evidence
from reaedp.synthesis.fitting import NoisyTable, fit
from reaedp.synthesis.flags import Flags
from reaedp.synthesis.interactions import interactions
from reaedp.synthesis.merging import Floats, Merging, merged
from reaedp.table import Table

#: Tables are chosen in so many batches, between which the model is fitted; in the last ones all triples of cliques are
#: looked at.
BATCHES, WITH_TRIPLES = 8, 2
#: Steps of each fit, and of the last.
STEPS, LAST_STEPS = 20, 80
#: Cells of the junction tree, at which a step takes about a hundredth of a second.
MOST_CELLS = 450_000
#: Coarse cells of an ordered column at least; at most, so that a pair of columns takes a tenth of the room.
LEAST_COARSE, MOST_COARSE = 4, math.isqrt(MOST_CELLS // 10)
#: A level keeps its dependences if its rows are so many times the noise of a table's cell.
STANDS_OUT = 4.0


#: Beyond this, sums of counts would not be exact; no data set has so many rows, but noise could.
MOST_ROWS = 2.0**50


@dataclass(frozen=True, slots=True)
class Means:
    """What the search may ask, and how often: each answer was paid for.

    `columns` hides the table of each column, `tables` the larger ones that the private `choices` pick, one in each
    of `rounds`.
    """

    columns: Calibrated
    choices: Selection
    tables: Calibrated
    rounds: int
    noise: Noise


class Search:
    """Released numbers and the model they give so far; exact counts, which only scores and noise may touch."""

    def __init__(self, records: Cells, names: tuple[str, ...], means: Means) -> None:
        self.records, self.names, self.means = records, names, means
        self.axes = records.contract.select(names)
        self.scale = means.tables.scale
        self.singles = self._singles()
        self.total = min(max(1.0, _total(self.singles)), MOST_ROWS)
        self.coarsenings = self._coarsenings()
        self.flags = Flags.of(self.axes, self.coarsenings, self._least_share)
        self.tables = [
            _over_coarse_cells(column, single, self.coarsenings[column], means.columns.scale, self.total)
            for column, single in enumerate(self.singles)
        ]
        self.factors = [np.zeros(table.counts.shape) for table in self.tables]
        self.dependences: list[Dependence] = []
        self.taken: set[Candidate] = set()
        self.exact: dict[Group, Integers] = {}
        #: What tables may be about: columns, then flags.
        self.views = [*self.coarsenings, *self.flags.coarsenings]
        self.tree = junction_tree([view.size for view in self.views], [link.group for link in self.flags.links])
        self.beliefs = self._refitted(0)

    def run(self, progress: Callable[[str], None]) -> None:
        """All batches."""
        batches = [len(part) for part in np.array_split(np.arange(self.means.rounds), BATCHES) if len(part)]
        wider = interactions(self.tree.sizes, most_cells(self.total, self.scale))
        self._count([*self.flags.pairs, *(group for group in wider if self.flags.alike(group))])
        for left, batch in zip(range(len(batches), 0, -1), batches, strict=True):
            progress(f"choosing {batch} more tables after {len(self.dependences)} of {self.means.rounds}")
            if left == WITH_TRIPLES:
                self._count(self._triples())
            # Early batches leave room for late ones.
            share = (1 - (left - 1) / len(batches)) ** 2
            self._choose(batch, sum(self.tree.sizes) + round(MOST_CELLS * share))
            self.beliefs = self._refitted(LAST_STEPS if left == 1 else STEPS)

    def _singles(self) -> list[Integers]:
        """Noisy counts of each column."""
        found = {
            group: counts.dense().values for group, counts in self.records.group_counts([(n,) for n in self.names])
        }
        return [self.means.columns.apply(found[name,].astype(np.int64), self.means.noise) for name in self.names]

    def _coarsenings(self) -> list[Coarsening]:
        """A table of two ordered columns has about as many cells as there are rows for each row of noise."""
        most = round(min(MOST_COARSE, max(LEAST_COARSE, math.sqrt(self.total / self.scale))))
        return [
            coarsen(axis, single.astype(np.float64), self.means.columns.scale, most, self._least_share)
            for axis, single in zip(self.axes, self.singles, strict=True)
        ]

    @property
    def _least_share(self) -> float:
        """The share of rows from which on a level stands out."""
        return max(STANDS_OUT * self.scale / self.total, 1 / MOST_COARSE**2)

    def _count(self, groups: list[Group]) -> None:
        """Exact counts of more groups, in one pass."""
        new = [group for group in groups if group not in self.exact and self.flags.apart(group)]
        if new:
            names = [self.names[self.flags.column(number)] for number in range(len(self.views))]
            self.exact.update(coarse_counts(self.records, names, new, self.views))

    def _triples(self) -> list[Group]:
        """The triples within a clique, which need not grow for them."""
        return sorted({triple for clique in self.tree.cliques for triple in combinations(clique, 3)})

    def _choose(self, count: int, room: int) -> None:
        """Choose by what the last fit misses, and count with noise; nothing is left to choose where noise hides all.

        The junction tree may have `room` for this many cells.
        """
        groups = affordable(self.tree, room, sorted(self.exact))
        possible = candidates(sorted(groups), self.views, most_cells(self.total, self.scale))
        offers = [offer for offer in possible if offer not in self.taken]
        found = scores(offers, self.exact, self.views, self.beliefs, total=self.total, scale=self.scale)
        closed: set[Group] = set()
        chosen: set[Group] = set()
        for _ in range(count):
            groups = {group for group in groups if group not in closed and not _alike(group, chosen)}
            open_groups = affordable(self.tree, room, sorted(groups))
            left = [place for place, offer in enumerate(offers) if offer.group in open_groups]
            if not left:
                return
            place = self.means.choices.choose(found[left], self.means.tables.sensitivity, self.means.noise)
            closed |= _told(offers[left[place]].group, chosen)
            chosen.add(offers[left[place]].group)
            self._measure(offers[left[place]])

    def _measure(self, chosen: Candidate) -> None:
        """Measure one more noisy table."""
        mergings = chosen.mergings(self.views)
        exact = merged(self.exact[chosen.group].astype(np.float64), mergings).astype(np.int64)
        noisy = self.means.tables.apply(exact, self.means.noise)
        expected = self.total * merged(self.beliefs.marginal(chosen.group), mergings)
        names = tuple(self.names[self.flags.column(number)] for number in chosen.group)
        self.dependences.append(Dependence(names, noisy.size, misplaced(noisy, expected, self.scale)))
        scales = np.full(noisy.shape, self.scale)
        self.tables.append(NoisyTable(chosen.group, mergings, noisy.astype(np.float64), scales))
        self.factors.append(np.zeros(noisy.shape))
        self.taken.add(chosen)
        self.tree = self._grown(chosen.group)

    def _refitted(self, steps: int) -> Beliefs:
        """The model of all tables so far, from where the last fit ended."""
        self.factors, beliefs = fit(
            self.tree, self._shares(), self.tables, self.total, self.factors, iterations=steps, links=self.flags.links
        )
        return beliefs

    def evidence(self) -> Evidence:
        """What the last fit was made from, and the factors that it found."""
        return Evidence(
            tree=self.tree,
            owners=tuple(self.flags.column(number) for number in range(len(self.views))),
            mergings=tuple(view.merging for view in self.views),
            shares=tuple(self._shares()),
            links=self.flags.links,
            column_scales=(self.means.columns.scale,) * len(self.names),
            tables=tuple(self.tables),
            thetas=tuple(self.factors),
            total=self.total,
        )

    def _shares(self) -> list[Floats]:
        return [*(each.coarse_shares for each in self.coarsenings), *(np.ones(2) for _ in self.flags.owners)]

    def _grown(self, group: Group) -> JunctionTree:
        """The smaller of two trees: one made anew, and one that extends the present cliques."""
        needed = [*(table.group for table in self.tables), *(link.group for link in self.flags.links)]
        anew = junction_tree(self.tree.sizes, needed)
        extended = junction_tree(self.tree.sizes, [*self.tree.cliques, group])
        return min(anew, extended, key=lambda tree: tree.cells)


def _alike(group: Group, chosen: set[Group]) -> bool:
    """Whether it shares two columns with a group chosen since the last fit, which may have explained it."""
    return any(len(set(group) & set(other)) > 1 for other in chosen)


def _told(group: Group, chosen: set[Group]) -> set[Group]:
    """Groups that a new table may have explained, alone or with one chosen before; the next fit will show."""
    return {group} | {tuple(sorted(set(group) ^ set(other))) for other in chosen if len(set(group) & set(other)) == 1}


def _total(singles: Sequence[Integers]) -> float:
    """Every column counts the same rows; the sum over a narrow one has less noise."""
    return float(np.average([single.sum() for single in singles], weights=[1 / single.size for single in singles]))


def _over_coarse_cells(column: int, single: Integers, coarsening: Coarsening, scale: float, total: float) -> NoisyTable:
    """A column's own table; what its sum lacks of the common total is spread over its cells like their noise."""
    cells = np.bincount(coarsening.merging.cell).astype(np.float64)
    rows = coarsening.merging.sums(single.astype(np.float64))
    rows = rows + (total - rows.sum()) * cells / cells.sum()
    return NoisyTable((column,), (Merging.none(coarsening.size),), rows, scale * np.sqrt(cells))


def noisy_table(search: Search, column: int) -> Table:
    """A column's own noisy counts, as they are released."""
    return Table((search.axes[column],), search.singles[column])
