"""Junction trees: groups of columns that together hold every dependence, arranged so that beliefs can be passed on."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

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

    def shape(self, group: Group) -> tuple[int, ...]:
        """Sizes of some columns."""
        return tuple(self.sizes[column] for column in group)

    def home(self, group: Group) -> int | None:
        """The smallest clique that contains a group, if any does."""
        inside = [place for place, clique in enumerate(self.cliques) if set(group) <= set(clique)]
        return min(inside, key=lambda place: cells(self.sizes, self.cliques[place]), default=None)


def growth(tree: JunctionTree, column: int) -> dict[int, int]:
    """Cells that it takes at most to connect a column with each column that shares no clique with it.

    The column joins the separators on the way: between two of them a new clique holds both and the column.
    """
    size = tree.sizes[column]
    least: dict[int, int] = {}
    edges = _edges(tree)
    home = [place for place, clique in enumerate(tree.cliques) if column in clique]
    open_ends = [(place, separator, 0, {place, start}) for start in home for place, separator in edges[start]]
    while open_ends:
        place, entered, spent, seen = open_ends.pop()
        if place in home:
            continue
        for other in set(tree.cliques[place]) - set(entered):
            reached = spent + size * tree.sizes[other] * cells(tree.sizes, entered)
            least[other] = min(reached, least.get(other, reached))
        for neighbour, left in edges[place]:
            if neighbour not in seen:
                way = spent + size * cells(tree.sizes, tuple(set(entered) | set(left)))
                open_ends.append((neighbour, left, way, seen | {neighbour}))
    return least


def _edges(tree: JunctionTree) -> list[list[tuple[int, Group]]]:
    edges: list[list[tuple[int, Group]]] = [[] for _ in tree.cliques]
    for place, (parent, separator) in enumerate(zip(tree.parents, tree.separators, strict=True)):
        if place:
            edges[parent].append((place, separator))
            edges[place].append((parent, separator))
    return edges


def cells(sizes: Sequence[int], group: Group) -> int:
    """Number of cells of the product of some columns."""
    return math.prod(sizes[column] for column in group)


def junction_tree(sizes: Sequence[int], groups: Iterable[Group]) -> JunctionTree:
    """A tree whose cliques contain every group: the largest separators first (Prim), which makes it a junction tree."""
    cliques = maximal_cliques(sizes, groups)
    order, parents, separators = [0], [-1], [Group()]
    shared = {place: (_shared(clique, cliques[0]), 0) for place, clique in enumerate(cliques) if place}
    while shared:
        place = max(shared, key=lambda other: (len(shared[other][0]), -other))
        separator, parent = shared.pop(place)
        order.append(place)
        parents.append(parent)
        separators.append(separator)
        for other, (known, _) in shared.items():
            common = _shared(cliques[other], cliques[place])
            if len(common) > len(known):
                shared[other] = common, len(order) - 1
    return JunctionTree(tuple(sizes), tuple(cliques[place] for place in order), tuple(parents), tuple(separators))


def _shared(one: Group, other: Group) -> Group:
    return tuple(column for column in one if column in other)


def maximal_cliques(sizes: Sequence[int], groups: Iterable[Group]) -> list[Group]:
    """Cliques of a chordal graph in which every group is connected.

    Columns leave one by one, those first that need no new edge, then those whose neighbours make the smallest table.
    """
    near = _neighbours(len(sizes), groups)
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
    for one, other in {pair for group in groups for pair in combinations(group, 2)}:
        near[one].add(other)
        near[other].add(one)
    return near


def _price(near: dict[int, set[int]], weight: list[float], column: int) -> tuple[bool, float]:
    """Whether the column's neighbours would get new edges, and how large their common table is."""
    around = near[column]
    new = any(len(around - near[other]) > 1 for other in around)
    return new, sum(weight[other] for other in around)
