"""Curves as vectors of integers of bounded length, computed without any rounding that depends on other curves.

Values are rounded to whole steps, the projection's weights too, and so few of both that every sum of their products
is exact in double precision, in whatever order a library adds them up. PROOFS.md has the bounds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Curve
from reaedp.contract.curve import TICKS, Missing
from reaedp.curves.bases import Reals
from reaedp.curves.space import CurveSpace

Places = NDArray[np.int64]
#: The length at which vectors of integers are cut: steps of the lattice to one `clip`.
RADIUS = 2**20
#: Steps of values to one `clip`, and the value, in steps, at which they are cut: 64 times the clip.
VALUE_STEPS = 2**21
LARGEST_VALUE = 2**27
#: Steps of weights to one. A row of weights is at most one in sum of sizes, as the basis is orthonormal.
WEIGHT_STEPS = 2**25


@dataclass(frozen=True, slots=True)
class CurveLattice:
    """What turns curves into lattice points; all of it public.

    `weights` turn values on the grid, less the `offset`, into coefficients, all in steps; `ticks` are the times of
    the grid. `most_cut` is the largest share of a curve within the declared bounds that can be cut off, in steps to the
    radius. If there is one, the share that was cut off follows the coefficients of each curve.
    """

    curve: Curve
    weights: Reals
    offset: Reals
    ticks: Places
    most_cut: int | None = None

    @classmethod
    def of(cls, curve: Curve) -> Self:
        """The lattice of a declared curve."""
        space = CurveSpace(curve)
        weights = np.ascontiguousarray(np.rint(space.projection * WEIGHT_STEPS))
        longest = space.longest
        cuts = longest is not None and longest > curve.clip
        most = math.ceil(RADIUS * (1.0 - curve.clip / longest)) if cuts else None  # type: ignore[operator]
        return cls(curve, weights, space.offset(space.grid), space.ticks, most)

    @property
    def rows(self) -> int:
        """Numbers to a curve: its coefficients, and how much of it was cut off if that can be told."""
        return len(self.weights) + (self.most_cut is not None)

    @property
    def scale(self) -> float:
        """Steps of values to one unit of the data."""
        return VALUE_STEPS / self.curve.clip

    def wide(self, values: Reals) -> Integers:
        """Lattice points of curves known on the grid, one in each column of `values`, which is overwritten."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is as missing as what is infinite
            if self.offset.any():
                values -= self.offset[:, None]
            values *= self.scale
            # A number that is none makes one of the comparisons false.
            clean = values.size == 0 or bool(values.max() <= LARGEST_VALUE and values.min() >= -LARGEST_VALUE)
        if not clean:
            values = self._mended(values)
        return self._points(values)

    def long(self, owners: Places, times: Reals, values: Reals, curves: int) -> Integers:
        """Lattice points of curves known at times of their own: point i lies on curve `owners[i]`."""
        space = CurveSpace(self.curve)
        with np.errstate(over="ignore", invalid="ignore"):
            moments = space.unit_times(times)
            inside = (moments >= 0.0) & (moments <= 1.0)
            ticks = np.rint(np.where(inside, moments, 0.0) * TICKS)
            steps = (values - space.offset(np.where(inside, moments, 0.0))) * self.scale
        missing = ~np.isfinite(steps) | ~np.isfinite(moments)
        steps, usable = _RULES[self.curve.missing](steps, missing)
        used = usable & inside
        numbers = np.clip(steps[used], -LARGEST_VALUE, LARGEST_VALUE)
        filled = interpolated(owners[used], ticks[used].astype(np.int64), numbers, curves, self.ticks)
        return self._points(self._kept(filled, owners[missing], owners[used], curves))

    def _mended(self, values: Reals) -> Reals:
        """The curves with every missing point treated as declared and every large value cut."""
        with np.errstate(invalid="ignore"):
            whole = (np.abs(values) <= LARGEST_VALUE).all(axis=0)
        broken = values[:, ~whole]
        missing = ~np.isfinite(broken)
        steps, usable = _RULES[self.curve.missing](broken, missing)
        place, owner = np.nonzero(usable)
        numbers = np.clip(steps[usable], -LARGEST_VALUE, LARGEST_VALUE)
        filled = interpolated(owner, self.ticks[place], numbers, broken.shape[1], self.ticks)
        kept = self._kept(filled, np.nonzero(missing)[1], owner, broken.shape[1])
        return np.concatenate([values[:, whole], kept], axis=1)

    def _kept(self, filled: Reals, missing: Places, known: Places, curves: int) -> Reals:
        """All curves, or under the rule "drop" those with points and without a missing one."""
        if self.curve.missing != "drop":
            return filled
        none_missing = np.bincount(missing, minlength=curves) == 0
        return filled[:, none_missing & (np.bincount(known, minlength=curves) > 0)]

    def _points(self, steps: Reals) -> Integers:
        """Exact coefficients, rounded to the nearest lattice point and cut at the radius; then what was cut off."""
        exact = self.weights @ np.rint(steps, out=steps)
        points = np.rint(exact * (RADIUS / (VALUE_STEPS * WEIGHT_STEPS))).astype(np.int64)
        if self.most_cut is None:
            return shortened(points)
        cut = cut_off(points, self.most_cut)
        return np.concatenate([shortened(points), cut[None, :]])


class WholeCurves(CurveLattice):
    """Values on the grid, in steps, where there would be coefficients: curves as they are, neither cut nor smoothed."""

    __slots__ = ()

    def _points(self, steps: Reals) -> Integers:
        return np.rint(steps).astype(np.int64)

    def mean(self, sums: Integers, count: int) -> Reals:
        """The mean on the grid, in units of the data."""
        return sums / max(count, 1) / self.scale + self.offset


def cut_off(points: Integers, most: int) -> Integers:
    """The share of each column that shortening takes away, in steps to the radius; never more than `most` of them.

    Rounded up, so that their sum is never less than what was cut off.
    """
    lengths = np.sqrt((points * points).sum(axis=0).astype(np.float64))
    shares = np.floor(RADIUS * (1.0 - RADIUS / np.maximum(lengths, RADIUS))) + 1.0
    return np.where(lengths > RADIUS, np.minimum(shares, most), 0.0).astype(np.int64)


def shortened(points: Integers) -> Integers:
    """Columns not longer than the radius; longer ones are drawn towards zero and rounded towards it."""
    length_squared = (points * points).sum(axis=0)
    long = length_squared > RADIUS**2
    if long.any():
        factor = RADIUS / np.sqrt(length_squared[long].astype(np.float64))
        points[:, long] = np.trunc(points[:, long] * factor).astype(np.int64)
    return points


def _ignored(steps: Reals, missing: NDArray[np.bool_]) -> tuple[Reals, NDArray[np.bool_]]:
    return steps, ~missing


def _zero(steps: Reals, missing: NDArray[np.bool_]) -> tuple[Reals, NDArray[np.bool_]]:
    return np.where(missing, 0.0, steps), np.ones(missing.shape, dtype=bool)


#: Values, and which of them are used, under each rule for missing ones.
_RULES: dict[Missing, Callable[[Reals, NDArray[np.bool_]], tuple[Reals, NDArray[np.bool_]]]] = {
    "interpolate": _ignored,
    "drop": _ignored,
    "zero": _zero,
}


# Curves known at some times of their own, brought to a common grid.
#
# Times are integers and each result is made by a few operations on the numbers of its own curve alone, so that it is
# the same to the last bit whichever other curves are brought along.


def interpolated(owners: Places, ticks: Places, values: Reals, curves: int, grid: Places) -> Reals:
    """Point i lies on curve `owners[i]`; the result has a row for each time of the grid, a column for each curve.

    Straight between points, constant beyond the first and the last, zero where a curve has no points.
    """
    order = np.lexsort((values, ticks, owners))
    keys, numbers = (owners * (2 * TICKS) + ticks)[order], values[order]
    ends = np.searchsorted(owners[order], np.arange(curves), side="right")
    starts = np.append(0, ends[:-1])
    wanted = grid[:, None] + np.arange(curves) * (2 * TICKS)
    before = np.searchsorted(keys, wanted, side="right") - 1
    last = np.maximum(ends - 1, starts)
    left, right = np.maximum(before, starts), np.minimum(np.maximum(before + 1, starts), last)
    known = ends > starts
    if not known.any():
        return np.zeros(wanted.shape)
    left, right = np.where(known, left, 0), np.where(known, right, 0)
    width = keys[right] - keys[left]
    share = (wanted - keys[left]) / np.where(width == 0, 1, width)
    between = numbers[left] + np.where(width == 0, 0.0, share) * (numbers[right] - numbers[left])
    return np.where(known, between, 0.0)
