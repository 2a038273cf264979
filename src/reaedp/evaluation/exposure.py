"""The kinds of records that an attacker would look for first: alone in their cell, or far from all others."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reaedp.attacks.space import Space
from reaedp.evaluation.finished import Finished
from reaedp.label import shown
from reaedp.report.panel import Cell, Grid
from reaedp.statistics.by_kind import ENTROPIES, MOMENTS, QUANTILES, SUMMARIES, ByKind
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.synthesis.synthetic import Synthetic

#: Kinds that are listed, records among which they are looked for, and neighbours by which distance is judged.
LISTED, SEARCHED, NEIGHBOURS = 10, 2_000, 5


def exposed(release: Finished, rng: np.random.Generator) -> Grid | None:
    """A table of the most exposed kinds of records, for releases that show single cells or records."""
    find = _SEARCHES.of(release.statistic)
    return None if find is None else find(release, rng)


def _rare(release: Finished, rng: np.random.Generator) -> Grid:  # noqa: ARG001
    """Cells that are not empty, with the fewest rows first."""
    names = release.statistic.columns
    found: Any = release.truth.key_counts(names)
    order = np.argsort(found.counts, kind="stable")[:LISTED]
    rows = tuple((*_cells(release, found.keys[place]), int(found.counts[place])) for place in order)
    alone = int((found.counts == 1).sum())
    caption = f"cells with the fewest rows; number of cells with a single row: {alone:,}"
    return Grid(caption, (*_heads(release), "true rows"), rows)


def _far(release: Finished, rng: np.random.Generator) -> Grid:
    """Records with the largest mean distance to their nearest others."""
    names = release.statistic.columns
    codes = release.truth.rows(names)
    among = rng.choice(len(codes), min(len(codes), SEARCHED), replace=False)
    space = Space.of(release.contract.select(names))
    _, distances = space.nearest(codes[among], codes, min(NEIGHBOURS + 1, len(codes)))
    means = distances.sum(axis=1) / NEIGHBOURS
    order = np.argsort(-means, kind="stable")[:LISTED]
    rows = tuple((*_cells(release, codes[among[place]]), float(means[place])) for place in order)
    caption = f"records farthest from their nearest neighbours, among {len(among):,} examined"
    return Grid(caption, (*_heads(release), "mean distance"), rows)


def _heads(release: Finished) -> tuple[str, ...]:
    return tuple(shown(column.called, 40) for column in release.contract.select(release.statistic.columns))


def _cells(release: Finished, codes: Any) -> tuple[Cell, ...]:
    axes = release.contract.select(release.statistic.columns)
    return tuple(shown(axis.cells[code]) for axis, code in zip(axes, codes, strict=True))


_SEARCHES = ByKind[Callable[[Finished, np.random.Generator], Grid] | None](
    "whom an attacker would look for first",
    {Marginal: _rare, KeyedMarginal: _rare, Synthetic: _far},
    otherwise=None,
    plain=(*ENTROPIES, "EntropyHistogram", "MeanCurve", "SyntheticCurves", "Pixels", *MOMENTS, *SUMMARIES, *QUANTILES),
)
