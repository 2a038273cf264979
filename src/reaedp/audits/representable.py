"""Which doubles can come out: the low-order bits of noise that was added as a double tell to what it was added."""

import numpy as np

from reaedp.audits.pair import Floats, Outputs

#: The spacing of doubles just below one.
SPACING = 2.0**-53
#: Outputs nearer to zero than this have bits below that spacing, unless they were computed next to one.
NEAR = 0.25


def low_order_bits(outputs: Outputs) -> Floats:
    """Score the answers 0 and 1: 1 plus anything is, near 0, a multiple of 2^-53; 0 plus noise seldom is."""
    values = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)[:, 0]
    multiple = values / SPACING == np.round(values / SPACING)
    return np.where(np.abs(values) < NEAR, np.where(multiple, 1.0, -1.0), 0.0)
