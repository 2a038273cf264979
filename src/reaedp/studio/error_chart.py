"""Errors against ε as a picture: a line for each release, and a handle where the accepted error meets that of one."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reaedp.contract import Contract
from reaedp.errors import ReaedpError
from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.plan import Plan
from reaedp.studio.outcomes import priced

#: The ε's at which errors are told, as powers of ten: from 0.01 to 10.
POWERS = tuple(step / 4 for step in range(-8, 5))
#: Lines beside the one whose handle it is; more could not be told apart.
MOST_OTHERS = 4
#: The plane, to whose right the lines have their names, and how far apart these are at least.
LEFT, RIGHT, TOP, BOTTOM, APART = 44, 232, 10, 150, 15


class Name(NamedTuple):
    """What stands at the end of a line, at which height, and whether it is the line with the handle."""

    text: str
    y: float
    own: bool


@dataclass(frozen=True, slots=True)
class ErrorChart:
    """Lines as points of a picture; those of the release whose card it is also as numbers, for its handle."""

    name: str
    lines: tuple[str, ...]
    names: tuple[Name, ...]
    own: tuple[Mapping[str, float], ...]
    price: float
    affordable: float
    ends: tuple[str, str]
    unit: str

    @classmethod
    def of(cls, plan: Plan, planned: Planned, price: float, left: float) -> "ErrorChart | None":
        """The chart of one release of a plan at a price; None where no error can be told at other prices."""
        errors = errors_of(planned, plan.contract)
        if len(errors) < 2:
            return None
        groups = _groups(plan, planned)
        every = [error for errors in groups for _, error in errors]
        scale = _Scale(math.log10(min(every)), math.log10(max(every)))
        own = tuple(
            {"power": power, "error": math.log10(error), "x": scale.x(power), "y": scale.y(error)}
            for power, error in errors
        )
        lines = tuple(" ".join(f"{scale.x(power)},{scale.y(error)}" for power, error in errors) for errors in groups)
        ends = [(words, scale.y(errors[-1][1])) for errors, words in groups.items()]
        beyond = scale.x(min(max(math.log10(max(left, 1e-9)), POWERS[0]), POWERS[-1]))
        unit = priced(planned, plan.contract).forecast.expected.aim.unit
        top, bottom = about(10**scale.high), about(10**scale.low)
        return cls(planned.name, lines, _spread(ends), own, price, beyond, (bottom, top), unit)

    @property
    def points(self) -> str:
        """The numbers of the handle's line, as the script reads them."""
        return json.dumps(self.own)

    @property
    def now(self) -> Mapping[str, float]:
        """Where the handle stands: on the line, at the price, or at the end next to it."""
        power = min(max(math.log10(self.price), self.own[0]["power"]), self.own[-1]["power"])
        right = next(place for place, one in enumerate(self.own) if one["power"] >= power)
        one, other = self.own[max(right - 1, 0)], self.own[right]
        part = (power - one["power"]) / (other["power"] - one["power"]) if right else 0.0
        return {key: round(one[key] + part * (other[key] - one[key]), 6) for key in one}

    @property
    def spoken(self) -> str:
        """What the handle says of the place where it stands."""
        off = about(10 ** self.now["error"])
        return f"ε {about(10 ** self.now['power'], 2)}, off by at most ±{off} {self.unit}".strip()

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The handle's line in numbers."""
        return tuple(
            (about(10 ** one["power"], 2), f"±{about(10 ** one['error'])} {self.unit}".strip()) for one in self.own
        )


Errors = tuple[tuple[float, float], ...]


@lru_cache(maxsize=256)
def errors_of(planned: Planned, contract: Contract) -> Errors:
    """The error of a release at each ε that can be asked for, where there is one."""
    found = []
    for power in POWERS:
        try:
            error = priced(
                planned.costing(float(f"{10**power:.3g}"), contract.budget), contract
            ).forecast.expected.aim.bound
        except ReaedpError:
            continue
        if math.isfinite(error) and error > 0:
            found.append((power, error))
    return tuple(found)


def _groups(plan: Plan, planned: Planned) -> dict[Errors, str]:
    """Different lines in the same unit with their names, that of the release first; releases may share one."""
    unit = priced(planned, plan.contract).forecast.expected.aim.unit
    found: dict[Errors, list[str]] = {}
    for one in (planned, *(other for other in plan.releases if other != planned)):
        errors = errors_of(one, plan.contract)
        if len(errors) > 1 and priced(one, plan.contract).forecast.expected.aim.unit == unit:
            found.setdefault(errors, []).append(one.called)
    listed = list(found.items())[: MOST_OTHERS + 1]
    return {errors: _together(names) for errors, names in listed}


def _together(names: Sequence[str]) -> str:
    return shown(names[0], 11) if len(names) == 1 else f"{shown(names[0], 7)} +{len(names) - 1}"


class _Scale(NamedTuple):
    """Both axes are logarithmic; errors lie between ten to the power of `low` and of `high`."""

    low: float
    high: float

    def x(self, power: float) -> float:
        return round(LEFT + (power - POWERS[0]) / (POWERS[-1] - POWERS[0]) * (RIGHT - LEFT), 1)

    def y(self, error: float) -> float:
        part = (self.high - math.log10(error)) / max(self.high - self.low, 0.3)
        return round(TOP + part * (BOTTOM - TOP), 1)


def _spread(ends: Sequence[tuple[str, float]]) -> tuple[Name, ...]:
    """Names at the ends of their lines, moved up where they would stand on one another; the first is the own one."""
    own = ends[0][0]
    names, lowest = [], float(BOTTOM)
    for words, y in sorted(ends, key=lambda end: -end[1]):
        lowest = min(y, lowest)
        names.append(Name(words, round(lowest, 1), words == own))
        lowest -= APART
    return tuple(names)
