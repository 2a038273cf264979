"""The network: a graphical model of a table, learned from noisy tables that are chosen one after the other.

First every column is counted with noise; that decides which cells are worth telling apart. Then, a few at a time, the
tables of two to four columns that the model misses most are chosen and counted, both with noise, and fitted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.mechanism import Calibrated, OnRecords
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.selection import Selection
from reaedp.privacy.loss import Price, positive
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.dependencies import possible_tables
from reaedp.synthesis.learned import Learned
from reaedp.synthesis.published_model import PublishedModel
from reaedp.synthesis.search import Means, Search, noisy_table
from reaedp.synthesis.synthetic import RecordsToAsk, SyntheticRecords, wanted_rows

#: Shares of μ² for the columns' own tables and for choosing; the rest is for the chosen tables.
COLUMNS, CHOICES = 0.25, 0.07
#: Chosen tables for each column. Choosing is cheap, so that many small tables are better than few large ones.
TABLES_PER_COLUMN = 3


@dataclass(frozen=True, slots=True)
class MarginalModel(Buyable, OnRecords):
    """Noise for `columns` tables of one column, then for `tables` choices and as many tables of several columns.

    `column_rho` and `table_rho` are ρ of each table of one column and of each other, `choice_mu` is μ of each choice.
    `within` finds all of them from a price; `split` shares a `mu` between them, for `possible` tables at most.
    `MarginalModel(epsilon=1, delta=1e-6)` asks for the least noise of that price, as plans do.

    >>> mechanism = MarginalModel.within(4.0, 1e-7, contract, ("age", "sex"))
    >>> len(curator.release(Synthetic(("age", "sex"), 20), mechanism).value)
    20
    """

    name: ClassVar[str] = "network"
    scaled_by: ClassVar[str] = "column_rho"

    columns: int
    tables: int
    #: ρ of each column's own table, μ of each choice, ρ of each chosen table.
    column_rho: float
    choice_mu: float
    table_rho: float

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        for name, least in (("columns", 1), ("tables", 0)):
            value = getattr(self, name)
            good = type(value) is int and least <= value < 10**6
            mistakes.unless(good, f"{name} must be a whole number of at least {least}", given=value)
        mistakes.report()
        for name in ("column_rho", "choice_mu", "table_rho"):
            positive(name, getattr(self, name))

    @classmethod
    def bought(cls, statistic: Any, contract: Contract, *, epsilon: float, delta: float) -> "MarginalModel":
        """The least noise for these synthetic rows whose price is at most (ε, δ)."""
        return cls.within(epsilon, delta, contract, wanted_rows(statistic).columns)

    @classmethod
    def within(
        cls, epsilon: float, delta: float, contract: Contract, columns: tuple[str, ...], beside: Price = ()
    ) -> "MarginalModel":
        """The least noise, within 0.01 %, whose price is at most (ε, δ).

        It is so together with what is bought `beside` it, whose price is at most half of both.
        """
        axes = contract.select(columns)
        possible = possible_tables([axis.size for axis in axes])
        sensitivity, number = counting_sensitivity(contract.unit), len(axes)
        mu = _mu_within(epsilon, delta, sensitivity, columns=number, possible=possible, beside=beside)
        return cls.split(mu, number, possible)

    @classmethod
    def split(cls, mu: float, columns: int, possible: int | None = None) -> "MarginalModel":
        """All of a μ in fixed shares, for no more tables than are possible; the squares of μ add up, and ρ = μ²/2."""
        squared = positive("mu", mu) ** 2
        # Two columns have one pair, of which a few views are enough.
        most = 2 * columns * (columns - 1) if possible is None else possible
        tables = min(TABLES_PER_COLUMN * columns, most)
        return cls(
            columns=columns,
            tables=tables,
            column_rho=squared * (COLUMNS if tables else 1.0) / columns / 2,
            choice_mu=math.sqrt(squared * CHOICES / max(tables, 1)),
            table_rho=squared * (1 - COLUMNS - CHOICES) / max(tables, 1) / 2,
        )

    def scale(self, sensitivity: Sensitivity) -> float:
        """Noise of a cell of a chosen table, in rows."""
        return self._tables(sensitivity).scale

    def price(self, sensitivity: Sensitivity) -> Price:
        """All tables and choices, also those that are not made because nothing is left to choose."""
        round_price = Selection(self.choice_mu).price(sensitivity) + self._tables(sensitivity).price
        return Gaussian(self.column_rho).price(sensitivity) * self.columns + round_price * self.tables

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """The mean error of a cell of a chosen table."""
        return self._tables(sensitivity).mean_error

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The error quantile of cells of a chosen table."""
        return self._tables(sensitivity).error_quantile(confidence, cells)

    def apply(self, exact: RecordsToAsk, sensitivity: Sensitivity, noise: Noise) -> SyntheticRecords:
        """Draw rows from the model, fitted to noisy tables."""
        learned = self.learn(exact.records, exact.columns, sensitivity, noise, exact.records.progress)
        exact.records.progress("drawing rows")
        codes = learned.rows(exact.rows, noise.generator())
        model = PublishedModel(learned, exact.records.contract.rules)
        return SyntheticRecords.made(exact, codes, exact.columns, noise, details=learned.details, model=model)

    def learn(
        self,
        records: Cells,
        columns: tuple[str, ...],
        sensitivity: Sensitivity,
        noise: Noise,
        progress: Callable[[str], None],
    ) -> Learned:
        """Noisy tables and the model that they give; nothing else that was counted survives."""
        if len(columns) != self.columns:
            raise DeclarationError(
                sentence(f"The cost of this model was computed for {self.columns} columns", given=columns)
            )
        own_tables = Calibrated(Gaussian(self.column_rho), sensitivity)
        means = Means(own_tables, Selection(self.choice_mu), self._tables(sensitivity), self.tables, noise)
        progress("counting each column")
        search = Search(records, columns, means)
        search.run(progress)
        return Learned(
            axes=search.axes,
            singles=tuple(noisy_table(search, column) for column in range(len(columns))),
            tables=tuple(search.tables[len(columns) :]),
            dependences=tuple(search.dependences),
            coarsenings=tuple(search.coarsenings),
            total=search.total,
            column_scale=own_tables.scale,
            choice_scale=means.choices.scale(sensitivity),
            table_scale=search.scale,
            rounds=self.tables,
            choice_mu=self.choice_mu,
            beliefs=search.beliefs,
            evidence=search.evidence(),
        )

    def _tables(self, sensitivity: Sensitivity) -> Calibrated:
        return Calibrated(Gaussian(self.table_rho), sensitivity)


@lru_cache(maxsize=1024)
def _mu_within(
    epsilon: float, delta: float, sensitivity: Sensitivity, *, columns: int, possible: int, beside: Price
) -> float:
    """The largest μ, within 0.01 %, whose parts cost at most (ε, δ) together with what is bought beside them."""
    from reaedp.privacy.accounting import concentrated_rho, fits, gaussian_mu, tally
    from reaedp.privacy.budget import Budget
    from reaedp.privacy.conversion import bisect

    budget = Budget(epsilon, delta)

    def enough(mu: float) -> bool:
        return fits(tally([MarginalModel.split(mu, columns, possible).price(sensitivity), beside]), budget)

    # Every part is at least as private as concentrated privacy with ρ = μ²/2, and not more than a Gaussian.
    share = 0.5 if beside else 1.0
    surely = math.sqrt(2 * concentrated_rho(share * epsilon, share * delta)) * (1 - 1e-6)
    return bisect(enough, surely, gaussian_mu(epsilon, delta) * (1 + 1e-6), 1e-4)


class OnModel(OnRecords):
    """A mechanism whose errors are those of the tables that its model is fitted to."""

    __slots__ = ()
    network: MarginalModel

    def scale(self, sensitivity: Sensitivity) -> float:
        """Noise of a cell of the model's tables, in rows."""
        return self.network.scale(sensitivity)

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """The mean error of a cell of the model's tables."""
        return self.network.mean_error(sensitivity)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The error quantile of cells of the model's tables."""
        return self.network.error_quantile(sensitivity, confidence, cells)
