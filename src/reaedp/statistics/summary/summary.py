"""Counts, sums, means and variances of columns, by groups: one vector, one charge, at the sensitivity of a count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError, Mistakes
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.names import column_names
from reaedp.statistics.statistic import Sums
from reaedp.statistics.summary.coordinates import centred_sensitivity, is_centred
from reaedp.statistics.summary.parts import Parts, lattice_steps
from reaedp.statistics.summary.summaries import Summaries
from reaedp.table import domain_size

Figure = Literal["count", "sum", "mean", "variance", "sd"]
FIGURES: tuple[str, ...] = get_args(Figure)
#: Figures that need the squares of values.
SQUARED = frozenset({"variance", "sd"})
#: Numbers of one summary; a manifest holds them all.
MOST_NUMBERS = 100_000


@dataclass(frozen=True, slots=True, init=False)
class Summary:
    """Counts, sums, means, variances or standard deviations of the columns `of`, overall or in groups `by` others.

    `statistics` lists some of count, sum, mean, variance and sd. Values outside the declared range are clipped if the
    contract says "nearest"; with `clipped`, the release says how many were, at the cost of more noise.

    >>> release = curator.release(Summary(of="age", by="sex"), Laplace(1.0))
    >>> sorted(set(release.frame()["statistic"]))
    ['count', 'mean', 'missing share', 'population mean', 'sum']
    """

    answers: ClassVar[Shape] = "vector"

    of: tuple[str, ...]
    by: tuple[str, ...]
    statistics: tuple[str, ...]
    clipped: bool

    def __init__(
        self,
        of: str | Sequence[str],
        by: str | Sequence[str] = (),
        statistics: str | Sequence[str] = ("count", "sum", "mean"),
        *,
        clipped: bool = False,
    ) -> None:
        given = {"of": column_names(of), "by": column_names(by), "statistics": column_names(statistics)}
        mistakes = Mistakes()
        for key, names in given.items():
            named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
            mistakes.unless(
                named and (bool(names) or key == "by"), f"{key} must be a list of names, each once", given=names
            )
        mistakes.unless(
            not mistakes and set(given["statistics"]) <= set(FIGURES),
            f"statistics must be some of {', '.join(FIGURES)}",
            given=given["statistics"],
        )
        mistakes.unless(type(clipped) is bool, "clipped must be true or false", given=clipped)
        mistakes.report()
        for key, names in given.items():
            object.__setattr__(self, key, names)
        object.__setattr__(self, "clipped", clipped)

    @property
    def title(self) -> str:
        """What is released, in words."""
        groups = f" by {' × '.join(self.by)}" if self.by else ""
        return f"{', '.join(self.statistics)} of {', '.join(self.of)}{groups}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns that are read."""
        return tuple(dict.fromkeys((*self.by, *self.of)))

    @property
    def degree(self) -> int:
        """The degree of the polynomials that split a row into parts: 2 if squares are needed."""
        return 2 if SQUARED.intersection(self.statistics) else 1

    def parts(self, contract: Contract) -> tuple[Parts, ...]:
        """How each column's values are split into parts, all on one lattice."""
        columns = contract.select(self.of)
        steps, centred = lattice_steps(columns), is_centred(contract, self.by)
        return tuple(
            Parts(
                column,
                steps,
                self.degree,
                clipped=self.clipped and {"infinite", "outside"} & set(column.troubles) != set(),
                centred=centred,
            )
            for column in columns
        )

    def groups(self, contract: Contract) -> int:
        """How many groups there are, each with cells for missing values."""
        return domain_size(contract.select(self.by))

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns, columns without bounds, and more numbers than a manifest should hold."""
        numbers = self.cells(contract)
        if numbers > MOST_NUMBERS:
            raise DeclarationError(
                f"A summary can have at most {MOST_NUMBERS:,} numbers; {self.title} has {numbers:,}. Declare coarser"
                " columns, or ask for fewer groups."
            )

    def cells(self, contract: Contract) -> int:
        """All released numbers of all groups."""
        return self.groups(contract) * sum(parts.coordinates.numbers for parts in self.parts(contract))

    def step(self, contract: Contract) -> float:
        """The length of a step of the lattice, in rows."""
        return 1.0 / lattice_steps(contract.select(self.of))

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """For each column that of counts on a finer lattice, or of sums that count from the middle (see PROOFS.md)."""
        columns, steps = len(self.of), lattice_steps(contract.select(self.of))
        one = counting_sensitivity(contract.unit).finer(steps)
        if is_centred(contract, self.by):
            one = centred_sensitivity(steps, self.degree, contract.unit.rows)
        return Sensitivity(columns * one.l1, columns * one.l2_squared, one.linf)

    def answer(self, records: Sums) -> Integers:
        """Exact numbers: those of the first group, column by column, then of the next one; private."""
        parts = self.parts(records.contract)
        sums, ends = records.part_sums(parts, self.by), np.cumsum([len(one.names) for one in parts])[:-1]
        blocks = np.split(sums, ends, axis=1)
        found = [one.coordinates.of(block) for one, block in zip(parts, blocks, strict=True)]
        return np.concatenate(found, axis=1).ravel()

    def value(self, contract: Contract, noisy: Integers) -> Summaries:
        """The noisy parts with the public facts that give them meaning."""
        return self.told(contract, noisy=noisy.reshape(self.groups(contract), -1))

    def told(self, contract: Contract, **noisy: Any) -> Summaries:
        """Noisy parts of groups, all or selected, with the public facts that give them meaning."""
        return Summaries(
            axes=contract.select(self.by),
            parts=self.parts(contract),
            statistics=self.statistics,
            rows_of_a_unit=contract.unit.rows,
            **noisy,
        )

    def frame(self, value: Summaries, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """A row for each group, column and statistic, with its 95 % interval."""
        return value.columns(noise, 0.95, ("low_95", "high_95"))
