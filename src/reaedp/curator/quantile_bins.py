"""Bins that follow the data, for a price: their edges are private quantiles, or public where those will do better."""

from dataclasses import dataclass, replace

import numpy as np

from reaedp.contract import Contract, Number
from reaedp.curator.curator import Curator, charged
from reaedp.engines.data import Data, Engine
from reaedp.errors import DeclarationError
from reaedp.mechanisms.exponential import Exponential
from reaedp.privacy.loss import positive
from reaedp.release.release import Release
from reaedp.statistics.entropy.binning import GRID, Binning, best_binning, ranks_of_edges
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles, ChosenValues


@dataclass(frozen=True, slots=True)
class LearnedBins:
    """The `edges` of the bins of a `column`: learned by a `release`, or public ones, which cost nothing.

    `binning` has the predicted errors of both, if they were asked for.

    >>> learned = learn_bins(contract, "data.csv", "age", bins=4, epsilon=1.0)
    >>> type(learned).__name__, learned.edges[0], learned.release.entry > 0
    ('LearnedBins', 0.0, True)
    """

    column: str
    edges: tuple[float, ...]
    release: Release | None
    binning: Binning | None

    @property
    def bins(self) -> int:
        """The number of bins."""
        return len(self.edges) - 1


def learn_bins(
    contract: Contract,
    data: Data,
    column: str,
    *,
    bins: int,
    epsilon: float,
    histogram_epsilon: float | None = None,
    engine: Engine | None = None,
) -> LearnedBins:
    """Learn the edges of about `bins` bins for a numeric column with declared bounds.

    Bins at quantiles hold about equal shares of the rows, the outermost less. With `histogram_epsilon`, the ε of the
    histogram to be made with them, errors of its entropy are predicted first: if public bins of equal width are
    expected to do better for both prices together, those are returned and nothing is charged.

    >>> learn_bins(contract, "data.csv", "age", bins=4, epsilon=1.0).column
    'age'
    """
    declared = contract.column(column)
    if not isinstance(declared, Number):
        raise DeclarationError(f"Bins are learned for columns of kind number; {column!r} is of kind {declared.kind}.")
    positive("epsilon", epsilon)
    at, binning = ranks_of_edges(bins), None
    lower, upper = float(declared.boundaries[0]), float(declared.boundaries[-1])
    if histogram_epsilon is not None:
        spent = positive("histogram_epsilon", histogram_epsilon)
        binning = best_binning(contract.unit, bins=bins, epsilon=epsilon, histogram_epsilon=spent)
        if not binning.quantiles:
            even = Number(name=column, lower=lower, upper=upper, bins=binning.public_bins, provenance="public")
            return LearnedBins(column, tuple(even.boundaries.tolist()), None, binning)
    fine = replace(declared, lower=lower, upper=upper, bins=GRID, edges=None, step=None)
    files = contract.files and contract.files.about({column, contract.unit.person or ""})
    curator = Curator(replace(contract, columns=(fine,), files=files, rules=()), data, engine=engine)
    release = curator.release(ChosenQuantiles(of=column, at=at), Exponential(epsilon), name=column)
    with charged([release.entry]):
        curator.ledger.finish([release.entry])
    return LearnedBins(column, edges_of(release.value, fine), release, binning)


def edges_of(chosen: ChosenValues, fine: Number) -> tuple[float, ...]:
    """The edges of the fine cells that are nearest to the chosen places, each once, and the bounds."""
    cells, inside = chosen.located()
    places = np.unique(cells + np.rint(inside).astype(np.int64))
    inner = places[(places > 0) & (places < fine.regular)]
    return tuple(fine.boundaries[[0, *inner.tolist(), fine.regular]].tolist())
