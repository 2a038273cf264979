"""Ancestry: the model as a Bayesian network, each column drawn after the few earlier ones that tell most about it."""

import math
from collections.abc import Sequence

import numpy as np

from reaedp.contract import Column
from reaedp.errors import DeclarationError, unknown
from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.model import Model

#: Declared cells of one column's table with its parents.
MOST_CELLS = 1 << 19
#: Earlier columns that are tried as parents: those that tell most by themselves.
_TRIED = 8
#: Bits below which another parent is not worth its cells.
_LEAST_GAIN = 1e-4
#: Share of each law that is spread evenly, so that no probability is zero.
_FLOOR = 1e-9


def ancestral_model(
    axes: Sequence[Column], coarsenings: Sequence[Coarsening], beliefs: Beliefs, first: tuple[str, ...]
) -> Model:
    """A Bayesian network whose first axes are given; others follow in the order of the junction tree."""
    order = _order(axes, beliefs, first)
    parents = [_parents(column, order[:place], axes, beliefs) for place, column in enumerate(order)]
    tables = [_table(column, above, coarsenings, beliefs) for column, above in zip(order, parents, strict=True)]
    places = {column: place for place, column in enumerate(order)}
    return Model(
        axes=tuple(axes[column] for column in order),
        parents=tuple(tuple(places[column] for column in above) for above in parents),
        tables=tuple(tables),
    )


def _order(axes: Sequence[Column], beliefs: Beliefs, first: tuple[str, ...]) -> list[int]:
    """Within cliques and their order every column comes after those that it depends on directly."""
    names = [axis.name for axis in axes]
    for name in first:
        if name not in names or first.count(name) > 1:
            raise DeclarationError(unknown("column", name, names))
    along = [column for clique in beliefs.tree.cliques for column in clique if column < len(names)]
    return list(dict.fromkeys([*(names.index(name) for name in first), *along]))


def _parents(column: int, earlier: Sequence[int], axes: Sequence[Column], beliefs: Beliefs) -> tuple[int, ...]:
    """Greedily the column that lowers the uncertainty most, while the table stays small."""
    alone = _uncertainty(column, (), beliefs)
    told = sorted(earlier, key=lambda other: (_uncertainty(column, (other,), beliefs), other))[:_TRIED]
    chosen: tuple[int, ...] = ()
    while True:
        room = MOST_CELLS // math.prod((axes[column].size, *(axes[other].size for other in chosen)))
        tried = [other for other in told if other not in chosen and axes[other].size <= room]
        left = {other: _uncertainty(column, (*chosen, other), beliefs) for other in tried}
        best = min(left, key=lambda other: (left[other], other), default=None)
        if best is None or alone - left[best] < _LEAST_GAIN:
            return tuple(sorted(chosen, key=list(earlier).index))
        chosen, alone = (*chosen, best), left[best]


def _uncertainty(column: int, given: tuple[int, ...], beliefs: Beliefs) -> float:
    """Conditional entropy, in bits."""
    joint = beliefs.marginal(tuple(sorted((column, *given))))
    above = beliefs.marginal(tuple(sorted(given))) if given else np.ones(1)
    return _entropy(joint) - _entropy(above)


def _entropy(law: Floats) -> float:
    positive = law[law > 0]
    return float(-(positive * np.log2(positive)).sum())


def _table(column: int, parents: tuple[int, ...], coarsenings: Sequence[Coarsening], beliefs: Beliefs) -> Floats:
    """P(column | parents) over declared cells: that of the coarse cells, times the column's own table within them."""
    group = (*parents, column)
    joint = beliefs.marginal(tuple(sorted(group))).transpose(np.argsort(np.argsort(group)))
    own = coarsenings[column]
    totals = joint.sum(axis=-1, keepdims=True)
    alone = np.broadcast_to(own.coarse_shares, joint.shape)
    coarse = np.divide(joint, totals, out=alone.copy(), where=totals > 0)
    within = own.shares / own.coarse_shares[own.merging.cell]
    declared = coarse[np.ix_(*(coarsenings[parent].merging.cell for parent in parents), own.merging.cell)] * within
    declared = declared * (1 - _FLOOR) + _FLOOR / len(own.merging.cell)
    law: Floats = declared / declared.sum(axis=-1, keepdims=True)
    return law
