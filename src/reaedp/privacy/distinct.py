"""Numbers that differ. NumPy's own `unique` looks for masked arrays, which take longer to import than an audit does."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """The numbers in order, each once."""
    ordered = np.sort(numbers, axis=None)
    first = np.ones(ordered.size, dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]
