"""Made-up groups as sums of parts: neighbours for statistics whose groups are selected."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reaedp.answer import GroupedParts, Integers
from reaedp.audits.made_up import codes
from reaedp.contract import Contract
from reaedp.statistics.statistic import Answers, SharedOut, Sums
from reaedp.statistics.summary.coordinates import at_end
from reaedp.statistics.summary.selected import Selected
from reaedp.table import domain_size

#: Rows of everyone else in each of two groups: far above any threshold.
MANY = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class MadeUpGroups:
    """Records that exist only as the sums of the parts of some groups.

    `keys` has the cell numbers of each group that has rows, `sums` the parts of all its rows added up.
    """

    contract: Contract
    keys: Any
    sums: Integers

    def part_sums(self, parts: Sequence[SharedOut], by: tuple[str, ...]) -> Integers:
        """The parts of all groups."""
        sizes = [axis.size for axis in self.contract.select(by)]
        whole = np.zeros((int(np.prod(sizes)), sum(len(one.names) for one in parts)), dtype=np.int64)
        whole[np.ravel_multi_index(list(self.keys.T), sizes) if sizes else 0] = self.sums
        return whole

    def group_parts(self, parts: Sequence[SharedOut], by: tuple[str, ...]) -> GroupedParts:  # noqa: ARG002
        """The parts of the groups that have rows."""
        return GroupedParts(self.keys, self.sums)

    def answer(self, statistic: Answers[Sums]) -> Any:
        """The exact answer of a statistic that asks for parts only."""
        return statistic.answer(self)


def ends(blocks: Sequence[SharedOut]) -> tuple[Integers, Integers]:
    """What a row adds to its group at the lower ends of everything, and at the upper ones."""
    lower, upper = (np.concatenate([at_end(one, upper=upper) for one in blocks]) for upper in (False, True))
    return lower, upper


def groups_apart(statistic: Selected, contract: Contract) -> Iterator[tuple[str, MadeUpGroups, MadeUpGroups]]:
    """A unit's rows in a frequent group, in a group of their own, and each in a group of its own."""
    axes, rows = contract.select(statistic.by), contract.unit.rows
    lower, upper = ends(statistic.blocks(contract))
    cells = domain_size(axes)
    crowd = {0: MANY * (lower + upper), cells - 1: MANY * (lower + upper)}
    replaced = contract.unit.change == "replace"

    def made(own: Mapping[int, Integers]) -> MadeUpGroups:
        places = sorted({*crowd, *own})
        nothing = np.zeros_like(lower)
        sums = [crowd.get(place, nothing) + own.get(place, nothing) for place in places]
        return MadeUpGroups(contract, codes(axes, np.array(places, dtype=np.int64)), np.array(sums, dtype=np.int64))

    yield "its rows in a frequent group", made({cells - 1: rows * lower} if replaced else {}), made({0: rows * upper})
    if cells > 3:
        old = made({1: rows * lower} if replaced else {})
        yield "its rows in a group of their own", old, made({2: rows * upper})
        if 1 < rows < cells - 3:
            yield "a group for each of its rows", old, made(dict.fromkeys(range(2, rows + 2), upper))
