"""Released values built again from the numbers in their files: what a statistic's frame was made from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Chosen, GroupedParts, Routed
from reaedp.contract import Date
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.space import CurveSpace
from reaedp.curves.synthetic_curves import ReleasedCurves, SyntheticCurves
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.release.release import Written
from reaedp.release.verification.derived import Rebuilt
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.noisy_entropy import EntropyEstimate
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy, WrittenEntropy
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles, parts_of
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.selected import Selected
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.encode import codes
from reaedp.synthesis.synthetic import Synthetic, SyntheticRecords
from reaedp.table import KeyCounts, numbered

Frame = Mapping[str, NDArray[Any]]
#: Columns of an entropy by one of two routes.
_ROUTED = ("measure", "bits", "low_95", "high_95", "route", "look")
#: Steps of a lattice beyond which nobody's noise goes, and doubles are no longer exact.
_FARTHEST = 2**62


def value(release: Rebuilt, frame: Frame) -> Any:
    """What was released; of a kind that is not known here, the columns as they are."""
    return _VALUES.of(release.statistic)(release, frame)


def integers(column: NDArray[Any], length: int) -> NDArray[np.int64]:
    """As many whole numbers as there are cells."""
    if column.dtype.kind != "i" or len(column) != length or np.ma.is_masked(column):
        raise ValueError("not as many whole numbers as there are cells")
    return np.asarray(column, dtype=np.int64)


def _counts(release: Rebuilt, frame: Frame) -> Any:
    """The table of a histogram, from its file."""
    statistic, contract = release.statistic, release.contract
    return statistic.value(contract, integers(frame["count"], statistic.cells(contract)))


def _keys(release: Rebuilt, frame: Frame) -> KeyCounts:
    """Cells that there are, each once."""
    axes = release.contract.select(release.statistic.columns)
    *labels, counts = frame.values()
    keys = numbered(axes, labels)
    if len(np.unique(keys, axis=0)) < len(keys):
        raise ValueError("a cell is there twice")
    return KeyCounts(axes, keys, integers(counts, len(counts)))


def _measures(release: Rebuilt, frame: Frame) -> Any:
    """Entropies: points of their lattice."""
    statistic: Any = release.statistic
    bits = np.asarray(frame["bits"], dtype=np.float64)
    steps = statistic.lattice(release.contract).steps
    if len(bits) != statistic.cells(release.contract):
        raise ValueError("not as many numbers as there are measures")
    points = np.rint(bits / steps)
    if not np.array_equal(points * steps, bits) or not (np.abs(points) < _FARTHEST).all():
        raise ValueError("no points of the lattice")
    return statistic.value(release.contract, points.astype(np.int64))


def _routed(release: Rebuilt, frame: Frame) -> Any:
    """One entropy. Files have neither the counts behind it nor what was cut off beyond the range of possible ones."""
    statistic, contract = release.statistic, release.contract
    measure, bits, low, high, route, look = (frame[name].tolist()[0] for name in _ROUTED)
    step, largest = statistic.step(contract), float(np.log2(Marginal(*statistic.columns).cells(contract)))
    if route == "direct" and 0 < bits < largest:
        found = Routed(np.array([look]), np.array([round(bits / step)]), None)
        return statistic.value(contract, found)
    return WrittenEntropy(measure, look, route, EntropyEstimate(bits, low, high, 0.95))


def _pixels(release: Rebuilt, frame: Frame) -> Any:
    statistic, contract = release.statistic, release.contract
    return statistic.value(contract, integers(frame["value"], statistic.cells(contract)))


def _mean_curve(release: Rebuilt, frame: Frame) -> Any:
    """The mean curve from the noisy sums and count, which manifests of the first version did not have."""
    details = release.record["details"]
    if not details:
        return Written(dict(frame))
    numbers = [*details["noisy_sums"], details["noisy_count"]]
    if "noisy_clipped" in details:
        numbers.append(details["noisy_clipped"])
    return release.statistic.value(release.contract, _told(release, numbers))


def _parts(release: Rebuilt, frame: Frame) -> Any:  # noqa: ARG001
    """Summaries and rates from the noisy parts, which the manifest holds."""
    return release.statistic.value(release.contract, _told(release, release.record["details"]["noisy_parts"]))


def _groups(release: Rebuilt, frame: Frame) -> Any:
    """Selected groups from their noisy parts; the file names them, and none may lie below the threshold."""
    statistic, mechanism = release.statistic, release.noise.mechanism
    assert isinstance(mechanism, GroupThreshold)
    assert isinstance(statistic, Selected)
    numbers = release.record["details"]["noisy_parts"]
    parts = _whole(numbers, len(numbers)).reshape(-1, mechanism.parts)
    rows = len(next(iter(frame.values())))
    each = rows // max(len(parts), 1)
    named = list(frame.values())[: len(statistic.by)]
    axes = release.contract.select(statistic.by)
    keys = numbered(axes, [cells[:: max(each, 1)] for cells in named])
    if keys.shape != (len(parts), len(axes)) or len(np.unique(keys, axis=0)) < len(keys):
        raise ValueError("not a group for each of the noisy numbers")
    if (parts.sum(axis=1) < mechanism.threshold(release.noise.sensitivity)).any():
        raise ValueError("a group below the threshold")
    return statistic.value(release.contract, GroupedParts(keys, parts))


def _told(release: Rebuilt, numbers: Sequence[Any]) -> NDArray[np.int64]:
    """Whole numbers that a manifest tells, as many as the statistic has."""
    if any(type(number) is not int for number in numbers) or len(numbers) != release.statistic.cells(release.contract):
        raise ValueError("not as many whole numbers as there should be")
    return np.array(numbers, dtype=np.int64)


def _moments(release: Rebuilt, frame: Frame) -> Any:  # noqa: ARG001
    numbers = release.record["details"]["noisy_moments"]
    if any(type(number) is not int for number in numbers) or len(numbers) != release.statistic.cells(release.contract):
        raise ValueError("not as many whole numbers as there are sums")
    return release.statistic.value(release.contract, np.array(numbers, dtype=np.int64))


def _distribution(release: Rebuilt, frame: Frame) -> Any:  # noqa: ARG001
    """Quantiles from the noisy counts, of which the file shows what follows."""
    counts = _whole(release.record["details"]["noisy_counts"], release.statistic.cells(release.contract))
    return release.statistic.value(release.contract, counts)


def _chosen(release: Rebuilt, frame: Frame) -> Any:  # noqa: ARG001
    """Chosen quantiles from noisy numbers of rows and chosen places."""
    statistic, details = release.statistic, release.record["details"]
    assert isinstance(statistic, ChosenQuantiles)
    groups, column = statistic.groups(release.contract), release.contract.column(statistic.of)
    places = _whole(details["places"], groups * len(statistic.at)).reshape(groups, -1)
    if not ((places >= 0) & (places < parts_of(column).sum())).all() or (np.diff(places, axis=1) < 0).any():
        raise ValueError("no places of the column in increasing order")
    return statistic.value(release.contract, Chosen(_whole(details["noisy_rows"], groups), places))


def _whole(numbers: list[Any], length: int) -> NDArray[np.int64]:
    if len(numbers) != length or any(type(number) is not int for number in numbers):
        raise ValueError("not as many whole numbers as there are cells")
    return np.array(numbers, dtype=np.int64)


def _curves(release: Rebuilt, frame: Frame) -> ReleasedCurves:
    """Values at the declared times, and the coefficients that give them; NaN if these times do not determine them."""
    statistic, details = release.statistic, release.record["details"]
    assert isinstance(statistic, SyntheticCurves)
    curve = release.contract.curve(statistic.curve)
    space = CurveSpace(curve)
    times = space.times
    declared = np.array(frame["value"], dtype=np.float64).reshape(-1, len(times))
    offset = space.offset(space.unit_times(times))
    mechanism: Any = release.noise.mechanism
    used = curve.rank if getattr(mechanism, "rest", 1.0) else mechanism.kept  # the others are zero
    solved, _, rank, _ = np.linalg.lstsq(space.basis(times)[:, :used], (declared - offset).T, rcond=None)
    coefficients = np.zeros((len(declared), curve.rank))
    coefficients[:, :used] = solved.T if rank == used else np.nan
    deviations = np.zeros(curve.rank)
    deviations[: len(details["moved_by"])] = details["moved_by"]
    return ReleasedCurves(curve, coefficients, deviations, details, declared)


def _records(release: Rebuilt, frame: Frame) -> SyntheticRecords:
    """Rows of values. A missing one is in the first cell that a trouble has; which trouble it was, no file says."""
    axes = release.contract.select(release.statistic.columns)
    numbers = [codes(axis, frame[axis.name]) for axis in axes]
    values = {axis.name: _column(frame[axis.name], days=isinstance(axis, Date)) for axis in axes}
    rows = np.array(numbers, dtype=np.int32).reshape(len(axes), -1).T
    return SyntheticRecords(axes, np.ascontiguousarray(rows), values, release.record["details"])


def _column(column: NDArray[Any], *, days: bool) -> NDArray[Any]:
    """A column as a mechanism leaves it: masked, and days as objects."""
    found, missing = np.ma.getdata(column), np.ma.getmaskarray(column)
    return np.ma.MaskedArray(found.astype("datetime64[D]").astype(object) if days else found, mask=missing)


_VALUES = ByKind[Callable[[Rebuilt, Frame], Any]](
    "its value, from the numbers in its files",
    {
        Marginal: _counts,
        EntropyHistogram: _counts,
        KeyedMarginal: _keys,
        Entropy: _measures,
        ConditionalEntropy: _measures,
        MutualInformation: _measures,
        EntropyMap: _measures,
        RoutedEntropy: _routed,
        Quantiles: _distribution,
        ChosenQuantiles: _chosen,
        Synthetic: _records,
        MeanCurve: _mean_curve,
        SyntheticCurves: _curves,
        Pixels: _pixels,
        Correlation: _moments,
        Regression: _moments,
        Summary: _parts,
        Rates: _parts,
        KeyedSummary: _groups,
        KeyedRates: _groups,
    },
    otherwise=lambda _, frame: Written(dict(frame)),
)
