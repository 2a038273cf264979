"""Beliefs: the joint law of each clique's columns, made consistent by passing messages along the junction tree."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from reaedp.synthesis.cliques import Group, JunctionTree
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.nesting import summed

#: Logarithm of the least part of a clique beside its largest: far below what any row can show, and never zero.
LOWEST = -150.0


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Probabilities over the cells of each clique; `log_total` is the logarithm of the sum before scaling to one."""

    tree: JunctionTree
    cliques: tuple[Floats, ...]
    log_total: float
    _marginals: dict[Group, Floats] = field(default_factory=dict, repr=False)
    _messages: dict[tuple[int, frozenset[int]], Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.cliques]
        for place, parent in enumerate(self.tree.parents[1:], start=1):
            children[parent].append(place)
        return children

    @cached_property
    def _below(self) -> list[set[int]]:
        """Columns of each clique and of those below it."""
        below = [set(clique) for clique in self.tree.cliques]
        for place in range(len(below) - 1, 0, -1):
            below[self.tree.parents[place]] |= below[place]
        return below

    @cached_property
    def _conditionals(self) -> list[Floats]:
        """Each clique given its separator."""
        given = []
        for place, (belief, separator) in enumerate(zip(self.cliques, self.tree.separators, strict=True)):
            shared = aligned(self.tree, self._summed(place, separator), separator, self.tree.cliques[place])
            given.append(np.divide(belief, shared, out=np.zeros_like(belief), where=shared > 0))
        return given

    def marginal(self, group: Group) -> Floats:
        """The joint law of any columns, also of columns that share no clique."""
        home = self.tree.home(group)
        if home is not None:
            return self._summed(home, group)
        if group not in self._marginals:
            wanted = frozenset(group)
            top = self._top(wanted)
            self._marginals[group] = self._message(top, wanted, self.cliques[top], ())
        return self._marginals[group]

    def _summed(self, place: int, group: Group) -> Floats:
        return summed(self.cliques[place], self.tree.cliques[place], group)

    def _top(self, wanted: frozenset[int]) -> int:
        """The lowest clique that has all wanted columns at or below it."""
        place = 0
        while True:
            below = [child for child in self._children[place] if wanted <= self._below[child]]
            if not below:
                return place
            place = below[0]

    def _message(self, place: int, wanted: frozenset[int], belief: Floats, separator: Group) -> Floats:
        """The wanted columns below a clique, together with its separator; axes in increasing order of columns."""
        own = self.tree.cliques[place]
        messages: list[tuple[Floats, Group]] = []
        for child in self._children[place]:
            below = wanted & self._below[child]
            if below - set(own):
                between = self.tree.separators[child]
                messages.append((self._given(child, below), tuple(sorted({*between, *below}))))
        needed = {*separator, *wanted, *(column for _, group in messages for column in group)}
        kept = tuple(sorted({*separator, *(wanted & self._below[place])}))
        used = tuple(column for column in own if column in needed)
        return _product([(summed(belief, own, used), used), *messages], kept)

    def _given(self, child: int, wanted: frozenset[int]) -> Floats:
        """The law of wanted columns below a clique given its separator; many groups ask for the same."""
        if (child, wanted) not in self._messages:
            separator = self.tree.separators[child]
            self._messages[child, wanted] = self._message(child, wanted, self._conditionals[child], separator)
        return self._messages[child, wanted]


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


def _product(factors: list[tuple[Floats, Group]], kept: Group) -> Floats:
    """Multiply factors over named columns and sum over all columns that are not kept, one factor after the other."""
    names = {column: name for name, column in enumerate(sorted({c for _, group in factors for c in group}))}
    operands: list[Any] = [part for values, group in factors for part in (values, [names[column] for column in group])]
    path = ["einsum_path", *[(0, 1)] * (len(factors) - 1)] if len(factors) > 1 else False
    product: Floats = np.einsum(*operands, [names[column] for column in kept], optimize=path)
    return product
