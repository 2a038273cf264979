"""Fitting: the most even law that agrees with noisy tables as far as their noise lets them be trusted.

Among all laws p of a row, the sum of |N p - y|² / (2 α σ) over all measured cells plus N KL(p ‖ p₀) is made least,
where p₀ holds the columns independent and σ is a cell's noise. The least p is p₀ times one factor exp(θ) for each
measured cell, with θ = (y - N p) / (α σ), so that its dependences are those of the tables. θ itself minimises the
convex function N ln Σ p₀ exp(Σ θ) - θ·y + α Σ σ θ² / 2, whose gradient is N p - y + α σ θ.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reaedp.synthesis.beliefs import Beliefs, calibrated
from reaedp.synthesis.cliques import Group, JunctionTree
from reaedp.synthesis.merging import Floats, Merging, merged
from reaedp.synthesis.nesting import Nesting

#: α, the weight of evenness: a cell that disagrees by its noise changes the law by about the factor exp(1/α).
EVENNESS = 1.0
#: Tables are never trusted beyond the rounding of one row; keeps θ within the doubles when there is hardly any noise.
LEAST_SCALE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A noisy table over merged cells of some columns: `mergings[i]` sends the cells of column i to the table's."""

    group: Group
    mergings: tuple[Merging, ...]
    counts: Floats
    #: Noise of each cell.
    scales: Floats


def fit(
    tree: JunctionTree,
    shares: Sequence[Floats],
    tables: Sequence[Measured],
    total: float,
    start: Sequence[Floats],
    *,
    iterations: int,
) -> tuple[list[Floats], Beliefs]:
    """θ for each table after so many steps of L-BFGS from `start`, and the beliefs that it gives."""
    from scipy.optimize import minimize

    problem = _Problem(tree, shares, tables, total)
    start_point = np.concatenate([theta.ravel() for theta in start]) / problem.steps
    found = minimize(
        problem.value_and_gradient,
        start_point,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxls": 10},
    )
    thetas = problem.thetas(found.x * problem.steps)
    return thetas, problem.beliefs(thetas)


class _Problem:
    """The function of θ that is made least, in units in which its curvature is about one."""

    def __init__(self, tree: JunctionTree, shares: Sequence[Floats], tables: Sequence[Measured], total: float) -> None:
        self.tree, self.tables, self.total = tree, tables, total
        self.homes = [_home(tree, table.group) for table in tables]
        groups = [
            [table.group for table, at in zip(tables, self.homes, strict=True) if at == home]
            for home in range(len(tree.cliques))
        ]
        self.nestings = [
            Nesting(tree.sizes, clique, inside) for clique, inside in zip(tree.cliques, groups, strict=True)
        ]
        self.logarithms = [np.log(share) for share in shares]
        self.counts = np.concatenate([table.counts.ravel() for table in tables])
        scales = np.concatenate([table.scales.ravel() for table in tables])
        self.pulls = EVENNESS * np.maximum(scales, LEAST_SCALE)
        self.steps = 1 / np.sqrt(np.maximum(self.counts, 0.0) + self.pulls)
        self.cuts = np.cumsum([table.counts.size for table in tables])[:-1]

    def thetas(self, flat: Floats) -> list[Floats]:
        parts = np.split(flat, self.cuts)
        return [part.reshape(table.counts.shape) for part, table in zip(parts, self.tables, strict=True)]

    def beliefs(self, thetas: Sequence[Floats]) -> Beliefs:
        terms: list[dict[Group, Floats]] = [{} for _ in self.tree.cliques]
        for column, logarithm in enumerate(self.logarithms):
            terms[_home(self.tree, (column,))][column,] = logarithm
        for table, theta, home in zip(self.tables, thetas, self.homes, strict=True):
            spread = theta[np.ix_(*(merging.cell for merging in table.mergings))]
            terms[home][table.group] = spread + terms[home].get(table.group, 0.0)
        return calibrated(self.tree, [nest.total(term) for nest, term in zip(self.nestings, terms, strict=True)])

    def expected(self, beliefs: Beliefs) -> Floats:
        """Rows in every measured cell."""
        sums = [nest.sums(belief) for nest, belief in zip(self.nestings, beliefs.cliques, strict=True)]
        parts = [
            merged(sums[home][table.group], table.mergings).ravel()
            for table, home in zip(self.tables, self.homes, strict=True)
        ]
        return np.concatenate(parts) * self.total

    def value_and_gradient(self, point: Floats) -> tuple[float, Floats]:
        flat = point * self.steps
        beliefs = self.beliefs(self.thetas(flat))
        pull = self.pulls * flat
        value = self.total * beliefs.log_total - float(flat @ self.counts) + float(flat @ pull) / 2
        return value, (self.expected(beliefs) - self.counts + pull) * self.steps


def _home(tree: JunctionTree, group: Group) -> int:
    home = tree.home(group)
    assert home is not None  # the tree is made from the tables' groups
    return home
