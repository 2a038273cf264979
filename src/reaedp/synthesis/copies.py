"""Copies of a model: as it might have been learned, had other noise been drawn.

A copy takes the model for the truth, adds fresh noise to all of its counts and is fitted to them like the model itself.
Copies differ from the model about as the model differs from the data by its noise, so that whatever is computed from
rows of several copies shows how uncertain it is. All of it follows from what was released, and costs nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reaedp.errors import DeclarationError
from reaedp.synthesis.coarsening import reshared
from reaedp.synthesis.fitting import NoisyTable, fit
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.published_model import PublishedModel
from reaedp.synthesis.purse import NoisyCounts
from reaedp.synthesis.structure import over_coarse_cells

#: Steps of the fit of a copy, which begins where the fit of the model ended.
STEPS = 40


def copied(model: PublishedModel, rng: np.random.Generator) -> PublishedModel:
    """The model with other noise."""
    learned = model.learned
    if model.keys is not None or learned.regions is not None:
        raise DeclarationError(
            "This model has counts beside its tables, whose noise cannot be replayed: there are no copies of it."
        )
    evidence, noisy = learned.evidence, list(_columns(learned, rng))
    coarsenings = tuple(
        reshared(coarse, axis, single.values, single.scale, learned.total)
        for coarse, axis, single in zip(learned.coarsenings, learned.axes, noisy, strict=True)
    )
    own = [
        over_coarse_cells(column, single, coarse, learned.total)
        for column, (single, coarse) in enumerate(zip(noisy, coarsenings, strict=True))
    ]
    tables = (*own, *(_replayed(learned, table, rng) for table in evidence.tables[len(own) :]))
    shares = tuple(coarse.coarse_shares for coarse in coarsenings)
    thetas, beliefs = fit(
        evidence.tree,
        dict(enumerate(shares)),
        tables,
        learned.total,
        evidence.thetas,
        iterations=STEPS,
        links=evidence.links,
    )
    again = replace(evidence, shares=shares, tables=tables, thetas=tuple(thetas))
    inner = tuple(each.replayed(learned.known, rng) for each in learned.inner)
    return replace(
        model, learned=replace(learned, coarsenings=coarsenings, beliefs=beliefs, evidence=again, inner=inner)
    )


def _columns(learned: LearnedModel, rng: np.random.Generator) -> Iterator[NoisyCounts]:
    """The counts of each column that the model expects in its declared cells, with fresh noise."""
    for column, (coarse, scale) in enumerate(zip(learned.coarsenings, learned.evidence.column_scales, strict=True)):
        within = coarse.shares / coarse.coarse_shares[coarse.merging.cell]
        law: Floats = learned.beliefs.marginal((column,))[coarse.merging.cell] * within
        yield NoisyCounts(rng.normal(learned.total * law, scale), scale)


def _replayed(learned: LearnedModel, table: NoisyTable, rng: np.random.Generator) -> NoisyTable:
    """A table with the counts that the model expects, and fresh noise."""
    return replace(table, counts=rng.normal(learned.evidence.expected(table, learned.beliefs), table.scales))
