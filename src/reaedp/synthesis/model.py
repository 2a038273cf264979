"""A Bayesian network over cells: what the law of a record is, how it is drawn, how likely a record is."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Words
from reaedp.contract import Column
from reaedp.errors import Mistakes
from reaedp.synthesis.choices import Choices, note_mistakes

Codes = NDArray[np.int32]

#: Rows drawn together; few enough to stay in the processor's cache.
_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Each axis depends on some earlier ones: `tables[i]` is P(axis i | parents), of shape (*parent sizes, size).

    Probabilities are rounded to the multiples of a power of two that draws follow exactly; `tables` holds these.
    """

    axes: tuple[Column, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]
    _choices: tuple[Choices, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        self._note_mistakes(mistakes)
        mistakes.report()
        flat = (table.reshape(-1, axis.size) for table, axis in zip(self.tables, self.axes, strict=True))
        choices = tuple(Choices(np.asarray(rows, dtype=np.float64)) for rows in flat)
        exact = (law.probabilities.reshape(table.shape) for law, table in zip(choices, self.tables, strict=True))
        object.__setattr__(self, "_choices", choices)
        object.__setattr__(self, "tables", tuple(exact))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(axis.name for axis in self.axes)

    def draw(self, words: Words, given: Codes) -> Codes:
        """Records whose first cells are the given ones, the others drawn in order, each from one word."""
        rows, kept = given.shape
        codes: Codes = np.empty((rows, len(self.axes)), dtype=np.int32)
        codes[:, :kept] = given
        for first in range(0, rows, _BLOCK):
            block = slice(first, first + _BLOCK)
            self._fill(np.asfortranarray(words[block]), codes[block], kept)
        return codes

    def log_probability(self, codes: Codes, start: int) -> NDArray[np.float64]:
        """Logarithm of the probability that the cells from `start` on are drawn after those before them."""
        total = np.zeros(len(codes))
        for place in range(start, len(self.axes)):
            total += self._choices[place].log_probability(codes[:, place], self._situations(codes, place))
        return total

    def probability_of(self, codes: Codes, place: int) -> NDArray[np.float64]:
        """Probability that one axis's cell is drawn after those before it."""
        return self._choices[place].probability(codes[:, place], self._situations(codes, place))

    def _fill(self, words: Words, codes: Codes, kept: int) -> None:
        columns = np.asfortranarray(codes)
        for place in range(kept, len(self.axes)):
            situations = self._situations(columns, place)
            columns[:, place] = self._choices[place].draw(words[:, place - kept], situations)
        codes[:, kept:] = columns[:, kept:]

    def _situations(self, codes: Codes, place: int) -> NDArray[np.int64]:
        """Number of the parents' joint cell."""
        situation = np.zeros(len(codes), dtype=np.int64)
        for parent in self.parents[place]:
            situation *= self.axes[parent].size
            situation += codes[:, parent]
        return situation

    def _note_mistakes(self, mistakes: Mistakes) -> None:
        lengths = (len(self.axes), len(self.parents), len(self.tables))
        mistakes.unless(len(set(lengths)) == 1, "A model has parents and a table for every axis", given=lengths)
        for place, (axis, parents, table) in enumerate(zip(self.axes, self.parents, self.tables, strict=False)):
            earlier = all(0 <= parent < place for parent in parents) and len(set(parents)) == len(parents)
            mistakes.unless(earlier, f"The parents of {axis.name!r} must be different earlier axes", given=parents)
            shape = (*(self.axes[parent].size for parent in parents), axis.size) if earlier else table.shape
            rule = f"The table of {axis.name!r} must have the shape {shape}"
            mistakes.unless(table.shape == shape, rule, given=table.shape)
            note_mistakes(mistakes, f"the table of {axis.name!r}", table)
