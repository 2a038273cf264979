"""A section for each release: what it is for, what it shows, and how far its numbers may be off."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract.picture import PIXELS_ONLY
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.label import shown
from reaedp.report.charts.curves import mean_curve, synthetic_curves
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.entropies import entropies, information_map
from reaedp.report.charts.histograms import histogram, largest_cells
from reaedp.report.charts.records import profile
from reaedp.report.charts.summaries import dots
from reaedp.report.number import written
from reaedp.report.panel import Cell, Figure, Grid, Panel, Picture
from reaedp.report.profile import shares
from reaedp.report.published import Published, texts
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.synthetic import Synthetic

#: Rows of a table on a page, rows of a preview, and columns of it; the rest is in the files.
MOST_ROWS, PREVIEW, MOST_PREVIEWED = 200, 10, 12
#: Column profiles that are drawn.
MOST_PROFILES = 40
#: What the custodian's edition puts beside the private numbers, by release; the public one has nothing to put there.
Originals = Mapping[str, Any]
NOTHING: Originals = {}


def release_panel(release: Published, original: Any = None) -> Panel:
    """The section of one release; `original` holds true numbers for the custodian's edition alone."""
    say = _SECTIONS.of(release.statistic)
    return say(release, original)


def error_unit(release: Published) -> str:
    """What the error of a number is counted in, where that has a name."""
    return _UNITS.get(_SECTIONS.of(release.statistic), "")


def _panel(
    release: Published,
    *,
    use: str,
    error: str,
    figures: Sequence[Figure] = (),
    grids: Sequence[Grid] = (),
    pictures: Sequence[Picture] = (),
    private: bool,
) -> Panel:
    record = release.record
    facts = (
        ("Shows", use),
        ("Error", error),
        ("Noise", release.noise.title),
        ("Cost", f"ε = {written(record['epsilon'])} by itself"),
        ("Files", ", ".join(record["files"])),
    )
    return Panel(
        anchor=f"release-{release.name}",
        title=f"{release.name}: {shown(record['title'], 160)}",
        facts=facts,
        figures=tuple(figures),
        grids=tuple(grids),
        pictures=tuple(pictures),
        disclosable=private,
    )


def _histogram(release: Published, original: NDArray[Any] | None) -> Panel:
    frame, axes = release.frame, _axes(release)
    spread = release.noise.error_quantile(0.95)
    words = f"Noisy counts of {_listed(release)}; error at 95 % confidence: ±{spread:,} rows."
    entropy = ""
    if "entropy_bits" in frame and len(frame["count"]):
        low, bits, high = (float(frame[f"entropy_{name}"][0]) for name in ("low_95", "bits", "high_95"))
        entropy = f" Entropy: {written(bits)} bits (95 % interval: {written(low)} to {written(high)})."
    return _panel(
        release,
        use=f"How many rows fall in each cell of {_listed(release)}.{entropy}",
        error=f"Counts are off by {written(release.record['mean_error'], 3)} on average and by at most {spread:,} at"
        f" 95 % confidence. Counts below {2 * spread:,} are mostly noise.",
        figures=[Figure(drawn(histogram(frame, axes, original)), words)] if len(frame["count"]) else [],
        grids=[_numbers(release, original, order=-np.asarray(frame["count"]) if len(axes) > 1 else None)],
        private=original is None,
    )


def _keys(release: Published, original: NDArray[Any] | None) -> Panel:
    frame, axes = release.frame, _axes(release)
    figures = []
    if len(frame["count"]):
        figures = [Figure(drawn(largest_cells(frame, axes)), f"The largest cells of {_listed(release)}.")]
    return _panel(
        release,
        use=f"The cells of {_listed(release)} with many rows (partition selection). A missing cell may be empty or"
        " merely small.",
        error=f"Counts are off by {written(release.record['mean_error'], 3)} on average. Counts near the threshold"
        " tend to be too high.",
        figures=figures,
        grids=[_numbers(release, original, order=-np.asarray(frame["count"]))],
        private=original is None,
    )


def _entropies(release: Published, original: NDArray[Any] | None) -> Panel:
    return _panel(
        release,
        use="How evenly the rows are spread over the cells, in bits: 0 if all rows are alike, 1 for two equally"
        " frequent kinds, 2 for four, and so on.",
        error=_bits(release),
        figures=[Figure(drawn(entropies(release.frame, original)), f"{shown(release.record['title'], 160)}, in bits.")],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _map(release: Published, original: NDArray[Any] | None) -> Panel:
    return _panel(
        release,
        use="How closely each pair of columns is related, from 0 (independent) to 1 (each determines the other).",
        error=_bits(release),
        figures=[
            Figure(drawn(information_map(release.frame, original)), f"How closely {_listed(release)} are related.")
        ],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _curve(release: Published, original: NDArray[Any] | None) -> Panel:
    words = (
        "The private mean with 95 % confidence bands: the inner one for each point, the outer one for the whole curve"
    )
    return _panel(
        release,
        use="The mean of all curves over time.",
        error="The bands cover the noise, but not what smoothing and clipping change.",
        figures=[Figure(drawn(mean_curve(release.frame, original)), f"{words}.")],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _synthetic_curves(release: Published, original: Any) -> Panel:
    frame = release.frame
    count = int(frame["curve"].max()) if len(frame["curve"]) else 0
    figure = Figure(drawn(synthetic_curves(frame)), f"{count:,} synthetic curves; the chart draws at most 60.")
    return _panel(
        release,
        use=f"{count:,} synthetic curves for developing and testing methods. Each resembles many curves of the data.",
        error="None is stated. A curve is released only if it could have come from enough people (plausible"
        " deniability).",
        figures=[figure] if count else [],
        private=original is None,
    )


def _picture(release: Published, original: Any) -> Panel:
    content = release.attachment(".png")
    return _panel(
        release,
        use=f"A noisy picture. {PIXELS_ONLY}",
        error=f"Values are off by {written(release.record['mean_error'], 3)} on average.",
        pictures=[Picture(content, f"The noisy picture {release.name}.")] if content else [],
        private=original is None,
    )


def _synthetic(release: Published, original: Mapping[str, NDArray[np.float64]] | None) -> Panel:
    frame, columns = release.frame, release.contract.select(release.statistic.columns)
    rows = len(next(iter(frame.values()))) if frame else 0
    profiled = columns[:MOST_PROFILES]
    figures = [
        Figure(
            drawn(profile(column.name, *shares(column, frame[column.name]), (original or {}).get(column.name)))
            | {"height": 160},
            f"How often each value of {shown(column.name)} occurs in the synthetic records.",
            small=True,
        )
        for column in profiled
    ]
    return _panel(
        release,
        use=f"{rows:,} synthetic records that resemble the data as a whole, for exploring, teaching and developing"
        " methods. Confirm important results on the real data.",
        error="The counts from which the records were generated are off by"
        f" {written(release.record['mean_error'], 3)} rows per cell on average.",
        figures=figures if rows else [],
        grids=[_preview(release, rows)],
        private=original is None,
    )


def _preview(release: Published, rows: int) -> Grid:
    some = dict(list(release.frame.items())[:MOST_PREVIEWED])
    heads = tuple(shown(name, 40) for name in some)
    body = tuple(zip(*(map(shown, texts(column[:PREVIEW])) for column in some.values()), strict=True))
    rest = f"All {rows:,} rows and {len(release.frame)} columns are in {release.name}.csv and {release.name}.parquet."
    return Grid("The first synthetic records", heads, body, rest)


def _summary(release: Published, original: NDArray[Any] | None) -> Panel:
    statistic: Any = release.statistic
    frame = release.frame
    main = "mean" if "mean" in statistic.statistics else statistic.statistics[0]
    figures = [
        Figure(
            drawn(dots(frame, list(frame)[: len(statistic.by)], column, main, original)),
            f"The {main} of {shown(column)}{' in each group' if statistic.by else ''}, with 95 % intervals.",
        )
        for column in statistic.of[:MOST_PROFILES]
    ]
    return _panel(
        release,
        use=f"{shown(release.record['title'], 160)}. Intervals cover the noise in the figure of the rows themselves;"
        " that of the population mean covers sampling as well. Values outside the declared range count as its nearest"
        " end, or as the contract says.",
        error=f"Parts of counts are off by {written(release.record['mean_error'], 3)} rows on average; the intervals"
        " tell what follows for each figure.",
        figures=figures,
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _numbers(release: Published, original: Any, order: NDArray[Any] | None = None) -> Grid:
    """The released numbers as a table, in the order of the file or with the largest first."""
    columns = dict(release.frame)
    if original is not None and np.ndim(original) == 1:
        columns["true value"] = np.asarray(original)
    count = len(next(iter(columns.values())))
    places = (np.arange(count) if order is None else np.argsort(order, kind="stable"))[:MOST_ROWS]
    cells: list[list[Cell]] = [[_cell(column[place]) for column in columns.values()] for place in places]
    rest = f"{count - MOST_ROWS:,} more rows are in {release.name}.csv." if count > MOST_ROWS else ""
    heads = tuple(shown(name, 40) for name in columns)
    return Grid("The numbers", heads, tuple(map(tuple, cells)), rest, folded=True)


def _cell(value: Any) -> Cell:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else shown(plain)


def _axes(release: Published) -> list[str]:
    """The columns of names come first in the file."""
    return list(release.frame)[: len(release.statistic.columns)]


def _listed(release: Published) -> str:
    return shown(" × ".join(shown(name, 40) for name in release.statistic.columns), 160)


def _bits(release: Published) -> str:
    return f"The mean error is at most {written(release.record['mean_error'], 3)} bits."


def _plain(release: Published, original: NDArray[Any] | None) -> Panel:
    """A section for a statistic that this package does not know: what it calls itself, and its numbers."""
    return _panel(
        release,
        use=f"{shown(release.record['title'], 160)}.",
        error=f"Numbers are off by {written(release.record['mean_error'], 3)} on average.",
        grids=[_numbers(release, original)],
        private=original is None,
    )


_SECTIONS = ByKind[Callable[[Published, Any], Panel]](
    "its section of the report",
    {
        Marginal: _histogram,
        EntropyHistogram: _histogram,
        KeyedMarginal: _keys,
        Entropy: _entropies,
        RoutedEntropy: _entropies,
        ConditionalEntropy: _entropies,
        MutualInformation: _entropies,
        EntropyMap: _map,
        MeanCurve: _curve,
        SyntheticCurves: _synthetic_curves,
        Pixels: _picture,
        Synthetic: _synthetic,
        Summary: _summary,
    },
    otherwise=_plain,
)
_UNITS = {_histogram: "rows", _keys: "rows", _summary: "rows", _synthetic: "rows", _entropies: "bits", _map: "bits"}
