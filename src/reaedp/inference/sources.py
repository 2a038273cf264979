"""Sources: the tables behind released histograms and models, and the model itself for what no table joins."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod, sqrt

import numpy as np

from reaedp.contract import Column
from reaedp.errors import DeclarationError
from reaedp.inference.counted import CountedTable, Floats, Places, evenly
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.noise_variance import noise_variance
from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.fitting import NoisyTable
from reaedp.synthesis.learned import LearnedModel
from reaedp.table import Table

#: Cells that a model can be asked about at once.
MOST_CELLS = 5_000_000
#: Steps of the fit of each replay, which begins where the fit of the model ended.
STEPS = 40


def histogram(name: str, table: Table, noise: Calibrated) -> CountedTable:
    """A released histogram as a source of answers."""
    merged, within = evenly(table.axes)
    counts, scale = table.values.astype(np.float64), sqrt(noise_variance(noise))
    laplace = isinstance(noise.mechanism, Laplace)
    return CountedTable(
        f"the histogram {name}", table.axes, merged, within, counts, noised(counts, scale, laplace), laplace
    )


def noised(
    counts: Floats, scale: Floats | float, laplace: bool = False
) -> Callable[[np.random.Generator, int], Floats]:
    """Copies with fresh noise of this standard deviation."""

    def redrawn(rng: np.random.Generator, copies: int) -> Floats:
        shape = (copies, *counts.shape)
        noise = rng.laplace(0.0, 1 / sqrt(2), shape) if laplace else rng.normal(0.0, 1.0, shape)
        return counts + noise * scale

    return redrawn


def model_tables(name: str, learned: LearnedModel) -> Iterator[CountedTable]:
    """The noisy tables behind a model: those of each column over its own cells, and those that were chosen."""
    for axis, single, scale in zip(learned.axes, learned.singles, learned.evidence.column_scales, strict=True):
        merged, within = evenly((axis,))
        counts = single.values.astype(np.float64)
        title = f"the noisy counts of {axis.name} behind {name}"
        yield CountedTable(title, (axis,), merged, within, counts, noised(counts, scale))
    for table in learned.tables:
        found = _chosen(name, learned, table)
        if found is not None:
            yield found


def inner_tables(name: str, learned: LearnedModel) -> Iterator[CountedTable]:
    """The noisy counts of declared cells together with another column."""
    for each in learned.inner:
        axes = learned.axes[each.column], learned.axes[each.parent]
        coarse = learned.coarsenings[each.parent]
        parents = coarse.merging.cell
        merged, within = evenly(axes[:1])
        title = f"the noisy table {axes[0].name} × {axes[1].name} behind {name}"
        redrawn = noised(each.counts, each.scale)
        yield CountedTable(
            title, axes, (*merged, parents), (*within, _within(coarse.shares, parents)), each.counts, redrawn
        )


def _chosen(name: str, learned: LearnedModel, table: NoisyTable) -> CountedTable | None:
    """A chosen table on its columns; none if it has a column twice."""
    evidence = learned.evidence
    owners = [evidence.owners[variable] for variable in table.group]
    if len(set(owners)) < len(owners):
        return None
    axes = tuple(learned.axes[owner] for owner in owners)
    merged = tuple(
        merging.cell[evidence.mergings[variable].cell]
        for merging, variable in zip(table.mergings, table.group, strict=True)
    )
    within = tuple(
        _within(learned.coarsenings[owner].shares, cells) for owner, cells in zip(owners, merged, strict=True)
    )
    title = f"the noisy table {' × '.join(axis.name for axis in axes)} behind {name}"
    return CountedTable(title, axes, merged, within, table.counts, noised(table.counts, table.scales))


def _within(shares: Floats, merged: Places) -> Floats:
    return shares / np.bincount(merged, shares)[merged]


class Replays:
    """Fits to tables with fresh noise, as if the model were the truth; made when first asked for, and kept."""

    def __init__(self, learned: LearnedModel, number: int, seed: int, progress: Callable[[str], None]) -> None:
        self.learned, self.number, self.seed, self.progress = learned, number, seed, progress
        self._made: list[Beliefs] = []

    def made(self) -> list[Beliefs]:
        """All replays of the noise, made when they are first asked for."""
        rng = np.random.default_rng([self.seed, len(self._made)])
        while len(self._made) < self.number:
            self.progress(f"replaying the noise, {len(self._made) + 1} of {self.number}")
            self._made.append(self.learned.evidence.replayed(self.learned.beliefs, rng, STEPS))
        return self._made

    def of(self, table: CountedTable, noisy: NoisyTable) -> CountedTable:
        """The same table with the counts that the fit expects, and with those that the replays expect."""
        evidence = self.learned.evidence

        def redrawn(rng: np.random.Generator, copies: int) -> Floats:  # noqa: ARG001
            return np.array([evidence.expected(noisy, beliefs) for beliefs in self.made()])

        counts = evidence.expected(noisy, self.learned.beliefs)
        title = table.title.replace("the noisy table", "the fitted table")
        return replace(table, title=title, counts=counts, redrawn=redrawn, shifted=True)


def believed(name: str, learned: LearnedModel, columns: Sequence[str]) -> CountedTable | None:
    """What a model believes of columns that it has, whether or not a table joins them; without noise of its own."""
    names = [axis.name for axis in learned.axes]
    if not set(columns) <= set(names):
        return None
    places = tuple(sorted(names.index(column) for column in columns))
    if prod(learned.coarsenings[place].size for place in places) > MOST_CELLS:
        raise DeclarationError(f"A question about {' × '.join(columns)} at once is too large. Ask about fewer columns.")
    axes: tuple[Column, ...] = tuple(learned.axes[place] for place in places)
    counts = learned.total * learned.beliefs.marginal(places)
    coarse = [learned.coarsenings[place] for place in places]
    merged = tuple(each.merging.cell for each in coarse)
    within = tuple(_within(each.shares, each.merging.cell) for each in coarse)
    return CountedTable(f"the model behind {name}", axes, merged, within, counts, noised(counts, 0.0))
