"""Sections of rates, and of groups that were selected."""

import math
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from reaedp.frames.number import written
from reaedp.label import shown
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.summaries import chosen_groups, dots
from reaedp.report.estimates import summary_section, told_in_grey
from reaedp.report.figure_findings import group_finding
from reaedp.report.panel import Figure, Panel
from reaedp.report.published import Published
from reaedp.report.section import section, table_of_numbers


def rates_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """Rates of each group, or standardised ones."""
    statistic: Any = release.statistic
    frame, main = release.frame, "standardised rate" if statistic.standard else "rate"
    axes, column = list(frame)[: len(statistic.by)], str(frame["column"][0]) if len(frame["column"]) else statistic.of
    labelled: Any = release.labelled
    title = f"{main} of {shown(labelled.counted, 80)}"
    places = chosen_groups(frame, axes, column, main)
    words = f"{title[:1].upper()}{title[1:]}{' in each group' if statistic.by else ''}, with 95 % intervals."
    standard = (
        f" Standardised rates are those of rows which are spread over {shown(labelled.standard, 40)} as the public"
        " weights are."
        if statistic.standard
        else ""
    )
    return section(
        release,
        use=f"{shown(release.labelled.title, 160)}. Intervals cover the noise in the rate of the rows themselves; that"
        f" of the population rate covers sampling as well.{standard}",
        error=f"Parts of counts are off by {written(release.record['mean_error'], 3)} rows on average; the intervals"
        " show the effect on each rate.",
        finding=group_finding(frame, places[frame["note"][places] == ""], axes, title),
        figures=[Figure(drawn(dots(frame, axes, places, title, original)), words + told_in_grey(frame, places))],
        grids=[table_of_numbers(release, original)],
        private=original is None,
    )


def summarised_groups_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """A summary of groups that were selected."""
    return _of_selected(release, summary_section(release, original))


def rated_groups_section(release: Published, original: NDArray[Any] | None) -> Panel:
    """Rates of groups that were selected."""
    return _of_selected(release, rates_section(release, original))


def _of_selected(release: Published, panel: Panel) -> Panel:
    """The section, which also says which groups there are."""
    mechanism: Any = release.noise.mechanism
    least = math.ceil(mechanism.shown_rows(release.noise.sensitivity))
    few = (
        f" Only groups with about {least:,} rows or more appear (partition selection). Intervals hold for groups of at"
        " least so many rows; those near the threshold tend to be too high, as a note says."
    )
    return replace(panel, facts=tuple((key, f"{said}{few}" if key == "Error" else said) for key, said in panel.facts))
