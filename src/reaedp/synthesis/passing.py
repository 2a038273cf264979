"""Passing: what a model expects in every measured cell, by messages of products along the junction tree.

It gives what `calibrated` gives, to a fit that asks hundreds of times about the same tree: steps are laid out once, the
longest axis of every clique is innermost, and exponentials are taken of small tables instead of cliques.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reaedp.synthesis.cliques import Group, JunctionTree
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.nesting import Nesting

#: The logarithm of the widest range of factors whose products surely stay within the doubles.
WIDEST = 600.0


class Factor(NamedTuple):
    """A positive function of some columns that share a clique."""

    home: int
    group: Group


class Passed(NamedTuple):
    """The logarithm of the sum of all products of factors, and the law of each factor's columns, end to end."""

    log_total: float
    laws: Floats


class _Placed(NamedTuple):
    """Where a factor lies among all of them, end to end."""

    axes: Group
    where: slice
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Station:
    """A clique with its factors, the way up to its separator, and down to factors and separators of its children."""

    parent: int
    separator: Group
    #: The separator's shape among the axes of the clique.
    aligned: tuple[int, ...]
    factors: tuple[_Placed, ...]
    up: Nesting
    down: Nesting
    #: The product of all factors, then the law of the clique; written over at every pass.
    space: Floats

    def terms(self, values: Floats) -> dict[Group, Floats]:
        """The product of all factors of the same columns."""
        terms: dict[Group, Floats] = {}
        for axes, where, shape in self.factors:
            _multiply(terms, axes, values[where].reshape(shape))
        return terms


class Passing:
    """Fixed steps for a tree and factors on it; `axes[i]` has the columns of factor i in the order of its layout."""

    def __init__(self, tree: JunctionTree, factors: Sequence[Factor]) -> None:
        rank = np.argsort(np.argsort(tree.sizes, kind="stable")).tolist()
        self.axes = [_by_rank(factor.group, rank) for factor in factors]
        shapes = [tree.shape(axes) for axes in self.axes]
        sizes = [math.prod(shape) for shape in shapes]
        self.starts = np.cumsum([0, *sizes[:-1]])
        self.owners = np.repeat(np.arange(len(sizes)), sizes)
        self.homes = [factor.home for factor in factors]
        places = [slice(start, start + size) for start, size in zip(self.starts.tolist(), sizes, strict=True)]
        placed = [_Placed(*each) for each in zip(self.axes, places, shapes, strict=True)]
        self.stations = [
            _station(tree, home, [each for each, at in zip(placed, self.homes, strict=True) if at == home], rank)
            for home in range(len(tree.cliques))
        ]

    def passed(self, logarithms: Floats) -> Passed | None:
        """From the logarithms of all factors, end to end; nothing where their range is too wide for products."""
        largest = np.maximum.reduceat(logarithms, self.starts)
        ranges = largest - np.minimum.reduceat(logarithms, self.starts)
        values = np.exp(logarithms - largest[self.owners])
        widths = np.bincount(self.homes, ranges, len(self.stations)).tolist()
        terms = [station.terms(values) for station in self.stations]
        log_total = float(largest.sum())
        messages: list[Floats] = [np.ones(())] * len(self.stations)
        for home in range(len(self.stations) - 1, -1, -1):
            if widths[home] > WIDEST:
                return None
            station = self.stations[home]
            product = station.down.product(terms[home], station.space)
            messages[home] = station.up.sums(product)[station.separator]
            most = float(messages[home].max())
            log_total += math.log(most)
            if home:
                # What is left out here, the largest of the message, is in the total.
                _multiply(terms[station.parent], station.separator, messages[home] / most)
                widths[station.parent] += math.log(most / float(messages[home].min()))
        return Passed(log_total, self._laws(messages, np.empty_like(values)))

    def _laws(self, messages: list[Floats], laws: Floats) -> Floats:
        """From the root to the leaves: each clique scaled to what its parent says about their separator."""
        sums: list[dict[Group, Floats]] = []
        for station, message in zip(self.stations, messages, strict=True):
            known = sums[station.parent][station.separator] if sums else np.ones(())
            belief = np.multiply(station.space, (known / message).reshape(station.aligned), out=station.space)
            sums.append(station.down.sums(belief))
            for axes, where, _ in station.factors:
                laws[where] = sums[-1][axes].ravel()
        return laws


def _station(tree: JunctionTree, home: int, factors: Sequence[_Placed], rank: Sequence[int]) -> _Station:
    clique, separator = _by_rank(tree.cliques[home], rank), _by_rank(tree.separators[home], rank)
    below = [_by_rank(tree.separators[child], rank) for child, parent in enumerate(tree.parents) if parent == home]
    return _Station(
        parent=tree.parents[home],
        separator=separator,
        aligned=tuple(tree.sizes[column] if column in separator else 1 for column in clique),
        factors=tuple(factors),
        up=Nesting(tree.sizes, clique, [separator]),
        down=Nesting(tree.sizes, clique, [*(factor.axes for factor in factors), *below]),
        space=np.empty(tree.shape(clique)),
    )


def _by_rank(group: Group, rank: Sequence[int]) -> Group:
    return tuple(sorted(group, key=rank.__getitem__))


def _multiply(terms: dict[Group, Floats], group: Group, factor: Floats) -> None:
    terms[group] = terms[group] * factor if group in terms else factor
