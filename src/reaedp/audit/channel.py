"""A calibrated mechanism between the exact answers of two neighbours: run many times at once, with what is known of it.

Only the numbers in which the two answers differ are told apart by; a few of the others go along.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from reaedp.answer import Integers, Keyed, Routed, Shape
from reaedp.audit.loss_law import (
    Curve,
    LossLaw,
    gaussian_law,
    independent,
    laplace_law,
    laplace_tail,
    mixed,
    threshold_law,
)
from reaedp.audit.pair import Floats, Outputs, Score
from reaedp.evaluation.membership import EVIDENCE, laplace_evidence
from reaedp.evaluation.pair import Pair as Answers
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.threshold import Threshold
from reaedp.mechanisms.two_stage import TwoStage

#: Numbers drawn for one audit: what fits into memory and two seconds.
MOST_NUMBERS = 2_000_000
#: Stands for a key that is not shown, or for the route that was not taken.
ABSENT = -(2**62)
#: Evidence of something that cannot happen in the other world; finite, so that sums stay numbers.
CERTAIN = 1e6


class Channel(Protocol):
    """What lies between two exact answers and their outputs."""

    @property
    def gaussian(self) -> bool:
        """Whether the likelihood ratio has the shape of a normal law's."""

    @property
    def answers(self) -> tuple[Any, Any]:
        """The exact answers of both neighbours."""

    def run(self, answer: Any, runs: int) -> Outputs:
        """The mechanism on one of them, so many times."""

    def evidence(self) -> Score | None:
        """The logarithm of the likelihood ratio of an output, if it is known."""

    def laws(self) -> tuple[Curve, Curve] | None:
        """The law of the loss of the second answer against the first, and the other way round, if known."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorChannel:
    """Integers with independent noise."""

    noise: Calibrated
    source: Noise
    first: Integers
    second: Integers

    @classmethod
    def of(cls, noise: Calibrated, source: Noise, first: Integers, second: Integers, runs: int) -> "VectorChannel":
        """Keep all numbers that differ, and as many of the others as can be drawn so often."""
        moved = np.flatnonzero(first != second)
        others = np.flatnonzero(first == second)[: max(MOST_NUMBERS // runs - len(moved), 1)]
        kept = np.sort(np.concatenate([moved, others]))
        return cls(noise, source, first[kept], second[kept])

    @property
    def gaussian(self) -> bool:
        """As the mechanism says."""
        return type(self.noise.mechanism) is Gaussian

    @property
    def answers(self) -> tuple[Integers, Integers]:
        """What is left of both answers."""
        return self.first, self.second

    def run(self, answer: Integers, runs: int) -> Outputs:
        """The very mechanism, on as many copies of the answer."""
        noisy: Outputs = self.noise.apply(np.tile(answer, (runs, 1)), self.source)
        return noisy

    def evidence(self) -> Score | None:
        """That of Laplace or Gaussian noise."""
        evidence = EVIDENCE.get(self.noise.mechanism.name)
        if evidence is None:
            return None
        moved, scale = self.first != self.second, self.noise.scale
        answers = Answers(present=self.second[moved], absent=self.first[moved])
        return lambda outputs: evidence(outputs[:, moved], answers, scale)

    def laws(self) -> tuple[Curve, Curve] | None:
        """Noise is symmetric, so that both ways round are the same."""
        make = _VECTOR_LAWS.get(type(self.noise.mechanism))
        law = None if make is None else make(self.second - self.first, self.noise.scale)
        return None if law is None else (law, law)


_VECTOR_LAWS: dict[type[Any], Callable[[Integers, float], Curve]] = {Laplace: laplace_law, Gaussian: gaussian_law}


@dataclass(frozen=True, slots=True, eq=False)
class KeyedChannel:
    """Counts of keys, shown above a threshold; the keys in which the answers differ, a column each."""

    noise: Calibrated
    source: Noise
    first: Integers
    second: Integers
    gaussian: ClassVar[bool] = False

    @classmethod
    def of(cls, noise: Calibrated, source: Noise, first: Keyed, second: Keyed, runs: int) -> "KeyedChannel":
        """Keys with different counts; a key that only one of them has counts zero in the other."""
        counts = aligned(first, second)
        moved = np.flatnonzero(counts[0] != counts[1])[: max(MOST_NUMBERS // runs, 1)]
        return cls(noise, source, counts[0][moved], counts[1][moved])

    @property
    def answers(self) -> tuple[Integers, Integers]:
        """Counts of the keys that differ."""
        return self.first, self.second

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
        scale = self.noise.scale
        absence = _log_absent(self.second, self._threshold, scale) - _log_absent(self.first, self._threshold, scale)

        def score(outputs: Outputs) -> Floats:
            near = (np.abs(outputs - self.first) - np.abs(outputs - self.second)) / scale
            sure = np.where(self.first == 0, CERTAIN, np.where(self.second == 0, -CERTAIN, near))
            found: Floats = np.where(outputs == ABSENT, absence, sure).sum(axis=1)
            return found

        return score

    def laws(self) -> tuple[Curve, Curve] | None:
        """Keys are independent; the two ways round differ."""
        return self._law(self.first, self.second), self._law(self.second, self.first)

    def _law(self, before: Integers, after: Integers) -> LossLaw:
        moves = zip(before.tolist(), after.tolist(), strict=True)
        return independent(threshold_law(old, new, self.noise.scale, self._threshold) for old, new in moves)

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
    """The logarithm of the chance that a key with so many rows is not shown: a Laplace tail, never to be -inf."""
    above = counts - threshold + 1
    far = -above / scale - np.log1p(np.exp(-1.0 / scale))
    near = np.log(laplace_tail(np.minimum(above, 0), scale))
    return np.where(counts == 0, 0.0, np.where(above > 0, far, near))


@dataclass(frozen=True, slots=True, eq=False)
class RoutedChannel:
    """A look, then a number or counts: columns of an output in this order, absent ones marked."""

    noise: Calibrated
    source: Noise
    first: Routed
    second: Routed
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

    @property
    def answers(self) -> tuple[Routed, Routed]:
        """Both answers."""
        return self.first, self.second

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
        """That of the look and that of whichever came after it."""
        parts: tuple[Any, Any] = self.second, self.first
        answers = [Answers(present=present, absent=absent) for present, absent in zip(*parts, strict=True)]

        def score(outputs: Outputs) -> Floats:
            columns = (outputs[:, :1], outputs[:, 1:2], outputs[:, 2:])
            look, number, counts = map(laplace_evidence, columns, answers, self._scales)
            return look + np.where(outputs[:, 1] != ABSENT, number, counts)

        return score

    def laws(self) -> tuple[Curve, Curve] | None:
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


#: What runs a mechanism that hides answers of each shape.
CHANNELS: dict[Shape, Callable[[Calibrated, Noise, Any, Any, int], Channel]] = {
    "vector": VectorChannel.of,
    "keyed": KeyedChannel.of,
    "routed": RoutedChannel.of,
}
