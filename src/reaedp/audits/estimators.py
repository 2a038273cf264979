"""Lower bounds on ε and δ from scores of outputs of two neighbours; larger scores speak for the second.

Whatever is chosen (when to guess, which event) was fixed before, or chosen on runs that are not counted here. Proofs
are in PROOFS.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reaedp.audits.ceilings import largest_by_event, largest_by_guessing, log_odds, log_ratio
from reaedp.audits.claim import Claim
from reaedp.audits.finding import ROUNDING
from reaedp.audits.loss_law import TradeOff
from reaedp.audits.pair import Floats
from reaedp.audits.power import least_accuracy, least_by_event, least_by_guessing
from reaedp.privacy.conversion import gaussian_epsilon
from reaedp.privacy.distinct import distinct
from reaedp.privacy.normal import quantile
from reaedp.rate import at_least, at_most

#: Chance of a violation where there is none; small, because a verdict names a culprit.
FALSE_CONVICTION = 0.001
#: Thresholds that are tried on the runs set apart for choosing.
TRIED = 128


class Scores(NamedTuple):
    """Scores of the outputs of both worlds."""

    first: Floats
    second: Floats

    @property
    def runs(self) -> int:
        """How many runs there were, of both worlds together."""
        return len(self.first) + len(self.second)


class ErrorLevels(NamedTuple):
    """Error probabilities: of the estimate, and of a violation; shared among several pairs."""

    estimate: float
    violation: float

    @classmethod
    def of(cls, confidence: float, pairs: int) -> "ErrorLevels":
        """Each of several pairs gets an equal part."""
        return cls((1 - confidence) / pairs, FALSE_CONVICTION / pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What some runs show; `shown` is the most they could show, `visible` the least they nearly always convict."""

    epsilon: float
    delta: float | None
    violated: bool
    shown: float
    visible: float
    event: str
    method: str


@dataclass(frozen=True, slots=True)
class Guess:
    """The second neighbour from `high` on, the first up to `low`, and no guess in between."""

    low: float
    high: float

    def count(self, scores: Scores) -> tuple[int, int]:
        """Count right and wrong guesses."""
        right = np.count_nonzero(scores.second >= self.high) + np.count_nonzero(scores.first <= self.low)
        wrong = np.count_nonzero(scores.first >= self.high) + np.count_nonzero(scores.second <= self.low)
        return int(right), int(wrong)


def by_guessing(scores: Scores, guess: Guess, claim: Claim, levels: ErrorLevels) -> Estimate:
    """Pure claims: a guess is right with odds of at most e^ε, whenever one is made; one binomial."""
    right, wrong = guess.count(scores)
    guesses = right + wrong
    lower = [log_odds(at_least(right, guesses, 1 - level)) if guesses else 0.0 for level in levels]
    return Estimate(
        epsilon=lower[0],
        delta=None,
        violated=lower[1] > claim.epsilon * (1 + ROUNDING),
        shown=largest_by_guessing(guesses, 1 - levels.estimate),
        visible=least_by_guessing(guesses, claim.epsilon * (1 + ROUNDING), levels.violation),
        event=f"{right:,} of {guesses:,} guesses right in {scores.runs:,} runs",
        method="one binomial with abstention, because the claim is pure: every guess is right with odds of at most e^ε",
    )


def chosen_guess(scores: Scores, level: float) -> Guess:
    """The guess that would show most on these runs; judge it on others."""
    candidates = _candidates(scores)
    # Column 0 never speaks for the second neighbour, row 0 never for the first.
    high = np.append(np.inf, candidates)
    low = np.append(-np.inf, candidates)
    seconds = [_reached(values, high) for values in (scores.second, scores.first)]
    firsts = [len(values) - _reached(values, np.nextafter(low, np.inf)) for values in (scores.first, scores.second)]
    right, wrong = (np.add.outer(first, second) for first, second in zip(firsts, seconds, strict=True))
    worth = np.where(low[:, None] < high, _rough_lower(right, right + wrong, level), 0.0)
    row, column = np.unravel_index(int(np.argmax(worth)), worth.shape)
    return Guess(float(low[row]), float(high[column]))


def known_guess(laws: tuple[TradeOff, TradeOff], losses: Floats, runs: int, level: float) -> Guess:
    """The symmetric guess that is expected to show most in this many runs, from the laws of the loss alone."""
    sizes = distinct(losses[np.isfinite(losses) & (losses > 0)])
    sizes = sizes[np.linspace(0, len(sizes) - 1, min(TRIED, len(sizes))).astype(np.int64)] * (1 - ROUNDING)
    if not sizes.size:
        return Guess(0.0, math.inf)
    right = np.array([laws[0].above(size) + laws[1].above(size) for size in sizes]) * runs / 2
    wrong = np.array([laws[0].below(-size) + laws[1].below(-size) for size in sizes]) * runs / 2
    best = float(sizes[int(np.argmax(_rough_lower(right, right + wrong, level)))])
    return Guess(-best, best)


def by_midpoint(
    scores: Scores,
    middle: float,
    claim: Claim,
    levels: ErrorLevels,
    shape: Callable[[float], float] | None = None,
) -> Estimate:
    """Gaussian shapes: the share of right guesses at the midpoint fixes μ, and μ fixes ε at every δ.

    `shape` turns an accuracy into ε; without it the shape is that of N(0, 1) against N(μ, 1). A violation does not
    rest on the shape: the claim caps the accuracy of any guess.
    """
    right, wrong = told_apart(scores, middle)
    convert = (lambda accuracy: _gaussian_epsilon(accuracy, claim.delta)) if shape is None else shape
    lower = [at_least(right, right + wrong, 1 - level) for level in levels]
    permitted = claim.permitted.accuracy * (1 + ROUNDING)
    noticed = least_accuracy(right + wrong, permitted, levels.violation)
    return Estimate(
        epsilon=convert(lower[0]),
        delta=None,
        violated=lower[1] > permitted,
        shown=convert(at_least(right + wrong, right + wrong, 1 - levels.estimate)),
        visible=math.inf if noticed is None else claim.epsilon * _growth(noticed, permitted, claim.delta),
        event=f"{right:,} of {right + wrong:,} guesses at the midpoint right",
        method="accuracy at the midpoint, turned into ε by the shape of a Gaussian mechanism, which is assumed",
    )


def told_apart(scores: Scores, middle: float) -> tuple[int, int]:
    """Right and wrong guesses if the second neighbour is guessed above the middle, and the first up to it."""
    return Guess(middle, float(np.nextafter(middle, np.inf))).count(scores)


def chosen_middle(scores: Scores) -> float:
    """The score at which most of these runs are told apart; judge it on others."""
    candidates = _candidates(scores)
    gained = _reached(scores.second, candidates) / max(len(scores.second), 1)
    lost = _reached(scores.first, candidates) / max(len(scores.first), 1)
    return float(np.nextafter(candidates[int(np.argmax(gained - lost))], -np.inf))


def _gaussian_epsilon(accuracy: float, delta: float) -> float:
    mu = 2 * quantile(accuracy)
    return gaussian_epsilon(mu, delta) if mu > 0 else 0.0


def _growth(accuracy: float, permitted: float, delta: float) -> float:
    """How many times larger ε is at one accuracy than at a smaller one, by the normal law; on a lattice ε has steps."""
    return _gaussian_epsilon(accuracy, delta) / _gaussian_epsilon(permitted, delta)


@dataclass(frozen=True, slots=True)
class Event:
    """A score on one side of a threshold; `second` says which world it speaks for."""

    threshold: float
    second: bool

    def count(self, scores: Scores) -> tuple[int, int, int, int]:
        """How often it happened and how many runs there were, in the world it speaks for and in the other."""
        worlds = (scores.second, scores.first) if self.second else (scores.first, scores.second)
        hits = [np.count_nonzero(w >= self.threshold if self.second else w <= self.threshold) for w in worlds]
        return int(hits[0]), len(worlds[0]), int(hits[1]), len(worlds[1])

    def __str__(self) -> str:
        return f"score {'≥' if self.second else '≤'} {self.threshold:.4g}"


def by_events(scores: Scores, events: tuple[Event, Event], claim: Claim, levels: ErrorLevels) -> Estimate:
    """Any claim: chances of an event in both worlds, from below in one and from above in the other.

    The first event is for ε at the claimed δ, the second for δ at the claimed ε. Four one-sided ranges share the
    error probability.
    """
    sides = 2 * len(events)
    counts = [event.count(scores) for event in events]
    estimates, verdicts = (
        [(at_least(hits, runs, 1 - level / sides), at_most(other, others, 1 - level / sides))
         for hits, runs, other, others in counts]
        for level in levels
    )  # fmt: skip
    permitted = claim.permitted
    broken = [more > float(permitted.true_positives(less)) * (1 + ROUNDING) for more, less in verdicts]
    told = int(np.argmax(broken))
    hits, runs, other, others = counts[told]
    return Estimate(
        epsilon=log_ratio(estimates[0][0] - claim.delta, estimates[0][1]),
        delta=max(0.0, estimates[1][0] - math.exp(claim.epsilon) * estimates[1][1]),
        violated=any(broken),
        shown=largest_by_event(counts[0][3], counts[0][1], claim.delta, 1 - levels.estimate / sides),
        visible=min(least_by_event(claim, count, levels.violation, sides) for count in counts),
        event=f"{events[told]}: {hits:,} of {runs:,} runs in one world, {other:,} of {others:,} in the other",
        method="chances of an event in both worlds, because the claim has a δ and no shape is assumed",
    )


def chosen_events(scores: Scores, claim: Claim, level: float) -> tuple[Event, Event]:
    """The events that would show most of ε and most of δ on these runs; judge them on others."""
    candidates = _candidates(scores)
    above = [_reached(values, candidates) for values in (scores.second, scores.first)]
    below = [len(w) - _reached(w, np.nextafter(candidates, np.inf)) for w in (scores.first, scores.second)]
    hits, others = (np.concatenate(pair) for pair in zip(above, below, strict=True))
    sizes = len(scores.second), len(scores.first)
    runs = np.repeat(np.array([sizes, sizes[::-1]], dtype=np.float64), len(candidates), axis=0)
    more = _rough_end(hits, runs[:, 0], level, -1)
    less = np.maximum(_rough_end(others, runs[:, 1], level, 1), 1e-300)
    ratios = np.log(np.maximum(more - claim.delta, 1e-300)) - np.log(less)
    excesses = more - math.exp(min(claim.epsilon, 700.0)) * less
    best = (int(np.argmax(worth)) for worth in (ratios, excesses))
    first, second = (Event(float(np.tile(candidates, 2)[place]), place < len(candidates)) for place in best)
    return first, second


def _candidates(scores: Scores) -> Floats:
    """Thresholds to try: quantiles of all scores, and every score if there are few different ones."""
    found = np.unique(np.concatenate(scores))
    if len(found) > TRIED:
        tails = np.geomspace(1 / scores.runs, 0.5, TRIED // 2)
        found = np.unique(np.quantile(np.concatenate(scores), np.concatenate([tails, 1 - tails])))
    return found


def _reached(values: Floats, thresholds: Floats) -> Floats:
    """How many values are at each threshold or above."""
    return len(values) - np.searchsorted(np.sort(values), thresholds).astype(np.float64)


def _rough_lower(right: Floats, guesses: Floats, level: float) -> Floats:
    """About what `by_guessing` would show; only used to choose."""
    return _rough_end(right, guesses, level, -1)


def _rough_end(hits: Floats, runs: Floats, level: float, side: int) -> Floats:
    """Wilson's end of a range for a share; 0 or 1 without any runs."""
    z, many = -quantile(level), np.maximum(runs, 1e-9)
    centre = (hits + z * z / 2) / (many + z * z)
    reach = z / (many + z * z) * np.sqrt(np.maximum(hits * (many - hits) / many, 0.0) + z * z / 4)
    end: Floats = np.clip(centre + side * reach, 0.0, 1.0)
    return end
