"""Room: about how many cells a junction tree grows by when columns that share no clique are joined."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.cliques import Group, JunctionTree, cells
from reaedp.synthesis.merging import Floats

#: Places of groups of as many columns each among all groups, and their columns.
GroupsByWidth = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


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
    ways, entries = _ways(tree)
    homes: list[list[int]] = [[] for _ in tree.sizes]
    for place, clique in enumerate(tree.cliques):
        for column in clique:
            homes[column].append(place)
    reached = np.zeros((len(tree.cliques), len(tree.sizes)))
    for column, home in enumerate(homes):
        if home:
            reached[:, column] = (ways[:, home] + tree.sizes[column] * entries[:, home]).min(axis=1)
            reached[home, column] = 0.0
    pairs = np.zeros((len(tree.sizes), len(tree.sizes)))
    for column, home in enumerate(homes):
        if home:
            pairs[column] = tree.sizes[column] * reached[home].min(axis=0)
    return np.where((pairs == 0) | (pairs.T == 0), 0.0, np.minimum(pairs, pairs.T))


def _ways(tree: JunctionTree) -> tuple[Floats, Floats]:
    """For each pair of cliques the cells of new ones on the way, and of the last separator, for a single cell."""
    count = len(tree.cliques)
    ways, entries = np.zeros((count, count)), np.ones((count, count))
    #: The clique before the last on the way from one to another, which tells the last separator.
    before = np.zeros((count, count), dtype=np.intp)
    edges: dict[tuple[int, int], Group] = {}
    for place in range(1, count):
        parent, separator = tree.parents[place], tree.separators[place]
        others = np.arange(place)[np.arange(place) != parent]
        passed = {
            int(near): cells(tree.sizes, _union(edges[parent, int(near)], separator))
            for near in set(before[others, parent].tolist())
        }
        ways[others, place] = ways[others, parent] + np.array(
            [passed[near] for near in before[others, parent].tolist()]
        )
        ways[place, others] = ways[others, place]
        entries[:place, place] = cells(tree.sizes, separator)
        before[:place, place] = parent
        entries[place, others], before[place, others] = entries[parent, others], before[parent, others]
        entries[place, parent], before[place, parent] = cells(tree.sizes, separator), place
        edges[place, parent] = edges[parent, place] = separator
    return ways, entries


def _union(one: Group, other: Group) -> Group:
    return tuple({*one, *other})


def costs(sizes: Floats, pairs: Floats, groups: NDArray[np.intp]) -> Floats:
    """Cells that it takes about to connect groups: small columns first, on ways that those before have widened.

    Columns that are all connected with each other share a clique, as the graph of a junction tree is chordal.
    """
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
