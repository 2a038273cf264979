"""Noisy counts of keys that the data chose, shown only above a threshold."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reaedp.answer import Keyed, KeyedParts, Shape
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import ApproxDP, Price, positive
from reaedp.privacy.unit import Sensitivity


@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """Discrete Laplace noise of `epsilon`, shown only above a threshold that something new passes by chance `delta`."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        positive("delta", self.delta, below=1)

    def scale(self, sensitivity: Sensitivity) -> float:
        """The scale of the discrete Laplace noise on each number."""
        return Laplace(self.epsilon).scale(sensitivity)

    @abstractmethod
    def bound_on_delta(self, sensitivity: Sensitivity) -> float:
        """The δ above which not being shown would be stronger evidence than one row."""

    def price(self, sensitivity: Sensitivity) -> Price:
        """(ε, δ), provided that not being shown is itself no stronger evidence than one row."""
        largest = self.bound_on_delta(sensitivity)
        if self.delta > largest:
            raise DeclarationError(
                sentence(f"delta must be at most {largest:.3g} for a threshold at this epsilon", given=self.delta)
            )
        return (ApproxDP(self.epsilon, self.delta),)

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """Mean absolute error of a number far above the threshold."""
        return Laplace(self.epsilon).mean_error(sensitivity)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The error quantile of discrete Laplace noise, which holds for numbers far above the threshold."""
        return Laplace(self.epsilon).error_quantile(sensitivity, confidence, cells)


@dataclass(frozen=True, slots=True)
class Threshold(AboveThreshold):
    """Discrete Laplace noise on every key present; a key appears if its noisy count reaches the threshold.

    >>> Threshold(1.0, 1e-6).threshold(counting)
    15
    """

    name: ClassVar[str] = "thresholded discrete Laplace"
    hides: ClassVar[Shape] = "keyed"

    def threshold(self, sensitivity: Sensitivity) -> int:
        """The least count at which one person's new keys appear with probability at most δ (see PROOFS.md)."""
        scale, rows = self.scale(sensitivity), sensitivity.linf
        chance = math.log(self.delta) + math.log1p(math.exp(-1 / scale))
        many_keys = 1 + scale * (math.log(rows) - chance)
        one_key = rows + scale * -chance
        return math.ceil(max(many_keys, one_key, rows) * (1 + 1e-12))

    @staticmethod
    def largest_delta(epsilon: float, sensitivity: Sensitivity) -> float:
        """A larger δ would make not showing a key stronger evidence than one step of noise."""
        return -math.expm1(-1 / Laplace(epsilon).scale(sensitivity))

    def bound_on_delta(self, sensitivity: Sensitivity) -> float:
        """The largest δ allowed at this ε."""
        return self.largest_delta(self.epsilon, sensitivity)

    def apply(self, exact: Keyed | KeyedParts, sensitivity: Sensitivity, noise: Noise) -> Keyed:
        """The keys that reach the threshold, with their noisy counts; every key draws noise of its own, once."""
        if isinstance(exact, Keyed):
            return self._shown(exact, sensitivity, noise)
        shown = [self._shown(part, sensitivity, noise) for part in exact.parts]
        return Keyed(np.concatenate([part.keys for part in shown]), np.concatenate([part.counts for part in shown]))

    def _shown(self, exact: Keyed, sensitivity: Sensitivity, noise: Noise) -> Keyed:
        noisy = noise.laplace(exact.counts, self.scale(sensitivity))
        shown = noisy >= self.threshold(sensitivity)
        return Keyed(exact.keys[shown], noisy[shown])
