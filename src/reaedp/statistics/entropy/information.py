"""Which columns tell about which: what follows from noisy entropies of columns and of their pairs."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.errors import DeclarationError, unknown
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.by_kind import ByKind, by_noise
from reaedp.statistics.entropy.lattice import COMPUTING_ERROR

Floats = NDArray[np.float64]


class Ends(NamedTuple):
    """Lower and upper ends, number by number."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class InformationMap:
    """Matrices with a row and a column for each column of the data, in bits; single entropies are on the diagonal.

    `noisy` are the entropies as released, `entropies` the nearest ones that belong together, `limits` the largest
    that the columns can have, `step` the length of the lattice's steps.
    """

    columns: tuple[str, ...]
    noisy: Floats
    entropies: Floats
    limits: Floats
    step: float

    def __post_init__(self) -> None:
        for matrix in (self.noisy, self.entropies, self.limits):
            matrix.setflags(write=False)

    @property
    def information(self) -> Floats:
        """Mutual information: H(a) + H(b) - H(a, b), between 0 and the smaller of H(a) and H(b)."""
        return _information(self.entropies)

    @property
    def uncertainty(self) -> Floats:
        """Symmetric uncertainty: 2 I(a; b) / (H(a) + H(b)), between 0 and 1; 0 if both columns are constant."""
        totals = _totals(self.entropies)
        shares: Floats = np.divide(2 * self.information, totals, out=np.zeros_like(totals), where=totals > 0)
        return np.minimum(shares, 1.0)

    def entropy(self, first: str, second: str | None = None) -> float:
        """The entropy of a column, or of two columns together."""
        return float(self.entropies[self._place(first), self._place(second or first)])

    def mutual_information(self, first: str, second: str) -> float:
        """How many bits two columns tell about each other."""
        return float(self.information[self._place(first), self._place(second)])

    def symmetric_uncertainty(self, first: str, second: str) -> float:
        """Mutual information divided by the mean of the two entropies, from 0 to 1."""
        return float(self.uncertainty[self._place(first), self._place(second)])

    def entropy_ends(self, noise: Calibrated, confidence: float) -> Ends:
        """Ranges each of which contains its true entropy at least this often."""
        largest = self.limits[:, None] + self.limits
        np.fill_diagonal(largest, self.limits)
        return _around(self.noisy, self._error(noise, confidence), largest, self.entropies)

    def information_ends(self, noise: Calibrated, confidence: float) -> Ends:
        """Intervals of mutual information, whose error is that of three entropies."""
        error = np.full(self.noisy.shape, (spread_of_three(noise, confidence) + 1.5) * self.step + 3 * COMPUTING_ERROR)
        np.fill_diagonal(error, self._error(noise, confidence))
        largest = np.minimum(self.limits[:, None], self.limits)
        return _around(_information(self.noisy), error, largest, self.information)

    def uncertainty_ends(self, noise: Calibrated, confidence: float) -> Ends:
        """Intervals of symmetric uncertainty, 2 - 2 H(a, b) / (H(a) + H(b)): all three entropies at their worst."""
        error = self._error(noise, confidence, entropies=3)
        totals, largest = _totals(self.noisy), self.limits[:, None] + self.limits
        total = Ends(*(np.clip(totals + side * 2 * error, 0.0, largest) for side in (-1, 1)))
        joint = Ends(*(np.maximum(self.noisy + side * error, 0.0) for side in (-1, 1)))
        # Where nothing is known about the total, nothing is known about the share.
        most = np.divide(joint.high, total.low, out=np.full_like(totals, np.inf), where=total.low > 0)
        least = np.divide(joint.low, total.high, out=np.zeros_like(totals), where=total.high > 0)
        low, high = np.clip(2 - 2 * most, 0.0, 1.0), np.clip(2 - 2 * least, 0.0, 1.0)
        np.fill_diagonal(low, np.diagonal(total.low) > 0)  # a column that varies tells everything about itself
        return Ends(np.minimum(low, self.uncertainty), np.maximum(high, self.uncertainty))

    def frame(self, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """What is written to files: a row for each column, paired with itself, then one for each pair of columns."""
        pairs = np.triu_indices(len(self.columns), 1)
        every = np.diag_indices(len(self.columns))
        places = tuple(np.concatenate(ends) for ends in zip(every, pairs, strict=True))
        names = np.array(self.columns, dtype=object)
        matrices = {"bits": self.noisy} | _with_ends("", self.entropy_ends(noise, 0.95)) | {"entropy": self.entropies}
        for name, matrix, ends in (
            ("mutual_information", self.information, self.information_ends(noise, 0.95)),
            ("symmetric_uncertainty", self.uncertainty, self.uncertainty_ends(noise, 0.95)),
        ):
            matrices |= {name: matrix} | _with_ends(f"{name}_", ends)
        named = {"first": names[places[0]], "second": names[places[1]]}
        return named | {name: matrix[places] for name, matrix in matrices.items()}

    def _error(self, noise: Calibrated, confidence: float, entropies: int = 1) -> float:
        """How far this many noisy entropies may be from the truth; the lattice adds half a step."""
        return (noise.error_quantile(confidence, cells=entropies) + 0.5) * self.step + COMPUTING_ERROR

    def _place(self, name: str) -> int:
        if name not in self.columns:
            raise DeclarationError(unknown("column", name, self.columns))
        return self.columns.index(name)


def _totals(entropies: Floats) -> Floats:
    """The sums H(a) + H(b) of all pairs."""
    single = np.diagonal(entropies)
    totals: Floats = single[:, None] + single
    return totals


def _information(entropies: Floats) -> Floats:
    return _totals(entropies) - entropies


def _around(noisy: Floats, error: float | Floats, largest: Floats, estimate: Floats) -> Ends:
    """True numbers are from 0 to `largest`, so a cut loses no coverage; the estimate always lies inside."""
    low, high = (np.clip(noisy + side * error, 0.0, largest) for side in (-1, 1))
    return Ends(np.minimum(low, estimate), np.maximum(high, estimate))


def _with_ends(prefix: str, ends: Ends) -> dict[str, Floats]:
    return {f"{prefix}low_95": ends.low, f"{prefix}high_95": ends.high}


# How far the sum of three independent noises goes: the error of a mutual information made of three entropies.


def spread_of_three(noise: Calibrated, confidence: float) -> float:
    """With this confidence or more the sum of three noises is within ± this many steps (see PROOFS.md)."""
    return _SPREADS.of(noise.mechanism)(noise, confidence)


def _of_gaussians(noise: Calibrated, confidence: float) -> float:
    """From a scale of 2 on, the sum has the law of one noise with three times the variance, up to a part in 10^15."""
    if noise.scale < 2:
        return noise.scale * math.sqrt(3 * 2 * math.log(2 / (1 - confidence)))
    sensitivity = noise.sensitivity
    return noise.mechanism.error_quantile(replace(sensitivity, l2_squared=3 * sensitivity.l2_squared), confidence)


def _of_laplaces(noise: Calibrated, confidence: float) -> float:
    """Discrete Laplace noise is less than a step away from continuous noise, whose sum of three has this tail."""
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        return math.log1p(x * (5 + x) / 8) - x - math.log(1 - confidence)

    upper = 8 * (1 - math.log(1 - confidence))
    return noise.scale * float(brentq(excess, 0.0, upper)) + 3


def _of_any(noise: Calibrated, confidence: float) -> float:
    """If all three are within so many steps, their sum is within three times as many."""
    return 3.0 * noise.error_quantile(confidence, cells=3)


_SPREADS: ByKind[Callable[[Calibrated, float], float]] = by_noise(
    "how far the sum of three noises goes", {Gaussian: _of_gaussians, Laplace: _of_laplaces}, otherwise=_of_any
)
