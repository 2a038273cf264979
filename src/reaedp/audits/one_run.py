"""The audit of a histogram from ONE release: a coin-flip canary in every cell.

Each cell holds either everyone else's rows alone, or one unit's rows more. Under add-remove every canary is a unit of
its own, so that one release answers as many questions as there are cells.
"""

from collections.abc import Callable

import numpy as np

from reaedp.answer import Integers
from reaedp.attacks.trials import coins
from reaedp.audits.audit import Examination, Scoring, finding
from reaedp.audits.ceilings import log_odds
from reaedp.audits.claim import Claim, Claimed
from reaedp.audits.estimators import ErrorLevels, Estimate, Guess, Scores
from reaedp.audits.finding import ROUNDING, Finding
from reaedp.audits.power import least_by_guessing
from reaedp.errors import DeclarationError, sentence
from reaedp.rate import at_least


def audit_once(
    release: Callable[[Integers], Integers],
    cells: int,
    *,
    claim: Claimed,
    rng: np.random.Generator,
    rows: int = 1,
    others: int = 100,
    margin: int = 0,
    confidence: float = 0.95,
    subject: str = "histogram",
) -> Finding:
    """What one release of `cells` counts shows about a claim on adding or removing one unit of this many rows.

    A canary is guessed where the noisy count is `margin` or more above what a cell with it holds, and guessed absent
    where it is as far below what a cell without it holds.
    """
    stated, levels = Claim.of(claim), ErrorLevels.of(confidence, 1)
    if cells * stated.delta >= levels.violation:
        raise DeclarationError(
            sentence(
                f"An audit from one release needs δ × cells below {levels.violation:g}", given=(stated.delta, cells)
            )
        )
    present = coins(cells, rng)
    noisy = np.asarray(release(others + rows * present.astype(np.int64)), dtype=np.float64) - others
    scores = Scores(noisy[~present], noisy[present])
    estimate = _estimate(scores, Guess(-margin, rows + margin), stated, levels, cells)
    own = f"one release of {cells:,} cells, each with a coin-flip canary"
    question = Examination(subject, own, stated, levels)
    return finding(question, Scoring(scores, rows / 2, estimate, None), estimate.method)


def _estimate(scores: Scores, guess: Guess, claim: Claim, levels: ErrorLevels, cells: int) -> Estimate:
    right, wrong = guess.count(scores)
    lower = [one_run_epsilon(right, right + wrong, cells, claim.delta, level) for level in levels]
    return Estimate(
        epsilon=lower[0],
        delta=None,
        violated=lower[1] > claim.epsilon * (1 + ROUNDING),
        shown=one_run_epsilon(right + wrong, right + wrong, cells, claim.delta, levels.estimate),
        visible=least_by_guessing(
            right + wrong, claim.epsilon * (1 + ROUNDING), levels.violation - cells * claim.delta
        ),
        event=f"{right:,} of {right + wrong:,} canaries in {cells:,} cells told",
        method="one release with a coin-flip canary in each cell, as cells have independent noise",
    )


def one_run_epsilon(right: int, guesses: int, cells: int, delta: float, level: float) -> float:
    """ε from below: the chance that any cell fails by its δ is taken from the error probability."""
    left = level - cells * delta
    return log_odds(at_least(right, guesses, 1 - left)) if guesses and left > 0 else 0.0
