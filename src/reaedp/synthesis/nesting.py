"""Nesting: many sums of one large array, or an array summed up from many small ones, with common steps done once."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reaedp.synthesis.cliques import Group
from reaedp.synthesis.merging import Floats


class Nesting:
    """The way from a clique down to some groups of its columns: one column is left at a time, the largest first."""

    def __init__(self, sizes: Sequence[int], clique: Group, groups: Iterable[Group]) -> None:
        self.clique = clique
        self.shape = tuple(sizes[column] for column in clique)
        #: Each group with the one it is summed from and the axis that is left; larger groups first.
        self.steps: list[tuple[Group, Group, int]] = []
        known = {clique}
        for group in groups:
            larger = clique
            for column in sorted(set(clique) - set(group), key=lambda column: (-sizes[column], column)):
                axis = larger.index(column)
                smaller = larger[:axis] + larger[axis + 1 :]
                if smaller not in known:
                    known.add(smaller)
                    self.steps.append((smaller, larger, axis))
                larger = smaller
        self.steps.sort(key=lambda step: -len(step[0]))

    def sums(self, values: Floats) -> dict[Group, Floats]:
        """The values summed to every group on the way."""
        found = {self.clique: values}
        for smaller, larger, axis in self.steps:
            found[smaller] = found[larger].sum(axis=axis)
        return found

    def total(self, terms: Mapping[Group, Floats]) -> Floats:
        """One array over the clique: the sum of all terms, each the same along the columns that it lacks."""
        found: dict[Group, Floats] = dict(terms)
        for smaller, larger, axis in reversed(self.steps):
            if smaller in found:
                term = np.expand_dims(found[smaller], axis)
                found[larger] = found[larger] + term if larger in found else term
        return np.broadcast_to(found.get(self.clique, np.zeros(1)), self.shape)
