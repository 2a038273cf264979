"""Made-up curves as sums of lattice points, and made-up pictures as values: worst cases need no more of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from reaedp.answer import Integers
from reaedp.audits.made_up_groups import MadeUpGroups, ends
from reaedp.contract import Contract, Curve, Picture
from reaedp.curves.lattice import RADIUS
from reaedp.curves.mean_curve import MeanCurve, share_of_a_person
from reaedp.statistics.moments.space import MomentSpace
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.statistic import Answers, Multipliable, Pixelled, Summable
from reaedp.statistics.summary.parts import Parts
from reaedp.statistics.summary.summary import Summary


def made_up_curve(points: int, rank: int) -> Curve:
    """Curves that are measured at equal distances from 0 to 1."""
    return Curve(
        name="curve",
        form="wide",
        points=tuple(f"p{place}" for place in range(points)),
        at=tuple(place / (points - 1) for place in range(points)),
        interval=(0.0, 1.0),
        basis="wiener",
        rank=rank,
        clip=1.0,
        rho=0.01,
        provenance="public",
    )


@dataclass(frozen=True, slots=True, eq=False)
class MadeUpCurves:
    """Records that exist only as the sums of their curves, that of what was cut off among them, and their number."""

    contract: Contract
    sums: Integers
    number: int

    def curve_sums(self, name: str) -> tuple[Integers, int]:  # noqa: ARG002
        """Sums of lattice points, and how many curves there are."""
        return self.sums, self.number

    def answer(self, statistic: Answers[Summable]) -> Any:
        """The exact answer of a statistic that asks for sums only."""
        return statistic.answer(self)


@dataclass(frozen=True, slots=True, eq=False)
class MadeUpSums:
    """Records that exist only as the integers that one statistic asks for: sums, or the values of a picture."""

    contract: Contract
    sums: Integers

    def moment_sums(self, names: tuple[str, ...]) -> Integers:  # noqa: ARG002
        """Sums of the coordinates of all made-up rows."""
        return self.sums

    def pixels(self) -> Integers:
        """The values in reading order."""
        return self.sums

    def answer(self, statistic: Answers[Multipliable] | Answers[Pixelled]) -> Any:
        """The exact answer of a statistic that asks for no more."""
        return statistic.answer(self)


def parts_apart(
    statistic: Summary | Rates, contract: Contract, others: int
) -> Iterator[tuple[str, MadeUpGroups, MadeUpGroups]]:
    """A unit's rows at the upper ends of all ranges in the first group; before, at the lower ends in the last one.

    Where squares are told from the middle, rows also go three quarters of the way, which moves the most in all.
    """
    blocks = (statistic.shared(contract),) if isinstance(statistic, Rates) else statistic.parts(contract)
    axes = contract.select(statistic.grouping if isinstance(statistic, Rates) else statistic.by)
    rows, (lower, upper) = contract.unit.rows, ends(blocks)
    keys = np.array([[0] * len(axes), [axis.size - 1 for axis in axes]], dtype=np.int32)

    def made(first: Integers, last: Integers) -> MadeUpGroups:
        return MadeUpGroups(contract, keys, np.array([first, last])) if axes else MadeUpGroups(
            contract, keys[:1], np.array([first + last]))  # fmt: skip

    crowd, nothing = others * (lower + upper), np.zeros_like(lower)
    replaced = contract.unit.change == "replace"
    label = "all its values at one end, and then at the other" if replaced else "all its values at one end"
    before = made(crowd, rows * lower if replaced else nothing)
    yield label, before, made(crowd + rows * upper, nothing)
    if all(isinstance(one, Parts) and one.centred and one.degree == 2 for one in blocks):
        far = np.concatenate([_three_quarters(one) for one in blocks if isinstance(one, Parts)])
        yield "all its values at one end, and then near the other", before, made(crowd + rows * far, nothing)


def _three_quarters(parts: Parts) -> Integers:
    """The parts of a row at about this place of the range; they add up to it exactly."""
    part = parts.steps // 16
    return parts.weights(lower=part, middle=6 * part, upper=parts.steps - 7 * part).astype(np.int64)


def farthest_curves(statistic: MeanCurve, contract: Contract, others: int) -> tuple[str, MadeUpCurves, MadeUpCurves]:
    """Of all neighbours in which a unit's curves are as long as they may be, those with answers farthest apart."""

    def distance(case: tuple[str, MadeUpCurves, MadeUpCurves]) -> float:
        move = case[2].answer(statistic) - case[1].answer(statistic)
        return float((move.astype(np.float64) ** 2).sum())

    return max(_curves_apart(statistic, contract, others), key=distance)


def least_hidden(statistic: MeanCurve, contract: Contract) -> int:
    """The coefficient that noise hides least: the one that weighs most in the answer."""
    rank = contract.curve(statistic.curve).rank
    everywhere = MadeUpCurves(contract, np.full(rank + 1, RADIUS, dtype=np.int64), 0)
    return int(np.argmax(everywhere.answer(statistic)[:rank]))


def _curves_apart(
    statistic: MeanCurve, contract: Contract, others: int
) -> Iterator[tuple[str, MadeUpCurves, MadeUpCurves]]:
    """Curves along the coefficient that is hidden least, cut off as far as can be, and what they replace.

    Under "replace" they point the other way before, and are not cut off; or there were none, if that can be.
    """
    curve = contract.curve(statistic.curve)
    share = share_of_a_person(contract, curve)
    longest = np.zeros(curve.rank + 1, dtype=np.int64)
    longest[least_hidden(statistic, contract)] = share.curves * RADIUS
    opposite = -longest
    longest[-1] = share.curves * (statistic.most_cut(contract) or 0)
    after = MadeUpCurves(contract, longest, others + share.curves)
    if contract.unit.change == "replace":
        yield "curves that point the other way", MadeUpCurves(contract, opposite, others + share.curves), after
    if share.number_varies:
        yield "curves where there were none", MadeUpCurves(contract, 0 * longest, others), after


class Corners(NamedTuple):
    """Cells of one unit's rows before, if any, and after: ends of ranges, levels, or -1 for what is missing."""

    before: Integers | None
    after: Integers


def farthest_rows(space: MomentSpace, contract: Contract) -> Corners:
    """Rows at ends of all ranges, and of those that they replace the farthest."""
    after = np.array([[one.cells - 1 for one in space.grids]], dtype=np.int64)
    if contract.unit.change != "replace":
        return Corners(None, after)
    named = sum(one.named for one in space.grids)
    choices = [
        _moved(space, after, ordered, changed)
        for ordered in range(len(space.grids) - named + 1)
        for changed in range(named + 1)
    ]
    middle = np.where([one.named for one in space.grids], after, [one.cells // 2 for one in space.grids])
    end = space.vectors(after)
    return Corners(max([*choices, middle], key=lambda row: _squared(space.vectors(row) - end)), after)


def _squared(move: Integers) -> float:
    return float((move.astype(np.float64) ** 2).sum())


def _moved(space: MomentSpace, row: Integers, ordered: int, changed: int) -> Integers:
    """The first so many ordered columns at their other ends, and so many named ones with another level."""
    moved, left = row.copy(), {False: ordered, True: changed}
    for place, one in enumerate(space.grids):
        if left[one.named] > 0:
            left[one.named] -= 1
            moved[0, place] = one.cells - 2 if one.named else 0
    return moved


def pixels_apart(contract: Contract) -> tuple[MadeUpSums, MadeUpSums]:
    """A pixel that goes from the lowest to the highest value in every channel."""
    picture = cast("Picture", contract.picture)
    before = np.full(picture.values, picture.lower, dtype=np.int64)
    after = before.copy()
    after[: picture.channels] = picture.upper
    return MadeUpSums(contract, before), MadeUpSums(contract, after)
