"""Nesting: many sums of one large array, or an array made from many small ones, with common steps done once."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reaedp.synthesis.cliques import Group
from reaedp.synthesis.merging import Floats

#: The algebra library shares larger products among threads, which on a busy machine wait for each other.
_SMALL = 9_000


class Step(NamedTuple):
    """From a larger group to one without one of its columns, which has `size` cells and lies between others."""

    smaller: Group
    larger: Group
    before: int
    size: int
    after: int
    shape: tuple[int, ...]
    #: As many as the column has cells.
    ones: Floats
    #: Sums that are taken by one product, where the column is the last.
    rows: int
    #: An index that puts an axis of length one in place of the column.
    opened: tuple[slice | None, ...]


class Nesting:
    """The way from a clique down to some groups of its columns: one column is left at a time, the largest first.

    Columns may have any order in the clique; groups have them in the same.
    """

    def __init__(self, sizes: Sequence[int] | Mapping[int, int], clique: Group, groups: Iterable[Group]) -> None:
        self.clique = clique
        self.shape = tuple(sizes[column] for column in clique)
        #: Larger groups first.
        self.steps: list[Step] = []
        known = {clique}
        for group in groups:
            larger = clique
            for column in sorted(set(clique) - set(group), key=lambda column: (-sizes[column], column)):
                step = _step(sizes, larger, larger.index(column))
                if step.smaller not in known:
                    known.add(step.smaller)
                    self.steps.append(step)
                larger = step.smaller
        self.steps.sort(key=lambda step: -len(step.smaller))

    def sums(self, values: Floats) -> dict[Group, Floats]:
        """The values summed to every group on the way."""
        found = {self.clique: values}
        for step in self.steps:
            found[step.smaller] = _summed(found[step.larger], step)
        return found

    def total(self, terms: Mapping[Group, Floats]) -> Floats:
        """One array over the clique: the sum of all terms, each the same along the columns that it lacks."""
        return self._joined(terms, np.add, 0.0, np.empty(self.shape))

    def product(self, terms: Mapping[Group, Floats], out: Floats) -> Floats:
        """One array over the clique: the product of all terms, written over `out`."""
        return self._joined(terms, np.multiply, 1.0, out)

    def _joined(self, terms: Mapping[Group, Floats], join: np.ufunc, nothing: float, out: Floats) -> Floats:
        found: dict[Group, Floats] = dict(terms)
        largest = [found[self.clique]] if self.clique in found else []
        for step in reversed(self.steps):
            if step.smaller in found:
                term = found[step.smaller][step.opened]
                if step.larger == self.clique:
                    largest.append(term)
                else:
                    found[step.larger] = join(found[step.larger], term) if step.larger in found else term
        first, second, *others = [*largest, nothing, nothing][: max(2, len(largest))]
        join(first, second, out=out)
        for other in others:
            join(out, other, out=out)
        return out


def _step(sizes: Sequence[int] | Mapping[int, int], larger: Group, axis: int) -> Step:
    whole = tuple(sizes[column] for column in larger)
    before, size, after = whole[:axis], whole[axis], whole[axis + 1 :]
    return Step(
        smaller=larger[:axis] + larger[axis + 1 :],
        larger=larger,
        before=math.prod(before),
        size=size,
        after=math.prod(after),
        shape=before + after,
        ones=np.ones(size),
        rows=_together(math.prod(before), size),
        opened=(*[slice(None)] * axis, None),
    )


def _summed(values: Floats, step: Step) -> Floats:
    """Sums along an axis: where axes are short, products with ones take a fraction of the time of `sum`."""
    sums: Floats
    if step.after == 1:
        sums = values.reshape(-1, step.rows, step.size) @ step.ones
    elif step.size * step.after > _SMALL:
        sums = values.reshape(step.before, step.size, step.after).sum(axis=1)
    else:
        sums = step.ones @ values.reshape(step.before, step.size, step.after)
    return sums.reshape(step.shape)


def _together(rows: int, size: int) -> int:
    """The largest part of so many rows, by which they can be divided, that makes a small product; one at least."""
    fewest = -(-rows * size // _SMALL)
    return next((rows // parts for parts in range(max(1, fewest), rows) if rows % parts == 0), 1)


def summed(values: Floats, clique: Group, group: Group) -> Floats:
    """A clique's values summed over all columns but some, which are in the clique's order."""
    sizes = dict(zip(clique, values.shape, strict=True))
    return Nesting(sizes, clique, [group]).sums(values)[group]
