"""Counts of keys that are shown above a threshold, between two neighbours."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reaedp.answer import Integers, Keyed
from reaedp.audits.channel import ABSENT, MOST_NUMBERS, Between
from reaedp.audits.loss_law import LossLaw, TradeOff, independent, laplace_tail, threshold_law
from reaedp.audits.pair import Floats, Outputs, Score
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.threshold import Threshold

#: Evidence of something that cannot happen in the other world; finite, so that sums stay numbers.
CERTAIN = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class KeyedChannel(Between[Integers]):
    """Counts of keys, shown above a threshold; the keys in which the answers differ, a column each."""

    gaussian: ClassVar[bool] = False

    @classmethod
    def of(cls, noise: Calibrated, source: Noise, first: Keyed, second: Keyed, runs: int) -> "KeyedChannel":
        """Keys with different counts; a key that only one of them has counts zero in the other."""
        counts = aligned(first, second)
        moved = np.flatnonzero(counts[0] != counts[1])[: max(MOST_NUMBERS // runs, 1)]
        return cls(noise, source, counts[0][moved], counts[1][moved])

    def run(self, answer: Integers, runs: int) -> Outputs:
        """The very mechanism, on as many copies of the present keys, each copy with keys of its own."""
        present = np.flatnonzero(answer > 0)
        keys = (np.arange(runs)[:, None] * len(answer) + present).ravel()
        shown = self.noise.apply(Keyed(keys, np.tile(answer[present], runs)), self.source)
        outputs = np.full(runs * len(answer), ABSENT)
        outputs[shown.keys] = shown.counts
        return outputs.reshape(runs, len(answer))

    def evidence(self) -> Score | None:
        """A key that is shown although it was not there is certain evidence."""
        if not self._known:
            return None
        scale = self.noise.scale
        absence = _log_absent(self.second, self._threshold, scale) - _log_absent(self.first, self._threshold, scale)

        def score(outputs: Outputs) -> Floats:
            near = (np.abs(outputs - self.first) - np.abs(outputs - self.second)) / scale
            sure = np.where(self.first == 0, CERTAIN, np.where(self.second == 0, -CERTAIN, near))
            found: Floats = np.where(outputs == ABSENT, absence, sure).sum(axis=1)
            return found

        return score

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """Keys are independent; the two ways round differ."""
        if not self._known:
            return None
        return self._law(self.first, self.second), self._law(self.second, self.first)

    def _law(self, before: Integers, after: Integers) -> LossLaw:
        moves = zip(before.tolist(), after.tolist(), strict=True)
        return independent(threshold_law(old, new, self.noise.scale, self._threshold) for old, new in moves)

    @property
    def _known(self) -> bool:
        """Of a mechanism of another package neither evidence nor law is known."""
        return isinstance(self.noise.mechanism, Threshold)

    @property
    def _threshold(self) -> int:
        mechanism = self.noise.mechanism
        assert isinstance(mechanism, Threshold)
        return mechanism.threshold(self.noise.sensitivity)


def aligned(first: Keyed, second: Keyed) -> tuple[Integers, Integers]:
    """Counts of all keys that either has, in the same order."""
    counts = [
        dict(zip(map(tuple, np.atleast_2d(keyed.keys.T).T.tolist()), keyed.counts.tolist(), strict=True))
        for keyed in (first, second)
    ]
    keys = sorted(counts[0].keys() | counts[1].keys())
    return tuple(np.array([count.get(key, 0) for key in keys], dtype=np.int64) for count in counts)  # type: ignore[return-value]


def _log_absent(counts: Integers, threshold: int, scale: float) -> Floats:
    """The logarithm of the chance that a key with this many rows is not shown: a Laplace tail, never to be -inf."""
    above = counts - threshold + 1
    far = -above / scale - np.log1p(np.exp(-1.0 / scale))
    near = np.log(laplace_tail(np.minimum(above, 0), scale))
    return np.where(counts == 0, 0.0, np.where(above > 0, far, near))
