"""How far the sum of three independent noises goes: the error of a mutual information made of three entropies."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated


def spread_of_three(noise: Calibrated, confidence: float) -> float:
    """With this confidence or more the sum of three noises is within ± this many steps (see PROOFS.md)."""
    return _SPREADS[type(noise.mechanism)](noise, confidence)


def _of_gaussians(noise: Calibrated, confidence: float) -> float:
    """From a scale of 2 on, the sum has the law of one noise with three times the variance, up to a part in 10^15."""
    if noise.scale < 2:
        return noise.scale * math.sqrt(3 * 2 * math.log(2 / (1 - confidence)))
    sensitivity = noise.sensitivity
    return noise.mechanism.spread(replace(sensitivity, l2_squared=3 * sensitivity.l2_squared), confidence)


def _of_laplaces(noise: Calibrated, confidence: float) -> float:
    """Discrete Laplace noise is less than a step away from continuous noise, whose sum of three has this tail."""
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        return math.log1p(x * (5 + x) / 8) - x - math.log(1 - confidence)

    upper = 8 * (1 - math.log(1 - confidence))
    return noise.scale * float(brentq(excess, 0.0, upper)) + 3


_SPREADS: dict[type[Any], Callable[[Calibrated, float], float]] = {Gaussian: _of_gaussians, Laplace: _of_laplaces}
