"""Parts of groups that are shown above a threshold, between two neighbours."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reaedp.answer import GroupedParts, Integers
from reaedp.audits.channel import ABSENT, Between
from reaedp.audits.keyed_channel import CERTAIN
from reaedp.audits.loss_law import TradeOff
from reaedp.audits.pair import Floats, Outputs, Score
from reaedp.mechanisms.group_threshold import GroupThreshold, sum_tail
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise


@dataclass(frozen=True, slots=True, eq=False)
class GroupedChannel(Between[Integers]):
    """Parts of the groups in which the answers differ, a row each; a group that one of them lacks has zeros there."""

    gaussian: ClassVar[bool] = False

    @classmethod
    def of(
        cls, noise: Calibrated, source: Noise, first: GroupedParts, second: GroupedParts, _: int
    ) -> "GroupedChannel":
        """Groups with different parts."""
        parts = aligned_parts(first, second)
        moved = (parts[0] != parts[1]).any(axis=1)
        return cls(noise, source, parts[0][moved], parts[1][moved])

    def run(self, answer: Integers, runs: int) -> Outputs:
        """The very mechanism, on as many copies of the present groups, each copy with keys of its own."""
        present = np.flatnonzero(answer.sum(axis=1) > 0)
        keys = (np.arange(runs)[:, None] * len(answer) + present).ravel()
        shown = self.noise.apply(GroupedParts(keys[:, None], np.tile(answer[present], (runs, 1))), self.source)
        outputs = np.full((runs * len(answer), answer.shape[1]), ABSENT)
        outputs[shown.keys[:, 0]] = shown.parts
        return outputs.reshape(runs, -1)

    def evidence(self) -> Score | None:
        """A group that is shown although it was not there is certain evidence."""
        if not isinstance(self.noise.mechanism, GroupThreshold):
            return None
        absence = self._log_absent(self.second) - self._log_absent(self.first)
        empty = [parts.sum(axis=1) == 0 for parts in (self.first, self.second)]

        def score(outputs: Outputs) -> Floats:
            found = outputs.reshape(len(outputs), *self.first.shape)
            near = (np.abs(found - self.first) - np.abs(found - self.second)).sum(axis=2) / self.noise.scale
            sure = np.where(empty[0], CERTAIN, np.where(empty[1], -CERTAIN, near))
            scored: Floats = np.where(found[:, :, 0] == ABSENT, absence, sure).sum(axis=1)
            return scored

        return score

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """Not known by formula."""
        return None

    def _log_absent(self, parts: Integers) -> Floats:
        """The logarithm of the chance that a group is not shown; zero where it has no rows."""
        mechanism = self.noise.mechanism
        assert isinstance(mechanism, GroupThreshold)
        short = (mechanism.threshold(self.noise.sensitivity) - parts.sum(axis=1)) / self.noise.scale
        tails = np.array([sum_tail(abs(way), mechanism.parts) for way in short.tolist()])
        chance = np.where(short >= 0, 1 - tails, tails)
        return np.where(parts.sum(axis=1) == 0, 0.0, np.log(np.maximum(chance, 1e-300)))


def aligned_parts(first: GroupedParts, second: GroupedParts) -> tuple[Integers, Integers]:
    """Parts of all groups that either has, in the same order."""
    known = [dict(zip(map(tuple, one.keys.tolist()), one.parts, strict=True)) for one in (first, second)]
    nothing = np.zeros(first.parts.shape[1], dtype=np.int64)
    groups = sorted(known[0].keys() | known[1].keys())
    made = [np.array([one.get(group, nothing) for group in groups], dtype=np.int64) for one in known]
    before, after = (parts.reshape(len(groups), len(nothing)) for parts in made)
    return before, after
