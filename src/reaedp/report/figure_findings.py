"""What figures with intervals found, in a sentence: groups that differ, pairs that go together, values at ranks.

An order of groups, a relation or a coefficient that noise alone could have made is never told as a finding.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.report.charts.drawing import Frame
from reaedp.report.charts.moments import of_predictors
from reaedp.report.findings import NAMED, enumerated
from reaedp.statistics.doubt import all_alike, doubtful_numbers, doubtful_signs
from reaedp.statistics.moments.words import THESE

#: Quantiles that a sentence names.
MOST_SAID = 5
IN_BRACKETS = "95 % intervals in brackets"
Called = Callable[[str], str]


def group_finding(frame: Frame, places: NDArray[np.intp], axes: Sequence[str], what: str) -> str:
    """Where a figure is highest and lowest, if any two groups differ for certain; of one group, the figure."""
    some = {name: np.asarray(frame[name])[places] for name in (*axes, "value", "low_95", "high_95")}
    if not len(places):
        return f"No group has enough rows for its {what}."
    if len(places) == 1:
        where = f" ({_group(some, axes, 0)}, the only group with enough rows)" if axes else ""
        return f"{_first_large(what)}{where}: {_figure(some, 0)}; {IN_BRACKETS}."
    if all_alike(some):
        return f"{_first_large(what)}: no group clearly differs from the others; the differences could be noise alone."
    values = np.asarray(some["value"], dtype=np.float64)
    high, low = int(values.argmax()), int(values.argmin())
    return (
        f"{_first_large(what)}: highest in {_group(some, axes, high)}, {_figure(some, high)}, and lowest in"
        f" {_group(some, axes, low)}, {_figure(some, low)}; {IN_BRACKETS}. Groups whose intervals overlap may be in"
        " a different order."
    )


def correlation_finding(frame: Frame, called: Called) -> str:
    """The strongest correlations that noise did not make, and how many may be nothing."""
    some = _where(frame, np.asarray(frame["measure"] == "correlation"))
    doubt = doubtful_signs(some)
    if doubt.all():
        return "Nothing stands out: every correlation could be noise alone."
    strength = np.where(doubt, -1.0, np.abs(np.asarray(some["value"], dtype=np.float64)))
    order = [place for place in np.argsort(-strength, kind="stable")[:NAMED] if not doubt[place]]
    told = [
        f"{shown(called(some['first'][place]), 40)} with {shown(called(some['second'][place]), 40)}"
        f", {_figure(some, place)}"
        for place in order
    ]
    rest = f" {int(doubt.sum())} of {len(doubt)} pairs may have no linear relation." if doubt.any() else ""
    return f"Strongest correlations: {'; '.join(told)}; {IN_BRACKETS}.{rest}"


def regression_finding(frame: Frame, target: str, called: Called) -> str:
    """The coefficients that stand out most from their own errors, and how many may be nothing."""
    some = _where(frame, of_predictors(frame, THESE))
    doubt = doubtful_signs(some)
    if doubt.all():
        return "Nothing stands out: every coefficient could be noise alone."
    value, high = (np.asarray(some[name], dtype=np.float64) for name in ("value", "high_95"))
    clear = np.where(doubt, -1.0, np.abs(value) / np.maximum(high - value, np.finfo(float).tiny))
    order = [place for place in np.argsort(-clear, kind="stable")[:NAMED] if not doubt[place]]
    told = [f"{_figure(some, place)} for {shown(called(some['second'][place]), 60)}" for place in order]
    rest = f" {int(doubt.sum())} of {len(doubt)} coefficients may be 0." if doubt.any() else ""
    return f"{target} differs, all else being equal, by {enumerated(told)}; {IN_BRACKETS}.{rest}"


def quantile_finding(frame: Frame, what: str) -> str:
    """The first few quantiles."""
    pairs = zip(frame["quantile"].tolist()[:MOST_SAID], frame["value"].tolist(), strict=False)
    said = [
        f"{'half' if rank == 0.5 else f'{about(100 * rank)} %'} of the rows are at or below"
        f" {about(value, 4) if isinstance(value, int | float) else str(value)[:10]}"
        for rank, value in pairs
    ]
    return f"{what}: {', '.join(said)}."


def entropy_finding(frame: Frame, names: Sequence[str]) -> str:
    """The entropies that are not nothing."""
    doubt = doubtful_numbers(frame)
    told = [
        f"{shown(name, 80)}: {about(bits)} bits ({about(low)} to {about(high)})"
        for name, bits, low, high, unclear in zip(
            names, *(frame[key].tolist() for key in ("bits", "low_95", "high_95")), doubt.tolist(), strict=True
        )
        if not unclear
    ][:NAMED]
    return f"{'; '.join(told)}." if told else "Nothing stands out: every number could be noise alone."


def _where(frame: Frame, chosen: NDArray[np.bool_]) -> dict[str, NDArray[np.generic]]:
    return {name: np.asarray(column)[chosen] for name, column in frame.items()}


def _figure(frame: Frame, place: int) -> str:
    """A number with its interval."""
    number, low, high = (about(float(frame[name][place])) for name in ("value", "low_95", "high_95"))
    return f"{number} ({low} to {high})"


def _group(frame: Frame, axes: Sequence[str], place: int) -> str:
    return " · ".join(shown(frame[axis][place], 30) for axis in axes)


def _first_large(words: str) -> str:
    return words[:1].upper() + words[1:]
