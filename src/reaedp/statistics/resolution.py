"""Whether a price buys anything: how far off numbers may be, beside the most that there can be to see."""

from typing import Literal, NamedTuple

#: How sure the error is not to be exceeded.
CONFIDENCE = 0.95


class Resolution(NamedTuple):
    """The error of one number at 95 % confidence, and the most that can be found; from public facts alone.

    In bits that is the largest value of the number. In rows it is an average cell, if there are no more rows than is
    publicly known: fuller cells may stand out where an average one does not.
    """

    error: float
    most: float
    unit: Literal["rows", "bits"]

    @property
    def useless(self) -> bool:
        """Whether noise alone could have made whatever will be found."""
        return self.error >= self.most
