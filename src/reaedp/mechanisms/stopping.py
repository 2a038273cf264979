"""Geometric stopping: when mechanism F gives up on a record, and what a record then costs.

Before each trial F stops with probability τ and answers "nothing"; else the first candidate that passes is the answer.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Words
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.acceptance import UNITS, PrivacyTest, at_most_growth
from reaedp.privacy.conversion import SLACK, rounded_up
from reaedp.privacy.loss import SMALLEST, ApproxDP, exact, positive
from reaedp.privacy.unit import Unit

#: How rarely the planned rounds do not suffice and as many again are run: 10^-18.
_SURPRISE = 18 * math.log(10)
_LEAST_TAU = 2.0**-40


@dataclass(frozen=True, slots=True)
class Stopping:
    """`tau` is the probability to stop before a trial; a multiple of 2^-64 not above it is what runs."""

    tau: float

    def __post_init__(self) -> None:
        if positive("tau", self.tau, below=1) < _LEAST_TAU:
            raise DeclarationError(sentence(f"tau must be at least {_LEAST_TAU:.2g}", given=self.tau))

    @property
    def units(self) -> int:
        """τ in units of 2^-64."""
        return math.floor(Fraction(self.tau) * UNITS)

    @property
    def odds(self) -> Fraction:
        """Odds of a trial against a stop."""
        return Fraction(UNITS, self.units) - 1

    def stops(self, words: Words) -> NDArray[np.bool_]:
        """Whether to stop, for each word."""
        return words < np.uint64(self.units)

    def rounds(self, records: int) -> int:
        """Rounds after which all records have stopped but for a probability of 10^-18.

        Chernoff: fewer than `records` stops of a mean m have a probability of at most exp(-(m - records)² / 2m).
        """
        mean = records + _SURPRISE + math.sqrt(_SURPRISE * (_SURPRISE + 2 * records))
        return math.ceil(mean / self.tau)

    def nothing(self, passing: float) -> float:
        """The probability of "nothing" when a trial passes with this probability."""
        return self.tau / (self.tau + (1 - self.tau) * passing)


@dataclass(frozen=True, slots=True)
class RowLoss:
    """What one more row does, at a given ε, to the law of one record.

    The larger data set's law is within (ε, added) of the smaller's, the smaller's within (ε, removed) of the larger's.
    """

    added: Fraction
    removed: Fraction


def row_loss(test: PrivacyTest, stopping: Stopping, gamma: float, smallest: int, epsilon: float) -> RowLoss:
    """The loss when the smaller data set has at least `smallest` rows, which may be none.

    From `enough` rows on, removing one costs no δ; with fewer a candidate must hardly ever pass.
    """
    growth = at_most_growth(epsilon)
    added = stopping.odds * test.excess(epsilon, gamma, smallest)
    room = growth / (1 + added) - 1
    enough = math.ceil(1 / room) if room > 0 else test.certain
    answering = stopping.odds * test.chance(enough - 1) if smallest < enough else Fraction(0)
    if 1 + max(added, answering) > growth or room <= 0:
        rule = "For data sets as small as this, epsilon per record must be larger, or the test stricter"
        remedy = "Declare a larger `at_least` in the unit, or ask for fewer records."
        raise DeclarationError(sentence(rule, given={"epsilon": epsilon, "rows": smallest}, remedy=remedy))
    return RowLoss(added / (1 + added), answering / (1 + answering))


def smallest_size(unit: Unit) -> int:
    """Rows that the smaller data set has at least while one unit's rows are added, removed or replaced one by one."""
    known = unit.at_least or 0
    return known if unit.change == "add-remove" else max(0, known - 1)


def row_steps(unit: Unit) -> int:
    """Single rows that one change adds and removes at most."""
    return unit.rows if unit.change == "add-remove" else 2 * unit.rows


def guarantee(test: PrivacyTest, stopping: Stopping, gamma: float, unit: Unit, epsilon: float) -> ApproxDP:
    """What one record costs when ε is allowed for one row; every row of the data must be a seed."""
    loss = row_loss(test, stopping, gamma, smallest_size(unit), epsilon)
    growth = Fraction(math.exp(epsilon) * (1 + SLACK))
    one_way = sum((growth**row for row in range(unit.rows)), Fraction(0))
    if unit.change == "add-remove":
        delta = one_way * max(loss.added, loss.removed)
    else:
        delta = one_way * (loss.added + growth**unit.rows * loss.removed)
    if delta >= 1:
        raise DeclarationError(sentence("The delta of the test must be below 1", given=float(delta)))
    return ApproxDP(rounded_up(exact(epsilon) * row_steps(unit)), max(rounded_up(delta), SMALLEST))
