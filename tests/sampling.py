"""Whether drawn numbers follow a stated law: accepted at its scale, rejected at another."""

import math
from collections.abc import Callable

import numpy as np
from scipy.stats import chisquare

#: A right law is rejected with at most this probability.
FALSE_ALARM = 1e-8

Law = Callable[[np.ndarray], np.ndarray]


def laplace_law(scale: float) -> Law:
    ratio = math.exp(-1 / scale)
    return lambda k: (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)


def gaussian_law(scale: float) -> Law:
    far = np.arange(-math.ceil(40 * scale), math.ceil(40 * scale) + 1)
    total = np.exp(-(far**2) / (2 * scale**2)).sum()
    return lambda k: np.exp(-(k.astype(float) ** 2) / (2 * scale**2)) / total


LAWS = {"laplace": laplace_law, "gaussian": gaussian_law}


def p_value(drawn: np.ndarray, law: Law) -> float:
    """Chi-square over single values, the tails pooled so that every class expects at least 20 draws."""
    draws = len(drawn)
    reach = int(np.flatnonzero(draws * law(np.arange(100_000)) >= 20)[-1])
    values = np.arange(-reach, reach + 1)
    inside = drawn[np.abs(drawn) <= reach]
    observed = np.bincount(inside + reach, minlength=len(values))
    expected = draws * law(values)
    rest = draws - expected.sum()
    if rest > 1:
        observed, expected = np.append(observed, draws - observed.sum()), np.append(expected, rest)
    return float(chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


def follows(drawn: np.ndarray, family: str, scale: float) -> bool:
    """Accepts this scale and rejects 30 % more or less.

    A draw carries one unit of information about the logarithm of a Laplace scale and two about that of a Gaussian one.
    So χ² of a 30 % error is near 0.09 draws or above: 450 for the 5,000 draws that are asked for here, where 60 to 150
    degrees of freedom reach 350 with a probability far below 10⁻⁸.
    """
    assert len(drawn) >= 5_000
    law = LAWS[family]
    accepted = p_value(drawn, law(scale)) > FALSE_ALARM
    return accepted and max(p_value(drawn, law(factor * scale)) for factor in (0.7, 1.3)) < FALSE_ALARM
