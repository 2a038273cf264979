"""Steps: the values that a column of numbers can have, if they are equally far apart."""

from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
#: Whole numbers up to here are exact as doubles.
_EXACT = 2**53


class Steps:
    """The numbers `first`, `first + step`, `first + 2 step` …, each the double nearest to its decimal.

    >>> Steps(0.0, 0.1).values(np.array([3])).tolist()
    [0.3]
    """

    def __init__(self, first: float, step: float) -> None:
        self.first, self.step = float(first), float(step)
        start, length = Decimal(repr(first)), Decimal(repr(step))
        places = max(0, *(-int(number.as_tuple().exponent) for number in (start, length)))
        #: Both in units of the last decimal place.
        self._unit: int = 10**places
        self._start, self._length = int(start * self._unit), int(length * self._unit)

    def exact(self, last: float) -> bool:
        """Whether all values up to the last are whole numbers of units that doubles hold exactly."""
        largest = max(abs(self.first), abs(last)) + self.step
        return self._unit < _EXACT and largest * self._unit < _EXACT

    def values(self, numbers: Integers) -> NDArray[np.float64]:
        """The values of these numbers of steps."""
        found: NDArray[np.float64] = (self._start + numbers * self._length) / float(self._unit)
        return found

    def at_least(self, lower: NDArray[Any]) -> Integers:
        """The number of the first value that is not below each of these."""
        bounds = np.asarray(lower, dtype=np.float64)
        near = np.floor((bounds - self.first) / self.step).astype(np.int64) - 1
        for _ in range(3):  # rounding moves a quotient by less than one
            near = near + (self.values(near) < bounds)
        return near

    def nearest(self, values: NDArray[Any]) -> Integers:
        """The number of the value that is nearest to each of these."""
        return np.rint((np.asarray(values, dtype=np.float64) - self.first) / self.step).astype(np.int64)


class StepCells:
    """Which values of a column's steps lie in each of its cells: those numbered `first[i]` to `last[i]`."""

    def __init__(self, steps: Steps, low: NDArray[Any], high: NDArray[Any], *, closed: bool) -> None:
        self.steps = steps
        self.first = steps.at_least(low)
        beyond = np.nextafter(np.asarray(high, dtype=np.float64), np.inf)
        if not closed:  # the upper edge of a bin belongs to the next; that of the last bin to itself
            beyond[:-1] = np.asarray(high, dtype=np.float64)[:-1]
        self.last = steps.at_least(beyond) - 1

    @cached_property
    def empty(self) -> Integers:
        """The cells in which no value lies."""
        return np.flatnonzero(self.last < self.first).astype(np.int64)
