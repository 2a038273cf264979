"""The power of an audit: the smallest violation that the runs would have detected, nearly always.

A pass says little by itself. Beside it stands what would not have passed. Proofs are in PROOFS.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from reaedp.audits.ceilings import log_odds
from reaedp.audits.claim import Claim
from reaedp.privacy.binomial import quantile, tail
from reaedp.privacy.conversion import bisect
from reaedp.rate import at_least, at_most

#: The chance with which the violation that is stated would have been convicted.
CONVICTION = 0.95
#: Beyond this ε nothing is told apart from certainty.
_MOST = 60.0


@dataclass(frozen=True, slots=True)
class Power:
    """`visible` is the least ε, at the claimed δ, that these runs convict with probability `CONVICTION`.

    It is an ε that the attack sees. `seen` is what it sees of a release as it is declared: the ε of the pair by formula
    where that is known, else the ε that was shown, which is less. `claimed` is what was charged.
    """

    visible: float
    seen: float
    claimed: float

    @property
    def multiple(self) -> float:
        """A release that reveals a multiple of its charge, of which this attack sees the same share, is detected."""
        return self.visible / self.seen if self.seen > 0 else math.inf

    @property
    def epsilon(self) -> float:
        """The largest ε of a release that might have been missed."""
        return self.multiple * self.claimed

    @property
    def missed(self) -> str:
        """The largest violation that an audit of this size may miss, in words."""
        return "any" if math.isinf(self.multiple) else f"ε = {self.epsilon:.3g}"

    def __str__(self) -> str:
        if math.isinf(self.multiple):
            return "too few runs to detect any violation of this kind"
        return (
            f"a release at {self.multiple:.3g} times the charge (ε = {self.epsilon:.3g})"
            f" would be detected with probability {CONVICTION:g}"
        )


def least_by_guessing(guesses: int, claimed: float, level: float) -> float:
    """The least ε whose odds of right guesses, in this many of them, convict a pure claim often enough."""
    needed = _fewest(guesses, lambda right: log_odds(at_least(right, guesses, 1 - level)) > claimed)
    if needed is None:
        return math.inf
    return _least(lambda loss: _reached(needed, guesses, 1 / (1 + math.exp(-loss))))


def least_accuracy(guesses: int, permitted: float, level: float) -> float | None:
    """The least share of right guesses that exceeds the permitted one often enough; none if no share does."""
    needed = _fewest(guesses, lambda right: at_least(right, guesses, 1 - level) > permitted)
    if needed is None or not _reached(needed, guesses, 1.0):
        return None
    return bisect(lambda share: _reached(needed, guesses, share), 1.0, permitted, 1e-6)


def least_by_event(claim: Claim, counts: tuple[int, int, int, int], level: float, sides: int) -> float:
    """The least ε at which an event, as frequent in the other world as it was, convicts the claim often enough.

    Each of the two counts is as unlucky as it is in one of forty audits, so that both are luckier in 95 of 100.
    """
    _, runs, other, others = counts
    unlucky, side = (1 - CONVICTION) / 2, 1 - level / sides
    share = max(other, 0.5) / others
    seen = _quantile(1 - unlucky, others, share)
    permitted = float(claim.permitted.true_positives(at_most(seen, others, side)))

    def convicts(loss: float) -> bool:
        likelier = math.exp(loss) * share + claim.delta
        rarer = 1 - math.exp(-loss) * (1 - share - claim.delta)  # the same for its not happening
        chance = min(likelier, rarer)
        return at_least(_quantile(unlucky, runs, chance), runs, side) > permitted

    return _least(convicts)


def _fewest(guesses: int, enough: Callable[[int], bool]) -> int | None:
    """The least number of right guesses that is enough; more are, too."""
    if not guesses or not enough(guesses):
        return None
    low, high = 0, guesses
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _reached(needed: int, runs: int, chance: float) -> bool:
    """Whether this many successes, or more, come with the probability that is asked for."""
    return tail(needed, runs, chance) >= CONVICTION


def _least(convicts: Callable[[float], bool]) -> float:
    return bisect(convicts, _MOST, 0.0, 1e-4) if convicts(_MOST) else math.inf


def _quantile(share: float, runs: int, chance: float) -> int:
    """The number of successes that is not exceeded with this probability."""
    return quantile(share, runs, chance)
