"""The noise that the paper calls Gaussian: proved for ε below 1, more than is needed there, too little far above."""

import math

from reaedp.privacy.accounting import epsilon as least_epsilon
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import Gaussian


def published_deviation(sensitivity: float, epsilon: float, delta: float) -> float:
    """σ = Δ √(2 ln(1.25/δ)) / ε, as published."""
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def true_epsilon(sensitivity: float, deviation: float, delta: float) -> float:
    """The ε that this noise really has at δ."""
    return least_epsilon(tally([(Gaussian(sensitivity / deviation),)]), delta)
