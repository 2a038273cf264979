"""Pairs: the joint laws of all pairs of columns that a model gives, in one walk up its junction tree.

What lies below a clique depends on the rest by way of their separator alone. So every clique hands up the laws of all
columns below it given its separator, and a pair is joined where its ways meet, by products of matrices.
"""

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reaedp.synthesis.cliques import Group, JunctionTree, cells
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.nesting import summed

#: Stands for the rows of a branch among the columns of a group.
_ROWS = -1


class _Branch(NamedTuple):
    """Laws of some columns given a group: a row for each of their cells, end to end, a column for each of its cells."""

    columns: Group
    group: Group
    laws: Floats


class _Clique:
    """What a clique tells about groups of its columns."""

    def __init__(self, tree: JunctionTree, place: int, belief: Floats) -> None:
        self._tree, self._columns, self._belief = tree, tree.cliques[place], belief
        self._known: dict[Group, Floats] = {}

    def law(self, group: Group) -> Floats:
        """Of a group."""
        if group not in self._known:
            self._known[group] = summed(self._belief, self._columns, group)
        return self._known[group]

    def joint(self, branch: _Branch, group: Group) -> Floats:
        """Of a branch's columns and a group, cell by cell of the columns that the group shares with the branch's."""
        shared = tuple(column for column in branch.group if column in group)
        before = tuple(column for column in branch.group if column not in group)
        after = tuple(column for column in group if column not in branch.group)
        both = tuple(column for column in self._columns if column in branch.group or column in group)
        law = _in_order(self.law(both), both, shared + before + after)
        law = law.reshape(cells(self._tree.sizes, shared), cells(self._tree.sizes, before), -1)
        rows = len(branch.laws)
        laws = branch.laws.reshape(rows, *self._tree.shape(branch.group))
        laws = _in_order(laws, (_ROWS, *branch.group), (*shared, _ROWS, *before)).reshape(len(law), rows, -1)
        found = (laws @ law).reshape(*self._tree.shape(shared), rows, *self._tree.shape(after))
        return _in_order(found, (*shared, _ROWS, *after), (_ROWS, *group)).reshape(rows, -1)


def pair_laws(tree: JunctionTree, beliefs: tuple[Floats, ...], columns: Collection[int]) -> dict[Group, Floats]:
    """The law of each pair of these columns, from the law of each clique."""
    found: dict[Group, Floats] = {}
    below: list[list[_Branch]] = [[] for _ in tree.cliques]
    for place in range(len(tree.cliques) - 1, -1, -1):
        separator, clique = tree.separators[place], _Clique(tree, place, beliefs[place])
        own = [column for column in tree.cliques[place] if column in columns and column not in separator]
        branches = [*(_Branch((each,), (each,), np.eye(tree.sizes[each])) for each in own), *below[place]]
        below[place] = []
        for few, many in combinations(sorted(branches, key=lambda branch: len(branch.laws)), 2):
            found.update(_split(tree, few, many, clique.joint(few, many.group) @ many.laws.T))
        if place and branches:
            laws = np.concatenate([clique.joint(each, separator) for each in branches])
            inside, shared = tuple(column for each in branches for column in each.columns), clique.law(separator)
            given = np.divide(laws, shared.ravel(), out=np.zeros_like(laws), where=shared.ravel() > 0)
            below[tree.parents[place]].append(_Branch(inside, separator, given))
    return found


def _in_order(values: Floats, axes: Group, wanted: Group) -> Floats:
    return values.transpose([axes.index(axis) for axis in wanted])


def _split(tree: JunctionTree, one: _Branch, other: _Branch, laws: Floats) -> Iterator[tuple[Group, Floats]]:
    """The parts that belong to one pair each."""
    down = 0
    for row in one.columns:
        rows, across = laws[down : down + tree.sizes[row]], 0
        down += tree.sizes[row]
        for column in other.columns:
            law = rows[:, across : across + tree.sizes[column]]
            across += tree.sizes[column]
            yield ((row, column), law) if row < column else ((column, row), law.T)
