"""Made-up data for a contract: tables of rows with ordinary and with broken values, and pictures.

Tables are files, so that every value, however broken, takes the way that a real one takes. A neighbour may be stored
in another way than its other: how something is stored is no more public than the rows that led to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from reaedp.audits.made_up_values import POINTS, VARIANTS, Place, cells
from reaedp.audits.stored import WAYS, Way, store
from reaedp.contract import Contract, Picture
from reaedp.plan.request import Request
from reaedp.statistics.by_kind import derived_from

#: Units of everyone else: enough for every check, few enough for a moment.
OTHERS = 40
#: A made-up picture is at most so wide and high.
SIDE = 8
#: Statistics that ask for a number of rows, which are not imported for other ones.
SYNTHETIC = "reaedp.synthesis.synthetic.Synthetic"
ENTROPY_HISTOGRAM = "reaedp.statistics.entropy.entropy_histogram.EntropyHistogram"
#: Synthetic rows that are asked for.
FEW_ROWS = 50
Row = tuple[str, ...]


class Data(Protocol):
    """Made-up data; equal data are equal objects."""

    def opened(self, path: Path) -> Any:
        """What a curator is given: the path, after the data was written there, or the data."""

    @property
    def units(self) -> int:
        """How many people, rows or pixels it has."""


@dataclass(frozen=True, slots=True)
class MadeUpTable:
    """A header and rows, and how they are stored; the first column is the person's if people are units."""

    header: Row
    rows: tuple[Row, ...]
    of_people: bool
    way: Way = "as text"

    @property
    def units(self) -> int:
        """The number of privacy units: people, or rows."""
        return len({row[0] for row in self.rows}) if self.of_people else len(self.rows)

    def opened(self, path: Path) -> Any:
        """A file, or a pattern that matches several."""
        return store(self.way, self.header, self.rows, path)


@dataclass(frozen=True, slots=True)
class MadeUpPixels:
    """The values of a picture in reading order."""

    shape: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def units(self) -> int:
        """The number of pixels."""
        return self.shape[0] * self.shape[1]

    def opened(self, path: Path) -> Any:  # noqa: ARG002
        """The picture as an array."""
        return np.array(self.values, dtype=np.int64).reshape(self.shape)


@dataclass(frozen=True, slots=True)
class DataPair:
    """Two neighbours, and whether one of them has a value that the other has not."""

    label: str
    first: Data
    second: Data
    same_keys: bool


def small(contract: Contract) -> Contract:
    """The same contract for made-up rows in plain files, and few pixels: the promise is computed for these."""
    unit, picture = contract.unit, contract.picture
    few = None if unit.at_least is None else min(unit.at_least, OTHERS)
    if picture is not None:
        picture = replace(picture, width=min(picture.width, SIDE), height=min(picture.height, SIDE))
    return replace(contract, unit=replace(unit, at_least=few), picture=picture, files=None)


def short(request: Request) -> Request:
    """The same request of a small contract: for few synthetic rows, and with as many real ones as that promises."""
    statistic: Any = request.statistic
    if derived_from(statistic, SYNTHETIC):
        return replace(request, statistic=replace(statistic, rows=min(statistic.rows, FEW_ROWS)))
    if derived_from(statistic, ENTROPY_HISTOGRAM) and statistic.at_least is not None:
        return replace(request, statistic=replace(statistic, at_least=min(statistic.at_least, OTHERS)))
    return request


def data_pairs(contract: Contract, rng: np.random.Generator) -> Iterator[DataPair]:
    """Neighbours under the contract's unit, from harmless to broken."""
    if contract.picture is None:
        return _table_pairs(contract, rng)
    return _picture_pairs(contract.picture, rng)


def _table_pairs(contract: Contract, rng: np.random.Generator) -> Iterator[DataPair]:
    sides = rng.integers(0, 2, OTHERS).tolist()
    rows = _Rows(contract)
    others = tuple(row for place, side in enumerate(sides) for row in rows.of(("ordinary", "other")[side], str(place)))
    equal = tuple(row for place in range(OTHERS) for row in rows.of("ordinary", str(place)))
    base = rows.all("ordinary") if contract.unit.change == "replace" else ()
    noun, both = contract.unit.noun, len(set(sides)) == 2
    for variant in ("ordinary", *VARIANTS):
        if not base or variant != "ordinary":
            usual = both and variant in ("ordinary", "other")
            yield rows.pair(f"one {noun}: {variant}", others + base, others + rows.all(variant), same_keys=usual)
    yield rows.pair("all equal, and one not", equal + base, equal + rows.all("other"))
    yield rows.pair("hardly anybody", base, rows.all("other"))
    if contract.unit.person is not None:
        yield rows.pair("more rows than are used", others + base, others + rows.all("other", more=2), same_keys=both)
    for variant in ("other", "unparsable"):
        for before, after in WAYS:
            label = f"one {noun}: {variant}; stored {before}, and {after}"
            yield rows.pair(label, others + base, others + rows.all(variant), ways=(before, after))


class _Rows:
    """Makes rows of one contract."""

    def __init__(self, contract: Contract) -> None:
        self._unit, self._cells = contract.unit, cells(contract)
        person = () if contract.unit.person is None else (contract.unit.person,)
        self._header = (*person, *self._cells)
        long = [curve for curve in contract.curves if curve.form == "long"]
        self._points = POINTS if long else 1
        # A person whose curve has the person's name has no second one.
        self._single = bool(long) and all(curve.id == contract.unit.person for curve in long)

    def pair(
        self,
        label: str,
        first: tuple[Row, ...],
        second: tuple[Row, ...],
        *,
        same_keys: bool = False,
        ways: tuple[Way, Way] = ("as text", "as text"),
    ) -> DataPair:
        of_people = self._unit.person is not None
        before, after = (
            MadeUpTable(self._header, rows, of_people, way) for rows, way in zip((first, second), ways, strict=True)
        )
        return DataPair(label, before, after, same_keys)

    def all(self, variant: str, more: int = 0) -> tuple[Row, ...]:
        """As many rows as one unit may have, or more."""
        rows = self._unit.rows + more
        if self._single:
            return self.of(variant, "somebody", points=max(self._points, rows))
        return self.of(variant, "somebody", rows)

    def of(self, variant: str, person: str, curves: int = 1, points: int | None = None) -> tuple[Row, ...]:
        """Rows, or curves of several rows."""
        owner = () if self._unit.person is None else (person,)
        places = [Place(curve, point) for curve in range(curves) for point in range(points or self._points)]
        return tuple((*owner, *(cell(variant, place) for cell in self._cells.values())) for place in places)


def _picture_pairs(picture: Picture, rng: np.random.Generator) -> Iterator[DataPair]:
    """One pixel from end to end, far beyond either end, and in a picture that is otherwise all alike."""
    lower, upper, channels = picture.lower, picture.upper, picture.channels
    others = rng.integers(lower, upper, picture.values - channels, endpoint=True).tolist()
    far = 2**62
    for label, rest, before, after in (
        ("one pixel: other", others, lower, upper),
        ("one pixel: extreme", others, lower, far),
        ("one pixel: from one extreme to the other", others, -far, far),
        ("all equal, and one not", [lower] * len(others), lower, upper),
    ):
        first, second = (MadeUpPixels(picture.shape, (*[value] * channels, *rest)) for value in (before, after))
        yield DataPair(label, first, second, same_keys=True)
