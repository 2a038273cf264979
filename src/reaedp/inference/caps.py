"""Caps: no group has more rows than any of its columns has in the group's cells.

Where a table merges cells, its count of a merged cell bounds those inside it loosely; counts of single columns bound
them as well. The chance of an error is shared out: half for the table, half for all columns together.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reaedp.inference.answer import Answer, from_table, groups_of
from reaedp.inference.counted import CountedTable
from reaedp.inference.question import Question


def capped(
    question: Question,
    table: CountedTable,
    singles: Sequence[CountedTable],
    confidence: float,
    rng: np.random.Generator,
) -> Answer | None:
    """Counts of a table that merges cells, below what its columns allow; none for other questions."""
    known = {single.names[0]: single for single in singles}
    columns = [name for name in question.columns if name in known]
    merged = any(table.merges(name) for name in columns)
    if question.figure != "count" or question.comparison is not None or len(question.columns) < 2 or not merged:
        return None
    outside = 1 - confidence
    answer = from_table(question, table, 1 - outside / 2, rng)
    groups = groups_of(question, dict(zip(table.names, table.axes, strict=True)))
    high = answer.high
    for name in columns:
        own = from_table(_about(question, name), known[name], 1 - outside / len(columns), rng)
        places = [group.cells.get(name, 0) for group in groups]
        high = np.minimum(high, own.high[places])
    high = np.maximum(high, answer.low)
    source = f"{answer.source}, and those of its columns"
    return replace(answer, high=high, value=np.minimum(answer.value, high), source=source, confidence=confidence)


def _about(question: Question, name: str) -> Question:
    """What a question asks of one column alone."""
    where = {column: node for column, node in question.where.items() if column == name}
    part = {column: node for column, node in question.part.items() if column == name}
    return replace(question, by=(name,) if name in question.by else (), where=where, part=part)
