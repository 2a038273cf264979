"""The normal law: tails over densities, and quantiles. SciPy has them, and takes longer to import than a plan takes.

Relative errors are below 1e-14, which the tests hold against SciPy; nothing here is rounded one way.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_ERFC = np.frompyfunc(math.erfc, 1, 1)
_ROOT_HALF = math.sqrt(0.5)
#: From here on the continued fraction of the tail has fewer terms than the product of a tail and a large number errs.
_FAR = 5.0
#: Terms of the continued fraction: at `_FAR` what is left out is below 1e-17 of the whole.
_TERMS = 60
#: exp(x²) leaves the doubles beyond this, downward.
_LOWEST = -26.6
#: Quantiles of probabilities with a smaller logarithm are improved by Newton's steps.
_DEEP = -600.0

# Coefficients by Wichura (algorithm AS 241, 1988): numerator and denominator near the middle, in the tail, far out.
_MIDDLE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_TAIL = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR_OUT = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip


def erfcx(x: float) -> float:
    """exp(x²) erfc(x), which leaves the doubles only far below zero."""
    if x < _LOWEST:
        return math.inf
    if x < _FAR:
        # The square is split where it is exact, so that the exponential does not multiply its rounding.
        short = round(x * 2**20) / 2**20
        return math.exp(short * short) * math.exp((x - short) * (x + short)) * math.erfc(x)
    fraction = 0.0
    for term in range(_TERMS, 0, -1):
        fraction = term / 2 / (x + fraction)
    return 1 / (math.sqrt(math.pi) * (x + fraction))


def probabilities(x: ArrayLike) -> Floats:
    """The probability that a standard normal variable lies below each number."""
    return np.asarray(_ERFC(-np.asarray(x, dtype=np.float64) * _ROOT_HALF), dtype=np.float64) / 2


def quantile(probability: float) -> float:
    """The number below which a standard normal variable lies with this probability."""
    return float(quantiles(np.array(probability)))


def quantiles(probabilities: Floats) -> Floats:
    """Quantiles of many probabilities; those of 0 and 1 are infinite."""
    central = probabilities - 0.5
    near = 0.180625 - central * central
    with np.errstate(divide="ignore"):
        logarithm = np.log(np.minimum(probabilities, 1 - probabilities))
    outer = np.copysign(_upper(logarithm), central)
    found: Floats = np.where(np.abs(central) <= 0.425, central * _ratio(_MIDDLE, near), outer)
    return found


def log_quantiles(logarithms: Floats) -> Floats:
    """Quantiles of probabilities that are given by their logarithms, also where they leave the doubles."""
    usual = quantiles(np.exp(np.maximum(logarithms, _DEEP)))
    deep = -_upper(np.minimum(logarithms, _DEEP))
    return np.where(logarithms < _DEEP, _improved(deep, logarithms), usual)


def _upper(logarithm: Floats) -> Floats:
    """The upper quantile of a small probability; roughly, if its logarithm is below that of the least double."""
    root = np.sqrt(-logarithm)
    finite = np.minimum(root, 1e150)
    found = np.where(
        root <= 5, _ratio(_TAIL, np.minimum(finite, 5) - 1.6), _ratio(_FAR_OUT, np.minimum(finite, 27) - 5)
    )
    beyond = np.sqrt(2.0) * finite  # a first guess
    return np.where(np.isinf(root), np.inf, np.where(root > 27, beyond, found))


def _improved(guess: Floats, logarithm: Floats) -> Floats:
    """Newton's steps for ln Φ(x) = the logarithm; far out, where ln Φ is nearly a parabola, three are plenty."""
    x = guess
    for _ in range(4):
        mills = _mills_far(np.maximum(-x, 20.0))
        value = -x * x / 2 + np.log(mills / math.sqrt(2 * math.pi))
        x = x - (value - logarithm) * mills
    return x


def _mills_far(x: Floats) -> Floats:
    """Tail over density for x of at least 20."""
    fraction = np.zeros_like(x)
    for term in range(20, 0, -1):
        fraction = term / (x + fraction)
    return 1 / (x + fraction)


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Floats) -> Floats:
    numerator, denominator = (np.polyval(np.array(each), x) for each in coefficients)
    ratio: Floats = numerator / denominator
    return ratio


def mills(x: float) -> float:
    """Tail over density of the standard normal law."""
    return math.sqrt(math.pi / 2) * erfcx(x * _ROOT_HALF)
