"""A look, and then a number or counts, between two neighbours."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reaedp.answer import Routed
from reaedp.attacks.membership import laplace_evidence
from reaedp.attacks.pair import TwoAnswers
from reaedp.audits.channel import ABSENT, MOST_NUMBERS, Between
from reaedp.audits.loss_law import LossLaw, TradeOff, independent, laplace_law, laplace_tail, mixed
from reaedp.audits.pair import Floats, Outputs, Score
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.two_stage import TwoStage


@dataclass(frozen=True, slots=True, eq=False)
class RoutedChannel(Between[Routed]):
    """A look, then a number or counts: columns of an output in this order, absent ones marked."""

    gaussian: ClassVar[bool] = False

    @classmethod
    def of(cls, noise: Calibrated, source: Noise, first: Routed, second: Routed, runs: int) -> "RoutedChannel":
        """Keep the counts that differ, and one more."""
        assert first.counts is not None
        assert second.counts is not None
        moved = np.flatnonzero(first.counts != second.counts)[: max(MOST_NUMBERS // runs, 1)]
        kept = np.append(moved, np.flatnonzero(first.counts == second.counts)[:1])
        shorter = (routed._replace(counts=routed.counts[kept]) for routed in (first, second))  # type: ignore[index]
        return cls(noise, source, *shorter)

    def run(self, answer: Routed, runs: int) -> Outputs:
        """The mechanism's parts in its order: the look, then for each run the part that the look chose."""
        mechanism, sensitivity = self._mechanism, self.noise.sensitivity
        assert answer.number is not None
        assert answer.counts is not None
        look = mechanism.look(sensitivity).apply(np.tile(answer.look, (runs, 1)), self.source)
        direct = look[:, 0] < mechanism.threshold
        outputs = np.full((runs, 2 + len(answer.counts)), ABSENT)
        outputs[:, :1] = look
        numbers = np.tile(answer.number, (int(direct.sum()), 1))
        outputs[direct, 1:2] = mechanism.number(sensitivity).apply(numbers, self.source)
        counts = np.tile(answer.counts, (int((~direct).sum()), 1))
        outputs[~direct, 2:] = mechanism.counts(sensitivity).apply(counts, self.source)
        return outputs

    def evidence(self) -> Score | None:
        """The evidence of the look, plus that of the answer that followed it."""
        parts: tuple[Any, Any] = self.second, self.first
        answers = [TwoAnswers(present=present, absent=absent) for present, absent in zip(*parts, strict=True)]

        def score(outputs: Outputs) -> Floats:
            columns = (outputs[:, :1], outputs[:, 1:2], outputs[:, 2:])
            look, number, counts = map(laplace_evidence, columns, answers, self._scales)
            return look + np.where(outputs[:, 1] != ABSENT, number, counts)

        return score

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """The look is cut at the threshold; below it comes the number, above it the counts."""
        return self._law(self.first, self.second), self._law(self.second, self.first)

    def _law(self, before: Routed, after: Routed) -> LossLaw:
        scale, number_scale, counts_scale = self._scales
        old, new = int(before.look.item()), int(after.look.item())
        number = laplace_law(after.number - before.number, number_scale)  # type: ignore[operator]
        counts = laplace_law(after.counts - before.counts, counts_scale)  # type: ignore[operator]
        sides = _look_laws(old, new, scale, self._mechanism.threshold)
        return mixed(independent(parts) for parts in zip(sides, (number, counts), strict=True))

    @property
    def _mechanism(self) -> TwoStage:
        mechanism = self.noise.mechanism
        assert isinstance(mechanism, TwoStage)
        return mechanism

    @property
    def _scales(self) -> tuple[float, float, float]:
        mechanism, sensitivity = self._mechanism, self.noise.sensitivity
        return (
            mechanism.look(sensitivity).scale,
            mechanism.number(sensitivity).scale,
            mechanism.counts(sensitivity).scale,
        )


def _look_laws(old: int, new: int, scale: float, threshold: int) -> tuple[LossLaw, LossLaw]:
    """The look's loss where it stays below the threshold, and where it does not; their masses add up to one."""
    low, high = min(old, new, threshold), max(old, new, threshold)
    edges = np.arange(low, high + 2)
    tails = laplace_tail(edges - new, scale)
    # Below the lowest edge and above the highest one the loss is constant.
    masses = np.concatenate([laplace_tail(new - edges[:1] + 1, scale), tails[:-1] - tails[1:], tails[-1:]])
    places = np.concatenate([edges[:1] - 1, edges])
    losses = (np.abs(places - old) - np.abs(places - new)) / scale
    below = places < threshold
    return mixed([LossLaw(losses[below], masses[below])]), mixed([LossLaw(losses[~below], masses[~below])])
