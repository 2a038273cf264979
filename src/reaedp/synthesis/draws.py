"""Draws: which variables of a row are drawn together, after which others, and by which law; no more draws than needed.

A junction tree has variables that no row shows: coarser views of columns. Where nothing depends on one it is left out,
and where a single draw depends on it both draws become one. So do the draws of a coarse cell and of a declared one in
it, if nothing else depends on the coarse cell.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.cliques import Group
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.nesting import summed

Places = NDArray[np.intp]
#: Cells of a draw that takes the place of two, at most.
MOST_CELLS = 1 << 18
#: A situation in which one cell has at least this share leaves no choice.
CERTAIN = 1 - 1e-12


class Draw(NamedTuple):
    """Variables `new` given those `known`, which have `sizes`; variables behind the tree's are columns as declared.

    All situations of the known ones lie end to end: place i belongs to situation `owner[i]`, ends at the share
    `ends[i]` of its law, and stands for `cells[k][i]` of the new variable k.
    """

    known: Group
    sizes: tuple[int, ...]
    new: Group
    ends: Floats
    owner: Places
    cells: tuple[Places, ...]
    #: The place of each situation, if none leaves a choice.
    certain: Places | None


class InnerLaw(NamedTuple):
    """Shares of a column's declared cells within their coarse ones, a column for each coarse cell of the `parent`."""

    column: int
    parent: int
    shares: Floats


class _Law(NamedTuple):
    """Of new variables given others; its axes are those of the known ones, then those of the new ones."""

    known: Group
    new: Group
    law: Floats

    @property
    def situations(self) -> Floats:
        """A row for each situation, which adds up to one, or to nothing if it never occurs."""
        rows = self.law.reshape(int(np.prod(self.law.shape[: len(self.known)])), -1)
        total = rows.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0)
        return shares

    @property
    def given(self) -> Floats:
        """The same with an axis for each variable."""
        return self.situations.reshape(self.law.shape)


def draws(beliefs: Beliefs, coarsenings: Sequence[Coarsening], inner: Sequence[InnerLaw] = ()) -> list[Draw]:
    """In an order in which what is known was drawn before; what lies within coarse cells comes last."""
    columns, tree = range(len(coarsenings)), beliefs.tree
    laws = _joined(_needed(beliefs, columns), columns)
    found, within = list[Draw](), [_within(len(tree.sizes), *each) for each in enumerate(coarsenings)]
    tied = {column for each in inner for column in (each.column, each.parent)}
    alone = {law.new[0] for law in laws if len(law.new) == 1 and not _users(laws, law.new[0])} - tied
    for each in inner:
        within[each.column] = _beside(len(tree.sizes), each, coarsenings)
    for law in laws:
        column = law.new[0]
        fine = law.situations.shape[0] * len(within[column].owner) if column in columns else 0
        if column in alone and column in columns and fine <= MOST_CELLS:
            found.append(_of(_Law(law.known, within[column].new, _declared(law, coarsenings[column]))))
        else:
            found += [_of(law), *(within[each] for each in law.new if each in columns)]
    late = [within[each.column] for each in inner]
    return [*(draw for draw in found if not any(draw is each for each in late)), *late]


def _needed(beliefs: Beliefs, columns: Collection[int]) -> list[_Law]:
    """Clique by clique, each given what is known by then, without variables that nothing depends on."""
    tree, needed, found = beliefs.tree, {*columns}, list[_Law]()
    for clique, belief, known in reversed(list(zip(tree.cliques, beliefs.cliques, tree.separators, strict=True))):
        new = tuple(variable for variable in clique if variable not in known and variable in needed)
        if new:
            needed.update(known)
            group = tuple(variable for variable in clique if variable in known or variable in new)
            law = summed(belief, clique, group).transpose([group.index(variable) for variable in known + new])
            found.append(_Law(known, new, law))
    return found[::-1]


def _joined(laws: list[_Law], columns: Collection[int]) -> list[_Law]:
    """The draw of a hidden variable and the only one that depends on it in one."""
    found = list(laws)
    for first in laws:
        users = _users(found, first.new[0]) if len(first.new) == 1 and first.new[0] not in columns else []
        here = next((law for law in found if law.new == first.new), None)
        if len(users) == 1 and here is not None and {*users[0].known} <= {*here.known, *here.new}:
            later = users[0]
            if np.prod(here.law.shape[:-1]) * np.prod(later.law.shape[len(later.known) :]) <= MOST_CELLS:
                found[found.index(later)] = _through(here, later)
                found.remove(here)
    return found


def _users(laws: Sequence[_Law], variable: int) -> list[_Law]:
    return [law for law in laws if variable in law.known]


def _through(hidden: _Law, later: _Law) -> _Law:
    """The later law given what is known of the hidden variable, which is summed over."""
    names = {each: name for name, each in enumerate((*hidden.known, *hidden.new, *later.new))}
    labels = [[names[each] for each in law.known + law.new] for law in (hidden, later)]
    left = [names[each] for each in hidden.known + later.new]
    operands: list[Any] = [hidden.given, labels[0], later.given, labels[1], left]
    return _Law(hidden.known, later.new, np.einsum(*operands, optimize=True))


def _declared(law: _Law, coarsening: Coarsening) -> Floats:
    """The law of a column's declared cells: that of its coarse ones, times its own table within them."""
    cell = coarsening.merging.cell
    fine: Floats = law.law[..., cell] * (coarsening.shares / coarsening.coarse_shares[cell])
    return fine


def _of(law: _Law) -> Draw:
    rows, sizes = law.situations, law.law.shape
    situations, width = rows.shape
    ends = np.cumsum(rows, axis=1)
    # In a situation that never occurs rows, if rounding brings any, get the last cell.
    ends[:, -1] = 1.0
    certain = np.arange(situations) * width + rows.argmax(axis=1)
    sure = bool((rows.max(axis=1) >= CERTAIN * rows.sum(axis=1)).all())
    cells = np.unravel_index(np.tile(np.arange(width), situations), sizes[len(law.known) :])
    owner = np.repeat(np.arange(situations), width)
    return Draw(law.known, sizes[: len(law.known)], law.new, ends.ravel(), owner, cells, certain if sure else None)


def _within(first: int, column: int, coarsening: Coarsening) -> Draw:
    """A declared cell in a coarse one, in proportion to the column's own table."""
    order = np.argsort(coarsening.merging.cell, kind="stable")
    owner = coarsening.merging.cell[order]
    ends = np.cumsum(coarsening.shares[order])
    last = np.flatnonzero(np.diff(owner, append=coarsening.size))
    start = np.concatenate([[0.0], ends[last[:-1]]])
    ends = (ends - start[owner]) / (ends[last] - start)[owner]
    certain = last if coarsening.size == len(order) else None
    return Draw((column,), (coarsening.size,), (first + column,), ends, owner, (order,), certain)


def _beside(first: int, inner: InnerLaw, coarsenings: Sequence[Coarsening]) -> Draw:
    """A declared cell in a coarse one, given a coarse cell of the parent."""
    coarse, parents = coarsenings[inner.column], coarsenings[inner.parent].size
    order = np.argsort(coarse.merging.cell, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(coarse.merging.cell))[:-1])
    ends, owner = list[Floats](), list[Places]()
    for cell, part in enumerate(parts):
        shares = np.cumsum(inner.shares[part].T, axis=1)
        shares /= shares[:, -1:]
        shares[:, -1] = 1.0
        ends.append(shares.ravel())
        owner.append(np.repeat(cell * parents + np.arange(parents), len(part)))
    return Draw(
        (inner.column, inner.parent),
        (coarse.size, parents),
        (first + inner.column,),
        np.concatenate(ends),
        np.concatenate(owner),
        (np.concatenate([np.tile(part, parents) for part in parts]),),
        None,
    )
