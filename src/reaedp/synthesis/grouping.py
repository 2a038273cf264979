"""Grouping: levels too rare to be told apart, merged within the groups that the contract declares for them.

Groups are public facts, and the levels' shares come from a noisy table of the column alone.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Category, Column
from reaedp.synthesis.merging import Floats, Merging

Places = NDArray[np.intp]
#: The group of cells that have none.
NO_GROUP = -1


def declared_groups(column: Column) -> list[Places]:
    """The number of each cell's group, the narrowest groups first; missing and unseen values are in none."""
    paths = column.paths if isinstance(column, Category) else ()
    deepest = max(map(len, paths), default=0)
    return [_numbers([path[:depth] for path in paths], column.size) for depth in range(deepest, 0, -1)]


def _numbers(paths: Sequence[tuple[str, ...]], size: int) -> Places:
    known = {path: number for number, path in enumerate(dict.fromkeys(paths))}
    found = np.full(size, NO_GROUP, dtype=np.intp)
    found[: len(paths)] = [known[path] for path in paths]
    return found


def rare_together(shares: Floats, least: float, groups: Sequence[Places] = ()) -> Places:
    """Each cell of at least this share by itself; rarer ones of a group in one, if they have it together.

    Wider groups gather what narrower ones leave, and the last cell what is left then. Heavy cells come first.
    """
    owner = np.where(shares >= least, np.arange(len(shares)), NO_GROUP)
    following = len(shares)
    for group in groups:
        loose = (owner == NO_GROUP) & (group != NO_GROUP)
        together = np.bincount(group[loose], weights=shares[loose], minlength=int(group.max(initial=0)) + 1)
        heavy = loose & (together >= least)[group]
        owner[heavy] = following + group[heavy]
        following += len(together)
    return _numbered(shares, owner)


def _numbered(shares: Floats, owner: Places) -> Places:
    """Numbers of the owners, those with the largest shares first, and of cells without one last."""
    known, number = np.unique(owner, return_inverse=True)
    weights = np.bincount(number, weights=shares)
    weights[known == NO_GROUP] = -1.0
    ranks = np.empty(len(known), dtype=np.intp)
    ranks[np.argsort(-weights, kind="stable")] = np.arange(len(known))
    found: Places = ranks[number]
    return found


def group_views(merging: Merging, groups: Sequence[Places]) -> list[Merging]:
    """Coarser and coarser views of coarse cells, by narrower and wider groups; each has fewer cells than the last.

    A coarse cell whose levels lie in several groups, or in none, has a cell of its own.
    """
    views = [Merging.none(merging.size)]
    for group in groups:
        last = views[-1]
        lowest, highest = _extremes(last.cell[merging.cell], group, last.size)
        one = (lowest == highest) & (lowest != NO_GROUP)
        owner = np.where(one, lowest, int(group.max(initial=0)) + 1 + np.arange(last.size))
        view = np.unique(owner, return_inverse=True)[1]
        if 1 < int(view.max()) + 1 < last.size:
            views.append(Merging(view[last.cell]))
    return views


def _extremes(cell: Places, group: Places, size: int) -> tuple[Places, Places]:
    """The lowest and the highest number of a group in each cell."""
    lowest, highest = np.full(size, np.iinfo(np.intp).max), np.full(size, NO_GROUP, dtype=np.intp)
    np.minimum.at(lowest, cell, group)
    np.maximum.at(highest, cell, group)
    return lowest, highest
