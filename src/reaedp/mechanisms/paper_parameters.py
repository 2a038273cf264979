"""Mechanism F by the paper's own parameters: what they claim, and what a record with them really costs."""

from dataclasses import dataclass, fields
from typing import Any, Literal

from reaedp.errors import DeclarationError, sentence, whole_number
from reaedp.mechanisms.acceptance import PrivacyTest
from reaedp.mechanisms.published_acceptance import PublishedTest
from reaedp.mechanisms.record_plan import RecordPlan, fitting_plan
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.privacy.loss import ApproxDP, positive
from reaedp.privacy.unit import Unit

#: A threshold after noise, as published; or the test that passes most at the same price.
TestName = Literal["published", "optimal"]
#: More attempts than this take hours.
MOST_ATTEMPTS = 1 << 20


@dataclass(frozen=True, slots=True)
class PaperParameters:
    """`k` plausible seeds after noise of `epsilon0`, in classes of ratio `gamma`; `t` divides ε and δ between them.

    F makes `attempts` candidates for a record on average before it gives up: before each it stops with probability
    1 / attempts. The paper's loop goes on for ever, which is not private at any price.
    """

    k: int
    t: int
    gamma: float
    epsilon0: float
    attempts: int
    test: TestName = "published"

    def __post_init__(self) -> None:
        PublishedTest(self.k, self.t, self.epsilon0)
        if positive("gamma", self.gamma) < 1:
            raise DeclarationError(sentence("gamma must be at least 1", given=self.gamma))
        whole_number("attempts", self.attempts, 2, MOST_ATTEMPTS)
        if self.test not in ("published", "optimal"):
            raise DeclarationError(sentence("test must be published or optimal", given=self.test))

    @property
    def claimed(self) -> ApproxDP:
        """What the paper's theorem says that a record costs; false for its loop, whatever the parameters."""
        published = self._published
        return ApproxDP(published.epsilon(self.gamma), published.delta())

    @property
    def stopping(self) -> Stopping:
        """When F gives up."""
        return Stopping(1 / self.attempts)

    def each(self, unit: Unit) -> ApproxDP:
        """What a record really costs with geometric stopping, for all neighbours under this unit."""
        return guarantee(self._table, self.stopping, self.gamma, unit, self._published.epsilon(self.gamma))

    def plan(self, records: int, unit: Unit) -> RecordPlan:
        """The published test at its true price, or the optimal one at the same price."""
        if self.test == "optimal":
            return fitting_plan(self.each(unit), records, unit, self.gamma, self.stopping.tau)
        epsilon = self._published.epsilon(self.gamma)
        return RecordPlan(records, self.each(unit), epsilon, self.gamma, self.stopping, self._table)

    @property
    def words(self) -> dict[str, Any]:
        """The parameters by name, and what is claimed for them."""
        claimed = {"epsilon_claimed": self.claimed.epsilon, "delta_claimed": self.claimed.delta}
        return {field.name: getattr(self, field.name) for field in fields(self)} | claimed

    @property
    def _published(self) -> PublishedTest:
        return PublishedTest(self.k, self.t, self.epsilon0)

    @property
    def _table(self) -> PrivacyTest:
        return self._published.table()
