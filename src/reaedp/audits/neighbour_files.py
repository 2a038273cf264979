"""Made-up neighbours as files: what a custodian would hand to the curator, with one unit's rows as the canary.

Everyone else has rows of their own in every cell that matters, so that nothing is cut at zero. The canary brings more
rows than may count where all of them are alike: whoever forgets the contribution bound is seen.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.audits.clones import clearest
from reaedp.audits.made_up import MadeUp
from reaedp.audits.made_up_sums import farthest_rows, least_hidden
from reaedp.audits.stored import Row, write_csv
from reaedp.audits.worst_case import SOME_ROWS, Neighbours, worst_cases
from reaedp.contract import Column, Contract, Date, Number
from reaedp.contract.day import EPOCH
from reaedp.curves.mean_curve import MeanCurve, share_of_a_person
from reaedp.curves.space import CurveSpace
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.request import Request
from reaedp.statistics.by_kind import ENTROPIES, HISTOGRAMS, QUANTILES, ByKind
from reaedp.statistics.images.pixels import Pixels, image_library
from reaedp.statistics.levels import Levels
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.grid import Grid
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.summary.parts import bounds
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.decode import decode
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.synthetic import Synthetic

#: A made-up table promises at most so many units, and nobody else has more rows than this in one cell.
MOST_UNITS, MOST_SHARED = 500, 2_000
#: Rows of everyone else in a cell of a synthetic table: far above its noise.
SHARED = 20
#: Columns whose cells are all filled; of more columns only the corners are.
FILLED_COLUMNS = 2
#: What stands in a file for a value that has no regular cell.
TROUBLES = {
    "null": "",
    "nan": "NaN",
    "infinite": "-inf",
    "unparsable": "1,2;3",
    "unseen": "a level that nobody declared",
    "outside": "-1e308",
}
DATES = {"unparsable": "2020-13-45", "outside": "9999-12-31"}
Codes = NDArray[np.int32]


class Canary(NamedTuple):
    """Cells of one unit's rows, before and after; none before where the unit joins."""

    before: Codes
    after: Codes


@dataclass(frozen=True, slots=True)
class NeighbourFiles:
    """Two files that differ in one unit, and in words how."""

    label: str
    first: Path
    second: Path
    #: For synthetic rows: where the unit's rows are.
    canary: Canary | None = None


def modest(contract: Contract) -> Contract:
    """The same contract for a moderate number of units in plain files: the promise is computed for these."""
    few = None if contract.unit.at_least is None else min(contract.unit.at_least, MOST_UNITS)
    return replace(contract, unit=replace(contract.unit, at_least=few), files=None)


def neighbour_files(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """Neighbours for one request; none for a statistic for which nobody made up any."""
    return _FILES.of(request.statistic)(request, contract, folder)


def _of_counts(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """The worst cases of a statistic of counts, row by row."""
    for number, case in enumerate(worst_cases(request.statistic, contract)):
        if isinstance(case.first, MadeUp):
            yield _written(_Writer(contract, request.statistic.columns), case, folder / str(number))


class _Writer:
    """Writes rows of some columns, each with the name of whose row it is."""

    def __init__(self, contract: Contract, columns: tuple[str, ...]) -> None:
        self.unit, self.axes = contract.unit, contract.select(columns)

    def write(self, path: Path, others: Codes, canary: Codes) -> Path:
        whose = [f"p{number}" for number in range(len(others))] + ["canary"] * len(canary)
        cells = texts(self.axes, np.concatenate([others, canary]))
        person = () if self.unit.person is None else (self.unit.person,)
        rows = zip(whose, *cells, strict=True) if person else zip(*cells, strict=True)
        return write_csv(path, (*person, *(axis.name for axis in self.axes)), rows)

    def beyond_the_bound(self, canary: Codes) -> Codes:
        """Twice the rows of a person, where it does not matter which of them count."""
        alike = self.unit.person is not None and len(np.unique(canary, axis=0)) == 1
        return np.concatenate([canary, canary]) if alike else canary


def _written(writer: _Writer, case: Neighbours, stem: Path) -> NeighbourFiles:
    """What both neighbours have is everyone else's."""
    tables: list[dict[Row, int]] = [
        dict(zip(map(tuple, data.table.keys.tolist()), data.table.counts.tolist(), strict=True))  # type: ignore[attr-defined]
        for data in (case.first, case.second)
    ]
    cells = sorted(set(tables[0]) | set(tables[1]))
    counts = np.array([[table.get(cell, 0) for cell in cells] for table in tables])
    shared = counts.min(axis=0)
    codes = np.array(cells, dtype=np.int32)
    others = np.repeat(codes, np.minimum(shared, MOST_SHARED), axis=0)
    own = [writer.beyond_the_bound(np.repeat(codes, rows, axis=0)) for rows in counts - shared]
    paths = [
        writer.write(stem.with_suffix(f".{place}.csv"), others, rows)
        for place, rows in zip(("first", "second"), own, strict=True)
    ]
    return NeighbourFiles(case.label, paths[0], paths[1])


def texts(axes: tuple[Column, ...], codes: Codes) -> list[list[str]]:
    """For each column a text for each row that falls into these cells."""
    values = decode(axes, codes, np.random.default_rng(0))
    return [
        [_text(axis, int(code), value) for code, value in zip(column, np.ma.getdata(values[axis.name]), strict=True)]
        for axis, column in zip(axes, codes.T, strict=True)
    ]


def _text(axis: Column, code: int, value: Any) -> str:
    if code < axis.regular:
        return str(value).lower() if isinstance(value, np.bool_) else str(value)
    known = TROUBLES | DATES if axis.kind == "date" else TROUBLES
    return known[axis.own_cells[code - axis.regular]]


def _levels(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """Two texts that many have; one unit has one of them, in all its rows."""
    assert isinstance(request.mechanism, Threshold)
    unit, column = contract.unit, request.statistic.columns[0]
    threshold = request.mechanism.threshold(request.statistic.sensitivity(contract))
    many, bound = 2 * threshold + MOST_UNITS, unit.rows * (2 if unit.person else 1)
    others = [text for text in ("often", "seldom") for _ in range(many)]
    before = ["seldom"] * bound if unit.change == "replace" else []
    header = (column,) if unit.person is None else (unit.person, column)
    paths = []
    for place, own in (("first", before), ("second", ["often"] * bound)):
        rows = [(f"p{number}", text) for number, text in enumerate(others)] + [("canary", text) for text in own]
        paths.append(write_csv(folder / f"{place}.csv", header, (row[-len(header) :] for row in rows)))
    yield NeighbourFiles(f"one {unit.noun} has a text that many have", paths[0], paths[1])


def _moments(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """All rows of one unit at ends of all ranges, and more of them than may count; everyone else in the middle."""
    statistic: Any = request.statistic
    space, unit = statistic.space(contract), contract.unit
    axes = contract.select(statistic.columns)
    before, after = farthest_rows(space, contract)
    shared = [(f"p{number}", [one.cells // 2 for one in space.grids]) for number in range(MOST_UNITS)]
    person = () if unit.person is None else (unit.person,)
    paths = []
    for place, own in (("first", before), ("second", after)):
        canary = [] if own is None else [("canary", own[0].tolist())] * (unit.rows * (2 if person else 1))
        rows = (
            (whose, *map(_text_at, axes, space.grids, cells))[1 - len(person) :] for whose, cells in [*shared, *canary]
        )
        paths.append(write_csv(folder / f"{place}.csv", (*person, *(axis.name for axis in axes)), rows))
    yield NeighbourFiles(f"one {unit.noun} has all its rows at ends of all ranges", paths[0], paths[1])


def _text_at(axis: Column, grid: Grid, cell: int) -> str:
    """The value in the middle of a cell of the lattice."""
    if axis.ends is None:
        return axis.labels[cell]
    value = grid.lower + grid.width * (cell + 0.5)
    if isinstance(axis, Date):
        return str(EPOCH + timedelta(days=round(value)))
    return repr(value) if isinstance(axis, Number) else str(round(value))


def _pixels(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:  # noqa: ARG001
    """One pixel from end to end, in a picture file."""
    picture = contract.picture
    assert picture is not None
    paths = []
    for place, value in (("first", picture.lower), ("second", picture.upper)):
        pixels = np.full(picture.shape, picture.lower, dtype=np.uint8 if picture.upper <= 255 else np.uint16)
        pixels.reshape(-1, picture.channels)[0] = value
        path = folder / f"{place}.png"
        image_library("PIL.Image").fromarray(pixels).save(path, format="PNG")
        paths.append(path)
    yield NeighbourFiles("one pixel from end to end", paths[0], paths[1])


def _mean_curve(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """Curves as long as they may be along the function that is hidden least; opposite ones before, under "replace"."""
    statistic = request.statistic
    assert isinstance(statistic, MeanCurve)
    before = -1.0 if contract.unit.change == "replace" else None
    place, count = (
        least_hidden(statistic, contract),
        share_of_a_person(contract, contract.curve(statistic.curve)).curves,
    )
    others = (0.0,) * MOST_UNITS
    yield _curves(contract, statistic.curve, folder, count=count, others=others, before=before, place=place)


def _synthetic_curves(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """Curves that are all alike, as many as a test tells best, and one unit's more; others far away, each alone."""
    statistic: Any = request.statistic
    mechanism: Any = request.mechanism
    unit, plan = statistic.unit(contract), mechanism.plan(statistic.sensitivity(contract))
    rows = max(unit.at_least or SOME_ROWS, unit.rows)
    clones = clearest(plan, unit, rows)
    # From the middle of the ball to its end: a way of one is cut at an eighth.
    others = (1.0,) * clones + tuple((-np.linspace(0, 1 / 8, max(rows - clones, 0))).tolist())
    before = -1.0 if contract.unit.change == "replace" else None
    count = share_of_a_person(contract, contract.curve(statistic.curve)).curves
    yield _curves(contract, statistic.curve, folder, count=count, others=others, before=before)


def _curves(
    contract: Contract,
    name: str,
    folder: Path,
    *,
    count: int,
    others: tuple[float, ...],
    before: float | None,
    place: int = 0,
) -> NeighbourFiles:
    """Curves along one function of the basis, one way, the other way, or nowhere; a file of wide or of long form."""
    curve, unit = contract.curve(name), contract.unit
    space = CurveSpace(curve)
    function = space.basis(space.times)[:, place] * max(8 * curve.clip, 2 * (space.longest or 0.0))
    offset = space.offset(space.unit_times(space.times))
    extra = 2 if unit.person and curve.form == "wide" else 1
    paths = []
    for world, way in (("first", before), ("second", 1.0)):
        own = [] if way is None else [("canary", way)] * (count * extra)
        curves = [(f"p{number}", other) for number, other in enumerate(others)] + own
        values = [(whose, (way * function + offset).tolist()) for whose, way in curves]
        paths.append(_FORMS[curve.form](contract, name, folder / f"{world}.csv", values))
    return NeighbourFiles(f"one {unit.noun} has curves along one function, as long as they may be", paths[0], paths[1])


Values = list[tuple[str, list[float]]]


def _wide(contract: Contract, name: str, path: Path, curves: Values) -> Path:
    person = () if contract.unit.person is None else (contract.unit.person,)
    rows = ((whose, *map(repr, values))[1 - len(person) :] for whose, values in curves)
    return write_csv(path, (*person, *contract.curve(name).points), rows)


def _long(contract: Contract, name: str, path: Path, curves: Values) -> Path:
    """A row for each point; a curve's name is its person's where the contract says so."""
    curve, person = contract.curve(name), contract.unit.person
    times = CurveSpace(curve).times.tolist()
    own = () if curve.id == person else (str(person),)
    rows = (
        (*((whose,) if own else ()), whose if not own else f"c{number}", repr(time), repr(value))
        for number, (whose, values) in enumerate(curves)
        for time, value in zip(times, values, strict=True)
    )
    return write_csv(path, (*own, str(curve.id), str(curve.time), str(curve.value)), rows)


_FORMS: dict[str, Callable[[Contract, str, Path, Values], Path]] = {"wide": _wide, "long": _long}


def _synthetic(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """A row in the first cell of every column; under "replace" it was in the last regular ones before."""
    axes, unit = contract.select(request.statistic.columns), contract.unit
    first = np.zeros((unit.rows, len(axes)), dtype=np.int32)
    last = np.tile(np.array([axis.regular - 1 for axis in axes], dtype=np.int32), (unit.rows, 1))
    canary = Canary(last if unit.change == "replace" else first[:0], first)
    writer = _Writer(contract, request.statistic.columns)
    others = _crowd(request, contract, axes)
    paths = [
        writer.write(folder / f"{place}.csv", others, writer.beyond_the_bound(rows))
        for place, rows in (("first", canary.before), ("second", canary.after))
    ]
    words = "moves from the last cells to the first" if unit.change == "replace" else "joins in the first cells"
    yield NeighbourFiles(f"one {unit.noun} {words} of all columns", paths[0], paths[1], canary)


def _crowd(request: Request, contract: Contract, axes: tuple[Column, ...]) -> Codes:
    """Everyone else: in all cells of few columns, in the corners of many; for a privacy test, where it tells best."""
    sizes = [axis.size for axis in axes]
    if isinstance(request.mechanism, Deniable):
        return _clones(request.mechanism, request, contract)
    spread = [range(size) if len(sizes) <= FILLED_COLUMNS else (0, axis.regular - 1)
              for size, axis in zip(sizes, axes, strict=True)]  # fmt: skip
    full = len(sizes) <= FILLED_COLUMNS
    cells = list(itertools.product(*spread)) if full else list(zip(*spread, strict=True))
    each = max(SHARED * contract.unit.rows, (contract.unit.at_least or 1) // len(cells) + 1)
    if isinstance(request.mechanism, Amortised):
        each = max(each, 2 * request.mechanism.keys.threshold(request.statistic.sensitivity(contract)))
    return np.repeat(np.array(cells, dtype=np.int32), each, axis=0)


def _clones(mechanism: Deniable, request: Request, contract: Contract) -> Codes:
    """Rows like the canary's, as many as tell best, and rows in all other cells in turn."""
    unit, axes = contract.unit, contract.select(request.statistic.columns)
    sizes = [axis.regular for axis in axes]
    rows, kept = (
        max(unit.at_least or SOME_ROWS, unit.rows),
        contract.select(mechanism.keep or request.statistic.columns),
    )
    cells = max(math.prod(sizes) - 1, 1)
    keys = max(math.prod(axis.regular for axis in kept) - 1, 1)
    clones = clearest(mechanism.plan(request.statistic.sensitivity(contract)), unit, rows, -(-rows // keys))
    others = np.arange(max(rows - clones, 0)) % cells + (1 if math.prod(sizes) > 1 else 0)
    places = np.concatenate([np.zeros(clones, dtype=np.int64), others])
    return np.stack(np.unravel_index(places, sizes), axis=1).astype(np.int32)


def _summary(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """One unit's rows at the upper ends of all ranges in the first group; before, at the lower ends in the last one."""
    statistic: Any = request.statistic
    unit, axes = contract.unit, contract.select(statistic.columns)
    ends = {end: [_end(axis, end, summed=axis.name in statistic.of) for axis in axes] for end in ("lower", "upper")}
    header = (*((unit.person,) if unit.person else ()), *(axis.name for axis in axes))
    crowd = [(f"p{number}", *ends["lower" if number % 2 else "upper"]) for number in range(2 * SOME_ROWS)]
    bound = unit.rows * (2 if unit.person else 1)
    before = [("canary", *ends["lower"])] * bound if unit.change == "replace" else []
    paths = [
        write_csv(folder / f"{place}.csv", header, (row[-len(header) :] for row in crowd + own))
        for place, own in (("first", before), ("second", [("canary", *ends["upper"])] * bound))
    ]
    yield NeighbourFiles(f"one {unit.noun} has all its values at one end", paths[0], paths[1])


def _end(axis: Column, end: str, *, summed: bool) -> str:
    """The text of a value at one end of the range; of a column of groups, in its first or last regular cell."""
    if not summed:
        place = 0 if end == "upper" else axis.regular - 1
        return texts((axis,), np.array([[place]], dtype=np.int32))[0][0]
    found = bounds(axis)
    value = found.lower if end == "lower" else found.upper
    if axis.kind == "date":
        return str(np.datetime64(int(value), "D"))
    return str(int(value)) if found.whole else repr(value)


def _of_others(request: Request, contract: Contract, folder: Path) -> Iterator[NeighbourFiles]:
    """Levels are bought and not planned; all others, and a stranger's, as far as they have worst cases, are counts."""
    return (_levels if isinstance(request.statistic, Levels) else _of_counts)(request, contract, folder)


_FILES = ByKind[Callable[[Request, Contract, Path], Iterator[NeighbourFiles]]](
    "made-up neighbours as files",
    {
        Pixels: _pixels,
        MeanCurve: _mean_curve,
        SyntheticCurves: _synthetic_curves,
        Synthetic: _synthetic,
        Correlation: _moments,
        Regression: _moments,
        Summary: _summary,
    },
    otherwise=_of_others,
    plain=(*HISTOGRAMS, "KeyedMarginal", *ENTROPIES, *QUANTILES),
)
