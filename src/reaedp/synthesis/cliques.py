"""Junction trees: groups of columns that together hold every dependence, arranged so that beliefs can be passed on."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Columns by their numbers, in increasing order.
Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Cliques in an order in which each comes after its parent, with which it shares its separator.

    The first has no parent (-1). Columns without a common dependence share an empty separator.
    """

    sizes: tuple[int, ...]
    cliques: tuple[Group, ...]
    parents: tuple[int, ...]
    separators: tuple[Group, ...]

    @property
    def cells(self) -> int:
        """Numbers that it takes to write down all cliques."""
        return sum(cells(self.sizes, clique) for clique in self.cliques)

    @property
    def columns(self) -> set[int]:
        """All columns that are in a clique."""
        return {column for clique in self.cliques for column in clique}

    def shape(self, group: Group) -> tuple[int, ...]:
        """Sizes of some columns."""
        return tuple(self.sizes[column] for column in group)

    def home(self, group: Group) -> int | None:
        """The smallest clique that contains a group, if any does."""
        inside = [place for place, clique in enumerate(self.cliques) if set(group) <= set(clique)]
        return min(inside, key=lambda place: cells(self.sizes, self.cliques[place]), default=None)


def cells(sizes: Sequence[int], group: Group) -> int:
    """Number of cells of the product of some columns."""
    return math.prod(sizes[column] for column in group)


def junction_tree(sizes: Sequence[int], groups: Iterable[Group], always: int | None = None) -> JunctionTree:
    """A tree whose cliques contain every group: the largest separators first (Prim), which makes it a junction tree.

    It has the first `always` columns, or all if nothing is said, and those of the groups.
    """
    cliques = maximal_cliques(sizes, groups, always)
    members = [sum(1 << column for column in clique) for clique in cliques]
    order, parents, separators = [0], [-1], [Group()]
    shared = {place: (member & members[0], 0) for place, member in enumerate(members) if place}
    while shared:
        place = max(shared, key=lambda other: (shared[other][0].bit_count(), -other))
        separator, parent = shared.pop(place)
        order.append(place)
        parents.append(parent)
        separators.append(tuple(column for column in cliques[place] if separator >> column & 1))
        for other, (known, _) in shared.items():
            common = members[other] & members[place]
            if common.bit_count() > known.bit_count():
                shared[other] = common, len(order) - 1
    return JunctionTree(tuple(sizes), tuple(cliques[place] for place in order), tuple(parents), tuple(separators))


def maximal_cliques(sizes: Sequence[int], groups: Iterable[Group], always: int | None = None) -> list[Group]:
    """Cliques of a chordal graph in which every group is connected.

    Columns leave one by one, those first that need no new edge, then those whose neighbours make the smallest table.
    """
    near = _neighbours(len(sizes) if always is None else always, groups)
    weight = [math.log(size) for size in sizes]
    price = {column: _price(near, weight, column) for column in near}
    found: list[Group] = []
    while near:
        column = min(near, key=lambda each: (price[each], each))
        around = near.pop(column)
        del price[column]
        if not any(around | {column} <= set(clique) for clique in found):
            found.append(tuple(sorted(around | {column})))
        for other in around:
            near[other] = (near[other] | around) - {column, other}
        for other in around.union(*(near[other] for other in around)):
            price[other] = _price(near, weight, other)
    return found


def _neighbours(columns: int, groups: Iterable[Group]) -> dict[int, set[int]]:
    near: dict[int, set[int]] = {column: set() for column in range(columns)}
    for group in groups:
        for column in group:
            near.setdefault(column, set()).update(group)
    for column, around in near.items():
        around.discard(column)
    return near


def _price(near: dict[int, set[int]], weight: list[float], column: int) -> tuple[bool, float]:
    """Whether the column's neighbours would get new edges, and how large their common table is."""
    around = near[column]
    new = any(len(around - near[other]) > 1 for other in around)
    return new, sum(weight[other] for other in around)
