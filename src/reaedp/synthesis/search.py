"""The search: tables of several columns are chosen where the model errs most, counted with noise, and fitted."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.cliques import Group
from reaedp.synthesis.coarsening import Coarsening, coarsen, reshared
from reaedp.synthesis.dependencies import (
    DEAREST,
    MEAN_NOISE,
    PLAIN_TABLE,
    Candidate,
    Dependence,
    candidates,
    first_view,
    misplaced,
    most_cells,
    scores,
    view_counts,
)
from reaedp.synthesis.fitting import FEW_CELLS, FEW_COLUMNS, FEW_ROWS
from reaedp.synthesis.inner_cells import InnerCells, Known
from reaedp.synthesis.inside_counts import InnerOffer, InsideCounts
from reaedp.synthesis.interactions import interactions
from reaedp.synthesis.known_fits import rough
from reaedp.synthesis.looks import NOTHING, Looks
from reaedp.synthesis.merging import Floats, Merging, merged
from reaedp.synthesis.purse import CHOICES, MODEL_CELLS, TABLES_PER_COLUMN, Purse
from reaedp.synthesis.refinement import Refinement
from reaedp.synthesis.regions import Regions
from reaedp.synthesis.room import by_width
from reaedp.synthesis.rows import rows
from reaedp.synthesis.structure import Structure
from reaedp.table import Table

#: A plain table may have noise of this share of all rows; else there are fewer rounds.
TOLERABLE = 0.45
#: Nothing is chosen as often as this power of the number of candidates would be that gain as much as they cost.
DOUBT = 0.25
#: Where nothing is worth its price, rounds cost so many times more.
DEARER = 2
#: Tables are chosen in so many batches, between which the model is fitted.
BATCHES = 8
#: After so many batches it is asked whether a column is worth refining, on as many rows of the model so far.
REFINED_AFTER, REFINED_BY = 3, 1 << 15
#: After so many, declared cells are looked at together with other columns as well.
LOOKED_INSIDE_AFTER = 4
#: Steps of each fit, and of the last.
STEPS, LAST_STEPS = 20, 240
#: All cells that a model may have are worth this share of its rows: a table that takes many must tell much.
RENT = 0.5
#: Coarse cells of an ordered column at least; a pair of columns takes at most this share of the room.
LEAST_COARSE, A_PAIR = 4, 10
#: A level keeps its dependences if its rows are so many times the noise of a table's cell.
STANDS_OUT = 4.0


class Apart:
    """Which candidates of a batch are `open`: those that no table chosen since the last fit may have explained."""

    def __init__(self, groups: Sequence[Group], columns: int) -> None:
        self.open: NDArray[np.bool_] = np.ones(len(groups), dtype=bool)
        self._members = np.zeros((len(groups), columns), dtype=np.int8)
        self._places: dict[Group, list[int]] = {}
        self._chosen: list[Group] = []
        for places, alike in by_width(groups):
            self._members[places[:, None], alike] = 1
        for place, group in enumerate(groups):
            self._places.setdefault(group, []).append(place)

    def close(self, group: Group) -> None:
        """Close what shares two columns with a chosen group, and what it and one chosen before may tell together."""
        self.open &= self._members[:, list(group)].sum(axis=1) < 2
        for other in self._chosen:
            if len(set(group) & set(other)) == 1:
                self.open[self._places.get(tuple(sorted(set(group) ^ set(other))), [])] = False
        self._chosen.append(group)


def _of_every_kind(axes: Sequence[Column]) -> list[int]:
    """Places of all columns; if the last are left out, some of each kind remain."""
    kinds = [type(axis) for axis in axes]
    return sorted(range(len(axes)), key=lambda place: kinds[:place].count(kinds[place]))


class Search:
    """Released numbers and the model they give so far; exact counts, which only scores and noise may touch."""

    def __init__(self, records: Cells, names: tuple[str, ...], purse: Purse, model_cells: int = MODEL_CELLS) -> None:
        self.records, self.names, self.purse = records, names, purse
        self.model_cells = min(model_cells, FEW_CELLS) if rough() else model_cells
        self.axes = records.contract.select(names)
        self.looks = Looks(records, names, purse)
        self.total = self.looks.total
        self.rounds = self._rounds()
        #: Of each round, as it is planned.
        self.price = (purse.left if self.rounds else purse.whole) / max(1, self.rounds)
        self.scale = purse.scale((1 - CHOICES) * self.price)
        self.structure = Structure(self._coarsenings(), self.looks.singles, self.total)
        self.dependences: list[Dependence] = []
        self.taken: set[Candidate] = set()
        self.exact: dict[Group, Integers] = {}
        self.regions: Regions | None = None
        self.inner: list[InnerCells] = []
        self.inside = InsideCounts({})

    def run(self, progress: Callable[[str], None], *, refine: bool = False) -> None:
        """Choose while something is worth its price; what is left is for the columns.

        With `refine` it may turn out on the way that all of it is better spent on one column in regions of the others,
        and declared cells are counted with other columns where that tells more than merged ones do.
        """
        left, batch = self.rounds, 0
        most = min(left, TABLES_PER_COLUMN * FEW_COLUMNS) if rough() else left
        if left:
            self._count()
        while left and most > 0:
            progress(f"choosing tables after {len(self.dependences)}; {left} more at most")
            batch = min(batch + 1, BATCHES)
            # Early batches leave room for late ones.
            room = len(self.names) ** 2 + round(self.model_cells * (batch / BATCHES) ** 2)
            wanted = -(-min(left, most) // (BATCHES - batch + 1))
            chosen = self._choose(wanted, self.purse.left / left, room)
            left, most = left - chosen, most - chosen
            if chosen < wanted and batch == BATCHES:
                left //= DEARER
            if left:
                self.structure.fit(STEPS)
            if refine and left and batch == REFINED_AFTER and self._refined():
                left = 0
            if refine and left and batch == LOOKED_INSIDE_AFTER:
                self.structure.foresee_pairs(range(len(self.names)))
                self.inside = InsideCounts.of(self.records, self.names, self._known())
        if self.purse.left > NOTHING * self.purse.whole:
            self._look_again()
        self.structure.fit(LAST_STEPS)

    def _refined(self) -> bool:
        """Refine a column if a test says so, for all that is left."""
        # The model's law is public by now; any seed will do.
        number = FEW_ROWS if rough() else REFINED_BY
        drawn = rows(self.structure.beliefs, self.coarsenings, number, np.random.default_rng(0))
        known = Refinement(self.names, self.axes, self.coarsenings, drawn, self.total)
        self.regions = known.regions(self.records, self.purse, CHOICES * self.price)
        return self.regions is not None

    def _known(self) -> Known:
        return Known(self.structure.beliefs, self.coarsenings, self.total)

    @property
    def coarsenings(self) -> Sequence[Coarsening]:
        """Which cells of each column are told apart, and in which views."""
        return self.structure.coarsenings

    def single(self, column: int) -> Table:
        """A column's own noisy counts, as they are released."""
        return Table((self.axes[column],), self.looks.singles[column].values)

    def _rounds(self) -> int:
        """As many tables as leave each with tolerable noise; none if the columns have taken all."""
        several = sum(single.values.size > 1 for single in self.looks.singles)
        if several < 2 or self.purse.left <= NOTHING * self.purse.whole:
            return 0
        scale = TOLERABLE * self.total / (MEAN_NOISE * PLAIN_TABLE)
        worth = (1 - CHOICES) * self.purse.left * scale**2 / self.purse.sensitivity.l2_squared
        return int(min(TABLES_PER_COLUMN * several, worth))

    def _coarsenings(self) -> list[Coarsening]:
        """A table of two ordered columns has about as many cells as there are rows for each row of noise."""
        room = math.isqrt(self.model_cells // A_PAIR)
        most = round(min(room, max(LEAST_COARSE, math.sqrt(self.total / self.scale))))
        least = max(STANDS_OUT * self.scale / self.total, 1 / room**2)
        return [
            coarsen(axis, single.values, single.scale, most, least, total=self.total)
            for axis, single in zip(self.axes, self.looks.singles, strict=True)
        ]

    def _count(self) -> None:
        """Exact counts of all pairs and of the smallest groups of more columns, in one pass."""
        among = sorted(_of_every_kind(self.axes)[:FEW_COLUMNS]) if rough() else list(range(len(self.axes)))
        sizes = [self.coarsenings[column].size for column in among]
        several = [column for column, size in zip(among, sizes, strict=True) if size > 1]
        views = [self.coarsenings[column].views[first_view(self.coarsenings[column], 3)].size for column in among]
        wider = interactions(views, most_cells(self.total, self.scale))
        groups = [*combinations(several, 2), *(tuple(among[place] for place in group) for group in wider)]
        self.exact = dict(view_counts(self.records, self.names, groups, self.coarsenings))

    def _choose(self, count: int, price: float, room: int) -> int:
        """So many tables, plain ones at this price each, by what the last fit misses; inner cells among them.

        It ends where nothing is worth its price, or too little is left. The junction tree may have `room` for this many
        cells.
        """
        scale = self.purse.scale((1 - CHOICES) * price)
        possible = candidates(sorted(self.exact), self.coarsenings, most_cells(self.total, scale))
        offers = [offer for offer in possible if offer not in self.taken]
        self.structure.foresee_pairs({column for offer in offers for column in offer.group})
        found = scores(offers, self.exact, self.coarsenings, self.structure.expected, scale)
        apart = Apart([offer.group for offer in offers], len(self.names))
        groups = by_width([self._variables(offer) for offer in offers])
        inside = self.inside.offers(self._known(), scale, [single.scale for single in self.looks.singles])
        for number in range(count):
            if number and self.purse.left < DEAREST * price:
                return number
            growths = self.structure.growths(groups)
            left = np.flatnonzero(apart.open & (growths <= np.maximum(0.0, room - self.structure.tree.cells)))
            inside = [each for each in inside if each.column not in {made.column for made in self.inner}]
            won = np.array([each.score for each in inside], dtype=np.int64)
            rows = np.concatenate([found.rows[left] - self._rent(growths[left]), won])
            place = self._chosen(rows, price) if len(rows) else None
            if place is None:
                return number
            if place >= len(left):
                self._look_inside(inside[place - len(left)], price)
                continue
            offer = offers[left[place]]
            apart.close(offer.group)
            self._measure(offer, (1 - CHOICES) * price * float(found.prices[left[place]]), room)
        return count

    def _rent(self, growths: Floats) -> Integers:
        """Rows that a table must win for the cells that it adds to the junction tree; does not depend on records."""
        rent: Integers = np.rint(RENT * self.total * growths / self.model_cells).astype(np.int64)
        return rent

    def _chosen(self, found: Integers, price: float) -> int | None:
        """The place of a score, or nothing: the last place stands for it."""
        nothing = round(DOUBT * math.log(1 + len(found)) * self.purse.uncertainty(CHOICES * price))
        place = self.purse.choice(np.append(found, nothing), CHOICES * price)
        return place if place < len(found) else None

    def _variables(self, offer: Candidate) -> Group:
        numbers = self.structure.resolutions.numbers
        return tuple(numbers[column][view] for column, view in zip(offer.group, offer.views, strict=True))

    def _measure(self, chosen: Candidate, price: float, room: int) -> None:
        """Measure one more noisy table."""
        mergings = self._mergings(chosen)
        exact = merged(self.exact[chosen.group].astype(np.float64), mergings).astype(np.int64)
        noisy = self.purse.counts(exact, price)
        expected = merged(self.structure.expected(chosen.group), mergings)
        names = tuple(self.names[column] for column in chosen.group)
        lost = misplaced(noisy.values, expected, noisy.scale)
        self.taken.add(chosen)
        if self.structure.add(self._variables(chosen), noisy, room):
            self.dependences.append(Dependence(names, noisy.values.size, lost))

    def _look_inside(self, chosen: InnerOffer, price: float) -> None:
        """Measure declared cells of a column together with another one."""
        noisy = self.purse.counts(chosen.exact, (1 - CHOICES) * price * chosen.price)
        self.inner.append(InnerCells(chosen.column, chosen.parent, noisy.values, noisy.scale))

    def _mergings(self, chosen: Candidate) -> list[Merging]:
        """From the cells in which a group is looked at to those of a chosen table."""
        width = len(chosen.group)
        each = [(self.coarsenings[column], view) for column, view in zip(chosen.group, chosen.views, strict=True)]
        return [coarse.views[view].after(coarse.views[first_view(coarse, width)]) for coarse, view in each]

    def _look_again(self) -> None:
        """Spend what is left on the columns, which also tell better how many rows there are."""
        self.looks.look_again()
        self.total = self.structure.total = self.looks.total
        coarsenings = [
            reshared(coarse, axis, single.values, single.scale, self.total)
            for coarse, axis, single in zip(self.coarsenings, self.axes, self.looks.singles, strict=True)
        ]
        self.structure.replace_columns(coarsenings, self.looks.singles)
