"""A section for each release: what it is for, what it shows, and how far its numbers may be off."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.charts.curves import mean_curve, synthetic_curves
from reaedp.charts.drawing import drawn
from reaedp.charts.entropies import entropies, information_map
from reaedp.charts.histograms import histogram, largest_cells
from reaedp.charts.records import profile
from reaedp.contract.picture import PIXELS_ONLY
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.label import shown
from reaedp.report.number import written
from reaedp.report.panel import Cell, Figure, Grid, Panel, Picture
from reaedp.report.profile import shares
from reaedp.report.published import Published, texts
from reaedp.statistics.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy_map import EntropyMap
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.pixels import Pixels
from reaedp.statistics.routed_entropy import RoutedEntropy
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
    say = _KINDS[type(release.statistic)]
    return say(release, original)


def error_unit(release: Published) -> str:
    """What the error of a number is counted in, where that has a name."""
    return _UNITS.get(_KINDS[type(release.statistic)], "")


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
        ("Use", use),
        ("Noise", f"{release.noise.title}; {error}"),
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
    spread = release.noise.spread(0.95)
    words = (
        f"Bars or colours show noisy counts of {_listed(release)}; 95 of 100 are within {spread:,} of the truth."
        " The numbers are in the table below."
    )
    entropy = ""
    if "entropy_bits" in frame and len(frame["count"]):
        low, bits, high = (float(frame[f"entropy_{name}"][0]) for name in ("low_95", "bits", "high_95"))
        entropy = f" Its entropy is {written(bits)} bits, from {written(low)} to {written(high)}."
    return _panel(
        release,
        use=f"how many rows fall into each cell of {_listed(release)}.{entropy}",
        error=f"a count is off by {written(release.record['mean_error'], 3)} on average, and 95 of 100 counts by at"
        f" most {spread:,}; counts under {2 * spread:,} are mostly noise",
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
        use=f"the cells of {_listed(release)} that have many rows; all others are left out, so that their absence"
        " says little",
        error=f"a count is off by {written(release.record['mean_error'], 3)} on average; counts near the threshold are"
        " too high on average",
        figures=figures,
        grids=[_numbers(release, original, order=-np.asarray(frame["count"]))],
        private=original is None,
    )


def _entropies(release: Published, original: NDArray[Any] | None) -> Panel:
    return _panel(
        release,
        use="how evenly the rows are spread, in bits: 0 if all are alike, 1 more for each doubling of equally frequent"
        " kinds",
        error=_bits(release),
        figures=[Figure(drawn(entropies(release.frame, original)), f"{shown(release.record['title'], 160)} in bits.")],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _map(release: Published, original: NDArray[Any] | None) -> Panel:
    return _panel(
        release,
        use="which columns tell about which: 0 for columns that know nothing of each other, 1 for columns that"
        " determine each other",
        error=_bits(release),
        figures=[Figure(drawn(information_map(release.frame, original)), f"What {_listed(release)} have in common.")],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _curve(release: Published, original: NDArray[Any] | None) -> Panel:
    words = "The private mean, the range of each point and the band around the whole curve, both for 95 of 100 releases"
    return _panel(
        release,
        use="the mean of all curves over time",
        error="bands cover the noise, but neither smoothing nor clipping",
        figures=[Figure(drawn(mean_curve(release.frame, original)), f"{words}.")],
        grids=[_numbers(release, original)],
        private=original is None,
    )


def _synthetic_curves(release: Published, original: Any) -> Panel:
    frame = release.frame
    count = int(frame["curve"].max()) if len(frame["curve"]) else 0
    figure = Figure(drawn(synthetic_curves(frame)), f"{count:,} synthetic curves, at most 60 of them drawn.")
    return _panel(
        release,
        use=f"{count:,} made-up curves for trying out methods; each is near to many curves of the data",
        error="a curve leaves only if enough people could have been its origin",
        figures=[figure] if count else [],
        private=original is None,
    )


def _picture(release: Published, original: Any) -> Panel:
    content = release.attachment(".png")
    return _panel(
        release,
        use=f"a noisy picture. {PIXELS_ONLY}",
        error=f"a value is off by {written(release.record['mean_error'], 3)} on average",
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
            f"How often each cell of {shown(column.name)} occurs among the synthetic records.",
            small=True,
        )
        for column in profiled
    ]
    return _panel(
        release,
        use=f"{rows:,} made-up records that resemble the data as a whole: for trying out methods, for teaching, for"
        " questions nobody thought of before. Confirm what matters on the data itself",
        error=f"the tables behind the records are off by {written(release.record['mean_error'], 3)} rows a cell on"
        " average",
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
    return f"a number is off by {written(release.record['mean_error'], 3)} bits on average, at most"


_KINDS: dict[type[Any], Callable[[Published, Any], Panel]] = {
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
}
_UNITS = {_histogram: "rows", _keys: "rows", _synthetic: "rows", _entropies: "bits", _map: "bits"}
