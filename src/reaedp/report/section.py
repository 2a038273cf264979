"""A section of a report: words, facts and numbers, with what the contract calls them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.plan.labelled import spoken
from reaedp.report.panel import Cell, Figure, Grid, ImageFile, Panel
from reaedp.report.published import Published
from reaedp.statistics.doubt import Doubt

#: Rows of a table on a page; the rest is in the files.
MOST_ROWS = 200
#: Columns of a file whose cells name declared columns.
NAMING = ("column", "first", "second")
#: Columns that are drawn.
MOST_DRAWN = 40


def section(
    release: Published,
    *,
    use: str,
    error: str,
    finding: str = "",
    figures: Sequence[Figure] = (),
    grids: Sequence[Grid] = (),
    pictures: Sequence[ImageFile] = (),
    private: bool,
) -> Panel:
    """What a release is for, how far it may be off, what it cost, and its charts and tables."""
    record = release.record
    facts = (
        ("Shows", use),
        ("Error", error),
        ("Noise", f"{release.noise.mechanism.name}, scale {about(release.noise.scale)}"),
        ("Cost", f"ε = {about(record['epsilon'])} by itself"),
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


def in_grey(doubt: Doubt, nothing: str = "nothing") -> str:
    """What grey means, if anything is grey."""
    return f" Grey: could be noise alone, that is, {nothing}." if doubt.any() else ""


def table_of_numbers(
    release: Published, original: Any, order: NDArray[Any] | None = None, doubt: Doubt | None = None
) -> Grid:
    """The released numbers as a table, in the order of the file or with the largest first; `doubt` is shown in grey."""
    columns = dict(release.frame)
    if original is not None and np.ndim(original) == 1:
        columns["true value"] = np.asarray(original)
    count = len(next(iter(columns.values())))
    places = (np.arange(count) if order is None else np.argsort(order, kind="stable"))[:MOST_ROWS]
    naming = {name for name in NAMING if name in columns and name not in release.statistic.columns}
    cells: list[list[Cell]] = [
        [
            shown(spoken(str(column[place]), release.contract)) if name in naming else _cell(column[place])
            for name, column in columns.items()
        ]
        for place in places
    ]
    rest = f"{count - MOST_ROWS:,} more rows are in {release.name}.csv." if count > MOST_ROWS else ""
    called = {column.name: column.measured for column in release.contract.select(release.statistic.columns)}
    heads = tuple(shown(called.get(name, name), 40) for name in columns)
    grey = frozenset() if doubt is None else frozenset(np.flatnonzero(doubt[places]).tolist())
    return Grid("The numbers", heads, tuple(map(tuple, cells)), rest, folded=True, doubtful=grey)


def _cell(value: Any) -> Cell:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else shown(plain)


def axes(release: Published) -> list[str]:
    """The columns of names come first in the file."""
    return list(release.frame)[: len(release.statistic.columns)]


def titles(release: Published) -> list[str]:
    """What the same columns are called, with their units of measure."""
    return [shown(column.measured, 60) for column in release.contract.select(release.statistic.columns)]


def listed(release: Published, between: str = " × ") -> str:
    """The columns, as the contract calls them."""
    columns = release.contract.select(release.statistic.columns)
    return shown(between.join(shown(column.called, 40) for column in columns), 160)
