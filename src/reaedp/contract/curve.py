"""Curves: what is public about functions of time before any of them is seen."""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

from reaedp.contract.column import Provenance, finite, repetitions, whole
from reaedp.contract.wording import Described
from reaedp.errors import Mistakes

Form = Literal["wide", "long"]
BasisName = Literal["wiener", "fourier", "bspline"]
Missing = Literal["interpolate", "drop", "zero"]

#: Times are whole ticks, so many to the interval: sums and differences of ticks are exact.
TICKS = 2**20
MOST_POINTS = 100_000
#: So few that the squares of this many lattice points add up within 64 bits.
MOST_COEFFICIENTS = 256
FEWEST_COEFFICIENTS = {"wiener": 1, "fourier": 1, "bspline": 4}
LARGEST_NUMBER = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Described):
    """Curves, such as measurements over time: one in each row, or one for each value of the column `id`.

    The `form` is "wide", with one column in `points` for each of the times `at`, or "long", with a `time` and a `value`
    column. A curve minus the public `offset` is described by `rank` coefficients in a `basis`; the vector of
    coefficients is clipped to the length `clip`, the root mean square of the curve over the `interval`. `rho` is the
    amount of smoothing. `smoothness` is a public bound on the root mean square slope of the mean minus the offset, with
    the interval as the unit of time; the amount of smoothing and a bound on the bias follow from it. `lower` and
    `upper` are bounds on the values, each a number or a list with one number per time in `at`. `missing` says what to
    do with points that are absent, not a number, or infinite.

    >>> smooth = {"interval": (0.0, 7.0), "basis": "fourier", "rank": 3, "clip": 1.0, "provenance": "public"}
    >>> Curve(name="week", form="long", id="who", time="day", value="mood", **smooth).columns
    ('who', 'day', 'mood')
    """

    form: Form
    interval: tuple[float, float]
    basis: BasisName
    rank: int
    clip: float
    provenance: Provenance
    entry: int | None = None
    points: tuple[str, ...] = ()
    at: tuple[float, ...] = ()
    id: str | None = None
    time: str | None = None
    value: str | None = None
    offset: float | tuple[float, ...] = 0.0
    rho: float | None = None
    smoothness: float | None = None
    missing: Missing = "interpolate"
    lower: float | tuple[float, ...] | None = field(default=None, metadata={"since": "0.2"})
    upper: float | tuple[float, ...] | None = field(default=None, metadata={"since": "0.2"})

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        self._check_words(mistakes)
        self._check_columns(mistakes)
        self._check_numbers(mistakes)
        if not mistakes:
            self._check_times(mistakes)
            self._check_levels(mistakes)
        mistakes.report()

    def where(self, key: str) -> str:
        """The key's full name, as messages use it."""
        return f"curves.{self.name}.{key}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the data that hold the curves."""
        return self.points if self.form == "wide" else (str(self.id), str(self.time), str(self.value))

    def _check_words(self, mistakes: Mistakes) -> None:
        self.note_name(mistakes, "A curve")
        self.note_wording(mistakes, self.where(""))
        for key, words in (("form", Form), ("basis", BasisName), ("missing", Missing), ("provenance", Provenance)):
            given, allowed = getattr(self, key), get_args(words)
            mistakes.unless(
                isinstance(given, str) and given in allowed,
                f"{self.where(key)} must be one of {', '.join(allowed)}",
                given=given,
            )
        mistakes.unless(
            (self.entry is not None) == (self.provenance == "dp"),
            f"{self.where('entry')} must name the ledger entry that paid for a curve with provenance 'dp'",
            given=self.entry,
        )

    def _check_columns(self, mistakes: Mistakes) -> None:
        long = (self.id, self.time, self.value)
        if self.form == "long":
            mistakes.unless(
                all(map(_named, long)) and self.points == (),
                f"{self.where('id')}, time and value must name columns for the form 'long', which has no points",
                given={"id": self.id, "time": self.time, "value": self.value, "points": self.points},
            )
            return
        usable = isinstance(self.points, tuple) and all(map(_named, self.points))
        mistakes.unless(
            usable and long == (None, None, None) and 2 <= len(self.points) <= MOST_POINTS,
            f"{self.where('points')} must name 2 to {MOST_POINTS:,} columns for the form 'wide', which has no id",
            given=_shortened(self.points),
        )
        if usable:
            twice = repetitions(self.points)
            mistakes.unless(not twice, f"{self.where('points')} must not repeat a column", given=twice)

    def _check_numbers(self, mistakes: Mistakes) -> None:
        pair = isinstance(self.interval, tuple) and len(self.interval) == 2 and all(map(finite, self.interval))
        mistakes.unless(
            pair and self.interval[0] < self.interval[1] and math.isfinite(self.interval[1] - self.interval[0]),
            f"{self.where('interval')} must be two finite numbers, the first below the second",
            given=self.interval,
        )
        fewest = FEWEST_COEFFICIENTS.get(str(self.basis), 1)
        mistakes.unless(
            whole(self.rank, fewest, MOST_COEFFICIENTS),
            f"{self.where('rank')} must be a whole number from {fewest} to {MOST_COEFFICIENTS}",
            given=self.rank,
        )
        for key in ("clip", "rho", "smoothness"):
            given = getattr(self, key)
            optional = key != "clip" and given is None
            mistakes.unless(
                optional or (finite(given) and 1 / LARGEST_NUMBER <= given <= LARGEST_NUMBER),
                f"{self.where(key)} must be a positive number, not beyond {LARGEST_NUMBER:g}",
                given=given,
            )
        mistakes.unless(
            self.basis != "bspline" or self.rho is None,
            f"{self.where('rho')} must be left out for the basis bspline, which is not smoothed",
            given=self.rho,
            remedy="Choose a lower rank, or the basis wiener or fourier.",
        )

    def _check_times(self, mistakes: Mistakes) -> None:
        """A wide curve needs a time for each point; the times of a long one are the grid to which it is brought."""
        optional = self.form == "long" and self.at == ()
        usable = isinstance(self.at, tuple) and 2 <= len(self.at) <= MOST_POINTS and all(map(finite, self.at))
        mistakes.unless(
            optional or (usable and (self.form == "long" or len(self.at) == len(self.points))),
            f"{self.where('at')} must give one finite time per point",
            given=_shortened(self.at),
        )
        if not mistakes and not optional:
            start, end = self.interval
            ticks = [round((time - start) / (end - start) * TICKS) for time in self.at]
            mistakes.unless(
                start <= self.at[0] and self.at[-1] <= end and all(low < high for low, high in pairwise(ticks)),
                f"{self.where('at')} must increase within the interval, in steps of at least a millionth of it",
                given=_shortened(self.at),
            )

    def _check_levels(self, mistakes: Mistakes) -> None:
        """Offset and bounds are numbers, or lists along the declared times; a curve has both bounds or none."""
        for key in ("offset", "lower", "upper"):
            level = getattr(self, key)
            numbers = level if isinstance(level, tuple) else (level,)
            mistakes.unless(
                (key != "offset" and level is None)
                or (
                    all(finite(number) and abs(number) <= LARGEST_NUMBER for number in numbers)
                    and (not isinstance(level, tuple) or len(level) == len(self.at) > 0)
                ),
                f"{self.where(key)} must be a number, or a list with one number per time in at",
                given=_shortened(numbers),
            )
        if not mistakes:
            mistakes.unless(
                (self.lower is None) == (self.upper is None) and all(low < high for low, high in self._bounds()),
                f"{self.where('lower')} must be declared together with upper, and lie below it at every time",
                given={"lower": _shortened(self.lower), "upper": _shortened(self.upper)},
            )

    def _bounds(self) -> list[tuple[float, float]]:
        """Lower and upper bounds, side by side; nothing where they are not both declared."""
        if self.lower is None or self.upper is None:
            return []
        times = max(len(self.at), 1)
        lower, upper = (each if isinstance(each, tuple) else (each,) * times for each in (self.lower, self.upper))
        return list(zip(lower, upper, strict=True))


def _named(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= 10_000


def _shortened(values: object) -> object:
    return f"{len(values)} values" if isinstance(values, tuple) and len(values) > 20 else values
