"""Room: about how many cells a junction tree grows by when columns that share no clique are joined."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.cliques import Group, JunctionTree
from reaedp.synthesis.merging import Floats

#: Places of groups of as many columns each among all groups, and their columns.
GroupsByWidth = list[tuple[NDArray[np.intp], NDArray[np.intp]]]
#: The logarithm of more cells than any tree has room for.
_MANY = 500.0


def by_width(groups: Sequence[Group]) -> GroupsByWidth:
    """Groups of one width at a time, as arrays."""
    widths = np.array([len(group) for group in groups], dtype=np.intp)
    alike = [np.flatnonzero(widths == width) for width in sorted(set(widths.tolist()))]
    return [(places, np.array([groups[place] for place in places.tolist()])) for places in alike]


def growths(tree: JunctionTree) -> Floats:
    """Cells that it takes at most to connect each pair of columns; none within a clique.

    One of them joins the separators on the way: between two of them a new clique holds both and the column. Columns
    that are in no clique are not to be asked for.
    """
    homes: dict[int, list[int]] = {}
    for place, clique in enumerate(tree.cliques):
        for column in clique:
            homes.setdefault(column, []).append(place)
    columns, flat = list(homes), [place for home in homes.values() for place in home]
    starts = np.cumsum([0, *map(len, homes.values())])[:-1]
    sizes = np.array([tree.sizes[column] for column in columns], dtype=np.float64)
    ways, entries = _ways(tree)
    each = np.repeat(sizes, list(map(len, homes.values())))[:, None]
    # From each clique to each column, then from each column to each.
    reached = np.minimum.reduceat(ways[flat] + each * entries.T[flat], starts, axis=0)
    reached[np.repeat(np.arange(len(columns)), list(map(len, homes.values()))), flat] = 0.0
    between = sizes[:, None] * np.minimum.reduceat(np.ascontiguousarray(reached.T)[flat], starts, axis=0)
    pairs = np.zeros((len(tree.sizes), len(tree.sizes)))
    pairs[np.ix_(columns, columns)] = np.where((between == 0) | (between.T == 0), 0.0, np.minimum(between, between.T))
    return pairs


def _ways(tree: JunctionTree) -> tuple[Floats, Floats]:
    """For each pair of cliques the cells of new ones on the way, and of the last separator, for a single cell."""
    count = len(tree.cliques)
    ways = np.zeros((count, count))
    joined, number = _joined(tree)
    own = np.diagonal(joined)
    #: The number of the last separator on the way from one clique to another.
    last = np.zeros((count, count), dtype=np.intp)
    for place in range(1, count):
        parent = tree.parents[place]
        ways[:place, place] = ways[:place, parent] + joined[number[place], last[:place, parent]]
        ways[parent, place] = 0.0
        ways[place, :place] = ways[:place, place]
        last[:place, place] = number[place]
        last[place, :place] = last[parent, :place]
        last[place, parent] = number[place]
    return ways, own[last]


def _joined(tree: JunctionTree) -> tuple[Floats, list[int]]:
    """Cells of the union of each two separators, and which of them each clique has."""
    numbers = {separator: number for number, separator in enumerate(dict.fromkeys(tree.separators))}
    members = np.zeros((len(numbers), len(tree.sizes)))
    for separator, number in numbers.items():
        members[number, list(separator)] = 1.0
    weighted = members * np.log(tree.sizes)
    alone, common = weighted.sum(axis=1), weighted @ members.T
    # Whole numbers again; beyond the doubles' whole numbers any is far too many.
    union: Floats = np.rint(np.exp(np.minimum(alone[:, None] + alone - common, _MANY)))
    return union, [numbers[separator] for separator in tree.separators]


def costs(sizes: Floats, pairs: Floats, groups: NDArray[np.intp]) -> Floats:
    """Cells that it takes about to connect groups: small columns first, on ways that those before have widened.

    Columns that are all connected with each other share a clique, as the graph of a junction tree is chordal.
    """
    if groups.shape[1] == 2:
        return pairs[groups[:, 0], groups[:, 1]]
    groups = np.take_along_axis(groups, np.argsort(sizes[groups], axis=1, kind="stable"), axis=1)
    cost: Floats = pairs[groups[:, 0], groups[:, 1]]
    apart = cost > 0
    for place in range(2, groups.shape[1]):
        column, inside = groups[:, place], groups[:, :place]
        whole = sizes[inside].prod(axis=1)
        ways = pairs[column[:, None], inside]
        apart |= (ways > 0).any(axis=1)
        cost = cost + whole * (ways / sizes[inside]).max(axis=1) + whole * sizes[column]
    return np.where(apart, cost, 0.0)


def spread_to(pairs: Floats, sizes: Floats, stand_ins: Sequence[int]) -> Floats:
    """Growths for all variables, where `stand_ins` tells for each the variable in the tree that fixes it.

    A variable that is not there yet is tied to its stand-in by a clique of both.
    """
    near = np.asarray(stand_ins)
    scale = sizes / sizes[near]
    tied = np.where(near == np.arange(len(near)), 0.0, sizes * sizes[near])
    found = pairs[np.ix_(near, near)]
    return np.where(found > 0, found * scale[:, None] * scale + tied[:, None] + tied, 0.0)
