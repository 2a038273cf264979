"""Places chosen among ordered cells, and noisy numbers of rows, between two neighbours."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from reaedp.answer import Chosen, Integers, Ordered
from reaedp.attacks.membership import laplace_evidence
from reaedp.attacks.pair import TwoAnswers
from reaedp.audits.channel import Between
from reaedp.audits.loss_law import LossLaw, TradeOff, between, independent, laplace_law
from reaedp.audits.pair import Floats, Outputs, Score
from reaedp.mechanisms.exponential import Exponential, scores, steps, walk
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise

#: Cells among which places are chosen in an audit; finer columns are made coarser.
MOST_CELLS = 24


def flat(chosen: Chosen) -> Integers:
    """Numbers of rows of all groups, then places."""
    return np.concatenate([chosen.rows, chosen.places.ravel()])


@dataclass(frozen=True, slots=True, eq=False)
class OrderedChannel(Between[Ordered]):
    """Numbers of rows, then places, group by group."""

    gaussian: ClassVar[bool] = False
    most_runs: ClassVar[int] = 4_000

    @classmethod
    def of(cls, noise: Calibrated, source: Noise, first: Ordered, second: Ordered, runs: int) -> "OrderedChannel":  # noqa: ARG003
        """Groups that differ, with neighbouring cells made one and each cell one place: neighbours, too."""
        moved = (first.counts != second.counts).any(axis=1)
        kept = moved if moved.any() else np.arange(len(moved)) == 0
        cells = first.counts.shape[1]
        starts = np.unique(np.linspace(0, cells, min(cells, MOST_CELLS), endpoint=False).astype(np.int64))
        coarse = [np.add.reduceat(answer.counts[kept], starts, axis=1) for answer in (first, second)]
        ones = np.ones(len(starts), dtype=np.int64)
        return cls(noise, source, *(Ordered(counts, ones, first.at) for counts in coarse))

    def run(self, answer: Ordered, runs: int) -> Outputs:
        """The very mechanism, as often."""
        return np.array([flat(self.noise.apply(answer, self.source)) for _ in range(runs)])

    def evidence(self) -> Score | None:
        """The log-likelihood ratio; of rows that are spread over places, as if evenly."""
        groups = len(self.first.counts)
        rows = TwoAnswers(present=self.second.counts.sum(axis=1), absent=self.first.counts.sum(axis=1))
        scale = self._mechanism.rows_scale(self.noise.sensitivity)

        def score(outputs: Outputs) -> Floats:
            places = outputs[:, groups:].reshape(len(outputs), groups, -1)
            chosen = [self._log_chances(self.second, places) - self._log_chances(self.first, places)]
            return np.asarray(laplace_evidence(outputs[:, :groups], rows, scale) + chosen[0], dtype=np.float64)

        return score

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """All places of one rank are enumerated; those of several are too many."""
        if len(self.first.at) > 1 or int(self.first.parts.max()) > 1:
            return None
        return self._law(self.first, self.second), self._law(self.second, self.first)

    def _law(self, before: Ordered, after: Ordered) -> LossLaw:
        ((step,),) = steps(before.at)
        scale = self._mechanism.step_scale(self.noise.sensitivity, step, 1)
        chances = [
            [np.exp(_log_law(scores(group, step.share), scale)) for group in answer.counts]
            for answer in (after, before)
        ]
        moves = after.counts.sum(axis=1) - before.counts.sum(axis=1)
        rows = laplace_law(moves, self._mechanism.rows_scale(self.noise.sensitivity))
        return independent([rows, *(between(p, q) for p, q in zip(*chances, strict=True))])

    def _log_chances(self, answer: Ordered, places: Integers) -> Floats:
        """The logarithm of the chance of all places of each output."""
        total = np.zeros(len(places))
        for group, counts in enumerate(answer.counts):
            spread = np.repeat(counts / answer.parts, answer.parts)

            @cache
            def log_law(rank: int, levels: int, first: int, last: int, spread: Floats = spread) -> Floats:
                step = next(step for level in steps(answer.at) for step in level if step.place == rank)
                scale = self._mechanism.step_scale(self.noise.sensitivity, step, levels)
                found = spread[first:last] if first < last else np.zeros(1)
                return _log_law(scores(found, step.share), scale)

            different, which = np.unique(places[:, group], axis=0, return_inverse=True)
            found = np.zeros(len(different))
            for number, chosen in enumerate(different.tolist()):
                for step, levels, first, last in walk(chosen, answer.at, len(spread)):
                    place = chosen[step.place] - min(first, last - 1)
                    found[number] += log_law(step.place, levels, first, last)[place]
            total += found[which.ravel()]
        return total

    @property
    def _mechanism(self) -> Exponential:
        mechanism = self.noise.mechanism
        assert isinstance(mechanism, Exponential)
        return mechanism


def _log_law(scored: Floats | Integers, scale: float) -> Floats:
    exponents = np.asarray(scored, dtype=np.float64) / scale
    highest = exponents.max()
    return np.asarray(exponents - highest - np.log(np.exp(exponents - highest).sum()), dtype=np.float64)
