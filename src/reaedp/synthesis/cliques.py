"""Junction trees: groups of columns that together hold every dependence, arranged so that beliefs can be passed on."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush

#: Columns by their numbers, in increasing order.
Group = tuple[int, ...]


@dataclass(frozen=True)
class JunctionTree:
    """Cliques in an order in which each comes after its parent, with which it shares its separator.

    The first has no parent (-1). Columns without a common dependence share an empty separator.
    """

    sizes: tuple[int, ...]
    cliques: tuple[Group, ...]
    parents: tuple[int, ...]
    separators: tuple[Group, ...]

    @cached_property
    def cells(self) -> int:
        """Numbers that it takes to write down all cliques."""
        return sum(cells(self.sizes, clique) for clique in self.cliques)

    @cached_property
    def columns(self) -> frozenset[int]:
        """All columns that are in a clique."""
        return frozenset(column for clique in self.cliques for column in clique)

    @cached_property
    def _homes(self) -> dict[int, list[tuple[int, int, int]]]:
        """Of each column the cliques that contain it: their cells, places, and columns as bits of a number."""
        homes: dict[int, list[tuple[int, int, int]]] = {}
        for place, clique in enumerate(self.cliques):
            each = cells(self.sizes, clique), place, mask(clique)
            for column in clique:
                homes.setdefault(column, []).append(each)
        return {column: sorted(found) for column, found in homes.items()}

    def shape(self, group: Group) -> tuple[int, ...]:
        """Sizes of some columns."""
        return tuple(self.sizes[column] for column in group)

    def home(self, group: Group) -> int | None:
        """The smallest clique that contains a group, if any does."""
        if not group:
            return min(range(len(self.cliques)), key=lambda place: cells(self.sizes, self.cliques[place]), default=None)
        wanted = mask(group)
        fewest = min((self._homes.get(column, []) for column in group), key=len)
        return next((place for _, place, columns in fewest if wanted & ~columns == 0), None)


def cells(sizes: Sequence[int], group: Group) -> int:
    """Number of cells of the product of some columns."""
    return math.prod(sizes[column] for column in group)


def junction_tree(sizes: Sequence[int], groups: Iterable[Group], always: int | None = None) -> JunctionTree:
    """A tree whose cliques contain every group: the largest separators first (Prim), which makes it a junction tree.

    It has the first `always` columns, or all if nothing is said, and those of the groups.
    """
    cliques = maximal_cliques(sizes, groups, always)
    masks = [mask(clique) for clique in cliques]
    homes: dict[int, list[int]] = {}
    for place, clique in enumerate(cliques):
        for column in clique:
            homes.setdefault(column, []).append(place)
    order, parents, separators = list[int](), list[int](), list[Group]()
    #: What each waiting clique shares with the tree, and the number of the clique that it shares it with.
    shared = dict.fromkeys(range(len(cliques)), (0, 0))
    waiting = [(0, place) for place in shared]
    while waiting:
        less, place = heappop(waiting)
        if place not in shared or -less < shared[place][0].bit_count():
            continue  # it was taken, or is waiting with more
        separator, parent = shared.pop(place)
        parents.append(parent if order else -1)
        order.append(place)
        separators.append(tuple(column for column in cliques[place] if separator >> column & 1))
        for other in {other for column in cliques[place] for other in homes[column]}:
            common = masks[other] & masks[place]
            if other in shared and common.bit_count() > shared[other][0].bit_count():
                shared[other] = common, len(order) - 1
                heappush(waiting, (-common.bit_count(), other))
    return JunctionTree(tuple(sizes), tuple(cliques[place] for place in order), tuple(parents), tuple(separators))


def maximal_cliques(sizes: Sequence[int], groups: Iterable[Group], always: int | None = None) -> list[Group]:
    """Cliques of a chordal graph in which every group is connected.

    Columns leave one by one, those first that need no new edge, then those whose neighbours make the smallest table.
    """
    near = _neighbours(len(sizes) if always is None else always, groups)
    price = {column: _price(near, sizes, column) for column in near}
    waiting = [(each, column) for column, each in price.items()]
    heapify(waiting)
    found: list[Group] = []
    #: Cliques found so far, by the columns in them that are still there.
    holding: dict[int, list[int]] = {column: [] for column in near}
    while waiting:
        paid, column = heappop(waiting)
        if price.get(column) != paid:
            continue  # it has left, or its price has changed
        around = near.pop(column)
        del price[column]
        clique, others = around | 1 << column, members(around)
        if not any(clique & ~known == 0 for known in holding.pop(column)):
            found.append(members(clique))
            for other in others:
                holding[other].append(clique)
        changed = around
        for other in others:
            near[other] = (near[other] | around) & ~(1 << column | 1 << other)
            changed |= near[other] if paid[0] else 0  # without a new edge no others see a change
        for other in members(changed):
            now = _price(near, sizes, other)
            if now != price[other]:
                price[other] = now
                heappush(waiting, (now, other))
    return found


def _neighbours(columns: int, groups: Iterable[Group]) -> dict[int, int]:
    """The columns that share a group with each, as bits of a number."""
    near = dict.fromkeys(range(columns), 0)
    for group in groups:
        together = mask(group)
        for column in group:
            near[column] = near.get(column, 0) | together
    return {column: around & ~(1 << column) for column, around in near.items()}


def _price(near: dict[int, int], sizes: Sequence[int], column: int) -> tuple[bool, int]:
    """Whether the column's neighbours would get new edges, and how large their common table is."""
    around = near[column]
    others = members(around)
    for other in others:
        if (around & ~near[other]).bit_count() > 1:
            return True, cells(sizes, others)
    return False, cells(sizes, others)


def mask(group: Iterable[int]) -> int:
    """Columns as bits of a number."""
    return sum(1 << column for column in group)


@lru_cache(maxsize=1 << 14)
def members(bits: int) -> Group:
    """Columns from the bits of a number, in increasing order; trees of one search ask for the same again and again."""
    found = list[int]()
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)
