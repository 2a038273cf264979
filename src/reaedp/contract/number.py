"""Numeric columns: bins of numbers and runs of integers."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.contract.column import MOST_CELLS, Column, Ends, Rule, Trouble, finite, whole
from reaedp.contract.steps import StepCells, Steps
from reaedp.errors import Mistakes

#: Whole numbers up to here are exact as doubles, so that one comparison serves every engine.
LARGEST_INTEGER = 2**53 - 1


def uniform_edges(lower: float, upper: float, bins: int) -> NDArray[np.float64]:
    """Edges of equal bins; rounded once when the bounds are integers, so that 0.3 is an edge of [0, 1] in tenths."""
    with np.errstate(over="ignore", invalid="ignore"):  # a range that overflows is refused by the caller
        edges = (lower * bins + np.arange(bins + 1) * (upper - lower)) / bins
    edges[0], edges[-1] = lower, upper
    return edges


def _check_whole(column: Column, mistakes: Mistakes, key: str, range_: tuple[int, int], words: str) -> None:
    """Note a key that is no whole number within a range, which `words` describe."""
    given = getattr(column, key)
    mistakes.unless(whole(given, *range_), f"{column.where(key)} must be a whole number {words}", given=given)


def _check_step(column: "Number | Integer", mistakes: Mistakes, first: float, last: float) -> None:
    """Note a step of too many digits, and one that leaves a cell without a value."""
    assert column.step is not None
    if not Steps(first, column.step).exact(last):
        rule = f"{column.where('step')} must have at most 15 digits together with those of the bounds"
        mistakes.unless(False, rule, given=column.step)
        return
    cells = column.step_cells
    assert cells is not None
    mistakes.unless(
        not cells.empty.size,
        f"{column.where('step')} must leave a value in every cell; steps are counted from the lower bound",
        given=column.step,
        remedy="".join(f"The cell {column.labels[cell]} has none; declare wider cells." for cell in cells.empty[:1]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numeric(Column):
    """What happens to cells that hold no number, or one out of range."""

    troubles: ClassVar[tuple[Trouble, ...]] = ("null", "nan", "infinite", "unparsable", "outside")

    null: Rule = "cell"
    nan: Rule = "cell"
    infinite: Rule = "nearest"
    unparsable: Rule = "cell"
    outside: Rule = "nearest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(_Numeric):
    """Real numbers in bins, given by `lower`, `upper` and `bins`, or by `edges`.

    A bin contains its lower edge; the last bin contains both edges. `step`, if declared, is the distance between
    possible values, counted from the lowest edge; synthetic values and quantiles are rounded to it.

    >>> Number(name="dose", edges=(0.0, 0.5, 2.0), provenance="public").labels
    ('[0, 0.5)', '[0.5, 2]')
    """

    kind: ClassVar[str] = "number"

    lower: float | None = None
    upper: float | None = None
    bins: int | None = None
    edges: tuple[float, ...] | None = None
    step: float | None = field(default=None, metadata={"since": "0.2"})

    @property
    def boundaries(self) -> NDArray[np.float64]:
        """The bin edges, whichever way they were declared."""
        if self.edges is not None:
            return np.array(self.edges, dtype=np.float64)
        assert self.lower is not None and self.upper is not None and self.bins is not None  # noqa: PT018
        return uniform_edges(float(self.lower), float(self.upper), self.bins)

    @property
    def regular(self) -> int:
        """The number of bins."""
        return int(self.bins or 0) if self.edges is None else len(self.edges) - 1

    @property
    def ends(self) -> Ends:
        """The edges of every bin."""
        edges = self.boundaries
        return Ends(edges[:-1], edges[1:])

    @property
    def step_cells(self) -> StepCells | None:
        """Which values lie in every bin, if a step is declared."""
        if self.step is None:
            return None
        edges = self.boundaries
        return StepCells(Steps(float(edges[0]), self.step), edges[:-1], edges[1:], closed=False)

    @property
    def labels(self) -> tuple[str, ...]:
        """Half-open intervals, the last one closed."""
        texts = [f"{edge:.12g}" for edge in self.boundaries]
        opened = [f"[{low}, {high})" for low, high in pairwise(texts[:-1])]
        return (*opened, f"[{texts[-2]}, {texts[-1]}]")

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Column.note_mistakes(self, mistakes)
        uniform = [self.lower, self.upper, self.bins]
        if self.edges is None and None not in uniform:
            self._check_uniform(mistakes)
        elif self.edges is not None and uniform == [None] * 3:
            self._check_edges(mistakes)
        else:
            mistakes.unless(
                False,
                f"{self.where('edges')} or all of lower, upper and bins must be declared, but not both",
                given={"lower": self.lower, "upper": self.upper, "bins": self.bins, "edges": self.edges},
                remedy="If the bounds are not public, buy them with `reaedp learn bounds`.",
            )
        if self.step is not None:
            positive = finite(self.step) and self.step > 0
            mistakes.unless(positive, f"{self.where('step')} must be a positive number", given=self.step)
            if not mistakes:
                _check_step(self, mistakes, float(self.boundaries[0]), float(self.boundaries[-1]))

    def _check_uniform(self, mistakes: Mistakes) -> None:
        for key in ("lower", "upper"):
            mistakes.unless(
                finite(getattr(self, key)), f"{self.where(key)} must be a finite number", given=getattr(self, key)
            )
        _check_whole(self, mistakes, "bins", (1, MOST_CELLS), f"from 1 to {MOST_CELLS:,}")
        if mistakes:
            return
        mistakes.unless(
            self.lower < self.upper,  # type: ignore[operator]
            f"{self.where('lower')} must be below upper",
            given=(self.lower, self.upper),
        )
        mistakes.unless(
            bool(np.all(np.isfinite(self.boundaries))) and bool(np.all(np.diff(self.boundaries) > 0)),
            f"{self.where('bins')} must leave every bin wider than the spacing of floating-point numbers",
            given=self.bins,
        )

    def _check_edges(self, mistakes: Mistakes) -> None:
        edges = self.edges
        usable = isinstance(edges, tuple) and 2 <= len(edges) <= MOST_CELLS and all(map(finite, edges))
        mistakes.unless(
            usable and all(low < high for low, high in pairwise(edges)),  # type: ignore[arg-type]
            f"{self.where('edges')} must be two or more finite numbers in increasing order",
            given=edges if not isinstance(edges, tuple) or len(edges) < 20 else f"{len(edges)} edges",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer(_Numeric):
    """Whole numbers from `lower` to `upper`, `width` of them in each cell. A fraction counts as unparsable.

    `step`, if declared, is the distance between possible values, counted from `lower`.

    >>> Integer(name="visits", lower=0, upper=5, width=2, provenance="public").labels
    ('0..1', '2..3', '4..5')
    """

    kind: ClassVar[str] = "integer"

    lower: int
    upper: int
    width: int = 1
    step: int | None = field(default=None, metadata={"since": "0.2"})

    @property
    def regular(self) -> int:
        """Number of cells: runs of `width` whole numbers."""
        return (self.upper - self.lower) // self.width + 1

    @property
    def ends(self) -> Ends:
        """The first and the last number of every cell; both belong to it."""
        low = np.arange(self.lower, self.upper + 1, self.width, dtype=np.int64)
        return Ends(low, np.minimum(low + (self.width - 1), self.upper))

    @property
    def step_cells(self) -> StepCells | None:
        """Which values lie in every cell, if a step is declared."""
        return None if self.step is None else StepCells(Steps(self.lower, self.step), *self.ends, closed=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """One number, or the first and last of a run."""
        starts = range(self.lower, self.upper + 1, self.width)
        if self.width == 1:
            return tuple(map(str, starts))
        return tuple(f"{start}..{min(start + self.width - 1, self.upper)}" for start in starts)

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        Column.note_mistakes(self, mistakes)
        for key in ("lower", "upper"):
            _check_whole(self, mistakes, key, (-LARGEST_INTEGER, LARGEST_INTEGER), "between -2^53 and 2^53")
        _check_whole(self, mistakes, "width", (1, LARGEST_INTEGER), "of at least 1")
        if mistakes:
            return
        mistakes.unless(
            self.lower <= self.upper, f"{self.where('lower')} must not exceed upper", given=(self.lower, self.upper)
        )
        mistakes.unless(
            (self.upper - self.lower) // self.width < MOST_CELLS,
            f"{self.where('upper')} must leave at most {MOST_CELLS:,} cells",
            given=self.upper,
            remedy="Declare a larger width.",
        )
        if self.step is not None:
            _check_whole(self, mistakes, "step", (1, LARGEST_INTEGER), "of at least 1")
            if not mistakes:
                _check_step(self, mistakes, self.lower, self.upper)
