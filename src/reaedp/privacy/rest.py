"""What is left of a budget at one moment, and the most that it buys, decided as the ledger will decide."""

from collections.abc import Callable
from dataclasses import dataclass

from reaedp.privacy.budget import Budget
from reaedp.privacy.merging import Tally
from reaedp.privacy.spending import NOTHING, Spending, admit, admits, decimal_floor, room

#: Numbers of four digits: so many between a power of ten and the next, from 10⁻⁶ up to 10³.
_MANTISSAS, _LEAST, _MOST = 9000, -6, 3


@dataclass(frozen=True, slots=True)
class Rest:
    """A budget, and what each part of a data set has spent of it; a data set that is not registered has spent nothing.

    It is a copy: others may charge before the next plan does.
    """

    budget: Budget
    spent: tuple[Spending, ...] = (NOTHING,)

    def admits(self, price: Tally) -> bool:
        """Say whether the ledger would admit one more plan of all rows."""
        return all(admits(spending, price, self.budget) for spending in self.spent)

    def after(self, price: Tally) -> float | None:
        """Give the ε of a pure release that is sure to fit after one more plan; None if the plan itself does not."""
        spent = [admit(spending, price, self.budget) for spending in self.spent]
        left = [room(spending, self.budget) for spending in spent if spending is not None]
        return decimal_floor(min(left)) if len(left) == len(spent) else None

    def most(self, price_at: Callable[[float], Tally], below: float = float("inf")) -> float | None:
        """Give the largest number of four digits whose price fits, where larger numbers cost more; None if none does.

        `below` bounds the search. What `price_at` asks for must be possible for every smaller number.
        """
        low, high = -1, _MANTISSAS * (_MOST - _LEAST)
        while high - low > 1:
            middle = (low + high) // 2
            number = _four_digits(middle)
            fits = number < below and self.admits(price_at(number))
            low, high = (middle, high) if fits else (low, middle)
        return None if low < 0 else _four_digits(low)


def _four_digits(place: int) -> float:
    """Give the number at some place of the list of all of four digits."""
    decade, mantissa = divmod(place, _MANTISSAS)
    return float(f"{mantissa + 1000}e{decade + _LEAST - 3}")
