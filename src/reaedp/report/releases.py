"""A section for each release: what it is for, what it shows, and how far its numbers may be off."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract.picture import PIXELS_ONLY
from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.report.charts.curves import mean_curve
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.entropies import entropies, information_map
from reaedp.report.charts.histograms import DrawnCells, histogram, largest_cells, low_bars
from reaedp.report.estimates import correlation_section, quantiles_section, regression_section, summary_section
from reaedp.report.figure_findings import entropy_finding
from reaedp.report.findings import Cut, cell_finding, curve_ends, curve_finding, drawn_cells, pair_finding
from reaedp.report.panel import Figure, ImageFile, Panel
from reaedp.report.published import Published
from reaedp.report.rates import rated_groups_section, rates_section, summarised_groups_section
from reaedp.report.section import axes, in_grey, listed, section, table_of_numbers, titles
from reaedp.report.synthetic import synthetic_curves_section, synthetic_section
from reaedp.statistics.by_kind import HISTOGRAMS, QUANTILES, SINGLE_ENTROPIES, ByKind
from reaedp.statistics.doubt import doubtful_numbers, doubtful_pairs

#: What the custodian's edition puts beside the private numbers, by release; the public one has nothing to put there.
Originals = Mapping[str, Any]
NOTHING: Originals = {}


def release_panel(release: Published, original: Any = None) -> Panel:
    """The section of one release; `original` holds true numbers for the custodian's edition alone."""
    say = _SECTIONS.of(release.statistic)
    return say(release, original)


def mean_error(release: Published) -> str:
    """By how much a number is off on average, and in which unit; of a curve, half of the range of a point."""
    say = _SECTIONS.of(release.statistic)
    if say is _curve and len(release.frame["mean"]):
        curve = release.contract.curve(release.statistic.curve)  # type: ignore[attr-defined]
        low, high = (np.asarray(release.frame[name]) for name in ("low_95", "high_95"))
        return f"±{about(float(np.mean(high - low)) / 4)} {curve.unit_of_measure or ''}".rstrip()
    unit = _UNITS.get(say, "")
    return f"±{about(release.record['mean_error'])} {release.counted if unit == 'rows' else unit}".rstrip()


def _histogram(release: Published, original: NDArray[Any] | None) -> Panel:
    frame, doubt = release.frame, doubtful_numbers(release.frame)
    spread = release.noise.error_quantile(0.95)
    cells = DrawnCells.of(frame, axes(release), original, titles=titles(release), doubt=doubt, unit=release.counted)
    cut = drawn_cells(release, cells)
    words = f"{listed(release)}; error at 95 % confidence: ±{about(spread)} {release.counted}. {cut.words}"
    entropy = ""
    for measure, called in (("entropy", "Entropy"), ("information", "Mutual information")):
        if f"{measure}_bits" in frame and len(frame["count"]):
            low, bits, high = (float(frame[f"{measure}_{name}"][0]) for name in ("low_95", "bits", "high_95"))
            entropy += f" {called}: {about(bits)} bits (95 % interval: {about(low)} to {about(high)})."
    return section(
        release,
        use=f"How many {release.counted} fall in each cell of {listed(release)}.{entropy}",
        error=f"Counts are off by {about(release.record['mean_error'])} on average and by at most {about(spread)} at"
        f" 95 % confidence. Counts below {about(2 * spread)} are mostly noise.",
        finding=cell_finding(cells),
        figures=_of_cells(cut, words),
        grids=[
            table_of_numbers(
                release, original, order=-np.asarray(frame["count"]) if len(cells.axes) > 1 else None, doubt=doubt
            )
        ],
        private=original is None,
    )


def _of_cells(cut: Cut, words: str) -> list[Figure]:
    """The histogram, and its low bars again if there are many."""
    cells = cut.cells
    if not len(cells.frame["count"]):
        return []
    low = low_bars(cells)
    figures = [Figure(drawn(histogram(cells)), words)]
    if low:
        told = f"The same, with the low bars enlarged; higher ones are cut off. {cut.words}"
        figures.append(Figure(drawn(low | {"height": 180}), told, folded="The low bars, enlarged"))
    return figures


def _keys(release: Published, original: NDArray[Any] | None) -> Panel:
    frame = release.frame
    figures = []
    if len(frame["count"]):
        cells = DrawnCells.of(frame, axes(release), titles=titles(release), unit=release.counted)
        figures = [Figure(drawn(largest_cells(cells)), f"The largest cells of {listed(release)}.")]
    return section(
        release,
        use=f"The cells of {listed(release)} with many rows (partition selection). A missing cell may be empty or"
        " merely small.",
        error=f"Counts are off by {about(release.record['mean_error'])} on average. Counts near the threshold"
        " tend to be too high.",
        figures=figures,
        grids=[table_of_numbers(release, original, order=-np.asarray(frame["count"]))],
        private=original is None,
    )


def _entropies(release: Published, original: NDArray[Any] | None) -> Panel:
    doubt = doubtful_numbers(release.frame)
    measures = getattr(release.labelled, "names", None)  # a chosen route has one name only
    named = measures if measures is not None and len(measures) == len(doubt) else None
    words = f"{shown(release.labelled.title, 160)}, in bits, with 95 % intervals.{in_grey(doubt)}"
    return section(
        release,
        use="How evenly the rows are spread over the cells, in bits: 0 if all rows are alike, 1 for two equally"
        " frequent kinds, 2 for four, and so on.",
        error=_bits(release),
        finding=entropy_finding(release.frame, named or np.asarray(release.frame["measure"]).tolist()),
        figures=[Figure(drawn(entropies(release.frame, original, measures=named, doubt=doubt)), words)],
        grids=[table_of_numbers(release, original, doubt=doubt)],
        private=original is None,
    )


def _map(release: Published, original: NDArray[Any] | None) -> Panel:
    doubt = doubtful_pairs(release.frame, release.noise, release.record["step"])
    called = {column.name: column.called for column in release.contract.select(release.statistic.columns)}
    chart = information_map(release.frame, original, called=called, doubt=doubt)
    words = f"How closely {listed(release, ', ')} are related.{in_grey(doubt, 'independence')}"
    return section(
        release,
        use="How closely each pair of columns is related, from 0 (independent) to 1 (each determines the other).",
        error=_bits(release),
        finding=pair_finding(release.frame, doubt, called),
        figures=[Figure(drawn(chart), words)],
        grids=[table_of_numbers(release, original, doubt=doubt)],
        private=original is None,
    )


def _curve(release: Published, original: NDArray[Any] | None) -> Panel:
    words = (
        "The private mean with 95 % confidence bands: the inner one for each point, the outer one for the whole curve"
    )
    curve = release.contract.curve(release.statistic.curve)  # type: ignore[attr-defined]
    flat = curve_finding(release.frame)
    grey = in_grey(np.array([bool(flat)]), "a flat line")
    beside = "" if original is None else f" Orange: {_TRUE_MEAN[release.statistic.bands]}."  # type: ignore[attr-defined]
    return section(
        release,
        finding=flat or curve_ends(release.frame),
        use=f"The mean of all curves over time: {curve.measured}.",
        error=_covered(release),
        figures=[
            Figure(
                drawn(mean_curve(release.frame, original, doubt=bool(flat), title=shown(curve.measured))),
                f"{words}.{grey}{beside}",
            )
        ],
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )


#: With which mean a mean curve is compared, by what its bands cover.
_TRUE_MEAN = {
    "noise": "the mean of the clipped curves in the declared basis, without noise; the bands are for this mean",
    "truth": "the mean of the original curves, neither clipped nor smoothed; the bands are for this mean",
}


def _covered(release: Published) -> str:
    """What the bands of a mean curve cover, and what they are made of."""
    statistic: Any = release.statistic
    if statistic.bands != "truth":
        return "The bands cover the noise, but not the bias from smoothing and clipping."
    from reaedp.curves.mean_curve import WIDTHS

    noise, bias, clipping = (about(float(np.mean(release.frame[name]))) for name in WIDTHS)
    return (
        "The bands cover the mean of the original curves if the declared smoothness and bounds are true. On average"
        f" over time, noise takes ±{noise} of them, smoothing and the finite basis ±{bias}, clipping ±{clipping}."
    )


def _picture(release: Published, original: Any) -> Panel:
    content = release.attachment(".png")
    return section(
        release,
        use=f"A noisy picture. {PIXELS_ONLY}",
        error=f"Values are off by {about(release.record['mean_error'])} on average.",
        pictures=[ImageFile(content, f"The noisy picture {release.name}.")] if content else [],
        private=original is None,
    )


def _bits(release: Published) -> str:
    return f"The mean error is at most {about(release.record['mean_error'])} bits."


def _plain(release: Published, original: NDArray[Any] | None) -> Panel:
    """A section for a statistic that this package does not know: what it calls itself, and its numbers."""
    return section(
        release,
        use=f"{shown(release.labelled.title, 160)}.",
        error=f"Numbers are off by {about(release.record['mean_error'])} on average.",
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )


_SECTIONS = ByKind[Callable[[Published, Any], Panel]](
    "its section of the report",
    {},
    otherwise=_plain,
    named={
        **dict.fromkeys(HISTOGRAMS, _histogram),
        "KeyedMarginal": _keys,
        **dict.fromkeys(SINGLE_ENTROPIES, _entropies),
        "EntropyMap": _map,
        "MeanCurve": _curve,
        "SyntheticCurves": synthetic_curves_section,
        "Pixels": _picture,
        **dict.fromkeys(QUANTILES, quantiles_section),
        "Synthetic": synthetic_section,
        "Correlation": correlation_section,
        "Regression": regression_section,
        "Summary": summary_section,
        "Rates": rates_section,
        "KeyedSummary": summarised_groups_section,
        "KeyedRates": rated_groups_section,
    },
)
_UNITS = dict.fromkeys(
    (_histogram, _keys, synthetic_section, correlation_section, regression_section, summary_section, quantiles_section),
    "rows",
)
_UNITS |= dict.fromkeys((rates_section, summarised_groups_section, rated_groups_section), "rows")
_UNITS |= dict.fromkeys((_entropies, _map), "bits")
