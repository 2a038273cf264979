"""A small chart of a release, as notebooks show it."""

from base64 import b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from reaedp.frames.framed import Framed
from reaedp.frames.sketch import MOST_BARS, bars, lines
from reaedp.statistics.by_kind import HISTOGRAMS, QUANTILES, SINGLE_ENTROPIES, SUMMARIES, ByKind
from reaedp.statistics.doubt import doubtful_numbers, doubtful_pairs
from reaedp.statistics.moments.words import INTERCEPT, THESE
from reaedp.table import Table

if TYPE_CHECKING:
    from reaedp.release.release import Release

_GREY = "; grey if it could be noise alone"


def _bars(release: "Release", column: str) -> str:
    """A bar for each row, with its range where there is one."""
    if isinstance(release.value, Table) and release.value.values.size > MOST_BARS:
        return ""
    found = release.columns()
    heights = np.asarray(found[column], dtype=np.float64)
    low, high = (found.get(name) for name in ("low_95", "high_95"))
    if low is None:
        return bars(heights, column)
    return bars(heights, f"{column} with 95 % intervals{_GREY}", low, high, doubtful_numbers(found))


def _pairs(release: "Release") -> str:
    """Mutual information of pairs of columns; a column's with itself is its entropy."""
    found = release.columns()
    pairs = np.asarray(found["first"] != found["second"])
    names = ("mutual_information", "mutual_information_low_95", "mutual_information_high_95")
    height, low, high = (np.asarray(found[name], dtype=np.float64)[pairs] for name in names)
    doubt = doubtful_pairs(found, release.noise, release.step)[pairs]
    return bars(height, f"mutual information of each pair with 95 % intervals{_GREY}", low, high, doubt)


def _ranges(release: "Release", measure: str, words: str) -> str:
    """One kind of number with its ranges; in units of half of these where numbers have units of their own."""
    found = release.columns()
    chosen = (found["measure"] == measure) & (found["about"] == THESE) & (found["second"] != INTERCEPT)
    height, low, high = (np.asarray(found[name][chosen], dtype=np.float64) for name in ("value", "low_95", "high_95"))
    unit = np.ones(len(height)) if measure == "correlation" else (high - low) / 2
    if not np.isfinite(unit).all():
        return ""
    return bars(
        height / unit, f"{words}, with 95 % intervals{_GREY}", low / unit, high / unit, (low <= 0) & (high >= 0)
    )


def _figures(release: "Release") -> str:
    """The figure that people look for first, of every group of the first column."""
    found, statistic = release.columns(), release.value.main
    chosen = (found["column"] == next(iter(found["column"]), "")) & (found["statistic"] == statistic)
    height, low, high = (np.asarray(found[name], dtype=np.float64)[chosen] for name in ("value", "low_95", "high_95"))
    if not (height.size and np.isfinite(high).all()):
        return ""
    return bars(height, f"{statistic} of each group with 95 % intervals", low, high, found["note"][chosen] != "")


def _mean_curve(release: "Release") -> str:
    found = release.columns()
    words = "the mean over time with a 95 % band for the whole curve"
    return lines(found["time"], [found["mean"]], words, found["all_low_95"], found["all_high_95"])


def _quantiles(release: "Release") -> str:
    """Shares of rows over values, where there is one group of numbers."""
    statistic: Any = release.statistic
    found = release.columns()
    if statistic.by or "value" not in found or found["value"].dtype.kind not in "if":
        return ""
    return lines(found["value"].astype(np.float64), [found["quantile"]], "share of rows at or below each value")


def _own_drawing(release: "Release") -> str:
    return str(release.value.drawing()) if isinstance(release.value, Framed) else ""


def _picture(release: "Release") -> str:
    content = b64encode(release.attachments[".png"]).decode()
    return f'<img alt="the noisy picture" src="data:image/png;base64,{content}">'


DRAWINGS = ByKind[Callable[["Release"], str]](
    "a small chart in notebooks",
    {},
    otherwise=_own_drawing,
    plain=("Synthetic", "SyntheticCurves"),
    named={
        **dict.fromkeys((*HISTOGRAMS, "KeyedMarginal"), lambda release: _bars(release, "count")),
        **dict.fromkeys(SINGLE_ENTROPIES, lambda release: _bars(release, "bits")),
        "EntropyMap": _pairs,
        **dict.fromkeys(QUANTILES, _quantiles),
        "MeanCurve": _mean_curve,
        "Pixels": _picture,
        "Correlation": lambda release: _ranges(release, "correlation", "correlation of each pair"),
        "Regression": lambda release: _ranges(release, "coefficient", "coefficients in units of their errors"),
        **dict.fromkeys(SUMMARIES, _figures),
    },
)
