"""Shares of rows that meet a condition, or ratios of two columns' sums, by groups, at the sensitivity of a count."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.contract.column import finite
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.names import column_names
from reaedp.statistics.rates.flag import Flag, Limit
from reaedp.statistics.rates.paired import Paired
from reaedp.statistics.rates.released_rates import ReleasedRates
from reaedp.statistics.statistic import Sums
from reaedp.statistics.summary.coordinates import centred_sensitivity, is_centred
from reaedp.statistics.summary.summary import MOST_NUMBERS
from reaedp.table import domain_size


@dataclass(frozen=True, slots=True, init=False)
class Rates:
    """The share of rows that meet a condition on the column `of`, or the sum of `of` `per` that of another column.

    The condition is: one of some `levels`; or at least `at_least` and less than `below`; a boolean column must be true.
    `by` names the columns that form groups. With `standard`, a column, and `weights`, one public number for each of its
    cells, rates are standardised: as they would be if every group had its rows distributed over these cells in
    proportion to the weights.

    >>> release = curator.release(Rates("smokes", by="sex"), Laplace(1.0))
    >>> sorted(set(release.frame()["statistic"]))
    ['cases', 'count', 'missing share', 'population rate', 'rate']
    """

    answers: ClassVar[Shape] = "vector"

    of: str
    by: tuple[str, ...]
    levels: tuple[str, ...]
    at_least: Limit
    below: Limit
    per: str | None
    standard: str | None
    weights: tuple[float, ...]

    def __init__(
        self,
        of: str,
        by: str | Sequence[str] = (),
        *,
        levels: str | Sequence[str] = (),
        at_least: float | str | date | None = None,
        below: float | str | date | None = None,
        per: str | None = None,
        standard: str | None = None,
        weights: Sequence[float] = (),
    ) -> None:
        groups, chosen = column_names(by), column_names(levels)
        limits = {"at_least": _limit(at_least), "below": _limit(below)}
        mistakes = Mistakes()
        mistakes.unless(isinstance(of, str), "of must name a column", given=of)
        for key, names in (("by", groups), ("levels", chosen)):
            named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
            mistakes.unless(named, f"{key} must be a list of names, each once", given=names)
        for key, limit in limits.items():
            mistakes.unless(limit is None or isinstance(limit, date) or finite(limit), f"{key} must be a number or a"
                            " date", given=limit)  # fmt: skip
        ways = [bool(chosen), limits != {"at_least": None, "below": None}, per is not None]
        mistakes.unless(
            sum(ways) <= 1, "Only one of levels, at_least and below, or per can be given", given=(chosen, limits, per)
        )
        mistakes.unless(per is None or isinstance(per, str), "per must name a column", given=per)
        _note_standard(mistakes, standard, groups, weights)
        mistakes.report()
        for key, value in {"of": of, "by": groups, "levels": chosen, **limits, "per": per, "standard": standard,
                           "weights": tuple(float(weight) for weight in weights)}.items():  # fmt: skip
            object.__setattr__(self, key, value)

    @property
    def title(self) -> str:
        """What is released, in words."""
        groups = f" by {' × '.join(self.by)}" if self.by else ""
        standard = f", standardised by {self.standard}" if self.standard else ""
        return f"{self._condition}{groups}{standard}"

    @property
    def counted(self) -> str:
        """What the rate counts, in words."""
        return self._condition.removeprefix("share of ")

    @property
    def _condition(self) -> str:
        if self.per:
            return f"{self.of} per {self.per}"
        if self.levels:
            return f"share of {self.of} in {', '.join(self.levels)}"
        low = "" if self.at_least is None else f"{self.at_least} ≤ "
        high = "" if self.below is None else f" < {self.below}"
        return f"share of {low}{self.of}{high}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns that are read."""
        others = [name for name in (self.standard, self.of, self.per) if name]
        return tuple(dict.fromkeys((*self.by, *others)))

    @property
    def grouping(self) -> tuple[str, ...]:
        """The columns whose cells make the groups that are counted."""
        return (*self.by, self.standard) if self.standard else self.by

    def shared(self, contract: Contract) -> Flag | Paired:
        """How a row is split into parts."""
        if self.per:
            return Paired(contract.column(self.of), contract.column(self.per))
        centred = is_centred(contract, self.grouping)
        return Flag(contract.column(self.of), self.levels, self.at_least, self.below, centred)

    def groups(self, contract: Contract) -> int:
        """How many groups are counted, each with cells for missing values."""
        return domain_size(contract.select(self.grouping))

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns, conditions that do not fit, weights that miss a cell, and too many numbers."""
        contract.select(self.columns)
        self.shared(contract).check()
        if self.standard and len(self.weights) != (cells := contract.column(self.standard).regular):
            raise DeclarationError(
                sentence(
                    f"weights must have a number for each of the {cells} cells of {self.standard}", given=self.weights
                )
            )
        if (numbers := self.cells(contract)) > MOST_NUMBERS:
            raise DeclarationError(
                f"Rates can have at most {MOST_NUMBERS:,} numbers; {self.title} has {numbers:,}. Declare coarser"
                " columns, or ask for fewer groups."
            )

    def cells(self, contract: Contract) -> int:
        """All released numbers of all groups."""
        return self.groups(contract) * self.shared(contract).coordinates.numbers

    def step(self, contract: Contract) -> float:
        """The length of a step of the lattice, in rows."""
        return 1.0 / self.shared(contract).steps

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """That of counts on a finer lattice, or of sums that count from the middle (see PROOFS.md)."""
        shared, unit = self.shared(contract), contract.unit
        if isinstance(shared, Flag) and shared.centred:
            return centred_sensitivity(shared.steps, 1, unit.rows)
        return counting_sensitivity(unit).finer(shared.steps)

    def answer(self, records: Sums) -> Integers:
        """Exact numbers of the first group, then of the next one; private."""
        shared = self.shared(records.contract)
        return shared.coordinates.of(records.part_sums((shared,), self.grouping)).ravel()

    def value(self, contract: Contract, noisy: Integers) -> ReleasedRates:
        """The noisy parts with the public facts that give them meaning."""
        return self.told(contract, noisy=noisy.reshape(domain_size(contract.select(self.by)), -1))

    def told(self, contract: Contract, **noisy: Any) -> ReleasedRates:
        """Noisy parts of groups, all or selected, with the public facts that give them meaning."""
        return ReleasedRates(
            axes=contract.select(self.by),
            rows_of_a_unit=contract.unit.rows,
            parts=self.shared(contract),
            called=self.counted,
            weights=self.weights,
            **noisy,
        )

    def frame(self, value: ReleasedRates, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """A row for each group and figure, with its 95 % interval."""
        return value.columns(noise, 0.95, ("low_95", "high_95"))


def _limit(given: object) -> Any:
    """A day that was written as a text becomes a date."""
    try:
        return date.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        return given


def _note_standard(mistakes: Mistakes, standard: object, by: tuple[str, ...], weights: Sequence[float]) -> None:
    mistakes.unless(
        standard is None or (isinstance(standard, str) and standard not in by),
        "standard must name a column that is not in by",
        given=standard,
    )
    numbers = isinstance(weights, Sequence) and all(finite(weight) and weight >= 0 for weight in weights)
    mistakes.unless(
        numbers and (sum(weights) > 0) == (standard is not None),
        "weights must be numbers of at least 0 that do not all vanish, and go with standard",
        given=weights,
    )
