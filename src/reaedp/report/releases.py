"""A section for each release: what it is for, what it shows, and how far its numbers may be off."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.contract.picture import PIXELS_ONLY
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.frames.number import about, written
from reaedp.label import shown
from reaedp.report.charts.curves import mean_curve, synthetic_curves
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.entropies import entropies, information_map
from reaedp.report.charts.histograms import Cells, histogram, largest_cells, low_bars
from reaedp.report.charts.moments import coefficients, correlation_map
from reaedp.report.charts.quantiles import distribution, quantiles
from reaedp.report.charts.records import profile
from reaedp.report.charts.summaries import dots
from reaedp.report.findings import Cut, cell_finding, curve_finding, drawn_cells, pair_finding
from reaedp.report.panel import Cell, Figure, Grid, Panel, Picture
from reaedp.report.profile import shares
from reaedp.report.published import Published, texts
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.doubt import Doubt, doubtful_numbers, doubtful_pairs
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.fit import TOO_FEW
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.inside import written as written_ends
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.synthetic import Synthetic

#: Rows of a table on a page, rows of a preview, and columns of it; the rest is in the files.
MOST_ROWS, PREVIEW, MOST_PREVIEWED = 200, 10, 12
#: Column profiles that are drawn.
MOST_PROFILES = 40
#: Quantiles that a sentence names.
MOST_SAID = 5
#: What the custodian's edition puts beside the private numbers, by release; the public one has nothing to put there.
Originals = Mapping[str, Any]
NOTHING: Originals = {}


def release_panel(release: Published, original: Any = None) -> Panel:
    """The section of one release; `original` holds true numbers for the custodian's edition alone."""
    say = _SECTIONS.of(release.statistic)
    return say(release, original)


def error_unit(release: Published) -> str:
    """What the error of a number is counted in, where that has a name."""
    unit = _UNITS.get(_SECTIONS.of(release.statistic), "")
    return release.counted if unit == "rows" else unit


def _panel(
    release: Published,
    *,
    use: str,
    error: str,
    finding: str = "",
    figures: Sequence[Figure] = (),
    grids: Sequence[Grid] = (),
    pictures: Sequence[Picture] = (),
    private: bool,
) -> Panel:
    record = release.record
    facts = (
        ("Shows", use),
        ("Error", error),
        ("Noise", f"{release.noise.mechanism.name}, scale {about(release.noise.scale)}"),
        ("Cost", f"ε = {written(record['epsilon'])} by itself"),
        ("Files", ", ".join(record["files"])),
    )
    return Panel(
        anchor=f"release-{release.name}",
        title=release.title,
        words=tuple(filter(None, (finding, release.wording.get("description")))),
        facts=facts,
        figures=tuple(figures),
        grids=tuple(grids),
        pictures=tuple(pictures),
        disclosable=private,
    )


def _histogram(release: Published, original: NDArray[Any] | None) -> Panel:
    frame, doubt = release.frame, doubtful_numbers(release.frame)
    spread = release.noise.error_quantile(0.95)
    cells = Cells.of(frame, _axes(release), original, titles=_titles(release), doubt=doubt, unit=release.counted)
    cut = drawn_cells(release, cells)
    words = f"{_listed(release)}; error at 95 % confidence: ±{about(spread)} {release.counted}. {cut.words}"
    entropy = ""
    if "entropy_bits" in frame and len(frame["count"]):
        low, bits, high = (float(frame[f"entropy_{name}"][0]) for name in ("low_95", "bits", "high_95"))
        entropy = f" Entropy: {about(bits)} bits (95 % interval: {about(low)} to {about(high)})."
    return _panel(
        release,
        use=f"How many {release.counted} fall in each cell of {_listed(release)}.{entropy}",
        error=f"Counts are off by {about(release.record['mean_error'])} on average and by at most {about(spread)} at"
        f" 95 % confidence. Counts below {about(2 * spread)} are mostly noise.",
        finding=cell_finding(cells),
        figures=_of_cells(cut, words),
        grids=[
            _numbers(release, original, order=-np.asarray(frame["count"]) if len(cells.axes) > 1 else None, doubt=doubt)
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
        cells = Cells.of(frame, _axes(release), titles=_titles(release), unit=release.counted)
        figures = [Figure(drawn(largest_cells(cells)), f"The largest cells of {_listed(release)}.")]
    return _panel(
        release,
        use=f"The cells of {_listed(release)} with many rows (partition selection). A missing cell may be empty or"
        " merely small.",
        error=f"Counts are off by {about(release.record['mean_error'])} on average. Counts near the threshold"
        " tend to be too high.",
        figures=figures,
        grids=[_numbers(release, original, order=-np.asarray(frame["count"]))],
        private=original is None,
    )


def _quantiles(release: Published, original: NDArray[Any] | None) -> Panel:
    statistic: Any = release.statistic
    frame, groups = release.frame, list(release.frame)[: len(statistic.by)]
    column = release.contract.column(statistic.of)
    of = shown(statistic.of, 40)
    if statistic.at:
        figure = Figure(drawn(quantiles(frame, groups, statistic.of)), f"Quantiles of {of} with 95 % intervals.")
    else:
        assert column.ends is not None
        ends = np.tile(written_ends(column.ends.high), statistic.groups(release.contract))
        figure = Figure(
            drawn(distribution(frame, ends, groups, statistic.of)),
            f"The share of rows at or below each value of {of}, with 95 % intervals.",
        )
    error = (
        "95 % intervals cover the quantiles of the data's own rows. Further quantiles follow from the counts in"
        " release.json at no cost."
    )
    if "rank_error_95" in frame:
        figure = Figure(figure.chart, f"Quantiles of {of}.")
        missed = float(frame["rank_error_95"][0]) if len(frame["rank_error_95"]) else 0.0
        error = (
            f"At 95 % confidence a value misses its rank by at most {written(missed, 3)} rows, and those that share its"
            " place. Values have no intervals of their own."
        )
    doubtful = int(sum(1 for note in frame["note"] if note) / max(len(statistic.at), 1)) if statistic.at else 0
    few = f" Groups that may be empty: {doubtful:,}." if doubtful else ""
    return _panel(
        release,
        use=f"Values of {of} below which given shares of the rows lie.{few}",
        error=error,
        finding="" if statistic.by or not statistic.at else _values_at(frame, of),
        figures=[] if statistic.at and len(frame["value"]) == 1 else [figure],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _values_at(frame: Mapping[str, NDArray[Any]], of: str) -> str:
    """The first few quantiles in a sentence."""
    pairs = zip(frame["quantile"].tolist()[:MOST_SAID], frame["value"].tolist(), strict=False)
    said = [f"{'half' if rank == 0.5 else f'{about(100 * rank)} %'} of the rows at or below {written(value)}"
            for rank, value in pairs]  # fmt: skip
    return f"{of}: {', '.join(said)}."


def _entropies(release: Published, original: NDArray[Any] | None) -> Panel:
    doubt = doubtful_numbers(release.frame)
    measures = getattr(release.labelled, "names", None)  # a chosen route has one name only
    named = measures if measures is not None and len(measures) == len(doubt) else None
    words = f"{shown(release.labelled.title, 160)}, in bits, with 95 % intervals.{_grey(doubt)}"
    return _panel(
        release,
        use="How evenly the rows are spread over the cells, in bits: 0 if all rows are alike, 1 for two equally"
        " frequent kinds, 2 for four, and so on.",
        error=_bits(release),
        figures=[Figure(drawn(entropies(release.frame, original, measures=named, doubt=doubt)), words)],
        grids=[_numbers(release, original, doubt=doubt)],
        private=original is None,
    )


def _map(release: Published, original: NDArray[Any] | None) -> Panel:
    doubt = doubtful_pairs(release.frame, release.noise, release.record["step"])
    called = {column.name: column.called for column in release.contract.select(release.statistic.columns)}
    chart = information_map(release.frame, original, called=called, doubt=doubt)
    words = f"How closely {_listed(release, ', ')} are related.{_grey(doubt, 'independence')}"
    return _panel(
        release,
        use="How closely each pair of columns is related, from 0 (independent) to 1 (each determines the other).",
        error=_bits(release),
        finding=pair_finding(release.frame, doubt, called),
        figures=[Figure(drawn(chart), words)],
        grids=[_numbers(release, original, doubt=doubt)],
        private=original is None,
    )


def _grey(doubt: Doubt, nothing: str = "nothing") -> str:
    return f" Grey: noise alone could have made it; it cannot be told from {nothing}." if doubt.any() else ""


def _curve(release: Published, original: NDArray[Any] | None) -> Panel:
    words = (
        "The private mean with 95 % confidence bands: the inner one for each point, the outer one for the whole curve"
    )
    curve = release.contract.curve(release.statistic.curve)  # type: ignore[attr-defined]
    return _panel(
        release,
        finding=curve_finding(release.frame),
        use=f"The mean of all curves over time: {curve.measured}.",
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
        error=f"Values are off by {about(release.record['mean_error'])} on average.",
        pictures=[Picture(content, f"The noisy picture {release.name}.")] if content else [],
        private=original is None,
    )


def _synthetic(release: Published, original: Mapping[str, NDArray[np.float64]] | None) -> Panel:
    frame, columns = release.frame, release.contract.select(release.statistic.columns)
    rows = len(next(iter(frame.values()))) if frame else 0
    figures = [_profile(release, column, (original or {}).get(column.name)) for column in columns[:MOST_PROFILES]]
    return _panel(
        release,
        use=f"{rows:,} synthetic records that resemble the data as a whole, for exploring, teaching and developing"
        " methods. Confirm important results on the real data.",
        error="The counts from which the records were generated are off by"
        f" {about(release.record['mean_error'])} rows per cell on average.",
        figures=figures if rows else [],
        grids=[_preview(release, rows)],
        private=original is None,
    )


def _profile(release: Published, column: Column, original: NDArray[np.float64] | None) -> Figure:
    """How often each cell of a column occurs; cells that the noise behind the records could have filled are grey."""
    cells, share = shares(column, release.frame[column.name])
    found = release.record["details"].get("rows_found")
    bound = 0.0 if found is None else release.noise.error_quantile(0.95, cells=len(cells)) / max(found, 1)
    doubt = share < bound
    kept = np.arange(len(cells)) < len(cells) - int(doubt[-1])  # the last is for missing values
    told = None if original is None else original[kept]
    chart = profile(column.measured, tuple(np.array(cells)[kept].tolist()), share[kept], told, doubt=doubt[kept])
    return Figure(
        drawn(chart) | {"height": 160},
        f"How often each value of {shown(column.called)} occurs in the synthetic records.{_grey(doubt[kept])}",
        small=True,
    )


def _preview(release: Published, rows: int) -> Grid:
    some = dict(list(release.frame.items())[:MOST_PREVIEWED])
    heads = tuple(shown(release.contract.column(name).called, 40) for name in some)
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


def _rates(release: Published, original: NDArray[Any] | None) -> Panel:
    statistic: Any = release.statistic
    frame, main = release.frame, "standardised rate" if statistic.standard else "rate"
    called = str(frame["column"][0]) if len(frame["column"]) else statistic.of
    chart = dots(frame, list(frame)[: len(statistic.by)], called, main, original)
    groups = " in each group" if statistic.by else ""
    standard = (
        f" Standardised rates are those of rows which are spread over {shown(statistic.standard, 40)} as the public"
        " weights are."
        if statistic.standard
        else ""
    )
    return _panel(
        release,
        use=f"{shown(release.labelled.title, 160)}. Intervals cover the noise in the rate of the rows themselves; that"
        f" of the population rate covers sampling as well.{standard}",
        error=f"Parts of counts are off by {written(release.record['mean_error'], 3)} rows on average; the intervals"
        " tell what follows for each rate.",
        figures=[Figure(drawn(chart), f"The {main} of {shown(called, 80)}{groups}, with 95 % intervals.")],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _groups(release: Published, original: NDArray[Any] | None) -> Panel:
    """The section of a summary or of rates whose groups were selected."""
    panel = (_rates if isinstance(release.statistic, Rates) else _summary)(release, original)
    mechanism: Any = release.noise.mechanism
    least = math.ceil(mechanism.shown_rows(release.noise.sensitivity))
    few = (
        f" Only groups with about {least:,} rows or more appear (partition selection). Intervals hold for groups of at"
        " least so many rows; those near the threshold tend to be too high, as a note says."
    )
    return replace(panel, facts=tuple((key, f"{said}{few}" if key == "Error" else said) for key, said in panel.facts))


def _numbers(release: Published, original: Any, order: NDArray[Any] | None = None, doubt: Doubt | None = None) -> Grid:
    """The released numbers as a table, in the order of the file or with the largest first; `doubt` is shown in grey."""
    columns = dict(release.frame)
    if original is not None and np.ndim(original) == 1:
        columns["true value"] = np.asarray(original)
    count = len(next(iter(columns.values())))
    places = (np.arange(count) if order is None else np.argsort(order, kind="stable"))[:MOST_ROWS]
    cells: list[list[Cell]] = [[_cell(column[place]) for column in columns.values()] for place in places]
    rest = f"{count - MOST_ROWS:,} more rows are in {release.name}.csv." if count > MOST_ROWS else ""
    called = {column.name: column.measured for column in release.contract.select(release.statistic.columns)}
    heads = tuple(shown(called.get(name, name), 40) for name in columns)
    grey = frozenset() if doubt is None else frozenset(np.flatnonzero(doubt[places]).tolist())
    return Grid("The numbers", heads, tuple(map(tuple, cells)), rest, folded=True, doubtful=grey)


def _cell(value: Any) -> Cell:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else shown(plain)


def _axes(release: Published) -> list[str]:
    """The columns of names come first in the file."""
    return list(release.frame)[: len(release.statistic.columns)]


def _titles(release: Published) -> list[str]:
    """What the same columns are called, with their units of measure."""
    return [shown(column.measured, 60) for column in release.contract.select(release.statistic.columns)]


def _listed(release: Published, between: str = " × ") -> str:
    columns = release.contract.select(release.statistic.columns)
    return shown(between.join(shown(column.called, 40) for column in columns), 160)


def _bits(release: Published) -> str:
    return f"The mean error is at most {about(release.record['mean_error'])} bits."


def _correlations(release: Published, original: NDArray[Any] | None) -> Panel:
    return _panel(
        release,
        use=f"How {_listed(release)} vary together: means, variances, covariances and correlations of the rows without"
        " missing values. A correlation is 0 if two columns have no linear relation, and 1 or -1 if one is a line of"
        " the other.",
        error="Each number has a 95 % interval. Grey pairs may have no relation at all: noise could have made it.",
        figures=[
            Figure(
                drawn(correlation_map(release.frame, original)), f"Correlations of {_listed(release)}; grey: may be 0."
            )
        ],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _regression(release: Published, original: NDArray[Any] | None) -> Panel:
    frame = release.frame
    told = bool(np.isfinite(frame["high_95"]).all())
    target = shown(str(frame["first"][0]), 40)
    words = f"By how much {target} differs where a predictor is larger by the unit named, all others being equal."
    return _panel(
        release,
        use=f"How {target} depends on each predictor, the others held equal (linear regression)."
        + ("" if told else f" No interval: {TOO_FEW}."),
        error="Inner intervals are for the rows of the data, outer ones for the population, where errors"
        " spread much alike. Grey coefficients may be 0."
        if told
        else "Unbounded.",
        figures=[Figure(drawn(coefficients(frame, original)), words)] if told else [],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _plain(release: Published, original: NDArray[Any] | None) -> Panel:
    """A section for a statistic that this package does not know: what it calls itself, and its numbers."""
    return _panel(
        release,
        use=f"{shown(release.labelled.title, 160)}.",
        error=f"Numbers are off by {about(release.record['mean_error'])} on average.",
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
        Quantiles: _quantiles,
        ChosenQuantiles: _quantiles,
        Synthetic: _synthetic,
        Correlation: _correlations,
        Regression: _regression,
        Summary: _summary,
        Rates: _rates,
        KeyedSummary: _groups,
        KeyedRates: _groups,
    },
    otherwise=_plain,
)
_UNITS = dict.fromkeys(
    (_histogram, _keys, _synthetic, _correlations, _regression, _summary, _rates, _groups, _quantiles), "rows"
)
_UNITS |= dict.fromkeys((_entropies, _map), "bits")
