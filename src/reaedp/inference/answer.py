"""Answers: a number for each group with its interval, or the reason why there is none."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column, Date
from reaedp.errors import DeclarationError
from reaedp.frames.framed import Framed
from reaedp.frames.shown import in_words
from reaedp.inference.counted import CountedTable, Floats
from reaedp.inference.functional import Functional, functional
from reaedp.inference.question import Question
from reaedp.inference.tails import reach, tail_of_each_end

#: Groups of one answer.
MOST_GROUPS = 1_000
#: Copies with fresh noise by which an interval of a table is found: fewer of a large one.
COPIES, FEWEST_COPIES, MOST_NUMBERS = 400, 50, 20_000_000
#: A group's rows must be so many standard deviations of their noise for a figure of its own.
_ENOUGH = 3.0
TOO_FEW = "too few rows for an interval"
MERGED = "cells of a group are merged with others in every table that joins these columns; no interval"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answer(Framed):
    """Groups by their cells, with `value`, `low`, `high` and a `note`; `source` says what answered the question."""

    question: str
    confidence: float
    groups: dict[str, NDArray[Any]]
    value: Floats
    low: Floats
    high: Floats
    note: tuple[str, ...]
    source: str
    #: Whether values are days since 1970.
    days: bool = False

    def frame(self) -> dict[str, NDArray[Any]]:
        """A row for each group."""
        numbers = {name: _written(getattr(self, name), self.days) for name in ("value", "low", "high")}
        return self.groups | numbers | {"note": np.array(self.note, dtype=object)}

    def _headline(self) -> str:
        return f"{self.question}, with {100 * self.confidence:g} % intervals"

    def drawing(self) -> str:
        """Nothing: the numbers are few."""
        return ""

    def __repr__(self) -> str:
        return in_words(self._headline(), (("from", self.source),), self.frame())

    @property
    def told(self) -> bool:
        """Whether any group has an interval."""
        return bool(np.isfinite(self.high - self.low).any())

    @property
    def width(self) -> float:
        """Mean width of the intervals; infinite where one is missing."""
        widths = self.high - self.low
        return float(np.mean(widths)) if np.isfinite(widths).all() else math.inf


def _written(values: Floats, days: bool) -> NDArray[Any]:
    """Numbers, with a gap where there is none; days as dates."""
    known = np.isfinite(values)
    if days:
        numbers = zip(np.where(known, values, 0), known, strict=True)
        return np.array([str(np.datetime64(int(day), "D")) if ok else "" for day, ok in numbers], dtype=object)
    return np.ma.MaskedArray(np.where(known, values, 0.0), mask=~known)


class Group(NamedTuple):
    """One row of an answer: the cells of its columns, those of the rows that count, and of the part looked for."""

    cells: dict[str, int]
    rows: dict[str, int]
    part: dict[str, int]


def groups_of(question: Question, axes: Mapping[str, Column]) -> list[Group]:
    """All groups of a question, in the order of their cells; missing values make none."""
    shared = (question.of,) if question.figure == "share" and question.of else ()
    columns = (*question.by, *shared)
    if math.prod(axes[name].regular for name in columns) > MOST_GROUPS:
        raise DeclarationError(
            f"An answer can have at most {MOST_GROUPS:,} groups; {' × '.join(columns)} has more. Ask by fewer"
            " columns, or with `where`."
        )
    found = []
    for cells in product(*(range(axes[name].regular) for name in columns)):
        named = dict(zip(columns, cells, strict=True))
        # A share by groups that is of nothing else is the groups' share of all rows.
        own = columns if question.figure == "share" and not question.of and not question.part else shared
        found.append(Group(named, {n: c for n, c in named.items() if n not in own}, {n: named[n] for n in own}))
    return found


def labels_of(groups: Sequence[Group], axes: Mapping[str, Column]) -> dict[str, NDArray[Any]]:
    """The names of the groups' cells, a column each."""
    names = groups[0].cells if groups else {}
    return {name: np.array([axes[name].labels[group.cells[name]] for group in groups], dtype=object) for name in names}


class Bounds(NamedTuple):
    """What one table says of one group: a value, the ends between which merged cells leave the truth, their noise.

    A `note` says why there is no interval.
    """

    value: float
    low: float
    high: float
    low_noise: float
    high_noise: float
    note: str = ""


def from_table(question: Question, table: CountedTable, confidence: float, rng: np.random.Generator) -> Answer:
    """The answer of one table, with intervals by adding fresh noise to it, again and again."""
    axes = dict(zip(table.names, table.axes, strict=True))
    groups, copies = groups_of(question, axes), copied(table, rng)
    rows = [_interval(question, table, bounds(question, table, each, copies), copies, confidence) for each in groups]
    value, low, high, note = zip(*rows, strict=True) if rows else ((), (), (), ())
    of = axes.get(question.of or "")
    return Answer(
        question.text,
        confidence,
        labels_of(groups, axes),
        np.array(value),
        np.array(low),
        np.array(high),
        tuple(note),
        table.title,
        isinstance(of, Date) and question.figure in ("mean", "quantile") and question.comparison is None,
    )


def copied(table: CountedTable, rng: np.random.Generator) -> Floats:
    """The counts of a table, and copies of them with fresh noise."""
    number = max(FEWEST_COPIES, min(COPIES, MOST_NUMBERS // max(table.counts.size, 1)))
    return np.concatenate([table.counts[None], table.redrawn(rng, number)])


Row = tuple[float, float, float, str]


def bounds(question: Question, table: CountedTable, group: Group, copies: Floats) -> Bounds:
    """What a table says of one group; the first of the copies is the table itself."""
    wanted = [
        functional(question, table, rows=group.rows, part=group.part, between=between)
        for between in (question.between or ({},))
    ]
    found = _compared(question, wanted, copies)
    value, low, high = found[:, 0].tolist()
    if not all(each.certain for each in wanted) and question.figure in ("mean", "quantile"):
        return Bounds(value, math.nan, math.nan, 0.0, 0.0, MERGED)
    if question.figure not in ("count", "sum") and _too_few(wanted, copies):
        return Bounds(value, math.nan, math.nan, 0.0, 0.0, TOO_FEW)
    again = found[:, 1:] - found[:, :1]
    bias, noise = again.mean(axis=1) if table.shifted else np.zeros(3), again.std(axis=1, ddof=1)
    return Bounds(value, float(low - bias[1]), float(high - bias[2]), float(noise[1]), float(noise[2]))


def _interval(question: Question, table: CountedTable, found: Bounds, copies: Floats, confidence: float) -> Row:
    """One row of the answer."""
    if found.note:
        return found.value, math.nan, math.nan, found.note
    number, outside, noise = copies.shape[0] - 1, 1 - confidence, (found.low_noise, found.high_noise)
    tail = outside / 2
    if question.figure != "quantile":  # whose ends are those of a cell, and do not say how certain they are
        tail = tail_of_each_end(found.high - found.low, noise, outside, number, laplace=table.laplace)
    far = reach(tail, number, laplace=table.laplace)
    return within_range(question, found.value, found.low - far * noise[0], found.high + far * noise[1])


def _compared(question: Question, wanted: Sequence[Functional], copies: Floats) -> Floats:
    """The figure of the one group, or the difference or ratio of two."""
    found = [each.bounded(copies) for each in wanted]
    if question.comparison is None:
        return found[0]
    (value, low, high), (other, least, most) = found
    if question.comparison == "difference":
        return np.array([value - other, low - most, high - least])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.array([value / other, low / most, high / least])


def _too_few(wanted: Sequence[Functional], copies: Floats) -> bool:
    """Whether a group may be empty by its noise alone."""
    for each in wanted:
        rows = replace(each, question=replace(each.question, figure="count"), part={}).bounded(copies)[0]
        if rows[0] <= _ENOUGH * rows[1:].std():
            return True
    return False


def within_range(question: Question, value: float, low: float, high: float) -> Row:
    """Counts are not negative, and shares lie between 0 and 1."""
    if question.comparison is None and question.figure in ("count", "share"):
        top = 1.0 if question.figure == "share" else math.inf
        low, high, value = (min(max(number, 0.0), top) for number in (low, high, value))
    return min(max(value, low), high), low, high, ""
