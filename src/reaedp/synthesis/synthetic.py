"""Synthetic records as a statistic: what is asked of the records, and what comes back in their original form."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Shape
from reaedp.contract import Column, Contract, Date
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.frames.columns import dates
from reaedp.frames.framed import Framed
from reaedp.frames.shown import in_words
from reaedp.frames.sketch import bars
from reaedp.label import shown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.names import column_names
from reaedp.statistics.statistic import AskableCells
from reaedp.synthesis.model import Codes

if TYPE_CHECKING:
    from reaedp.synthesis.published_model import PublishedModel

#: Columns whose distribution a notebook shows.
MOST_DRAWN = 4
#: Rows of one release; more than this are better drawn in several releases' worth of files.
MOST_ROWS = 20_000_000


class RecordsToAsk(NamedTuple):
    """Records that a mechanism may ask, each question with noise of its own, and the rows that are wanted."""

    records: AskableCells
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SyntheticRecords(Framed):
    """Released rows: as cell numbers, as values of the original form, and how they came about."""

    axes: tuple[Column, ...]
    codes: Codes
    values: dict[str, NDArray[Any]]
    #: What a reader should know; public facts and released numbers only.
    details: dict[str, Any]
    #: The model that they were drawn from, as it is published; none in folders of the first version.
    model: "PublishedModel | None" = None

    @classmethod
    def made(
        cls,
        question: RecordsToAsk,
        codes: Codes,
        names: tuple[str, ...],
        noise: Noise,
        *,
        details: dict[str, Any],
        model: "PublishedModel",
        redrawn: bool = True,
    ) -> "SyntheticRecords":
        """Put the columns into the order asked for and draw a value within each cell, by the rules of the contract.

        A row that breaks a rule is drawn anew from the model, or left out if rows may not be `redrawn`.
        """
        from reaedp.synthesis.ruled import ruled

        axes = question.records.contract.select(question.columns)
        places = [names.index(name) for name in question.columns]
        question.records.progress("drawing values")
        rng = noise.generator()
        again = (lambda count: model.cells(count, rng)) if redrawn else None
        cells, values = ruled(model.rules, axes, np.ascontiguousarray(codes[:, places]), rng, again)
        return cls(axes, cells, values, details, model)

    @property
    def attachments(self) -> dict[str, bytes]:
        """The model's file, by its suffix."""
        from reaedp.synthesis.published_model import MODEL_SUFFIX

        return {} if self.model is None or not self.model.small else {MODEL_SUFFIX: self.model.content()}

    def __len__(self) -> int:
        return len(self.codes)

    def frame(self) -> dict[str, NDArray[Any]]:
        """A row for each record, in the original form."""
        return self.framed(self.values)

    def framed(self, columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The columns, with days as days."""
        days = {axis.name for axis in self.axes if isinstance(axis, Date)}
        return {name: dates(column) if name in days else column for name, column in columns.items()}

    def _headline(self) -> str:
        return f"{len(self):,} synthetic records of {', '.join(shown(axis.name) for axis in self.axes)}"

    def drawing(self) -> str:
        """How the first columns are distributed; missing values have the last bar, where there can be any."""
        drawn = zip(self.axes[:MOST_DRAWN], self.codes.T, strict=False)
        cells = [(axis, np.minimum(column, axis.regular), min(axis.size, axis.regular + 1)) for axis, column in drawn]
        counts = [(axis, np.bincount(column, minlength=size).astype(np.float64)) for axis, column, size in cells]
        return "".join(bars(count, f"{shown(axis.name)}: rows in each cell") for axis, count in counts)

    def __repr__(self) -> str:
        return in_words(self._headline(), (), self.frame())


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Synthetic rows that resemble the records.

    >>> statistic = Synthetic(("age", "sex"), rows=20)
    >>> release = curator.release(statistic, MarginalModel.within(4.0, 1e-7, contract, statistic.columns))
    >>> list(release.value.values)
    ['age', 'sex']
    """

    columns: tuple[str, ...]
    rows: int
    answers: ClassVar[Shape] = "records"

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        names = column_names(self.columns)
        object.__setattr__(self, "columns", names)
        good = len(names) > 0 and all(isinstance(name, str) for name in names)
        mistakes.unless(
            good and len(set(names)) == len(names), "columns must be one or more different column names", given=names
        )
        mistakes.unless(
            type(self.rows) is int and 1 <= self.rows <= MOST_ROWS,
            f"rows must be a whole number from 1 to {MOST_ROWS:,}",
            given=self.rows,
        )
        mistakes.report()

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{self.rows:,} synthetic records of {' × '.join(self.columns)}"

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns, and rules that no row of theirs can keep."""
        columns = contract.select(self.columns)
        if contract.rules:
            from reaedp.synthesis.ruled import check_rules

            check_rules(contract, columns)

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        """The number of synthetic rows."""
        return self.rows

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """One row of the tables from which the model is learned."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """The sensitivity of counts, because whatever is asked of the records is a count or a distance of counts."""
        return counting_sensitivity(contract.unit)

    def answer(self, records: AskableCells) -> RecordsToAsk:
        """The records themselves; private."""
        return RecordsToAsk(records, self.columns, self.rows)

    def value(self, contract: Contract, noisy: SyntheticRecords) -> SyntheticRecords:  # noqa: ARG002
        """The rows as the mechanism made them."""
        return noisy

    def frame(self, value: SyntheticRecords, noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """The rows in their original form."""
        return value.values


def wanted_rows(statistic: Any) -> Synthetic:
    """The statistic, if synthetic rows are wanted."""
    if not isinstance(statistic, Synthetic):
        raise DeclarationError(
            sentence(
                "This mechanism makes synthetic rows only",
                given=statistic.title,
                remedy='Write Synthetic(["age", "sex"], rows=1000), or call Curator.synthesize.',
            )
        )
    return statistic
