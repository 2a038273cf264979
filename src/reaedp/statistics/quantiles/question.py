"""What all ways to quantiles ask: of which column, at which ranks, by which groups, of rows or of people."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Column, Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import Marginal, counting_sensitivity
from reaedp.statistics.names import column_names
from reaedp.statistics.quantiles.ranks import ranks, spoken
from reaedp.statistics.statistic import RankedCells
from reaedp.table import domain_size


@dataclass(frozen=True, slots=True)
class QuantileQuery:
    """`of` is a column of numbers or dates, `by` are columns of groups; `at` says which ranks.

    With `per_person` everyone counts once, by the median of their own rows.
    """

    of: str
    #: Whatever people write; a tuple of numbers, and one of names, from the start.
    at: Any = (0.5,)
    by: Any = ()
    per_person: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", ranks(self.at))
        object.__setattr__(self, "by", column_names(self.by))
        if not all(isinstance(name, str) for name in self.columns) or len(set(self.columns)) < len(self.columns):
            raise DeclarationError(
                sentence("of must be the name of a column, and by those of others, each once", given=self.columns)
            )

    @property
    def title(self) -> str:
        """What is released, in words."""
        groups = f" by {' × '.join(self.by)}" if self.by else ""
        people = ", a median a person" if self.per_person else ""
        return f"{spoken(self.at)} of {self.of}{groups}{people}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of groups, then the one whose quantiles are wanted."""
        return (*self.by, self.of)

    def check(self, contract: Contract) -> None:
        """Refuse columns without an order, people where there are none, and too many cells."""
        Marginal(*self.columns).check(contract)
        if contract.column(self.of).ends is None:
            raise DeclarationError(
                f"Quantiles need a column of numbers or dates; {self.of!r} is of kind {contract.column(self.of).kind}."
            )
        if self.per_person and contract.unit.person is None:
            raise DeclarationError(
                "per_person needs unit.person in the contract: without it, nothing says whose rows they are."
            )

    def axes(self, contract: Contract) -> tuple[Column, ...]:
        """The columns of groups, then the one whose quantiles are wanted."""
        return contract.select(self.columns)

    def groups(self, contract: Contract) -> int:
        """How many groups there are, those of missing values included; one without any columns of groups."""
        return domain_size(contract.select(self.by))

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """The length of a step of the lattice: one row."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one unit moves the counts."""
        unit = contract.unit
        return counting_sensitivity(replace(unit, max_rows=1) if self.per_person else unit)

    def counted(self, records: RankedCells) -> Integers:
        """Exact counts of all cells of the column, a row for each group."""
        count = records.middle_counts if self.per_person else records.counts
        values = count(self.columns).values.astype(np.int64)
        return values.reshape(-1, values.shape[-1])
