"""Asking: of all that a folder holds, what answers a question most narrowly; or why nothing can."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.errors import DeclarationError, sentence
from reaedp.inference.answer import Answer, from_table
from reaedp.inference.caps import capped
from reaedp.inference.counted import CountedTable
from reaedp.inference.question import Question, examples, read_question
from reaedp.inference.sources import Replays, believed, inner_tables, model_tables
from reaedp.synthesis.learned import LearnedModel

#: Replays of a model's noise, where a table would be summed over many cells.
REPLAYS = 30
#: Seeds of fresh noise: it hides nothing, and the same question shall have the same answer.
_SEED = 20
#: Sums of so few cells are as good by the noisy table as by the fit.
_FEW_CELLS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Direct:
    """A release that answers some questions by itself: a summary, quantiles or a rate; `title` says what it has."""

    title: str
    answer: Callable[[Question, float], Answer | None]


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What a folder has: its `axes`, tables of histograms, models by their names, and releases that answer directly."""

    axes: tuple[Column, ...]
    tables: tuple[CountedTable, ...]
    models: dict[str, LearnedModel]
    direct: tuple[Direct, ...]


def ask(
    sources: Sources,
    text: str,
    *,
    confidence: float = 0.95,
    replays: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Answer:
    """The answer with the narrowest intervals among all sources that join the question's columns."""
    if not (isinstance(confidence, float) and 0.5 <= confidence < 1):
        raise DeclarationError(sentence("confidence must be a number from 0.5 to below 1", given=confidence))
    if replays is not None and (type(replays) is not int or not (replays == 0 or 10 <= replays <= 1_000)):
        raise DeclarationError(sentence("replays must be 0, or a whole number from 10 to 1,000", given=replays))
    if not sources.axes:
        raise DeclarationError("This folder has no release of rows or counts of columns that could be asked about.")
    question = read_question(text, sources.axes)
    found = [answer for one in sources.direct if (answer := one.answer(question, confidence)) is not None]
    rng = np.random.default_rng(_SEED)
    tables = list(_tables(sources))
    joining = [table for table in tables if table.joins(question.columns)]
    if replays != 0:
        joining += _replayed(sources, question, replays, progress)
    singles = [table for table in tables if len(table.axes) == 1]
    answers = [from_table(question, table, confidence, rng) for table in joining]
    below = capped(question, list(zip(joining, answers, strict=True)), singles, confidence, rng)
    found += answers if below is None else [*answers, below]
    if found:
        return min(found, key=lambda answer: (_lacking(answer), answer.width))
    return _without_interval(sources, question, confidence, rng)


def _tables(sources: Sources) -> Iterator[CountedTable]:
    yield from sources.tables
    for name, learned in sources.models.items():
        yield from model_tables(name, learned)
        yield from inner_tables(name, learned)


def _lacking(answer: Answer) -> int:
    """How many groups have no interval."""
    return int((~np.isfinite(answer.high - answer.low)).sum())


def _replayed(
    sources: Sources, question: Question, replays: int | None, progress: Callable[[str], None]
) -> Iterator[CountedTable]:
    """Tables as the fit has them, with replays of the noise: asked for, or where many cells would be summed."""
    for name, learned in sources.models.items():
        chosen = list(model_tables(name, learned))[len(learned.axes) :]
        joining = [pair for pair in zip(chosen, _plain(learned), strict=True) if pair[0].joins(question.columns)]
        if replays is None:
            joining = [(table, noisy) for table, noisy in joining if _summed(question, table) > _FEW_CELLS]
        if len(question.columns) > 1 and joining:
            made = Replays(learned, replays or REPLAYS, _SEED, progress)
            yield from (made.of(table, noisy) for table, noisy in joining)


def _summed(question: Question, table: CountedTable) -> float:
    """About how many cells of a table are summed for each group."""
    groups = math.prod(axis.regular for axis in table.axes if axis.name in question.by)
    return table.counts.size / groups


def _plain(learned: LearnedModel) -> list[Any]:
    """The chosen tables that have no column twice."""
    owners = learned.evidence.owners
    return [table for table in learned.tables if len({owners[v] for v in table.group}) == len(table.group)]


def _without_interval(sources: Sources, question: Question, confidence: float, rng: np.random.Generator) -> Answer:
    """What a model believes of columns that no table joins; how far that is off nobody can tell from the folder."""
    together = " × ".join(question.columns) or "rows"
    for name, learned in sources.models.items():
        table = believed(name, learned, question.columns)
        if table is not None:
            answer = from_table(question, table, confidence, rng)
            nothing: NDArray[np.float64] = np.full(len(answer.value), np.nan)
            note = f"no table joins {together}: how far the model is off cannot be told"
            return replace(answer, low=nothing, high=nothing, note=(note,) * len(nothing))
    raise DeclarationError(f"Nothing in this folder has {together} together. {_possible(sources)}")


def _possible(sources: Sources) -> str:
    """What a folder has, and questions that only tables and models answer in any form."""
    joined: Sequence[str] = [" × ".join(table.names) for table in sources.tables]
    joined = [*joined, *(f"the columns of {name}" for name in sources.models)]
    has = f"It has {', '.join([*joined, *(one.title for one in sources.direct)][:8])}."
    return f"{has} Ask {examples(sources.axes)}." if joined else has
