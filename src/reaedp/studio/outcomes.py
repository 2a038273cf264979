"""What a release could turn out to be, before any data is opened: twenty outcomes, and pretended counts.

Outcomes are quantiles of the noise and not drawn, so that there is nothing at random here, and nothing of the data.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reaedp.contract import Contract
from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.plan.forecast import Forecast
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.request import Request
from reaedp.statistics.marginal import Marginal

#: Possible outcomes that are shown.
OUTCOMES = 20
#: Cells of a pretended table that have room.
MOST_BARS = 40
#: Rows that are pretended where nobody says how many there are.
PRETENDED = 1_000
WIDTH, HEIGHT, LEFT, BOTTOM = 320, 180, 44, 30


@dataclass(frozen=True, slots=True)
class Priced:
    """A planned release at a price: its forecast, and how far each of twenty equally likely outcomes is off."""

    planned: Planned
    request: Request
    forecast: Forecast
    off: tuple[float, ...]


@lru_cache(maxsize=512)
def requested(planned: Planned, contract: Contract) -> Request:
    """What a release asks for; its noise is found once for each price, whatever is asked about it."""
    return planned.request(contract)


@lru_cache(maxsize=512)
def priced(planned: Planned, contract: Contract) -> Priced:
    """The forecast of a release; sliders ask for the same prices again and again."""
    request = requested(planned, contract)
    forecast = Forecast.of(request, contract)
    noise, bound = request.calibrated(contract), forecast.expected.aim.bound
    most = noise.error_quantile(0.95)
    halves = [(2 * place + 1) / OUTCOMES for place in range(OUTCOMES // 2)]  # as far below as above
    above = [noise.error_quantile(half) / most * bound if most else 0.0 for half in halves]
    return Priced(planned, request, forecast, (*(-off for off in reversed(above)), *above))


@dataclass(frozen=True, slots=True)
class Dots:
    """Twenty outcomes on a line: places, ends of the axis, and words."""

    places: tuple[tuple[float, float], ...]
    ends: tuple[str, str]
    words: str
    #: How far each of them is off, as text.
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, found: Priced) -> "Dots | None":
        """Dots that lie on others are stacked; the axis ends at the farthest."""
        reach = max(map(abs, found.off))
        if not math.isfinite(reach) or reach <= 0 or min(map(abs, found.off)) == reach:  # no noise of its own
            return None
        stacked: dict[int, int] = {}
        places = []
        for off in found.off:
            x = round((off / reach + 1) * 12)
            stacked[x] = stacked.get(x, 0) + 1
            places.append((16 + x * 12, 92 - 14 * stacked[x]))
        unit = found.forecast.expected.aim.unit
        far = f"{about(reach)} {unit}".strip()
        words = f"Twenty possible outcomes, equally likely, from {far} too low to as much too high."
        numbers = tuple(f"{'+' if off > 0 else '−' if off else ''}{about(abs(off))}" for off in found.off)
        return cls(tuple(places), (f"−{about(reach)}", f"+{far}"), words, numbers)


@dataclass(frozen=True, slots=True)
class PretendedBar:
    """A pretended cell: its name, its count in words, and bar, whisker and twenty dots in the picture's measures."""

    label: str
    count: str
    x: float
    width: float
    top: float
    low: float
    high: float
    dots: str


class Pretended(NamedTuple):
    """A pretended table of counts: bars with whiskers, the band of what is mostly noise, and the axis."""

    bars: tuple[PretendedBar, ...]
    band: float
    top: str
    rows: int
    words: str

    @classmethod
    def of(cls, found: Priced, contract: Contract, rows: int, draw: int) -> "Pretended | None":
        """For counts of few cells; `draw` says which outcome the bars show."""
        if not isinstance(found.request.statistic, Marginal) or found.forecast.cells > MOST_BARS:
            return None
        columns = contract.select(found.request.statistic.columns)
        labels = columns[0].cells if len(columns) == 1 else tuple(str(n + 1) for n in range(found.forecast.cells))
        truth, bound = rows / len(labels), found.forecast.expected.bound
        most = max(truth + max(found.off), truth + bound, 2 * bound)
        high = (HEIGHT - BOTTOM - 10) / most
        wide = (WIDTH - LEFT - 8) / len(labels)
        bars = tuple(
            _bar(
                label, (LEFT + place * wide, wide), _Cell(truth, _drawn(found.off, place, draw), bound), found.off, high
            )
            for place, label in enumerate(labels)
        )
        noise = min(2 * bound, most)
        words = (
            f"Pretended: {rows:,} rows spread evenly, {about(truth)} in each of {len(labels)} cells. A count may be off"
            f" by ±{about(bound)}. " + ("Mostly noise." if truth < 2 * bound else "Enough to read.")
        )
        return cls(bars, HEIGHT - BOTTOM - noise * high, about(most), rows, words)


def _drawn(off: tuple[float, ...], place: int, draw: int) -> float:
    """One of the twenty outcomes for each cell, in an order without pattern to the eye."""
    return off[(place * place * 7 + place * 11 + draw * 13 + draw * draw * 3 * (place + 1) + 5) % len(off)]


class _Cell(NamedTuple):
    """A pretended count, how far this outcome is off, and how far 95 in 100 are."""

    truth: float
    moved: float
    bound: float


def _bar(label: str, across: tuple[float, float], cell: _Cell, off: tuple[float, ...], high: float) -> PretendedBar:
    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - max(value, 0.0) * high, 1)

    (x, wide), count = across, cell.truth + cell.moved
    return PretendedBar(
        label=shown(label, 12),
        count=f"{about(count)} ± {about(cell.bound)}",
        x=round(x + wide * 0.15, 1),
        width=round(wide * 0.7, 1),
        top=y(count),
        low=y(count - cell.bound),
        high=y(count + cell.bound),
        dots="".join(f"M{round(x + wide / 2, 1)} {y(cell.truth + one)}h0" for one in off),
    )
