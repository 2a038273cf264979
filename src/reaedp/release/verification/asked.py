"""Questions to a folder: which of its releases can answer them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from reaedp.contract import Column, Date
from reaedp.contract.expression import Node
from reaedp.inference.answer import Answer, groups_of, labels_of
from reaedp.inference.ask import Direct, Sources
from reaedp.inference.question import Question
from reaedp.inference.sources import histogram
from reaedp.release.release import Release
from reaedp.release.verification.asked_shares import shares
from reaedp.statistics.by_kind import CURVES, ENTROPIES, MOMENTS, ByKind
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.figures import TOO_FEW
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.conditions import met
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.synthetic import Synthetic


def sources_of(releases: Mapping[str, Release]) -> Sources:
    """Tables, models and direct answers of all releases of a folder."""
    axes: dict[str, Column] = {}
    tables, direct = [], []
    models: dict[str, LearnedModel] = {}
    for name, release in releases.items():
        axes |= {axis.name: axis for axis in _columns(release)}
        if isinstance(release.statistic, Marginal | EntropyHistogram):
            tables.append(histogram(name, release.counts, release.noise))
        elif isinstance(release.statistic, Synthetic):
            models |= {} if release.value.model is None else {name: release.value.model.learned}
        elif type(release.statistic) in (Summary, Quantiles, Rates):  # and none of groups that noise has chosen
            answers = shares if isinstance(release.statistic, Rates) else _directly
            direct.append(Direct(release.statistic.title, answers(release)))
    return Sources(tuple(axes.values()), tuple(tables), models, tuple(direct))


def _directly(release: Release) -> Callable[[Question, float], Answer | None]:
    def answer(question: Question, confidence: float) -> Answer | None:
        statistic: Any = release.statistic
        if question.comparison is not None:
            return _compared(release, question, confidence)
        plain = not (question.where or question.part or question.comparison) and question.by == statistic.by
        if not plain or getattr(statistic, "per_person", False):
            return None
        read = _summary if isinstance(statistic, Summary) else _quantiles
        rows = read(release, question, confidence)
        if rows is None:
            return None
        axes = {axis.name: axis for axis in release.value.axes}
        groups = groups_of(question, axes)
        sizes = [axes[name].size for name in question.by]
        places = [int(np.ravel_multi_index([g.cells[n] for n in question.by], sizes)) if sizes else 0 for g in groups]
        value, low, high, note = (column[places] for column in rows)
        return Answer(
            question.text,
            confidence,
            labels_of(groups, axes),
            value,
            low,
            high,
            tuple(map(str, note)),
            f"the release {release.name}",
            isinstance(_measured(release, question), Date) and question.figure != "sum",
        )

    return answer


def _measured(release: Release, question: Question) -> Column:
    return next(axis for axis in _columns(release) if axis.name == question.of)


def _columns(release: Release) -> tuple[Column, ...]:
    """The columns of a release that can be asked about; none of a kind that answers no questions."""
    found: tuple[Column, ...] = _KINDS.of(release.statistic)(release)
    return found


def _summary(release: Release, question: Question, confidence: float) -> tuple[Any, ...] | None:
    """The figure of this name and column, group by group."""
    statistic: Any = release.statistic
    if question.of is None or question.of not in statistic.of or question.figure not in ("mean", "sum"):
        return None
    if question.figure not in statistic.statistics:
        return None
    found = release.summary(confidence)
    chosen = (found["column"] == question.of) & (found["statistic"] == question.figure)
    value, low, high = (np.asarray(found[name], dtype=np.float64)[chosen] for name in ("value", "low", "high"))
    unknown = ~(np.isfinite(low) & np.isfinite(high))
    return value, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high), np.where(unknown, TOO_FEW, "")


def _compared(release: Release, question: Question, confidence: float) -> Answer | None:
    """The difference or ratio of two groups of a summary, if each condition names one of them."""
    statistic: Any = release.statistic
    if not isinstance(statistic, Summary) or question.of not in statistic.of or question.by or question.where:
        return None
    if question.figure not in statistic.statistics or len(statistic.by) != 1:
        return None
    (axis,) = release.value.axes
    cells = [_one_cell(axis, between) for between in question.between]
    if None in cells:
        return None
    found = release.compare(question.figure, of=question.of, confidence=confidence, **{axis.name: tuple(cells)})
    told = getattr(found, str(question.comparison))
    ends = (told.low, told.high) if told.known else (np.nan, np.nan)
    value, low, high = (np.array([number]) for number in (told.value, *ends))
    note = "" if told.known else TOO_FEW
    return Answer(question.text, confidence, {}, value, low, high, (note,), f"the release {release.name}")


def _one_cell(axis: Column, condition: Mapping[str, Node]) -> str | None:
    """The label of the only cell that meets a condition on this column."""
    if set(condition) != {axis.name}:
        return None
    some, every = met(axis, condition[axis.name])
    places = np.flatnonzero(some)
    return axis.cells[places[0]] if len(places) == 1 and every[places[0]] else None


def _quantiles(release: Release, question: Question, confidence: float) -> tuple[Any, ...] | None:
    """Read off the released distribution function."""
    if question.figure != "quantile" or question.of != release.value.column.name or not question.at or question.at >= 1:
        return None
    found = release.quantiles((question.at,), confidence=confidence).columns
    ends = [name for name in found if name.startswith(("low", "high"))]
    return *(_numbers(found[name]) for name in ("value", *ends)), found["note"]


def _numbers(column: Any) -> Any:
    days = column.astype("datetime64[D]").astype(np.int64) if column.dtype == object else column
    return np.asarray(days, dtype=np.float64)


def _own_axes(release: Release) -> tuple[Column, ...]:
    return tuple(release.value.axes)


def _all_axes(release: Release) -> tuple[Column, ...]:
    return (*release.value.axes, *(parts.column for parts in release.value.parts))


def _rate_axes(release: Release) -> tuple[Column, ...]:
    """A ratio of two columns is no share."""
    statistic: Any = release.statistic
    return (*release.value.axes, *(() if statistic.per else release.value.parts.columns))


_KINDS = ByKind[Callable[[Release], tuple[Column, ...]]](
    "columns that can be asked about",
    {
        Marginal: _own_axes,
        EntropyHistogram: _own_axes,
        Synthetic: _own_axes,
        Quantiles: _own_axes,
        Summary: _all_axes,
        Rates: _rate_axes,
    },
    otherwise=lambda _: (),
    plain=(
        "KeyedMarginal",
        "KeyedSummary",
        "KeyedRates",
        "Pixels",
        "ChosenQuantiles",
        *ENTROPIES,
        *MOMENTS,
        *CURVES,
    ),
)
