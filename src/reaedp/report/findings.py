"""What a release found, in a sentence, and what its chart leaves out; computed from released values and public noise.

What noise alone could have made is never part of a sentence, except as what cannot be told.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from reaedp.contract import Column
from reaedp.frames.number import about, written
from reaedp.label import shown
from reaedp.report.charts.drawing import Frame
from reaedp.report.charts.histograms import DrawnCells
from reaedp.report.published import Published
from reaedp.statistics.doubt import Doubt

#: Cells and pairs that a sentence names.
NAMED = 3


class Cut(NamedTuple):
    """The cells that are drawn, and what is to be said of greys and of what is left out."""

    cells: DrawnCells
    words: str


def drawn_cells(release: Published, cells: DrawnCells) -> Cut:
    """All cells but those for missing and unreadable values of which none stands out from the noise."""
    kept, left = np.ones(len(cells.doubt), dtype=bool), dict[str, None]()
    for axis, column in zip(cells.axes, release.contract.select(release.statistic.columns), strict=True):
        values = np.asarray(cells.frame[axis])
        for special in special_cells(column):
            here = values == special
            if here.any() and cells.doubt[here].all():
                kept &= ~here
                left[special] = None
    some = cells.some(kept)
    grey = "Grey: could be noise alone." if some.doubt.any() else ""
    gone = f"Not drawn, because they could be noise alone: {', '.join(left)}." if left else ""
    return Cut(some, " ".join(filter(None, (grey, gone))))


def special_cells(column: Column) -> tuple[str, ...]:
    """The cells for values that are no values, unless a regular cell has the same name."""
    return tuple(cell for cell in column.cells[column.regular :] if cell not in column.labels)


def cell_finding(cells: DrawnCells) -> str:
    """The fullest cells, and how many stand out."""
    counts, clear = np.asarray(cells.frame["count"]), int((~cells.doubt).sum())
    if not clear:
        return "Nothing stands out: every count could be noise alone."
    named = NAMED if len(cells.axes) == 1 else 1
    order = [place for place in np.argsort(-counts, kind="stable")[:named] if not cells.doubt[place]]
    names = [_cell(cells, place) for place in order]
    told = [f"{name} ({written(int(counts[place]))})" for name, place in zip(names, order, strict=True)]
    rest = len(counts) - clear
    doubt = f" {written(rest)} of {written(len(counts))} cells may be empty." if rest else ""
    return f"Most {cells.unit} are in {enumerated(told)}.{doubt}"


def _cell(cells: DrawnCells, place: int) -> str:
    """The cell's name; of several columns each is named."""
    parts = [shown(cells.frame[axis][place], 30) for axis in cells.axes]
    if len(parts) == 1:
        return parts[0]
    return ", ".join(f"{shown(title, 40)}: {part}" for title, part in zip(cells.titles, parts, strict=True))


def pair_finding(frame: Frame, doubt: Doubt, called: Mapping[str, str]) -> str:
    """The pairs that are most closely related, and how many cannot be told from independent ones."""
    first, second = (np.asarray(frame[side]) for side in ("first", "second"))
    pairs, share = first != second, np.asarray(frame["symmetric_uncertainty"], dtype=np.float64)
    clear = pairs & ~doubt
    if not clear.any():
        return "Nothing stands out: every relation could be noise alone, so all columns may be independent."
    order = [place for place in np.argsort(-share, kind="stable") if clear[place]][:NAMED]
    told = [
        f"{' with '.join(shown(called.get(side[place], side[place]), 40) for side in (first, second))}"
        f" ({about(100 * share[place], 2)} %)"
        for place in order
    ]
    rest = int(doubt.sum())
    unclear = f" {rest} of {int(pairs.sum())} pairs may be independent." if rest else ""
    return f"Most closely related: {enumerated(told)}.{unclear}"


def curve_finding(frame: Frame) -> str:
    """Whether the curve has any shape that noise alone could not have given it."""
    low, high = (np.asarray(frame[name], dtype=np.float64) for name in ("all_low_95", "all_high_95"))
    if len(low) and low.max() <= high.min():
        return "A flat line fits between the outer bands: every rise and fall could be noise alone."
    return ""


def curve_ends(frame: Frame) -> str:
    """Where the mean begins and ends, with the range of each."""
    if not len(frame["time"]):
        return ""
    told = [
        f"{about(float(frame['mean'][place]))} ({about(float(frame['low_95'][place]))} to"
        f" {about(float(frame['high_95'][place]))}) at time {about(float(frame['time'][place]))}"
        for place in (0, -1)
    ]
    return f"The mean goes from {told[0]} to {told[1]}."


def enumerated(parts: list[str]) -> str:
    """The parts with commas, and an "and" before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
