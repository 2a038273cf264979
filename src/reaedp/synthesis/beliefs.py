"""Beliefs: the joint law of each clique's columns, made consistent by passing messages along the junction tree."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from reaedp.synthesis.cliques import Group, JunctionTree, mask, members
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.nesting import summed
from reaedp.synthesis.pairs import pair_laws

#: Logarithm of the least part of a clique beside its largest: far below what any row can show, and never zero.
LOWEST = -150.0
#: Steps of a product that takes less time than a look for a better way to compute it.
_SHORT = 1 << 15


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Probabilities over the cells of each clique; `log_total` is the logarithm of the sum before scaling to one."""

    tree: JunctionTree
    cliques: tuple[Floats, ...]
    log_total: float
    _marginals: dict[Group, Floats] = field(default_factory=dict, repr=False)
    _sums: dict[tuple[int, Group], Floats] = field(default_factory=dict, repr=False)
    _conditionals: dict[tuple[int, Group], Floats] = field(default_factory=dict, repr=False)
    _messages: dict[tuple[int, int], Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.cliques]
        for place, parent in enumerate(self.tree.parents[1:], start=1):
            children[parent].append(place)
        return children

    @cached_property
    def _own(self) -> list[int]:
        """Columns of each clique, as bits of a number."""
        return [mask(clique) for clique in self.tree.cliques]

    @cached_property
    def _below(self) -> list[int]:
        """Columns of each clique and of those below it."""
        below = [*self._own]
        for place in range(len(below) - 1, 0, -1):
            below[self.tree.parents[place]] |= below[place]
        return below

    def foresee_pairs(self, columns: Collection[int]) -> None:
        """Compute the laws of all pairs of these columns together, before they are asked for."""
        self._marginals.update(pair_laws(self.tree, self.cliques, columns))

    def marginal(self, group: Group) -> Floats:
        """The joint law of any columns, also of columns that share no clique."""
        if group not in self._marginals:
            self._marginals[group] = self._marginal(group)
        return self._marginals[group]

    def _marginal(self, group: Group) -> Floats:
        home = self.tree.home(group)
        if home is not None:
            return self._summed(home, group)
        wanted = mask(group)
        return self._joined(self._top(wanted), wanted, (), self._summed)

    def _summed(self, place: int, group: Group) -> Floats:
        if (place, group) not in self._sums:
            self._sums[place, group] = summed(self.cliques[place], self.tree.cliques[place], group)
        return self._sums[place, group]

    def _top(self, wanted: int) -> int:
        """The lowest clique that has all wanted columns at or below it."""
        place = 0
        while True:
            below = next((child for child in self._children[place] if wanted & ~self._below[child] == 0), None)
            if below is None:
                return place
            place = below

    def _given(self, child: int, wanted: int) -> Floats:
        """The law of wanted columns below a clique given its separator; many groups ask for the same."""
        if (child, wanted) not in self._messages:
            self._messages[child, wanted] = self._joined(child, wanted, self.tree.separators[child], self._conditional)
        return self._messages[child, wanted]

    def _joined(self, place: int, wanted: int, with_it: Group, own_law: Callable[[int, Group], Floats]) -> Floats:
        """The wanted columns at or below a clique and others of it, from its own law and what its children tell."""
        messages: list[tuple[Floats, Group]] = []
        for child in self._children[place]:
            below = wanted & self._below[child]
            if below & ~self._own[place]:
                messages.append((self._given(child, below), members(below | mask(self.tree.separators[child]))))
        kept = mask(with_it) | wanted
        used = members(self._own[place] & (kept | mask({column for _, group in messages for column in group})))
        return _product([(own_law(place, used), used), *messages], members(kept))

    def _conditional(self, place: int, group: Group) -> Floats:
        """A group of a clique that includes its separator, given that."""
        if (place, group) not in self._conditionals:
            joint, separator = self._summed(place, group), self.tree.separators[place]
            shared = aligned(self.tree, self._summed(place, separator), separator, group)
            self._conditionals[place, group] = np.divide(joint, shared, out=np.zeros_like(joint), where=shared > 0)
        return self._conditionals[place, group]


def calibrated(tree: JunctionTree, log_potentials: list[Floats]) -> Beliefs:
    """Beliefs from the logarithm of one positive factor for each clique (Lauritzen and Spiegelhalter 1988).

    Messages upward are logarithms: a clique may have so many children that products of theirs leave the doubles.
    """
    potentials = list(log_potentials)
    beliefs: list[Floats] = [np.ones(())] * len(potentials)
    upward: list[Floats] = [np.ones(())] * len(potentials)
    log_total = 0.0
    for place in range(len(potentials) - 1, -1, -1):
        separator, parent = tree.separators[place], tree.parents[place]
        largest = float(potentials[place].max())
        beliefs[place] = np.exp(np.maximum(potentials[place] - largest, LOWEST))
        upward[place] = summed(beliefs[place], tree.cliques[place], separator)
        if place:
            message = aligned(tree, largest + np.log(upward[place]), separator, tree.cliques[parent])
            potentials[parent] = potentials[parent] + message
        else:
            log_total = largest + float(np.log(upward[0]))
    beliefs[0] /= float(upward[0])
    for place in range(1, len(beliefs)):
        separator, parent = tree.separators[place], tree.parents[place]
        downward = summed(beliefs[parent], tree.cliques[parent], separator)
        beliefs[place] *= aligned(tree, downward / upward[place], separator, tree.cliques[place])
    return Beliefs(tree, tuple(beliefs), log_total)


def aligned(tree: JunctionTree, values: Floats, group: Group, clique: Group) -> Floats:
    """Values over some columns in a shape that broadcasts over a clique."""
    return values.reshape([tree.sizes[column] if column in group else 1 for column in clique])


def _product(factors: Sequence[tuple[Floats, Group]], kept: Group) -> Floats:
    """Multiply factors over named columns and sum over all columns that are not kept, one factor after the other."""
    (law, group), *others = factors
    for place, (factor, added) in enumerate(others, start=1):
        needed = {*kept, *(column for _, later in factors[place + 1 :] for column in later)}
        every = tuple(sorted({*group, *added}))
        left = tuple(column for column in every if column in needed)
        names = {column: name for name, column in enumerate(every)}
        labels = [[names[column] for column in columns] for columns in (group, added, left)]
        sizes = {**dict(zip(group, law.shape, strict=True)), **dict(zip(added, factor.shape, strict=True))}
        operands: list[Any] = [law, labels[0], factor, labels[1], labels[2]]
        law, group = np.einsum(*operands, optimize=math.prod(sizes.values()) > _SHORT), left
    return law
