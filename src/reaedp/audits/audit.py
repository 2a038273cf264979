"""The audit of any mechanism: run it on two neighbours, guess which one it was, and count."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from reaedp.attacks.roc import auc
from reaedp.attacks.trials import Trials
from reaedp.audits.ceilings import Ceilings
from reaedp.audits.claim import Claim, Claimed
from reaedp.audits.estimators import (
    ErrorLevels,
    Estimate,
    Scores,
    by_events,
    by_guessing,
    by_midpoint,
    chosen_events,
    chosen_guess,
    chosen_middle,
    told_apart,
)
from reaedp.audits.finding import Finding, LowerBounds, judge
from reaedp.audits.learned_scores import learned_scores
from reaedp.audits.pair import Mechanised, Outputs, Pair, Score, play
from reaedp.audits.power import Power
from reaedp.errors import DeclarationError, sentence
from reaedp.rate import share

#: With fewer runs hardly anything can be shown.
FEWEST_RUNS = 200
#: Runs of an audit that takes a moment, and of one that is worth waiting for.
QUICK, FULL = 20_000, 100_000
Shape = Literal["any", "gaussian"]


def audit(
    release: Mechanised,
    pair: Pair,
    *,
    claim: Claimed,
    runs: int,
    rng: np.random.Generator,
    delta: float | None = None,
    statistic: Score | None = None,
    shape: Shape = "any",
    attainable: tuple[float, float] | None = None,
    confidence: float = 0.95,
    pairs: int = 1,
    subject: str = "release",
) -> Finding:
    """Test a mechanism's privacy claim by running it many times on a pair of neighbours.

    `release(data, runs)` returns one output per run, along the first axis. `claim` is (ε, δ), a loss or a price; losses
    without an ε of their own need the `delta` at which it is meant. `statistic` scores outputs, with larger scores
    where the second neighbour is more likely; without it, a score is learned. Half of the `runs` are used to learn and
    choose, the other half to judge. `shape` is "gaussian" if the mechanism adds Gaussian noise. `attainable` holds the
    ε at the claimed δ and the δ at the claimed ε for this pair, if known. `pairs` is the number of pairs examined for
    this mechanism; the error probability is split among them. `pair` holds the neighbours; `subject` names the
    mechanism in the finding.

    >>> def noisy(exact: np.ndarray, runs: int) -> np.ndarray:
    ...     return exact + rng.laplace(scale=2.0, size=(runs, 1))
    >>> pair = Pair(np.array([10]), np.array([11]))
    >>> print(audit(noisy, pair, claim=(0.5, 0.0), runs=20_000, rng=rng).verdict)
    CONSISTENT
    """
    _check(runs, pairs)
    stated, levels = Claim.of(claim, delta), ErrorLevels.of(confidence, pairs)
    estimator = _ESTIMATORS[_kind(stated, shape)]
    learning = play(release, pair, runs // 2, rng)
    if statistic is None:
        # Thresholds chosen on the outputs that a score was fitted to would prefer its mistakes.
        fitted, learning = learned_scores(*_part(learning, 0)), _part(learning, 1)
        tried = [_scores(score, learning) for score in fitted]
        worth = [estimator(scores, scores, stated, levels).epsilon for scores in tried]
        score = fitted[int(np.argmax(worth))]
    else:
        score = statistic
    judging = play(release, pair, runs - runs // 2, rng)
    practice, scores = _scores(score, learning), _scores(score, judging)
    estimate = estimator(practice, scores, stated, levels)
    origin = "by a score learned from" if statistic is None else "by the given score, with thresholds from"
    scoring = Scoring(scores, chosen_middle(practice), estimate, attainable)
    question = Examination(subject, pair.label, stated, levels)
    return finding(question, scoring, f"{estimate.method}; {origin} the other half of the runs")


class Examination(NamedTuple):
    """What is examined, on which neighbours, under which claim, with which error probabilities."""

    subject: str
    pair: str
    claim: Claim
    levels: ErrorLevels


class Scoring(NamedTuple):
    """Scores, where a guess changes sides, what they show, and the ε and δ of the pair if they are known."""

    scores: Scores
    middle: float
    estimate: Estimate
    pair: tuple[float, float] | None


def finding(question: Examination, scoring: Scoring, method: str) -> Finding:
    """The estimate with its ceilings and its verdict."""
    subject, pair, claim, levels = question
    scores, estimate, confidence = scoring.scores, scoring.estimate, 1 - levels.estimate
    ceilings = Ceilings.of(claim, estimate.shown, scoring.pair)
    member = np.repeat([False, True], [len(scores.first), len(scores.second)])
    return Finding(
        subject=subject,
        pair=pair,
        verdict=judge(claim, estimate.epsilon, estimate.violated, ceilings),
        method=method,
        witness=estimate.event if estimate.violated else "",
        claim=claim,
        measured=LowerBounds(
            epsilon=estimate.epsilon,
            delta=estimate.delta,
            confidence=confidence,
            runs=scores.runs,
            accuracy=share(told_apart(scores, scoring.middle)[0], scores.runs, confidence),
            auc=auc(Trials(member, np.concatenate(scores)), confidence),
        ),
        ceilings=ceilings,
        power=Power(estimate.visible, ceilings.attainable or estimate.epsilon, claim.epsilon),
    )


Estimator = Callable[[Scores, Scores, Claim, ErrorLevels], Estimate]


def guessing(practice: Scores, scores: Scores, claim: Claim, levels: ErrorLevels) -> Estimate:
    """By the best guess on the runs that were for practice."""
    return by_guessing(scores, chosen_guess(practice, levels.estimate), claim, levels)


def _midpoint(practice: Scores, scores: Scores, claim: Claim, levels: ErrorLevels) -> Estimate:
    return by_midpoint(scores, chosen_middle(practice), claim, levels)


def events(practice: Scores, scores: Scores, claim: Claim, levels: ErrorLevels) -> Estimate:
    """By the best pair of events on the runs that were for practice."""
    return by_events(scores, chosen_events(practice, claim, levels.estimate), claim, levels)


_ESTIMATORS: dict[str, Estimator] = {"pure": guessing, "gaussian": _midpoint, "events": events}


def _kind(claim: Claim, shape: Shape) -> str:
    """Which estimator needs fewest runs."""
    if claim.pure:
        return "pure"
    return "gaussian" if shape == "gaussian" else "events"


def _part(outputs: tuple[Outputs, Outputs], start: int) -> tuple[Outputs, Outputs]:
    """Every other output of both worlds."""
    return outputs[0][start::2], outputs[1][start::2]


def _scores(score: Score, outputs: tuple[Outputs, Outputs]) -> Scores:
    return Scores(*(np.asarray(score(world), dtype=np.float64) for world in outputs))


def _check(runs: int, pairs: int) -> None:
    if runs < FEWEST_RUNS:
        raise DeclarationError(sentence(f"An audit needs {FEWEST_RUNS} or more runs", given=runs))
    if pairs < 1:
        raise DeclarationError(sentence("An audit needs one or more pairs of neighbours", given=pairs))
