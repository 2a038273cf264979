"""Evidence: what a model was fitted to, with the factors that the fit found; enough to have the model again.

All of it was released or is public, so that conditions, further rows and replays of the noise cost nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.cliques import JunctionTree
from reaedp.synthesis.fitting import Link, NoisyTable, beliefs_of, fit
from reaedp.synthesis.merging import Floats, Merging, merged

#: The least weight of a cell, so that its logarithm exists; no row will show it.
_NOTHING = 1e-60


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Noisy tables over the model's variables; variable i has the cells `mergings[i]` of the column `owners[i]`.

    The first variables are the columns, in their order; `shares` are their own laws before any table, `links` the fixed
    factors between variables, `thetas` the logarithms of the factors of each table.
    """

    total: float
    tree: JunctionTree
    owners: tuple[int, ...]
    mergings: tuple[Merging, ...]
    shares: tuple[Floats, ...]
    links: tuple[Link, ...]
    #: Noise of a cell of each column's own counts.
    column_scales: tuple[float, ...]
    tables: tuple[NoisyTable, ...]
    thetas: tuple[Floats, ...]

    def beliefs(self, weights: Mapping[int, Floats] | None = None) -> Beliefs:
        """The law of a row, with the cells of some variables given other `weights`."""
        given = dict(weights or {})
        weighted = enumerate(share * given.get(place, 1.0) for place, share in enumerate(self.shares))
        shares = {place: np.maximum(share, _NOTHING) for place, share in weighted}
        return beliefs_of(self.tree, shares, self.tables, self.total, self.thetas, links=self.links)

    def expected(self, table: NoisyTable, beliefs: Beliefs) -> Floats:
        """How many rows a law leads one to expect in each cell of a table."""
        return self.total * merged(beliefs.marginal(table.group), table.mergings)

    def replayed(self, beliefs: Beliefs, rng: np.random.Generator, steps: int) -> Beliefs:
        """The law that would have been fitted had `beliefs` been true: fresh noise on its tables, and the same fit.

        Tables lie on a lattice that is fine against their noise, whose law is next to the normal one.
        """
        again = [
            replace(table, counts=self.expected(table, beliefs) + rng.normal(0.0, table.scales))
            for table in self.tables
        ]
        return fit(
            self.tree, dict(enumerate(self.shares)), again, self.total, self.thetas, iterations=steps, links=self.links
        )[1]
