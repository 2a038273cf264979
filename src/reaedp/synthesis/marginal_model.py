"""The network: a graphical model of a table, learned from noisy tables that are chosen one after the other.

First every column is counted with noise; that decides which cells are worth telling apart. Then, a few at a time, the
tables of two to four columns that the model misses most are chosen and counted, both with noise, and fitted.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.fine_gaussian import FINEST, FineGaussian
from reaedp.mechanisms.mechanism import Calibrated, Mechanism, OnRecords
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import SMALLEST, GaussianDP, Loss, Price, positive
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.purse import (
    CHOICES,
    FEWEST_MODEL_CELLS,
    FIRST_LOOK,
    MODEL_CELLS,
    MOST,
    MOST_MODEL_CELLS,
    TABLES_PER_COLUMN,
    Purse,
    choice_scale,
)
from reaedp.synthesis.synthetic import RecordsToAsk, SyntheticRecords, wanted_rows

if TYPE_CHECKING:  # how a model is learned takes long to import, and to name a price takes none of it
    from reaedp.synthesis.learned import LearnedModel

#: A smaller μ would be lost in the rounding of its parts; nobody's budget is so small.
LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class MarginalModel(Buyable, OnRecords):
    """Synthetic rows drawn from a model of noisy marginals; all its queries together cost the Gaussian loss `mu`.

    `columns` is the number of columns. How `mu` is divided depends on the noisy answers: if no further table is worth
    its price, more is left for single columns. `finest` is the largest number of parts of a row in which tables are
    counted, a power of two; 1 counts whole rows. `model_cells` is about how many cells the fitted model may have: more
    keep more dependences, and take more time and memory. `MarginalModel(epsilon=1, delta=1e-6)` asks for the least
    noise at that price, as plans do.

    >>> mechanism = MarginalModel.within(4.0, 1e-7, contract, ("age", "sex"))
    >>> len(curator.release(Synthetic(("age", "sex"), 20), mechanism).value)
    20
    """

    name: ClassVar[str] = "network"
    scaled_by: ClassVar[str] = "mu"

    columns: int
    mu: float
    #: Told among a release's details: it says how, not what was asked for.
    finest: int = field(default=FINEST, metadata={"told": "details"})
    model_cells: int = field(default=MODEL_CELLS, metadata={"since": "0.2"})

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        good = type(self.columns) is int and 1 <= self.columns < 10**6
        mistakes.unless(good, "columns must be a whole number of at least 1", given=self.columns)
        parts = type(self.finest) is int and self.finest in (2**power for power in range(FINEST.bit_length()))
        mistakes.unless(parts, f"finest must be a power of two from 1 to {FINEST}", given=self.finest)
        check_model_cells(self.model_cells, mistakes)
        mistakes.report()
        if positive("mu", self.mu) < LEAST:
            raise DeclarationError(sentence(f"mu must be at least {LEAST:g}", given=self.mu))

    @classmethod
    def bought(
        cls, statistic: Any, contract: Contract, *, epsilon: float, delta: float, model_cells: int = MODEL_CELLS
    ) -> "MarginalModel":
        """The least noise for these synthetic rows whose price is at most (ε, δ)."""
        noise = cls.within(epsilon, delta, contract, wanted_rows(statistic).columns)
        return replace(noise, model_cells=model_cells)

    @classmethod
    def within(
        cls, epsilon: float, delta: float, contract: Contract, columns: tuple[str, ...], beside: Price = ()
    ) -> "MarginalModel":
        """The least noise, to within 0.01 %, that costs at most (ε, δ).

        The price includes what is bought `beside` it, which may take at most half of the total.
        """
        return cls(len(contract.select(columns)), _mu_within(epsilon, delta, beside))

    @property
    def tables(self) -> int:
        """The largest number of tables of several columns that may be chosen."""
        return TABLES_PER_COLUMN * self.columns if self.columns > 1 else 0

    def scale(self, sensitivity: Sensitivity) -> float:
        """The noise of a cell of a chosen table of 32 cells, in rows, if the largest number of tables is chosen."""
        return self.table_noise(sensitivity).scale

    def price(self, sensitivity: Sensitivity) -> Price:  # noqa: ARG002
        """μ, shared by all queries (see PROOFS.md)."""
        return (GaussianDP(self.mu),)

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """The mean error of a cell of a chosen table of 32 cells."""
        return self.table_noise(sensitivity).mean_error

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The error quantile of cells of a chosen table of 32 cells."""
        return self.table_noise(sensitivity).error_quantile(confidence, cells)

    def apply(self, exact: RecordsToAsk, sensitivity: Sensitivity, noise: Noise) -> SyntheticRecords:
        """Draw rows from the model, fitted to noisy tables."""
        from reaedp.synthesis.published_model import PublishedModel

        learned = self.learn(exact.records, exact.columns, sensitivity, noise, exact.records.progress, refine=True)
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
        *,
        refine: bool = False,
    ) -> "LearnedModel":
        """Learn noisy tables and the model that follows from them; nothing else that was counted is kept.

        With `refine`, one column may be counted within regions of the others, for dependences that no small table
        shows, and declared cells with another column, where merged ones hide what it tells.
        """
        from reaedp.synthesis.fitting import one_thread
        from reaedp.synthesis.learned import LearnedModel
        from reaedp.synthesis.search import Search

        if len(columns) != self.columns:
            raise DeclarationError(
                sentence(f"The cost of this model was computed for {self.columns} columns", given=columns)
            )
        progress("counting each column")
        with one_thread():
            search = Search(records, columns, Purse(self.mu, sensitivity, noise, self.finest), self.model_cells)
            search.run(progress, refine=refine)
        return LearnedModel(
            axes=search.axes,
            singles=tuple(search.single(column) for column in range(len(columns))),
            tables=tuple(search.structure.tables[len(columns) :]),
            dependences=tuple(search.dependences),
            coarsenings=tuple(search.coarsenings),
            total=search.total,
            column_scale=max(single.scale for single in search.looks.singles),
            choice_scale=choice_scale(CHOICES * search.price, sensitivity),
            table_scale=search.scale,
            finest=self.finest,
            rounds=search.rounds,
            choice_mu=math.sqrt(CHOICES * search.price),
            beliefs=search.structure.beliefs,
            evidence=search.structure.evidence([single.scale for single in search.looks.singles]),
            regions=search.regions,
            inner=tuple(search.inner),
        )

    def column_noise(self, sensitivity: Sensitivity, *, share: float | None = None) -> Calibrated:
        """The noise of the first count of a column that gets this `share` of the look; by default, of equal shares."""
        look = FIRST_LOOK if self.tables else 1.0
        return self._noise(look * (1 / self.columns if share is None else share), sensitivity)

    def table_noise(self, sensitivity: Sensitivity) -> Calibrated:
        """The noise of a chosen table of 32 cells, if the largest number of tables is chosen."""
        return self._noise((1 - FIRST_LOOK) * (1 - CHOICES) / max(1, self.tables), sensitivity)

    def _noise(self, share: float, sensitivity: Sensitivity) -> Calibrated:
        """The noise of counts at this share of μ²."""
        return Calibrated(FineGaussian(min(share * self.mu**2, MOST) ** 0.5, self.finest), sensitivity)


def check_model_cells(model_cells: int, mistakes: Mistakes) -> None:
    """Note a number of cells that no model can have."""
    good = type(model_cells) is int and FEWEST_MODEL_CELLS <= model_cells <= MOST_MODEL_CELLS
    rule = f"model_cells must be a whole number from {FEWEST_MODEL_CELLS:,} to {MOST_MODEL_CELLS:,}"
    mistakes.unless(good, rule, given=model_cells)


@lru_cache(maxsize=1024)
def _mu_within(epsilon: float, delta: float, beside: Price) -> float:
    """The largest μ, within 0.01 %, that costs at most (ε, δ) together with what is bought beside it."""
    from reaedp.privacy.accounting import concentrated_rho, fits, gaussian_mu, tally
    from reaedp.privacy.accounting import epsilon as composed
    from reaedp.privacy.budget import Budget
    from reaedp.privacy.conversion import steep_bisect

    budget = Budget(epsilon, delta)

    def losses(mu: float) -> Counter[Loss]:
        return tally([(GaussianDP(mu),), beside])

    def excess(mu: float) -> float:
        return math.log(max(composed(losses(mu), delta), SMALLEST) / epsilon)

    # μ is at least as private as concentrated privacy with ρ = μ²/2.
    share = 0.5 if beside else 1.0
    surely = math.sqrt(2 * concentrated_rho(share * epsilon, share * delta)) * (1 - 1e-6)
    largest = gaussian_mu(epsilon, delta) * (1 + 1e-6)
    return steep_bisect(lambda mu: fits(losses(mu), budget), excess, surely, largest, 1e-4)


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


def with_parts(mechanism: Mechanism, finest: int) -> Mechanism:
    """A model whose tables count so many parts of a row at most; any other mechanism as it is."""
    if isinstance(mechanism, MarginalModel):
        return replace(mechanism, finest=finest)
    if isinstance(mechanism, OnModel):
        return replace(mechanism, network=replace(mechanism.network, finest=finest))  # type: ignore[type-var]
    return mechanism
