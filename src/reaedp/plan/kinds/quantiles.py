"""Planned quantiles and distribution functions."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.exponential import Exponential
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.plan.kinds.kind import Planned, check_columns, spoken
from reaedp.plan.request import Request
from reaedp.statistics.quantiles.ranks import ranks

#: A place chosen for each quantile; noisy counts, from which they follow; or the better of the two without δ.
QuantileMechanism = Literal["best", "exponential", "laplace", "gaussian"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuantiles(Planned):
    """Quantiles of a column `of` numbers or dates, `at` some ranks, in groups `by` other columns.

    `at` is a list of ranks, "median", "quartiles", "deciles", "percentiles" or "cdf". With `per_person`, each person
    counts once, with the median of their own rows. `mechanism` is "exponential", "laplace", "gaussian", or "best",
    which takes whichever of the first two is expected to be off by fewer ranks.

    >>> wanted = PlannedQuantiles(name="ages", kind="quantiles", of="age", at="deciles", epsilon=1.0)
    >>> wanted.request(contract).statistic.title
    'deciles of age'
    """

    kinds: ClassVar[tuple[str, ...]] = ("quantiles",)

    of: str
    at: tuple[float, ...] | str | float
    by: tuple[str, ...] = ()
    per_person: bool = False
    mechanism: QuantileMechanism = "best"

    @property
    def noise(self) -> str:
        """The name of the mechanism."""
        return spoken(self.mechanism)

    @property
    def pure(self) -> bool:
        """Whether δ has no meaning: only Gaussian noise has one."""
        return self.mechanism != "gaussian"

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with columns, ranks and mechanism."""
        mistakes.unless(isinstance(self.of, str), "of must be the name of a column", given=self.of)
        mistakes.unless(isinstance(self.per_person, bool), "per_person must be true or false", given=self.per_person)
        mistakes.unless(
            self.mechanism in get_args(QuantileMechanism),
            f"mechanism must be one of {', '.join(get_args(QuantileMechanism))}",
            given=self.mechanism,
        )
        if check_columns(self, mistakes, "by") and isinstance(self.of, str):
            mistakes.unless(
                len({*self.by, self.of}) == len(self.by) + 1, "by must name other columns, each once", given=self.by
            )
        with mistakes.gathered():
            ranks(self.at)

    def request(self, contract: Contract) -> Request:
        """The statistic and the mechanism that this release asks for, or that public facts choose for it."""
        from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
        from reaedp.statistics.quantiles.prediction import best_quantiles
        from reaedp.statistics.quantiles.quantiles import Quantiles
        from reaedp.statistics.quantiles.question import QuantileQuery

        epsilon, delta = self.price(contract.budget)
        counted = Quantiles(self.of, ranks(self.at), self.by, self.per_person)
        if self.mechanism == "best":
            QuantileQuery.check(counted, contract)
            way = best_quantiles(contract, counted, epsilon)
            return Request(self.name, way.statistic, way.mechanism)
        if self.mechanism == "exponential":
            chosen = ChosenQuantiles(counted.of, counted.at, counted.by, counted.per_person)
            return Request(self.name, chosen, Exponential(epsilon))
        counted.check(contract)
        if self.mechanism == "laplace":
            return Request(self.name, counted, Laplace(epsilon))
        return Request(self.name, counted, Gaussian.within(epsilon, delta, counted.sensitivity(contract)))
