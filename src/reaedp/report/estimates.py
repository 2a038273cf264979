"""Sections of figures that follow from noisy sums: summaries, quantiles, correlations, regressions."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Date
from reaedp.frames.number import written
from reaedp.label import shown
from reaedp.plan.labelled import measured, spoken
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.moments import coefficients, correlation_map
from reaedp.report.charts.quantiles import distribution, quantiles
from reaedp.report.charts.summaries import chosen_groups, dots
from reaedp.report.figure_findings import correlation_finding, group_finding, quantile_finding, regression_finding
from reaedp.report.panel import Figure, Panel
from reaedp.report.published import Published
from reaedp.report.section import MOST_DRAWN, listed, section, table_of_numbers
from reaedp.statistics.moments.words import TOO_FEW


def quantiles_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """Values at ranks, or the distribution function."""
    statistic: Any = release.statistic
    frame, groups = release.frame, list(release.frame)[: len(statistic.by)]
    column = release.contract.column(statistic.of)
    of, axis = shown(column.called, 40), shown(column.measured)
    if statistic.at:
        figure = Figure(drawn(quantiles(frame, groups, axis, original)), f"Quantiles of {of} with 95 % intervals.")
    else:
        from reaedp.statistics.quantiles.inside import written as written_ends

        assert column.ends is not None
        ends = np.tile(written_ends(column.ends.high), statistic.groups(release.contract))
        figure = Figure(
            drawn(distribution(frame, ends, groups, axis)),
            f"The share of rows at or below each value of {of}, with 95 % intervals.",
        )
    error = (
        "95 % intervals cover the quantiles of the rows in the data. Further quantiles follow from the counts in"
        " release.json at no cost."
    )
    if "rank_error_95" in frame:
        figure = Figure(figure.chart, f"Quantiles of {of}.")
        missed = float(frame["rank_error_95"][0]) if len(frame["rank_error_95"]) else 0.0
        error = (
            f"With 95 % confidence, a value misses its rank by at most {written(missed, 3)} rows, not counting"
            " ties. Values have no intervals of their own."
        )
    doubtful = int(sum(1 for note in frame["note"] if note) / max(len(statistic.at), 1)) if statistic.at else 0
    few = f" Groups that may be empty: {doubtful:,}." if doubtful else ""
    return section(
        release,
        use=f"Values of {of} at or below which the given shares of rows lie.{few}",
        error=error,
        finding="" if statistic.by or not statistic.at else quantile_finding(frame, axis),
        figures=[] if statistic.at and len(frame["value"]) == 1 else [figure],
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )


def summary_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """Means, sums and the like of each group."""
    statistic: Any = release.statistic
    frame, axes = release.frame, list(release.frame)[: len(statistic.by)]
    main = "mean" if "mean" in statistic.statistics else statistic.statistics[0]
    figures, found = [], []
    for column in statistic.of[:MOST_DRAWN]:
        title = f"{main} of {shown(measured(column, release.contract), 80)}"
        places = chosen_groups(frame, axes, column, main)
        words = f"{title[:1].upper()}{title[1:]}{' in each group' if statistic.by else ''}, with 95 % intervals."
        figures.append(Figure(drawn(dots(frame, axes, places, title, original)), words + told_in_grey(frame, places)))
        if not isinstance(release.contract.column(column), Date):  # a mean day is a number of days
            found.append(group_finding(frame, places[frame["note"][places] == ""], axes, title))
    return section(
        release,
        use=f"{shown(release.labelled.title, 160)}. Intervals cover the noise in the figure of the rows themselves;"
        " that of the population mean covers sampling as well. Values outside the declared range count as its nearest"
        " end, or as the contract says.",
        error=f"Parts of counts are off by {written(release.record['mean_error'], 3)} rows on average; the intervals"
        " show the effect on each statistic.",
        finding=" ".join(found),
        figures=figures,
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )


def told_in_grey(frame: Any, places: NDArray[Any]) -> str:
    """What grey dots mean, if there are any."""
    return " Grey: too few rows for an interval." if (np.asarray(frame["note"])[places] != "").any() else ""


def correlation_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """Correlations as a map."""
    called = partial(spoken, contract=release.contract)
    return section(
        release,
        use=f"How {listed(release, ', ')} vary together: means, variances, covariances and correlations of the rows"
        " without missing values. A correlation is 0 if two columns have no linear relation, and 1 or -1 if one is a"
        " line of the other.",
        error="Each number has a 95 % interval. Grey pairs may not be related at all: they could be noise alone.",
        finding=correlation_finding(release.frame, called),
        figures=[
            Figure(
                drawn(correlation_map(release.frame, original, called=called)),
                f"Correlations of {listed(release, ', ')}. Grey: may be 0; could be noise alone.",
            )
        ],
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )


def regression_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """Coefficients with their intervals."""
    frame, called = release.frame, partial(spoken, contract=release.contract)
    told = bool(np.isfinite(frame["high_95"]).all())
    target = shown(measured(str(frame["first"][0]), release.contract), 80)
    words = (
        f"By how much {target} differs where a predictor is larger by 1, or has the level named, all others being"
        " equal; each as a multiple of its own error, so that all fit one axis. Thick: 95 % interval for these rows;"
        " thin: for the population. Grey: may be 0."
    )
    return section(
        release,
        use=f"How {target} depends on each predictor, the others held equal (linear regression)."
        + ("" if told else f" No interval: {TOO_FEW}."),
        error="Inner intervals are for the rows of the data, outer ones for the population, where errors"
        " spread much alike. Grey coefficients may be 0."
        if told
        else "Unbounded.",
        finding=regression_finding(frame, target, called) if told else f"No result: {TOO_FEW}.",
        figures=[Figure(drawn(coefficients(frame, original, called=called)), words)] if told else [],
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )
