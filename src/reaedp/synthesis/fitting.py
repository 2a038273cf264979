"""Fitting: the most even law that agrees with noisy tables as far as their noise lets them be trusted.

Among all laws p of a row, the sum of α σ c((y - N p) / (α σ)) over all measured cells plus N KL(p ‖ p₀) is made least,
where p₀ holds the columns independent and σ is a cell's noise. The cost of a miss m is c(m) = m² / 2 for |m| ≤ 1, and
then rises 1/β times as fast; but not where rows are missed that noise alone may have made. The least p is p₀ times one
factor exp(θ) for each measured cell, with θ = c′(m), so that its dependences are those of the tables. θ itself
minimises the convex function N ln Σ p₀ exp(Σ θ) - θ·y + α Σ σ c*(θ), whose gradient is N p - y + α σ m(θ): m(θ) = θ up
to 1, with slope β beyond.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.beliefs import Beliefs, calibrated
from reaedp.synthesis.cliques import Group, JunctionTree
from reaedp.synthesis.descent import least
from reaedp.synthesis.known_fits import known_fits
from reaedp.synthesis.merging import Floats, Merging
from reaedp.synthesis.nesting import Nesting
from reaedp.synthesis.passing import Factor, Passed, Passing

#: α, the weight of evenness: a cell that disagrees by its noise changes the law by about the factor exp(1/α).
EVENNESS = 1.0
#: β: a miss beyond α σ takes the factor exp(1/β) for as much as exp(1) gives within it.
BEYOND_NOISE = 0.1
#: Noise may have made all rows of a cell that has fewer than so many σ.
STANDS_OUT = 5.0
#: Tables are never trusted beyond the rounding of one row; keeps θ within the doubles when there is hardly any noise.
LEAST_SCALE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTable:
    """A noisy table over merged cells of some columns: `mergings[i]` sends the cells of column i to the table's."""

    group: Group
    mergings: tuple[Merging, ...]
    counts: Floats
    #: Noise of each cell.
    scales: Floats

    @property
    def content(self) -> tuple[Any, ...]:
        """All of its numbers, for comparison."""
        return self.group, *(merging.cell.tobytes() for merging in self.mergings), *_numbers(self.counts, self.scales)


Fitted = tuple[list[Floats], Beliefs]
#: Steps of a fit that is kept: audits ask what depends on rows, for which one model is as good as another; rows that
#: are drawn from it on the way, columns whose tables may be chosen, and cells of its junction tree.
FEW_STEPS, FEW_ROWS, FEW_COLUMNS, FEW_CELLS = 4, 1 << 10, 24, 450_000


class Link(NamedTuple):
    """A fixed factor of p₀ over some columns: where one is settled by another, the logarithm tells how."""

    group: Group
    logarithm: Floats


def fit(
    tree: JunctionTree,
    shares: Mapping[int, Floats],
    tables: Sequence[NoisyTable],
    total: float,
    start: Sequence[Floats],
    *,
    iterations: int,
    links: Sequence[Link] = (),
) -> Fitted:
    """θ for each table after this many steps of L-BFGS from `start`, and the beliefs that it gives."""
    known = known_fits()
    iterations = iterations if known is None else min(iterations, FEW_STEPS)
    fixed = [(link.group, *_numbers(link.logarithm)) for link in links]
    given = (tree, total, iterations, *_numbers(*shares.values(), *start), *(table.content for table in tables), *fixed)
    if known is not None and given in known:
        thetas, beliefs = known[given]
    else:
        thetas, beliefs = _fitted(_Problem(tree, shares, tables, total, links), start, iterations)
    if known is not None:
        known[given] = thetas, beliefs
    return list(thetas), beliefs  # a list of the caller's own, who adds tables


def beliefs_of(
    tree: JunctionTree,
    shares: Mapping[int, Floats],
    tables: Sequence[NoisyTable],
    total: float,
    thetas: Sequence[Floats],
    *,
    links: Sequence[Link] = (),
) -> Beliefs:
    """The beliefs that given θ give."""
    return _Problem(tree, shares, tables, total, links).beliefs(thetas)


def _numbers(*arrays: Floats) -> tuple[Any, ...]:
    return tuple((array.shape, array.tobytes()) for array in arrays)


def _fitted(problem: "_Problem", start: Sequence[Floats], iterations: int) -> Fitted:
    start_point = np.concatenate([theta.ravel() for theta in start]) / problem.steps
    with one_thread():
        found = least(problem.value_and_gradient, start_point, iterations)
    thetas = problem.thetas(found * problem.steps)
    return thetas, problem.beliefs(thetas)


def one_thread() -> AbstractContextManager[Any]:
    """Linear algebra on one core meanwhile: where arrays are small, its threads mostly wait for each other."""
    limited: AbstractContextManager[Any] = _algebra().limit(limits=1)
    return limited


@cache
def _algebra() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _Problem:
    """The function of θ that is made least, in units in which its curvature is about one."""

    def __init__(
        self,
        tree: JunctionTree,
        shares: Mapping[int, Floats],
        tables: Sequence[NoisyTable],
        total: float,
        links: Sequence[Link] = (),
    ) -> None:
        self.tree, self.tables, self.total = tree, tables, total
        fixed = [*(Link((column,), np.log(share)) for column, share in shares.items()), *links]
        self.logarithms = [link.logarithm for link in fixed]
        groups = [*(link.group for link in fixed), *(table.group for table in tables)]
        self.factors = [Factor(_home(tree, group), group) for group in groups]
        self.passing = Passing(tree, self.factors)
        self.even = np.concatenate(
            [_laid_out(link.logarithm, link.group, axes) for link, axes in zip(fixed, self.passing.axes, strict=False)]
        )
        self.homes = _homes(tables, self.passing.axes[len(fixed) :])
        self.counts = np.concatenate([table.counts.ravel() for table in tables])
        scales = np.concatenate([table.scales.ravel() for table in tables])
        self.pulls = EVENNESS * np.maximum(scales, LEAST_SCALE)
        self.highest = np.where(self.counts < STANDS_OUT * scales, np.inf, 1.0)
        self.steps = 1 / np.sqrt(np.maximum(self.counts, 0.0) + self.pulls)
        self.cuts = np.cumsum([table.counts.size for table in tables])[:-1]

    def thetas(self, flat: Floats) -> list[Floats]:
        parts = np.split(flat, self.cuts)
        return [part.reshape(table.counts.shape) for part, table in zip(parts, self.tables, strict=True)]

    def beliefs(self, thetas: Sequence[Floats]) -> Beliefs:
        spread = [
            theta[np.ix_(*(merging.cell for merging in table.mergings))]
            for theta, table in zip(thetas, self.tables, strict=True)
        ]
        terms: list[dict[Group, Floats]] = [{} for _ in self.tree.cliques]
        for (home, group), term in zip(self.factors, [*self.logarithms, *spread], strict=True):
            terms[home][group] = term + terms[home].get(group, 0.0)
        nestings = (Nesting(self.tree.sizes, *each) for each in zip(self.tree.cliques, terms, strict=True))
        return calibrated(self.tree, [nest.total(term) for nest, term in zip(nestings, terms, strict=True)])

    def passed(self, flat: Floats) -> Passed:
        """Laws of all measured columns; by way of logarithms where products leave the doubles."""
        found = self.passing.passed(np.concatenate([self.even, flat[self.homes]]))
        if found is not None:
            return found
        beliefs = self.beliefs(self.thetas(flat))
        laws = [
            _laid_out(beliefs.marginal(group), group, axes)
            for (_, group), axes in zip(self.factors, self.passing.axes, strict=True)
        ]
        return Passed(beliefs.log_total, np.concatenate(laws))

    def value_and_gradient(self, point: Floats) -> tuple[float, Floats]:
        flat = point * self.steps
        log_total, laws = self.passed(flat)
        expected = self.total * np.bincount(self.homes, laws[len(self.even) :], len(flat))
        near = np.clip(flat, -1.0, self.highest)
        far = flat - near
        cost = near * (near / 2 + far) + BEYOND_NOISE * far * far / 2
        value = self.total * log_total - float(flat @ self.counts) + float(self.pulls @ cost)
        pull = self.pulls * (near + BEYOND_NOISE * far)
        return value, (expected - self.counts + pull) * self.steps


def _homes(tables: Sequence[NoisyTable], axes: Sequence[Group]) -> NDArray[np.intp]:
    """For all coarse cells, end to end, the place of their θ among all θ."""
    first, cells = 0, []
    for table, order in zip(tables, axes, strict=True):
        numbers = first + np.arange(table.counts.size).reshape(table.counts.shape)
        coarse = numbers[np.ix_(*(merging.cell for merging in table.mergings))]
        cells.append(_laid_out(coarse, table.group, order))
        first += table.counts.size
    return np.concatenate(cells)


def _laid_out(values: NDArray[Any], group: Group, axes: Group) -> NDArray[Any]:
    """Values over a group, end to end, with its columns in another order."""
    return values.transpose([group.index(column) for column in axes]).ravel()


def _home(tree: JunctionTree, group: Group) -> int:
    home = tree.home(group)
    assert home is not None  # the tree is made from the tables' groups
    return home
