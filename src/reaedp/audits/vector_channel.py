"""Integers with independent noise, between two neighbours."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reaedp.answer import Integers
from reaedp.attacks.membership import EVIDENCE
from reaedp.attacks.pair import TwoAnswers
from reaedp.audits.channel import MOST_NUMBERS, Between
from reaedp.audits.loss_law import TradeOff, gaussian_law, laplace_law
from reaedp.audits.pair import Outputs, Score
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.statistics.by_kind import ByKind, by_noise

#: Numbers beside those that differ.
FEW = 3


@dataclass(frozen=True, slots=True, eq=False)
class VectorChannel(Between[Integers]):
    """Integers with independent noise."""

    @classmethod
    def of(cls, noise: Calibrated, source: Noise, first: Integers, second: Integers, runs: int) -> "VectorChannel":
        """Keep all numbers that differ, and of the others as many as can be drawn so often, if anybody looks at them.

        Where the law of the noise is known, nobody does: a few are enough to run the mechanism as it is.
        """
        moved = np.flatnonzero(first != second)
        most = FEW if noise.mechanism.name in EVIDENCE else max(MOST_NUMBERS // runs - len(moved), 1)
        others = np.flatnonzero(first == second)[:most]
        kept = np.sort(np.concatenate([moved, others]))
        return cls(noise, source, first[kept], second[kept])

    @property
    def gaussian(self) -> bool:
        """Whether the mechanism's noise is Gaussian."""
        return type(self.noise.mechanism) is Gaussian

    def run(self, answer: Integers, runs: int) -> Outputs:
        """The very mechanism, on as many copies of the answer."""
        noisy: Outputs = self.noise.apply(np.tile(answer, (runs, 1)), self.source)
        return noisy

    def evidence(self) -> Score | None:
        """The log-likelihood ratio of the neighbours under Laplace or Gaussian noise."""
        evidence = EVIDENCE.get(self.noise.mechanism.name)
        if evidence is None:
            return None
        moved, scale = self.first != self.second, self.noise.scale
        answers = TwoAnswers(present=self.second[moved], absent=self.first[moved])
        return lambda outputs: evidence(outputs[:, moved], answers, scale)

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """Noise is symmetric, so that both ways round are the same."""
        make = _VECTOR_LAWS.of(self.noise.mechanism)
        law = None if make is None else make(self.second - self.first, self.noise.scale)
        return None if law is None else (law, law)


_VECTOR_LAWS: ByKind[Callable[[Integers, float], TradeOff] | None] = by_noise(
    "the law of the evidence in its noise", {Laplace: laplace_law, Gaussian: gaussian_law}, otherwise=None
)
