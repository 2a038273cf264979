"""More rows of a published model, at any time and at no cost, also under conditions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract.expression import Node
from reaedp.errors import DeclarationError, sentence, whole_number
from reaedp.synthesis.conditions import met, read_given
from reaedp.synthesis.copies import copied
from reaedp.synthesis.model import Codes
from reaedp.synthesis.published_model import Given, PublishedModel
from reaedp.synthesis.ruled import Condition, Rules, Values, ruled
from reaedp.synthesis.synthetic import MOST_ROWS, SyntheticRecords

#: Rows that are held in memory together while they are written.
ROWS_OF_A_PART = 1 << 20
#: Fewer copies tell next to nothing about how they differ; more tell little more.
FEWEST_COPIES, MOST_COPIES = 3, 100


def sample(
    records: SyntheticRecords, rows: int, given: Mapping[str, Any] | Sequence[str] | str | None, seed: int | None
) -> SyntheticRecords:
    """So many rows of the model that the records were drawn from; `given` are conditions that each of them meets."""
    first, *others = sample_parts(records, rows, given, seed)
    if not others:
        return first
    parts = [first, *others]
    values = {name: _joined([part.values[name] for part in parts]) for name in first.values}
    return replace(records, codes=np.concatenate([part.codes for part in parts]), values=values)


def _joined(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One masked column of several."""
    missing = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    return np.ma.MaskedArray(np.concatenate([np.ma.getdata(column) for column in columns]), mask=missing)


def sample_parts(
    records: SyntheticRecords, rows: int, given: Mapping[str, Any] | Sequence[str] | str | None, seed: int | None
) -> Iterator[SyntheticRecords]:
    """The same rows in parts, each drawn when it is asked for: memory need not grow with the rows."""
    model, conditions = _checked(records, rows, given, seed)
    rng = np.random.default_rng(seed)

    def drawn(count: int) -> SyntheticRecords:
        cells, values = _drawn(model, conditions, count, rng)
        return replace(records, codes=cells, values=values)

    return (drawn(min(ROWS_OF_A_PART, rows - first)) for first in range(0, rows, ROWS_OF_A_PART))


def sample_copies(
    records: SyntheticRecords,
    number: int,
    rows: int,
    given: Mapping[str, Any] | Sequence[str] | str | None,
    seed: int | None,
) -> Iterator[SyntheticRecords]:
    """So many rows of each of several copies of the model, each with noise of its own."""
    if type(number) is not int or not FEWEST_COPIES <= number <= MOST_COPIES:
        wanted = f"copies must be a whole number from {FEWEST_COPIES} to {MOST_COPIES}"
        raise DeclarationError(sentence(wanted, given=number))
    model, conditions = _checked(records, rows, given, seed)
    rng = np.random.default_rng(seed)

    def drawn(copy: PublishedModel) -> SyntheticRecords:
        cells, values = _drawn(copy, conditions, rows, rng)
        return replace(records, codes=cells, values=values, model=copy)

    return (drawn(copied(model, rng)) for _ in range(number))


def _checked(
    records: SyntheticRecords, rows: int, given: Mapping[str, Any] | Sequence[str] | str | None, seed: int | None
) -> tuple[PublishedModel, Mapping[str, Node]]:
    """The model and the conditions, or what is wrong with what was asked."""
    if records.model is None:
        raise DeclarationError(
            "This release has no model file next to its rows: it was made by an earlier version, or its columns have"
            " more cells than are written. Its rows are all there is."
        )
    whole_number("rows", rows, 1, MOST_ROWS)
    if seed is not None:
        whole_number("seed", seed, 0)
    return records.model, read_given(given, records.axes)


def _drawn(
    model: PublishedModel, conditions: Mapping[str, Node], rows: int, rng: np.random.Generator
) -> tuple[Codes, Values]:
    """Cells that can meet the conditions, then values that do: a cell may hold others as well."""
    axes = model.learned.axes
    names = [axis.name for axis in axes]
    given: Given = {names.index(name): met(axes[names.index(name)], node).some for name, node in conditions.items()}
    for place, allowed in given.items():
        if not allowed.any():
            raise DeclarationError(f"No declared value of {names[place]!r} meets the condition on it.")
    rules: Rules = [*model.rules, *(Condition(node) for node in conditions.values())]
    return ruled(rules, axes, model.cells(rows, rng, given), rng, lambda count: model.cells(count, rng, given))
