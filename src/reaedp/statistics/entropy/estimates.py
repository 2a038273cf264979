"""Released real numbers with their names and their lattice."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.mechanism import Calibrated


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Noisy real numbers, in bits; `steps` are the lengths of the lattice's steps."""

    names: tuple[str, ...]
    values: NDArray[np.float64]
    steps: NDArray[np.float64]

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])

    def errors(self, noise: Calibrated, confidence: float) -> NDArray[np.float64]:
        """How far each number may be from the truth, rounding included."""
        half_a_step = 0.5
        return (noise.error_quantile(confidence) + half_a_step) * self.steps

    def columns(self, noise: Calibrated) -> dict[str, NDArray[np.generic]]:
        """What is written to files."""
        error = self.errors(noise, 0.95)
        return {
            "measure": np.array(self.names, dtype=object),
            "bits": self.values,
            "low_95": np.maximum(self.values - error, 0.0),
            "high_95": np.maximum(self.values + error, 0.0),
        }
