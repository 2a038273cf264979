"""What one attack achieved, beside what it does to outsiders, what a blind guess does and what the promise permits.

A weak attack shows nothing about a release: a stronger one may exist, up to what is permitted on average.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from reaedp.rate import Rate


class CustodianOnly:
    """A figure that is for the custodian's eyes: publishing it would be a release of its own."""

    __slots__ = ()
    disclosable: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Attack(CustodianOnly):
    """One figure of one attack. It is computed from the truth, so that publishing it would be a release of its own."""

    name: str
    figure: str
    #: On people whose data went into the release.
    main: Rate
    #: The same on people whose data did not.
    control: Rate
    #: Without looking at the release.
    baseline: float
    #: The most that any attack reaches under the promise, on average over releases.
    permitted: float

    @property
    def risk(self) -> Rate:
        """(main - control) / (1 - control): how much of an outsider's safety is lost by being in the data.

        Its range holds if both of the others do.
        """
        low, high = _gain(self.main.low, self.control.high), _gain(self.main.high, self.control.low)
        value = min(max(_gain(self.main.value, self.control.value), low), high)
        return Rate(value, low, high, self.main.confidence + self.control.confidence - 1)

    def __str__(self) -> str:
        return (
            f"{self.name}, {self.figure}: {self.main}; people not in the data {self.control};"
            f" blind guess {self.baseline:.3f}; permitted {self.permitted:.3f}"
        )


def _gain(main: float, control: float) -> float:
    """Nothing is to be gained where the control always succeeds."""
    if control >= 1:
        return 0.0 if main >= 1 else -math.inf
    return (main - control) / (1 - control)
