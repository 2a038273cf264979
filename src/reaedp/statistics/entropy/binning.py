"""Whether bins at private quantiles will be worth what they cost: predicted errors, from public facts alone.

As for entropies of counts, errors are measured on made-up tables that have a given entropy, with fixed draws of the
noise. The tables are fine; coarser bins, public or at quantiles, give a density that is even within each of them, and
its entropy is compared with theirs.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError, sentence
from reaedp.frames.number import about
from reaedp.mechanisms.exponential import Exponential
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts
from reaedp.statistics.entropy.prediction import draws_of, example_shares
from reaedp.statistics.histogram import onto_simplex
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.quantiles.chosen_quantiles import level_scales

Floats = NDArray[np.float64]

#: Cells between the bounds among which the edges of bins are chosen; a number that leaves round edges between round
#: bounds.
GRID = 10_000
#: Bins that can be asked for, and halvings of the outermost shares on either side, which follow long tails.
FEWEST_BINS, MOST_BINS, HALVINGS = 4, 200, 3
_MOST_PUBLIC, _DRAWS = 2_048, 15
#: Where no draw is off, one that was not made would be.
_LEAST_ERROR = 1e-4


class Binning(NamedTuple):
    """The better bins: at quantiles, or public ones of equal width; and the predicted errors of both, in bits."""

    quantiles: bool
    public_bins: int
    quantile_error: float
    public_error: float

    @property
    def words(self) -> str:
        """Both predictions as a sentence."""
        return (
            f"The entropy is expected to be off by {about(self.quantile_error, 2)} bits with bins at quantiles, by"
            f" {about(self.public_error, 2)} with {self.public_bins:,} equal ones for all of ε."
        )


def ranks_of_edges(bins: int) -> tuple[float, ...]:
    """Ranks between bins that hold equal shares of the rows, but for the outermost, which are halved several times."""
    if type(bins) is not int or not FEWEST_BINS <= bins <= MOST_BINS:
        rule = f"bins must be a whole number from {FEWEST_BINS} to {MOST_BINS}"
        raise DeclarationError(sentence(rule, given=bins))
    halvings = HALVINGS if bins >= 4 * HALVINGS else 0
    inner = bins - 2 * halvings
    low = [1.0 / inner / 2**power for power in range(halvings, 0, -1)]
    even = [place / inner for place in range(1, inner)]
    return tuple(round(rank, 6) for rank in (*low, *even, *(1.0 - rank for rank in reversed(low))))


def best_binning(unit: Unit, *, bins: int, epsilon: float, histogram_epsilon: float) -> Binning:
    """Public bins with all of ε + `histogram_epsilon` on their counts, or bins at quantiles with what is left of it.

    The least mean logarithm of the error over examples of every entropy decides. `bins` is the number at quantiles,
    `epsilon` what they cost, `histogram_epsilon` what the histogram over them will cost.

    >>> best_binning(Unit("add-remove", at_least=10_000), bins=20, epsilon=0.2, histogram_epsilon=0.8).quantiles
    True
    """
    if unit.at_least is None:
        raise DeclarationError(
            "Predicting errors of entropies needs the number of rows. Declare `at_least` in the unit."
        )
    sensitivity = counting_sensitivity(unit)
    all_of_it = Calibrated(Laplace(epsilon + histogram_epsilon), sensitivity)
    rest = Calibrated(Laplace(histogram_epsilon), sensitivity)
    public = {number: _score(all_of_it, unit.at_least, _even(number)) for number in _public_numbers()}
    best = min(public, key=lambda number: public[number])
    chosen = _quantiles(Calibrated(Exponential(epsilon), sensitivity), unit.at_least, ranks_of_edges(bins))
    at_quantiles = _score(rest, unit.at_least, chosen)
    return Binning(at_quantiles < public[best], best, float(np.exp(at_quantiles)), float(np.exp(public[best])))


def _public_numbers() -> list[int]:
    return [2**power for power in range(1, _MOST_PUBLIC.bit_length())]


@lru_cache(maxsize=1)
def _examples() -> tuple[Floats, Floats]:
    """Shares below each edge of the grid, an example in each row; and the entropies of the examples."""
    cells, entropies = example_shares(GRID)
    below = np.concatenate([np.zeros((len(cells), 1)), np.cumsum(cells, axis=1)], axis=1)
    return below, entropies


def _even(number: int) -> Integers:
    """Edges of equal bins, the same for all examples and draws."""
    below, _ = _examples()
    return np.tile(np.rint(np.linspace(0, GRID, number + 1)).astype(np.int64), (len(below), 1, 1))


def _quantiles(choice: Calibrated, rows: int, at: tuple[float, ...]) -> Integers:
    """Edges at quantiles of each example that miss their ranks as chosen ones do; one set for each draw."""
    missed = draws_of(Calibrated(Laplace(1.0 / rank_scale(choice, at)), Sensitivity(1, 1, 1)), len(at), _DRAWS)
    ranks = np.sort(np.clip(np.array(at) + missed / rows, 0.0, 1.0), axis=1)
    below, _ = _examples()
    inner = np.array([np.searchsorted(shares, ranks) for shares in below])
    ends = np.zeros((*inner.shape[:2], 1), dtype=np.int64)
    return np.concatenate([ends, np.minimum(inner, GRID), ends + GRID], axis=2)


def rank_scale(choice: Calibrated, at: tuple[float, ...]) -> float:
    """About how many rows a chosen place misses its rank by: each level adds an error of its own."""
    return float(np.sqrt((np.array(level_scales(choice, at)) ** 2).sum()))


def _score(noise: Calibrated, rows: int, edges: Integers) -> float:
    """The mean logarithm of the mean absolute error of the entropy over all examples; edges by example and draw."""
    below, entropies = _examples()
    draws, errors = draws_of(noise, edges.shape[2] - 1, _DRAWS), []
    for shares_below, cuts, truth in zip(below, edges, entropies, strict=True):
        noisy = np.rint(np.diff(shares_below[cuts], axis=1) * rows).astype(np.int64) + draws
        logarithms = np.log2(np.maximum(np.diff(cuts, axis=1), 1))
        total = np.maximum(noisy.sum(axis=1), rows).astype(np.float64)
        held = onto_simplex(noisy.astype(np.float64), total) / total[:, None]
        found = entropies_from_counts(noisy, noise, at_least=rows).value + (held * logarithms).sum(axis=1)
        errors.append(max(float(np.abs(found - truth).mean()), _LEAST_ERROR))
    return float(np.log(errors).mean())
