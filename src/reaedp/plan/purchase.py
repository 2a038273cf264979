"""How many records with plausible deniability a budget pays for, from public facts alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reaedp.contract import Contract
from reaedp.mechanisms.record_plan import RecordPlan, records_bought
from reaedp.privacy.accounting import epsilon as composed
from reaedp.privacy.loss import ApproxDP
from reaedp.privacy.unit import Unit
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.deniability import Deniable

#: Numbers of plausible seeds for which is said how many records can be had.
PLAUSIBLE = (100, 1_000)
#: The share of records that should not be "nothing".
ANSWERED = 0.9
#: Beyond so many records one would not choose this method.
MOST_RECORDS = 10_000


@dataclass(frozen=True, slots=True)
class Purchase:
    """What the records of a planned release may cost together, and what a record needs.

    (`epsilon`, `delta`) is for all records together; `gamma` is that of the proposal.
    """

    unit: Unit
    gamma: float
    epsilon: float
    delta: float
    #: The test and the stopping rule of the planned records.
    plan: RecordPlan

    @classmethod
    def of(cls, mechanism: Deniable, contract: Contract) -> "Purchase":
        """The part of a release's price that is for its records."""
        delta = contract.budget.delta / 2
        return cls(
            unit=replace(contract.unit, at_least=mechanism.at_least),
            gamma=mechanism.ratio,
            epsilon=composed({ApproxDP(mechanism.epsilon, mechanism.delta): mechanism.records}, delta),
            delta=delta,
            plan=mechanism.plan(counting_sensitivity(contract.unit)),
        )

    def records(self, plausible: int, epsilon: float | None = None) -> int:
        """Records that ε buys, nine of ten of them released, if this many seeds could have made each candidate."""
        return records_bought(
            self.epsilon if epsilon is None else epsilon,
            self.delta,
            unit=self.unit,
            gamma=self.gamma,
            plausible=np.array([plausible]),
            share=ANSWERED,
            limit=MOST_RECORDS,
        )

    def curve(self, plausible: int, factors: Sequence[float]) -> list[tuple[float, float]]:
        """The number of records for each multiple of the price."""
        prices: list[Any] = [self.epsilon * factor for factor in factors]
        return [(price, float(self.records(plausible, price))) for price in prices]

    @property
    def words(self) -> str:
        """The advice as text."""
        told = ", ".join(f"{self.records(plausible):,} records if {plausible:,} seeds" for plausible in PLAUSIBLE)
        expected = "; ".join(self._expected(plausible) for plausible in (10, *PLAUSIBLE))
        return (
            f"A record passes with probability 1/2 if {self.plan.test.half:,} seeds could have made it. Expect, of"
            f" {self.plan.records:,} records, {expected}. This cost pays for {told}"
            " could have made each. For more rows, or unusual records, choose the method amortised or network: there"
            " any number of rows costs the same."
        )

    def _expected(self, plausible: int) -> str:
        """The share of trials that pass, and how many records are released, if this many seeds are plausible."""
        counts = np.array([plausible])
        released = round(self.plan.answered(counts) * self.plan.records)
        return f"{released:,} if {plausible:,} seeds could have made each (pass rate {self.plan.passing(counts):.2g})"
