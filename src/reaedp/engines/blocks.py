"""Groupings that answer several others: counts over more columns, summed, are counts over fewer."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

#: Larger tables take longer to fetch than the passes over the rows that they save.
MOST_CELLS = 2**15

Group = tuple[str, ...]
#: For each column the groupings with it that are still to be answered; the order makes runs alike.
Waiting = dict[str, dict[Group, None]]


def merged(groups: Iterable[Group], sizes: Mapping[str, int]) -> dict[Group, list[Group]]:
    """Few groupings of at most `MOST_CELLS` cells, and which of the given ones follow from each of them.

    A grouping that is larger by itself answers only itself.
    """
    largest_first = sorted(dict.fromkeys(groups), key=lambda group: _cells(group, sizes), reverse=True)
    waiting: Waiting = {name: {group: None for group in largest_first if name in group} for name in sizes}
    blocks = {}
    for group in largest_first:
        if group in waiting[group[0]]:
            block = _grown(group, waiting, sizes)
            blocks[block] = [group] if _cells(group, sizes) > MOST_CELLS else _inside(block, waiting)
            for answered in blocks[block]:
                for name in answered:
                    del waiting[name][answered]
    return blocks


def _grown(group: Group, waiting: Waiting, sizes: Mapping[str, int]) -> Group:
    """Add, while there is room, the column that completes most waiting groupings, the larger one of two equals."""
    room = MOST_CELLS // _cells(group, sizes)
    rest = (set(other) - set(group) for name in group for other in waiting[name])
    gains = Counter(missing.pop() for missing in rest if len(missing) == 1)
    fitting = [name for name in gains if sizes[name] <= room]
    if not fitting:
        return group
    best = max(fitting, key=lambda name: (gains[name], sizes[name]))
    return _grown((*group, best), waiting, sizes)


def _inside(block: Group, waiting: Waiting) -> list[Group]:
    columns = set(block)
    return list(dict.fromkeys(group for name in block for group in waiting[name] if columns.issuperset(group)))


def _cells(group: Group, sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[name] for name in group)
