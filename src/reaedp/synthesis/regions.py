"""Regions: the values of one column where others fall on chosen sides of cuts, counted with noise.

A few cuts, one after the other, tell what no table of few columns does. All in here was released or is public.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.likely_counts import likely
from reaedp.synthesis.merging import Floats
from reaedp.synthesis.model import Codes

Places = NDArray[np.intp]
#: Rows are chosen from so many times as many of the model, this many at a time.
_SPARE, _BLOCK = 6, 1 << 16


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cut i parts the cells of column `columns[i]`: those on one side are true in `inside[i]`, which may be longer."""

    columns: Places
    inside: NDArray[np.bool_]

    def sides(self, cut: Places, codes: Codes) -> NDArray[np.bool_]:
        """On which side of its cut each row lies."""
        found: NDArray[np.bool_] = self.inside[cut, codes[np.arange(len(codes)), self.columns[cut]]]
        return found

    def regions(self, levels: Sequence[Places], codes: Codes) -> Places:
        """The region of each row: every level has a cut for each region of the level before, and parts it in two."""
        region: Places = np.zeros(len(codes), dtype=np.intp)
        for level in levels:
            region = 2 * region + self.sides(level[region], codes)
        return region


@dataclass(frozen=True, eq=False)
class Regions:
    """Noisy counts of a column's cells, a row for each region."""

    column: int
    cuts: Cuts
    levels: tuple[Places, ...]
    counts: Floats
    scale: float

    def law(self, here: Places) -> Floats:
        """Shares of all rows of each value in each region, given how many rows of a model are in these cells.

        A model is believed in how many rows a region has, and of the values in none but how many rows each has in all.
        """
        regions, values = here.sum(axis=1) + 0.5, here.sum(axis=0) + 0.5
        shares = regions[:, None] / regions.sum() * (values / values.sum())
        found = likely(self.counts, max(1.0, float(self.counts.sum())) * shares, self.scale)
        law: Floats = found / found.sum()
        return law

    def rows(self, drawn: Callable[[int], Codes], count: int, rng: np.random.Generator) -> Codes:
        """Rows by this law, completed by those that a model has `drawn`."""
        sizes = [min(_BLOCK, count - start) for start in range(0, count, _BLOCK)]
        return np.concatenate([self._block(drawn(_SPARE * size), size, rng) for size in sizes])

    def _block(self, offered: Codes, count: int, rng: np.random.Generator) -> Codes:
        """Some of the rows offered: first those that have the wanted value, then others of the region, changed.

        In regions where nothing is offered rows stay as the model has them.
        """
        width = self.counts.shape[1]
        cell = self.cuts.regions(self.levels, offered) * width + offered[:, self.column]
        order, has = np.argsort(cell, kind="stable"), np.bincount(cell, minlength=self.counts.size)
        wanted = _rounded(self.law(has.reshape(-1, width)).ravel() * count, rng)
        own, starts = np.minimum(has, wanted), np.cumsum(has) - has
        # Rows of one region lie side by side, whatever their values are.
        here = has.reshape(-1, width).sum(axis=1)
        missing = np.where(np.repeat(here > 0, width), wanted - own, 0)
        new = np.repeat(np.arange(missing.size), missing)
        region = new // width
        changed = offered[order[starts[region * width] + (rng.random(len(new)) * here[region]).astype(np.intp)]]
        changed[:, self.column] = new % width
        found = np.concatenate([offered[order[_runs(starts, own)]], changed])
        rest = offered[rng.integers(0, len(offered), max(0, count - len(found)))]
        return np.concatenate([found, rest])[rng.permutation(len(found) + len(rest))[:count]]


def _rounded(expected: Floats, rng: np.random.Generator) -> Places:
    """Whole numbers whose sums up to any place differ from the expected ones by less than one."""
    ends = np.floor(np.cumsum(expected) + rng.random()).astype(np.intp)
    found: Places = np.diff(ends, prepend=0)
    return found


def _runs(starts: Places, lengths: Places) -> Places:
    """All places of runs that begin at `starts`."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
