"""Coarsening: cells of a column merged until noise leaves something to be seen in tables of several columns.

Everything here is computed from a noisy table of the column alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column
from reaedp.synthesis.grouping import Places, declared_groups, group_views, rare_together
from reaedp.synthesis.merging import Floats, Merging
from reaedp.synthesis.shrinkage import shrunk
from reaedp.synthesis.tail_shape import shaped_end
from reaedp.synthesis.tails import occupied, tapered

#: A cell whose noisy count is below so many standard deviations of its noise may well be empty.
DOUBTFUL = 3.0
#: One of missing or broken values even below so many: there are many such cells, most of them empty.
TROUBLE = 5.0
#: A share of all rows that no cell shows, from which on it is looked for; less is shared by all cells, as where noise
#: would put it is worse.
MISSED = 0.05
#: Ordered cells from which on there are tails.
LEAST_TAIL = 8
#: Cells of the coarser views of a column that tables may use.
VIEWS = (32, 8, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Coarsening:
    """`merging` sends declared cells to coarse ones; `views` send coarse cells to fewer, the first each to itself.

    Cells of a view are unions of those of its `parents`: an earlier view, by its place.
    """

    shares: Floats
    merging: Merging
    views: tuple[Merging, ...]
    parents: tuple[int, ...] = (-1,)

    @property
    def size(self) -> int:
        """Number of coarse cells."""
        return self.merging.size

    @property
    def coarse_shares(self) -> Floats:
        """Shares of the coarse cells."""
        return self.merging.sums(self.shares)


def coarsen(
    column: Column, noisy: Floats, scale: float, most: int, least: float, *, total: float | None = None
) -> Coarsening:
    """About `most` coarse cells of similar weight, or a cell for each level of at least this share; and views.

    The `total` number of rows, if other columns tell it too, tells how many rows are in cells that noise hides.
    """
    regular = column.regular if ordered(column) else 0
    # Fewer cells are told apart anyhow, each by its own count.
    smooth = regular if regular > most else 0
    shares = estimated_shares(noisy, scale, smooth=smooth, regular=column.regular, along=regular, total=total)
    groups = declared_groups(column)
    merging = _merging(shares, regular, most, least, groups)
    views = _nested(merging.sums(shares), merging.cell[:regular], group_views(merging, groups))
    parents = list(range(-1, len(views) - 1))
    flag = _flag(column, merging, shares, least)
    if flag is not None:
        parents.append(max(place for place, view in enumerate(views) if flag.follows(view)))
        views.append(flag)
    return Coarsening(shares, merging, tuple(views), tuple(parents))


def reshared(coarse: Coarsening, column: Column, noisy: Floats, scale: float, total: float) -> Coarsening:
    """The coarse cells with shares by another noisy table."""
    regular = column.regular if ordered(column) else 0
    smooth = regular if regular > coarse.size else 0
    shares = estimated_shares(noisy, scale, smooth=smooth, regular=column.regular, along=regular, total=total)
    return replace(coarse, shares=shares)


def _nested(shares: Floats, along: NDArray[np.intp], declared: Sequence[Merging]) -> list[Merging]:
    """Coarser and coarser views, the declared ones first; coarse cells of regular cells keep their order."""
    views = [*declared]
    regular = int(along[-1]) + 1 if len(along) else 0
    for fewer in VIEWS:
        last = views[-1]
        coarser = _merging(last.sums(shares), regular, fewer, 1 / (3 * fewer))
        if 1 < coarser.size < last.size:
            regular = int(coarser.cell[regular - 1]) + 1 if regular else 0
            views.append(Merging(coarser.cell[last.cell]))
    return views


def _flag(column: Column, merging: Merging, shares: Floats, least: float) -> Merging | None:
    """Whether a value is missing: a view of two cells, where missing values have at least this share, and others too.

    Values that are missing together are a dependence of two cells by two, however many cells the columns have.
    """
    missing = np.bincount(merging.cell[: column.regular], minlength=merging.size) == 0
    share = float(merging.sums(shares)[missing].sum())
    if merging.size == 2 or not missing.any() or not least <= share <= 1 - least:
        return None
    return Merging(missing.astype(np.intp))


def ordered(column: Column) -> bool:
    """Whether neighbouring cells are alike."""
    return not isinstance(column, Category | Boolean)


def estimated_shares(
    noisy: Floats, scale: float, *, smooth: int, regular: int, along: int = 0, total: float | None = None
) -> Floats:
    """Positive shares, the first `smooth` cells by smoothing; of the first `along`, which have an order, with tails.

    Doubtful cells keep their sum, in which noise cancels, in proportion to what is above zero; but those behind the
    `regular` ones, of missing and broken values, have nothing: most tables have none, and no row shall invent any.
    Rows of the `total` that no cell shows are in those that noise hides. Without an order, cells tell about each other
    by how many have few rows (`shrunk`).
    """
    if not along:
        troubles = (noisy < TROUBLE * scale) & (np.arange(len(noisy)) >= regular)
        return _normed(shrunk(np.where(troubles, 0.0, noisy), scale, regular, total))
    rows = np.concatenate([smoothed(noisy[:smooth], scale), noisy[smooth:]])
    likely = np.maximum(rows, 0.0)
    # Smoothing leaves about half of the noise.
    doubtful = rows < scale * np.where(np.arange(len(rows)) < smooth, DOUBTFUL / 2, DOUBTFUL)
    troubles = (rows < TROUBLE * scale) & (np.arange(len(rows)) >= regular)
    rows[troubles], doubtful = 0.0, doubtful & ~troubles
    full = occupied(noisy[:along], scale) if along >= LEAST_TAIL else np.zeros(0, dtype=bool)
    falling = tapered(rows[:along], noisy[:along], scale, full) if full.any() else rows[:along]
    # Where cells are told apart by their own counts, what looks like a tail may be low cells with many rows together.
    if total is not None and not smooth and falling.sum() + np.maximum(noisy[along:], 0.0).sum() < total:
        full = np.zeros(0, dtype=bool)
    if full.any():
        rows[:along] = falling
        doubtful[:along] &= full
        for onward in (slice(None, along), slice(along - 1, None, -1)) if smooth else ():
            if (tail := shaped_end(noisy[onward], scale)) is not None:
                outer = slice(-len(tail) - 1, -1)
                rows[onward][outer], doubtful[onward][outer] = tail, False
    left = np.maximum(rows[doubtful], 0.0) + 1e-3 * scale
    rows[doubtful] = max(float(rows[doubtful].sum()), 0.0) * left / left.sum()
    if total is not None:
        hidden = (rows < DOUBTFUL * scale) & (np.arange(len(rows)) < regular)
        rows += _missed(rows, noisy, likely, hidden, scale=scale, total=total)
    return _normed(rows)


def _normed(rows: Floats) -> Floats:
    """Shares, all of them above zero."""
    rows = np.maximum(rows, 1e-9 * max(float(rows.sum()), 1.0))
    shares: Floats = rows / rows.sum()
    return shares


def _missed(
    rows: Floats, noisy: Floats, likely: Floats, hidden: NDArray[np.bool_], *, scale: float, total: float
) -> Floats:
    """Rows that must be in hidden cells, beyond those that they have, where they are likely.

    How many that is, their own sum tells, and so does what the others leave of the total, each with the noise of its
    cells: the weighted mean of both is the best guess. Nothing is added that noise could have made.
    """
    few, many = int((~hidden).sum()), int(hidden.sum())
    weights = np.where(hidden, likely, 0.0)
    if not many or not weights.any():
        return np.zeros(len(rows))
    guess = (few * float(noisy[hidden].sum()) + many * (total - float(rows[~hidden].sum()))) / (few + many)
    more = guess - float(rows[hidden].sum())
    if more < max(MISSED * total, DOUBTFUL * scale * np.sqrt(few * many / (few + many))):
        return np.zeros(len(rows))
    added: Floats = more * weights / weights.sum()
    return added


def _merging(shares: Floats, regular: int, most: int, least: float, groups: Sequence[Places] = ()) -> Merging:
    """The first `regular` cells are merged with neighbours into about `most`, the others if they are below `least`.

    Columns with `groups` have no order.
    """
    along = _runs(shares[:regular], 1 / most) if regular else np.zeros(0, dtype=np.intp)
    others = rare_together(shares[regular:], least, groups) if regular < len(shares) else along[:0]
    return Merging(np.concatenate([along, others + (along[-1] + 1 if regular else 0)]))


def _runs(shares: Floats, weight: float) -> NDArray[np.intp]:
    """Neighbours together until they have about this weight; a heavy cell stays alone."""
    runs, run, filled = np.zeros(len(shares), dtype=np.intp), 0, 0.0
    for cell, share in enumerate(shares.tolist()):
        if filled > 0 and filled + share > 1.5 * weight and (filled >= weight / 2 or share > weight):
            run, filled = run + 1, 0.0
        runs[cell] = run
        filled += share
    return runs


# Smoothing: neighbouring cells of an ordered column are alike unless the difference stands out from the noise.

#: Differences between neighbouring runs of 1, 2 and 4 cells are looked at.
LEVELS = 3
#: A difference below so many standard deviations of its noise is taken for noise.
DISTINCT = 2.5


def smoothed(noisy: Floats, scale: float) -> Floats:
    """The mean over all alignments of runs of Haar's wavelet estimate (Coifman and Donoho 1995); sums are kept."""
    runs = 1 << LEVELS
    length = -(-(len(noisy) + runs) // runs) * runs
    aligned = np.zeros((runs, length))
    for shift in range(runs):
        aligned[shift, shift : shift + len(noisy)] = noisy
    smooth = _without_small_differences(aligned, scale, LEVELS)
    total: Floats = sum((smooth[shift, shift : shift + len(noisy)] for shift in range(runs)), np.zeros(len(noisy)))
    return total / runs


def _without_small_differences(values: Floats, scale: float, levels: int) -> Floats:
    """Sums and differences of pairs, orthonormal so that noise keeps its scale; large differences are put back."""
    if levels == 0:
        return values
    even, odd = values[:, ::2], values[:, 1::2]
    difference = (even - odd) / np.sqrt(2)
    difference[np.abs(difference) < DISTINCT * scale] = 0.0
    sums = _without_small_differences((even + odd) / np.sqrt(2), scale, levels - 1)
    restored = np.empty_like(values)
    restored[:, ::2], restored[:, 1::2] = (sums + difference) / np.sqrt(2), (sums - difference) / np.sqrt(2)
    return restored
