"""The largest numbers that an audit could print: for a number of runs, a pair and a claim."""

import math
from dataclasses import dataclass

from reaedp.audits.claim import Claim
from reaedp.rate import at_least, at_most

#: A bound this near to what the runs could show at most says only that more runs are needed.
SATURATED = 0.98


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """What can be shown, what there is to show, and what is permitted."""

    #: The largest ε that so many runs can show, whatever happens in them; infinite for a formula, which has none.
    shown: float
    #: The ε of this very pair, where the law of the output is known.
    attainable: float | None
    #: The δ of this very pair at the claimed ε.
    attainable_delta: float | None
    accuracy: float
    auc: float
    advantage: float
    true_positives_at_1_percent: float
    true_positives_at_1_permille: float

    @classmethod
    def of(cls, claim: Claim, shown: float, pair: tuple[float, float] | None) -> "Ceilings":
        """Read what the claim permits off its curve; `pair` is the ε and the δ of the pair, if they are known."""
        permitted = claim.permitted
        return cls(
            shown=shown,
            attainable=None if pair is None else pair[0],
            attainable_delta=None if pair is None else pair[1],
            accuracy=permitted.accuracy,
            auc=permitted.auc,
            advantage=permitted.advantage,
            true_positives_at_1_percent=float(permitted.true_positives(0.01)),
            true_positives_at_1_permille=float(permitted.true_positives(0.001)),
        )

    def saturated(self, epsilon: float) -> bool:
        """Whether a bound is as large as these runs allow."""
        return epsilon >= SATURATED * self.shown

    def __str__(self) -> str:
        pair = "unknown" if self.attainable is None else f"{self.attainable:.4g}"
        runs = "nothing was sampled" if math.isinf(self.shown) else f"these runs can show at most {self.shown:.3g}"
        return f"{runs}; true ε of this pair: {pair}"


def largest_by_guessing(guesses: int, confidence: float) -> float:
    """The ε that is shown when every one of this many guesses is right."""
    return log_odds(at_least(guesses, guesses, confidence)) if guesses else 0.0


def largest_by_event(first: int, second: int, delta: float, confidence: float) -> float:
    """The ε that is shown when an event always happens in one world and never in the other."""
    if not first or not second:
        return 0.0
    return log_ratio(at_least(second, second, confidence) - delta, at_most(0, first, confidence))


def log_odds(chance: float) -> float:
    """How much evidence a guess is that is right with this chance; none below one half."""
    return max(0.0, math.log(chance) - math.log1p(-chance)) if 0 < chance < 1 else (math.inf if chance >= 1 else 0.0)


def log_ratio(more: float, less: float) -> float:
    """ln(more / less) where that is positive."""
    if more <= 0:
        return 0.0
    return math.inf if less <= 0 else max(0.0, math.log(more / less))
