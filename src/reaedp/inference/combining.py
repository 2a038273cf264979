"""Combining what was computed from several copies of synthetic rows into one number with an interval."""

import math
from collections.abc import Sequence

import numpy as np

from reaedp.errors import DeclarationError, sentence
from reaedp.rate import Rate

#: Copies that tell anything about how much they differ.
_FEWEST = 3


def combine(values: Sequence[float], variances: Sequence[float] | None = None, *, confidence: float = 0.95) -> Rate:
    """One number with an interval, from the same number computed on each of several copies (Rubin 1987).

    `values` has the number of each copy, and the interval holds at the `confidence`. Without `variances` it is about
    the rows in the data and covers the noise. With them, each the sampling variance that a copy's rows suggest when
    there are as many as in the data, it is about the population that the data were drawn from. Neither covers
    dependences that the model left out.

    >>> combine([0.31, 0.29, 0.30, 0.32, 0.28]).value
    0.3
    """
    numbers = np.asarray(values, dtype=np.float64)
    within = np.zeros(len(numbers)) if variances is None else np.asarray(variances, dtype=np.float64)
    if numbers.ndim != 1 or len(numbers) < _FEWEST or not np.isfinite(numbers).all():
        raise DeclarationError(sentence(f"values must be {_FEWEST} or more numbers, one for each copy", given=values))
    if within.shape != numbers.shape or not (within >= 0).all() or not np.isfinite(within).all():
        raise DeclarationError(sentence("variances must be as many numbers as values, none below 0", given=variances))
    if not (isinstance(confidence, float) and 0.5 <= confidence < 1):
        raise DeclarationError(sentence("confidence must be a number from 0.5 to below 1", given=confidence))
    between = (1 + 1 / len(numbers)) * float(numbers.var(ddof=1))
    value, own = float(numbers.mean()), float(within.mean())
    freedom = (len(numbers) - 1) * (1 + own / between) ** 2 if between > 0 else math.inf
    reach = _student((1 + confidence) / 2, freedom) * math.sqrt(between + own)
    return Rate(value, value - reach, value + reach, confidence)


def _student(level: float, freedom: float) -> float:
    from scipy.stats import t

    return float(t.ppf(level, freedom))
