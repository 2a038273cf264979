"""What passes between a statistic and a mechanism: integers, either in fixed places or under keys."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
#: Random bits, 64 each.
Words = NDArray[np.uint64]


class Keyed(NamedTuple):
    """Counts of the keys that occur; which keys those are is private until they pass a threshold."""

    keys: NDArray[np.generic]
    counts: Integers


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class KeyedParts:
    """Counts of more keys than should be held at once, as parts that can be gone through once."""

    parts: Iterator[Keyed]


class GroupedParts(NamedTuple):
    """Parts of the groups that occur, a row each; which groups those are is private until they pass a threshold."""

    keys: NDArray[np.int32]
    parts: Integers


class Routed(NamedTuple):
    """A look at some counts, a number computed from them, and the counts; after noise one of the last two is left."""

    look: Integers
    number: Integers | None
    counts: Integers | None


class Ordered(NamedTuple):
    """Rows of each group in ordered cells, of which those at some ranks are wanted.

    `parts` says into how many places each cell is divided; `at` are the ranks as shares of the group's rows, ascending.
    """

    counts: Integers
    parts: Integers
    at: tuple[Fraction, ...]


class Chosen(NamedTuple):
    """For each group its noisy number of rows, and a place for each wanted rank."""

    rows: Integers
    places: Integers


#: A vector of public length; counts of keys that the data chose; several numbers of such keys; a number and counts, of
#: which one will be released; ordered cells, of which some are chosen; the records themselves, for a mechanism that
#: asks several questions, each with noise of its own.
Shape = Literal["vector", "keyed", "grouped", "routed", "ordered", "records"]
Answer = TypeVar("Answer", Integers, Keyed)
