"""The numbers of a release: as many as the contract has cells, alike in both files, and all that follows from them.

Whether the noisy numbers themselves are those that were released, no reader can tell from them; the ledger and a
signature can.
"""

import csv
import re
from collections.abc import Callable
from contextlib import closing
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.space import CurveSpace
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.disk.duckdb_engine import connect_for_released
from reaedp.errors import ReaedpError
from reaedp.label import no_formula
from reaedp.release.folder import NO_FORMULA
from reaedp.release.manifest import understood
from reaedp.release.place import open_plain, read_plain
from reaedp.release.verification.derived import Rebuilt
from reaedp.release.verification.model import check_model
from reaedp.release.verification.values import integers, value
from reaedp.statistics.by_kind import ENTROPIES, HISTOGRAMS, MOMENTS, QUANTILES, SUMMARIES, ByKind, no_way
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.pixels import Pixels, image_library
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.ruled import concerning, keeping
from reaedp.synthesis.synthetic import Synthetic

Frame = dict[str, NDArray[Any]]
#: Derived numbers are computed again by iterations, which other libraries may end a little elsewhere.
_NEAR = 1e-6
#: No line of a CSV file is longer.
_LONGEST_LINE = 64 * 1024 * 1024


class Contents(NamedTuple):
    """The numbers of a release, a column each, and what was checked of them, in words."""

    words: str
    frame: Frame


def check_contents(folder: Path, release: Rebuilt) -> Contents:
    """Compare both files with each other, and the numbers in them with what they must be."""
    name = release.name
    try:
        frame = _read(folder / f"{name}.parquet", folder / f"{name}.csv")
    except (duckdb.Error, csv.Error, UnicodeError):
        raise ReaedpError(f"The files of {name!r} cannot be read as tables.") from None
    if frame is None:
        raise ReaedpError(f"{name}.csv and {name}.parquet do not hold the same numbers.")
    with understood(f"what the files of {name!r} hold"):
        follows = _CHECKS.of(release.statistic)
        if follows is not None and not follows(release, frame):
            raise ReaedpError(f"The numbers of {name!r} do not follow from one another, the contract and the noise.")
        _check_picture(folder, release, frame)
        _check_told(folder, release, frame)
        check_model(folder, release)
    rows = len(next(iter(frame.values())))
    if follows is None:
        kind = type(release.statistic).__name__
        words = f"{name}: CSV and Parquet hold the same {rows:,} rows; contents of kind {kind} are not checked further"
        return Contents(words, frame)
    return Contents(f"{name}: {rows:,} rows agree with the contract and with each other", frame)


def _read(parquet: Path, table: Path) -> Frame | None:
    """The Parquet file, if the CSV file says the same."""
    with open_plain(table) as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
        header = next(csv.reader(text), [])
    with closing(connect_for_released()) as connection:
        stored = connection.read_parquet(_exactly(parquet))
        if header != [no_formula(name) for name in stored.columns]:
            return None
        keys = [f"c{number}" for number in range(len(header))]
        types = dict(zip(keys, map(str, stored.types), strict=True))
        texts = ", ".join(f"'{key}': 'VARCHAR'" for key in keys)
        connection.execute(
            f"CREATE TEMP VIEW written AS SELECT * FROM read_csv({_text(table)}, header = true, auto_detect = false,"
            f" columns = {{{texts}}}, delim = ',', quote = '\"', escape = '\"', max_line_size = {_LONGEST_LINE})"
        )
        connection.execute(
            f"CREATE TEMP VIEW stored AS SELECT * FROM read_parquet({_text(parquet)}) AS t({', '.join(keys)})"
        )
        wrong = " OR ".join(_differ(key, kind) for key, kind in types.items())
        lengths = "(SELECT count(*) FROM written) = (SELECT count(*) FROM stored)"
        query = (
            f"SELECT {lengths} AND NOT EXISTS (SELECT 1 FROM written AS w POSITIONAL JOIN stored AS s WHERE {wrong})"
        )
        ((same,),) = connection.execute(query).fetchall()
        return dict(stored.fetchnumpy()) if same else None


def _differ(key: str, kind: str) -> str:
    """Texts as the writer would write them; another version of the engine may write a double with other digits."""
    stored = NO_FORMULA.format(text=f"s.{key}") if kind == "VARCHAR" else f"CAST(s.{key} AS VARCHAR)"
    texts = f"coalesce(w.{key}, '') <> coalesce({stored}, '')"
    return f"({texts} AND TRY_CAST(w.{key} AS DOUBLE) IS DISTINCT FROM s.{key})" if kind == "DOUBLE" else f"({texts})"


def _exactly(path: Path) -> str:
    """A path in which nothing is a pattern."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in str(path))


def _text(path: Path) -> str:
    return "'" + _exactly(path).replace("'", "''") + "'"


def _same(found: Frame, expected: Frame) -> bool:
    """The same columns in the same order, with the same values up to the last digits."""
    return list(found) == list(expected) and all(_alike(found[name], expected[name]) for name in expected)


def _alike(found: NDArray[Any], expected: NDArray[Any]) -> bool:
    if len(found) != len(expected) or np.ma.is_masked(found):
        return False
    if expected.dtype.kind == "f":
        return found.dtype.kind == "f" and bool(np.allclose(found, expected, rtol=_NEAR, atol=_NEAR))
    if expected.dtype.kind in "iu" and found.dtype.kind not in "iu":
        return False
    return bool(np.array_equal(np.asarray(found), expected))


def _follows(release: Rebuilt, frame: Frame) -> bool:
    """All columns follow from the noisy numbers among them: the statistic writes the same frame again."""
    return _same(frame, release.statistic.frame(value(release, frame), release.noise))


def _keys(release: Rebuilt, frame: Frame) -> bool:
    """Cells that there are, each once, in order, with counts that reach the threshold."""
    mechanism: Any = release.noise.mechanism
    threshold = getattr(mechanism, "threshold", None)  # a mechanism of another package may have none
    found = value(release, frame)
    enough = threshold is None or bool((found.counts >= threshold(release.noise.sensitivity)).all())
    return enough and _same(frame, release.statistic.frame(found, release.noise))


def _routed(release: Rebuilt, frame: Frame) -> bool:
    """The noisy look decides the route; the entropy lies in its range, and that in what is possible."""
    contract = release.contract
    statistic: Any = release.statistic
    mechanism: Any = release.noise.mechanism
    names = ["measure", "bits", "low_95", "high_95", "route", "look"]
    if list(frame) != names or any(len(column) != 1 for column in frame.values()):
        return False
    measure, bits, low, high, route, look = (column[0] for column in frame.values())
    wanted = "direct" if integers(frame["look"], 1)[0] < mechanism.threshold else "histogram"
    largest = float(np.log2(Marginal(*statistic.columns).cells(contract)))
    if (measure, route) != (
        statistic.direct.title,
        wanted,
    ) or not 0 <= low <= bits <= high <= largest + _NEAR:
        return False
    if route == "histogram" or not 0 < bits < largest:
        return True
    point, step = bits / statistic.step(contract), statistic.step(contract)
    reach = (release.noise.error_quantile(0.95) + 0.5) * step
    ends = np.clip([bits - reach, bits + reach], 0.0, largest)
    return (
        bool(point == round(point))
        and bool(np.allclose([low, high], ends, rtol=_NEAR, atol=_NEAR))
        and look == int(look)
    )


def _mean_curve(release: Rebuilt, frame: Frame) -> bool:
    """Mean and bands follow from the noisy sums and count; manifests of the first version did not have those."""
    statistic: Any = release.statistic
    details = release.record["details"]
    if not details:
        times = CurveSpace(release.contract.curve(statistic.curve)).times
        return bool(np.allclose(frame["time"], times)) and _ordered(frame)
    return _follows(release, frame)


def _ordered(frame: Frame) -> bool:
    ends = ("all_low_95", "low_95", "mean", "high_95", "all_high_95")
    return all(bool((frame[low] <= frame[high]).all()) for low, high in pairwise(ends))


def _curves(release: Rebuilt, frame: Frame) -> bool:
    """At most as many curves as were asked for, each at the declared times."""
    statistic: Any = release.statistic
    times = CurveSpace(release.contract.curve(statistic.curve)).times
    number, rest = divmod(len(frame["time"]), len(times))
    expected = {"curve": np.repeat(np.arange(1, number + 1), len(times)), "time": np.tile(times, number)}
    known = {name: column for name, column in frame.items() if name != "value"}
    finite = frame["value"].dtype.kind == "f" and not np.ma.is_masked(frame["value"])
    right = not rest and number <= statistic.curves and list(frame) == ["curve", "time", "value"]
    return right and _same(known, expected) and finite and bool(np.isfinite(frame["value"]).all())


def _records(release: Rebuilt, frame: Frame) -> bool:
    """Rows of declared values: as many as were asked for, or fewer where each has to pass a test."""
    statistic: Any = release.statistic
    rows = len(next(iter(frame.values())))
    fewer = isinstance(release.noise.mechanism, Deniable) and rows <= statistic.rows
    axes = release.contract.select(statistic.columns)
    declared = all(_DECLARED.of(axis)(axis, _known(axis, frame[axis.name])) for axis in axes)
    rules = concerning(release.contract.rules, axes)
    ruled = not rows or bool(keeping(rules, axes, frame).all())
    return list(frame) == list(statistic.columns) and (rows == statistic.rows or fewer) and declared and ruled


def _known(axis: Column, column: NDArray[Any]) -> NDArray[Any]:
    """The values that are there; only a column with a cell for troubles can lack some."""
    missing = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else np.zeros(len(column), dtype=bool)
    if missing.any() and not axis.own_cells:
        raise ValueError("a value is missing where none can be")
    found: NDArray[Any] = np.ma.getdata(column)[~missing]
    return found


def _within(axis: Any, values: NDArray[Any]) -> bool:
    inside = values.dtype.kind in "iu" and bool(((values >= axis.lower) & (values <= axis.upper)).all())
    return inside and _on_steps(axis, values)


def _number(axis: Any, values: NDArray[Any]) -> bool:
    edges = axis.boundaries
    inside = values.dtype.kind == "f" and bool(((values >= edges[0]) & (values <= edges[-1])).all())
    return inside and _on_steps(axis, values)


def _on_steps(axis: Any, values: NDArray[Any]) -> bool:
    """Whether values are those of the declared step, if there is one."""
    if axis.step is None:
        return True
    steps = axis.step_cells.steps
    return bool((steps.values(steps.nearest(values)) == values).all())


def _date(axis: Any, values: NDArray[Any]) -> bool:
    days = values.astype("datetime64[D]")
    return bool(((days >= np.datetime64(axis.lower)) & (days <= np.datetime64(axis.upper))).all())


_DECLARED = ByKind[Callable[[Any, NDArray[Any]], bool]](
    "whether synthetic values are declared ones",
    {
        Number: _number,
        Integer: _within,
        Date: _date,
        Boolean: lambda axis, values: values.dtype.kind == "b",  # noqa: ARG005
        Category: lambda axis, values: set(values.tolist()) <= set(axis.levels),
    },
    otherwise=no_way,
    over="columns",
)

_CHECKS = ByKind[Callable[[Rebuilt, Frame], bool] | None](
    "what its numbers must be",
    {
        Marginal: _follows,
        EntropyHistogram: _follows,
        KeyedMarginal: _keys,
        Entropy: _follows,
        ConditionalEntropy: _follows,
        MutualInformation: _follows,
        EntropyMap: _follows,
        RoutedEntropy: _routed,
        Quantiles: _follows,
        ChosenQuantiles: _follows,
        Synthetic: _records,
        MeanCurve: _mean_curve,
        SyntheticCurves: _curves,
        Pixels: _follows,
        Correlation: _follows,
        Regression: _follows,
        Summary: _follows,
        Rates: _follows,
        KeyedSummary: _follows,
        KeyedRates: _follows,
    },
    otherwise=None,
)


def _check_told(folder: Path, release: Rebuilt, frame: Frame) -> None:
    """Synthetic rows and curves may be fewer than was asked for; README.txt says how many there are."""
    counted = _COUNTED.of(release.statistic)
    if counted is None:
        return
    words = read_plain(folder / "README.txt").decode("utf-8", "replace")
    about = words.partition(f"  {', '.join(release.record['files'])}: {release.statistic.title}\n")[2]
    told = re.match(r" *([0-9,]+) (?:rows|curves)\b", about)
    if told is not None and told[1] != f"{counted(frame):,}":
        raise ReaedpError(
            f"README.txt tells of another number of rows or curves than the files of {release.name!r} hold."
        )


#: What README.txt counts.
_COUNTED = ByKind[Callable[[Frame], int] | None](
    "what README.txt counts",
    {
        Synthetic: lambda frame: len(next(iter(frame.values()))),
        SyntheticCurves: lambda frame: len(set(frame["curve"].tolist())),
    },
    otherwise=None,
    plain=(*HISTOGRAMS, *ENTROPIES, "KeyedMarginal", "MeanCurve", "Pixels", *MOMENTS, *SUMMARIES, *QUANTILES),
)


def _check_picture(folder: Path, release: Rebuilt, frame: Frame) -> None:
    """A picture shows the numbers beside it, where there is a library to look at it."""
    name = f"{release.name}.png"
    if not isinstance(release.statistic, Pixels) or name not in release.record["files"]:
        return
    try:
        images = image_library("PIL.Image")
    except ReaedpError:
        return
    picture_value = value(release, frame)
    try:
        with images.open(BytesIO(read_plain(folder / name)), formats=["PNG"]) as picture:
            drawn = np.asarray(picture)
    except (OSError, images.DecompressionBombError):
        drawn = np.empty(0)
    if not np.array_equal(drawn.astype(np.int64), picture_value.clipped.astype(np.int64)):
        raise ReaedpError(f"{name} does not show the numbers of its table.")
