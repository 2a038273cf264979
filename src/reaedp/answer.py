"""What passes between a statistic and a mechanism: integers, either in fixed places or under keys."""

from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Keyed(NamedTuple):
    """Counts of the keys that occur; which keys those are is private until they pass a threshold."""

    keys: NDArray[np.generic]
    counts: Integers


#: A vector of public length, or counts of keys that the data chose.
Shape = Literal["vector", "keyed"]
Answer = TypeVar("Answer", Integers, Keyed)
