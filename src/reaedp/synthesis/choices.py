"""Choices among cells with probabilities that are multiples of a power of two: draws have exactly this law."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Words
from reaedp.errors import DeclarationError, Mistakes, sentence

#: A row of probabilities may miss one by this much: rounding, and no mistake.
SUM_TOLERANCE = 1e-9
#: Within 52 bits every probability is a double, and a situation and a draw fit into one 63-bit number.
_MOST_BITS, _KEY_BITS = 52, 63


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """For each situation (a row) the law of a cell.

    The rows are rounded to multiples of 2^-bits, at least one each; `probabilities` is what draws really follow.
    """

    probabilities: NDArray[np.float64]
    bits: int = field(init=False)
    #: Where each cell's share of the numbers below 2^bits begins, all situations in one increasing array.
    starts: NDArray[np.int64] = field(init=False, repr=False)
    logarithms: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        situations, _ = self.probabilities.shape
        bits = min(_MOST_BITS, _KEY_BITS - (situations - 1).bit_length())
        shares = _whole_shares(self.probabilities, bits)
        before = np.cumsum(shares, axis=1) - shares + (np.arange(situations, dtype=np.int64) << bits)[:, None]
        law = np.ldexp(shares.astype(np.float64), -bits)
        arrays = {"probabilities": law, "starts": before.ravel(), "logarithms": np.log(law).ravel()}
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "bits", bits)

    @property
    def size(self) -> int:
        """Number of cells to choose from."""
        return int(self.probabilities.shape[1])

    def draw(self, words: Words, situations: NDArray[np.int64]) -> NDArray[np.int64]:
        """One cell for each situation, from the leading bits of one word each."""
        keys = (words >> np.uint64(64 - self.bits)).astype(np.int64)
        keys |= situations << self.bits
        return np.searchsorted(self.starts, keys, side="right") - 1 - situations * self.size

    def probability(self, cells: NDArray[np.int32], situations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of some cells, each in its situation."""
        found: NDArray[np.float64] = self.probabilities.ravel()[situations * self.size + cells]
        return found

    def log_probability(self, cells: NDArray[np.int32], situations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Logarithms of the law, looked up, so that equal cells always give equal numbers."""
        found: NDArray[np.float64] = self.logarithms[situations * self.size + cells]
        return found


def _whole_shares(probabilities: NDArray[np.float64], bits: int) -> NDArray[np.int64]:
    """Whole numbers of at least one with the sum 2^bits; the largest cell takes what rounding leaves."""
    totals = probabilities.sum(axis=1, keepdims=True)
    shares: NDArray[np.int64] = np.maximum(np.floor(np.ldexp(probabilities / totals, bits)), 1).astype(np.int64)
    largest = probabilities.argmax(axis=1)
    shares[np.arange(len(shares)), largest] += (1 << bits) - shares.sum(axis=1)
    if shares.min(initial=1) < 1:
        raise DeclarationError(
            sentence(f"Probabilities of {bits} bits cannot describe this many cells", given=probabilities.shape[1])
        )
    return shares


def note_mistakes(mistakes: Mistakes, what: str, probabilities: NDArray[np.float64]) -> None:
    """Note probabilities that are not positive, and rows that do not add up to one."""
    fine = probabilities.size > 0 and bool(np.all(np.isfinite(probabilities)))
    lowest = float(probabilities.min()) if fine else math.nan
    mistakes.unless(lowest > 0, f"Every probability of {what} must be positive", given=lowest)
    missed = float(np.abs(probabilities.sum(axis=-1) - 1).max()) if fine else math.nan
    rule = f"The probabilities of {what} must add up to 1, within {SUM_TOLERANCE:g}"
    mistakes.unless(missed <= SUM_TOLERANCE, rule, given=f"a sum that misses it by {missed:.3g}")
