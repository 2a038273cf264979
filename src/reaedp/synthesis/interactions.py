"""Interactions: groups of three and more columns that are looked at although no pair of theirs may show anything.

Of y = a xor b every pair is even; only the table of all three tells. Which groups there are follows from the columns'
coarse cells alone: the smallest ones, because a small table shows a dependence with the least noise.
"""

import math
from collections.abc import Sequence
from itertools import combinations

from reaedp.synthesis.cliques import Group, cells

#: Columns of an interaction at most.
WIDEST = 4
#: Interactions that are looked at for each column, and cells that they have for each column: counting takes its time.
GROUPS_PER_COLUMN, CELLS_PER_COLUMN = 40, 1200


def interactions(sizes: Sequence[int], most: float) -> list[Group]:
    """The smallest groups of at most so many cells each; where there are few columns these are all."""
    found: list[Group] = []
    left = CELLS_PER_COLUMN * len(sizes)
    for group in sorted(_groups(sizes), key=lambda group: (cells(sizes, group), group)):
        left -= cells(sizes, group)
        if left < 0 or cells(sizes, group) > most:
            break
        found.append(group)
    return found


def _groups(sizes: Sequence[int]) -> list[Group]:
    """Groups of the columns with the fewest cells: triples first, then wider ones while there are not too many."""
    several = sorted((column for column, size in enumerate(sizes) if size > 1), key=sizes.__getitem__)
    found: list[Group] = []
    for width in range(3, WIDEST + 1):
        among = several[: _columns(width, GROUPS_PER_COLUMN * len(sizes) - len(found), len(several))]
        found += [tuple(sorted(group)) for group in combinations(among, width)]
    return found


def _columns(width: int, groups: int, most: int) -> int:
    """How many columns have no more than so many groups of this width."""
    return max(count for count in range(most + 1) if math.comb(count, width) <= groups)
