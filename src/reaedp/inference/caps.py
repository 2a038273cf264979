"""Caps: no group has more rows than any of its columns has in the group's cells.

Where a table merges cells, its count of a merged cell bounds those inside it loosely; other tables, which merge other
cells, and counts of single columns bound them as well. Which of these matter for a group their noisy values tell. A
share lies between what such counts of its part and of its group leave.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reaedp.inference.answer import Answer, bounds, copied, from_table, groups_of
from reaedp.inference.counted import CountedTable
from reaedp.inference.question import Question
from reaedp.inference.tails import Bound, lowest


def capped(
    question: Question,
    joining: Sequence[tuple[CountedTable, Answer]],
    singles: Sequence[CountedTable],
    confidence: float,
    rng: np.random.Generator,
) -> Answer | None:
    """Counts and shares where tables merge cells, by what all of them and their columns allow; none for others.

    `joining` are tables with the answers of each alone.
    """
    known = {single.names[0] for single in singles}
    merged = any(table.merges(name) for table, _ in joining for name in question.columns if name in known)
    if question.comparison is not None or len(question.columns) < 2 or not merged:
        return None
    if question.figure == "share" and not question.where.keys() & question.part.keys():
        return _share(question, joining, singles, confidence, rng)
    return _count(question, joining, singles, confidence, rng) if question.figure == "count" else None


def _count(
    question: Question,
    joining: Sequence[tuple[CountedTable, Answer]],
    singles: Sequence[CountedTable],
    confidence: float,
    rng: np.random.Generator,
) -> Answer:
    """Counts, below what all tables and their columns allow."""
    known = {single.names[0]: single for single in singles}
    narrowest = min(range(len(joining)), key=lambda place: joining[place][1].width)
    (table, plain), ends = joining[narrowest], [_ends(question, each, rng) for each, _ in joining]
    groups = groups_of(question, dict(zip(table.names, table.axes, strict=True)))
    above = [high for _, high in ends]
    for name in question.columns:
        if name in known:
            _, high = _ends(_about(question, name), known[name], rng)
            places = [group.cells.get(name, 0) for group in groups]
            above.append(replace(high, value=high.value[places], noise=high.noise[places]))
    # Where the low end has noise of its own, it may err as often as the high one.
    outside, low = 1 - confidence, ends[narrowest][0]
    low_end = np.maximum(-low.beyond(np.full(len(groups), outside / 2)), 0.0)
    high_end = np.maximum(lowest(above, np.where(low.noise > 0, outside / 2, outside)), low_end)
    value, source = np.clip(plain.value, low_end, high_end), f"{plain.source}, below other counts of its columns"
    return replace(plain, value=value, low=low_end, high=high_end, source=source)


def _share(
    question: Question,
    joining: Sequence[tuple[CountedTable, Answer]],
    singles: Sequence[CountedTable],
    confidence: float,
    rng: np.random.Generator,
) -> Answer:
    """Shares, by the rows of each group's part and of the group; each of both may err half as often."""
    plain = min((answer for _, answer in joining), key=lambda answer: answer.width)
    sure, tables = (1 + confidence) / 2, [table for table, _ in joining]
    # A share by groups that is of nothing else is the groups' share of all rows.
    whole = replace(question, figure="count", of=None, part={})
    part = replace(whole, by=(*question.by, *filter(None, [question.of])), where=question.where | question.part)
    whole = whole if question.of or question.part else replace(whole, by=())
    own = _count(part, [(table, from_table(part, table, sure, rng)) for table in tables], singles, sure, rng)
    # Rows that a release of another column leaves out are part of the whole all the same.
    rows = min((from_table(whole, table, sure, rng) for table in tables), key=lambda answer: answer.width)
    number = len(own.value) // max(len(rows.value), 1)
    fewest, most = np.repeat(rows.low, number), np.repeat(rows.high, number)
    told, possible = np.isfinite(plain.high), fewest > 0
    low = np.where(told, np.minimum(own.low / np.maximum(most, 1.0), 1.0), np.nan)
    high = np.where(told, np.minimum(own.high / np.where(possible, fewest, 1.0), 1.0), np.nan)
    high = np.where(told & ~possible, 1.0, high)
    value = np.where(told, np.clip(plain.value, low, high), plain.value)
    source = f"{plain.source}, with other counts of its columns"
    return replace(plain, value=value, low=low, high=high, source=source)


def _ends(question: Question, table: CountedTable, rng: np.random.Generator) -> tuple[Bound, Bound]:
    """Upper bounds by one table, for each of its groups, of the number of rows: first of its negative, then of it."""
    copies = copied(table, rng)
    groups = groups_of(question, dict(zip(table.names, table.axes, strict=True)))
    found = [bounds(question, table, group, copies) for group in groups]
    low, high, low_noise, high_noise = np.array([each[1:5] for each in found]).T
    number, laplace = copies.shape[0] - 1, table.laplace
    return Bound(-low, low_noise, number, laplace), Bound(high, high_noise, number, laplace)


def _about(question: Question, name: str) -> Question:
    """What a question asks of one column alone."""
    where = {column: node for column, node in question.where.items() if column == name}
    part = {column: node for column, node in question.part.items() if column == name}
    return replace(question, by=(name,) if name in question.by else (), where=where, part=part)
