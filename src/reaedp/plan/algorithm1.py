"""The paper's Algorithm 1 as a plan: noisy counts with their entropy, and records from mechanism F if asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.plan.kinds.counted import PlannedRelease
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.plan import Plan
from reaedp.statistics.entropy.published import published_shannon_bound
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity


@dataclass(frozen=True, slots=True)
class EntropyBounds:
    """How far one unit moves the entropy of n rows, in bits: as published, and exactly."""

    rows: int
    published: float
    exact: float

    @classmethod
    def of(cls, contract: Contract) -> "EntropyBounds | None":
        """For as many rows as are public; nothing where none are."""
        unit = contract.unit
        if unit.at_least is None:
            return None
        exact = shannon_sensitivity(unit.at_least, change=unit.change, max_rows=unit.rows)
        return cls(unit.at_least, published_shannon_bound(unit.at_least), exact)

    @property
    def words(self) -> str:
        """Both, for people; the algorithm computes the first and uses neither."""
        return (
            f"Δ_H for {self.rows:,} rows: {self.published:.3g} bits as published, {self.exact:.3g} exactly. The noise"
            " on counts uses neither."
        )


def algorithm1(contract: Contract, columns: Sequence[str], epsilon: float, synthetic: Sequence[Planned] = ()) -> Plan:
    """For each column a histogram at this ε, and its entropy with the effect of noise taken out; then the records."""
    histograms = [
        PlannedRelease(
            name=f"histogram-{number}",
            kind="entropy",
            columns=(column,),
            mechanism="laplace",
            route="histogram",
            epsilon=epsilon,
        )
        for number, column in enumerate(columns, 1)
    ]
    return Plan(contract, (*histograms, *synthetic))
