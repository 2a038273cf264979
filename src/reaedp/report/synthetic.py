"""Sections of what belongs to nobody: synthetic records and synthetic curves."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.report.charts.curves import synthetic_curves
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.records import profile
from reaedp.report.panel import Figure, Grid, Panel
from reaedp.report.profile import shares
from reaedp.report.published import Published, texts
from reaedp.report.section import MOST_DRAWN, in_grey, section

#: Rows and columns of a preview.
PREVIEW, MOST_PREVIEWED = 10, 12


def synthetic_curves_section(release: Published, original: Any) -> Panel:
    """Synthetic curves, drawn over each other."""
    frame = release.frame
    count = int(frame["curve"].max()) if len(frame["curve"]) else 0
    figure = Figure(drawn(synthetic_curves(frame)), f"{count:,} synthetic curves; the chart draws at most 60.")
    return section(
        release,
        use=f"{count:,} synthetic curves for developing and testing methods. Each resembles many curves of the data.",
        error="Not stated. A curve is released only if it could have come from enough people (plausible deniability).",
        figures=[figure] if count else [],
        private=original is None,
    )


def synthetic_section(release: Published, original: Mapping[str, NDArray[np.float64]] | None) -> Panel:
    """Synthetic records: profiles of their columns, and the first few."""
    frame, columns = release.frame, release.contract.select(release.statistic.columns)
    rows = len(next(iter(frame.values()))) if frame else 0
    figures = [_profile(release, column, (original or {}).get(column.name)) for column in columns[:MOST_DRAWN]]
    return section(
        release,
        use=f"{rows:,} synthetic records that resemble the data as a whole, for exploring, teaching and developing"
        " methods. Confirm important results on the real data.",
        error="The counts from which the records were generated are off by"
        f" {about(release.record['mean_error'])} rows per cell on average.",
        finding=f"{rows:,} records of people who do not exist. The charts show how often each value occurs in them.",
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
        f"How often each value of {shown(column.called)} occurs in the synthetic records.{in_grey(doubt[kept])}",
        small=True,
    )


def _preview(release: Published, rows: int) -> Grid:
    some = dict(list(release.frame.items())[:MOST_PREVIEWED])
    heads = tuple(shown(release.contract.column(name).called, 40) for name in some)
    body = tuple(zip(*(map(shown, texts(column[:PREVIEW])) for column in some.values()), strict=True))
    rest = f"All {rows:,} rows and {len(release.frame)} columns are in {release.name}.csv and {release.name}.parquet."
    return Grid("The first synthetic records", heads, body, rest)
