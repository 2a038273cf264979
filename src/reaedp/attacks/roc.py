"""How well scores tell members from others: area, accuracy, advantage, true positives at few false ones.

Every range holds for every number of rounds (see PROOFS.md). The threshold for the accuracy is fixed beforehand, or
chosen on the first half of the rounds and judged on the second.
"""

import math
from dataclasses import dataclass

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.trials import Flags, Floats, Trials, coins
from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.conversion import bisect
from reaedp.privacy.permitted import Permitted
from reaedp.rate import Rate, at_least, at_most, share

#: Accusing one innocent in a hundred, and one in a thousand.
FEW = (0.01, 0.001)
#: With fewer rounds there may well be no member or nobody else in the control.
FEWEST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Roc:
    """What a score is worth.

    `auc` is the chance that a member scores above somebody else, `accuracy` that of guessing right by a threshold.
    `true_positives` are shares of members above the thresholds that at most each of `FEW` of the others exceed.
    """

    auc: Rate
    accuracy: Rate
    true_positives: tuple[Rate, ...]

    @property
    def advantage(self) -> Rate:
        """The chance of accusing rightly less that of accusing wrongly, which is 2 accuracy - 1 for a fair coin."""
        low, value, high = (2 * x - 1 for x in (self.accuracy.low, self.accuracy.value, self.accuracy.high))
        return Rate(value, low, high, self.accuracy.confidence)


def roc(trials: Trials, rng: np.random.Generator, *, threshold: float | None = None, confidence: float = 0.95) -> Roc:
    """Judge the scores; a threshold may be given if it was fixed before any round."""
    untied = Trials(trials.member, _places(trials.score, rng))
    return Roc(
        auc(trials, confidence),
        _learned_accuracy(untied, confidence) if threshold is None else accuracy(trials, threshold, confidence, rng),
        tuple(_true_positives(untied, false_positives, confidence) for false_positives in FEW),
    )


def auc(trials: Trials, confidence: float = 0.95) -> Rate:
    """The chance that a member's score exceeds another's, ties counting half, with Hoeffding's range for U-statistics.

    DeLong's range is a third shorter but only approximate, and shrinks to a point where the scores never overlap.
    """
    inside, outside = trials.score[trials.member], np.sort(trials.score[~trials.member])
    if not len(inside) or not len(outside):
        return Rate(0.5, 0.0, 1.0, confidence)
    below, not_above = np.searchsorted(outside, inside, "left"), np.searchsorted(outside, inside, "right")
    value = float((below + not_above).mean()) / (2 * len(outside))
    reach = math.log(2 / (1 - confidence)) / min(len(inside), len(outside))
    low = bisect(lambda mean: _divergence(value, mean) >= reach, 0.0, value, 1e-12)
    high = bisect(lambda mean: _divergence(value, mean) >= reach, 1.0, value, 1e-12)
    return Rate(value, low, high, confidence)


def accuracy(trials: Trials, threshold: float, confidence: float, rng: np.random.Generator) -> Rate:
    """The share of right guesses at a threshold that was fixed beforehand; on the threshold a coin guesses."""
    suspected = (trials.score > threshold) | ((trials.score == threshold) & coins(len(trials), rng))
    right = suspected == trials.member
    return share(int(right.sum()), len(right), confidence)


def judged(
    name: str, trials: Trials, promise: Permitted, rng: np.random.Generator, *, threshold: float | None = None
) -> tuple[Attack, ...]:
    """All figures of a game, its control included."""
    if len(trials) < FEWEST_ROUNDS:
        raise DeclarationError(
            sentence(f"An attack must be played for {FEWEST_ROUNDS} or more rounds", given=len(trials))
        )
    main = roc(trials, rng, threshold=threshold)
    control = roc(trials.without_target(rng), rng, threshold=threshold)
    return figures(name, main, control, promise)


def figures(name: str, main: Roc, control: Roc, promise: Permitted) -> tuple[Attack, ...]:
    """All figures of a membership attack."""
    attacks = [
        Attack(name, "AUC", main.auc, control.auc, 0.5, promise.auc),
        Attack(name, "accuracy", main.accuracy, control.accuracy, 0.5, promise.accuracy),
        Attack(name, "advantage", main.advantage, control.advantage, 0.0, promise.advantage),
    ]
    for few, ours, theirs in zip(FEW, main.true_positives, control.true_positives, strict=True):
        most = float(promise.true_positives(few))
        attacks.append(Attack(name, f"TPR at FPR {100 * few:g} %", ours, theirs, few, most))
    return tuple(attacks)


def _divergence(seen: float, mean: float) -> float:
    """Relative entropy of one biased coin from another, in nats; what is seen at 0 or 1 makes one term vanish."""
    if not 0 < mean < 1:
        return 0.0 if seen == mean else math.inf
    return sum(share * math.log(share / among) for share, among in ((seen, mean), (1 - seen, 1 - mean)) if share)


def _places(score: Floats, rng: np.random.Generator) -> Floats:
    """Places in the order of scores, ties at random: thresholds on them are randomised tests on the scores."""
    order = np.lexsort((rng.random(len(score)), score))
    places = np.empty(len(score))
    places[order] = np.arange(len(score))
    return places


def _learned_accuracy(untied: Trials, confidence: float) -> Rate:
    """The accuracy of the threshold that does best on the first half of the rounds, judged on the second half."""
    half = len(untied) // 2
    threshold = _most_accurate(untied.member[:half], untied.score[:half])
    right = (untied.score[half:] > threshold) == untied.member[half:]
    return share(int(right.sum()), len(right), confidence)


def _most_accurate(member: Flags, score: Floats) -> float:
    order = np.argsort(score)
    others_passed = np.cumsum(np.where(member[order], -1, 1))
    best = int(np.argmax(np.concatenate([[0], others_passed])))
    return -math.inf if best == 0 else float(score[order[best - 1]])


def _true_positives(untied: Trials, false_positives: float, confidence: float) -> Rate:
    """At the threshold that accuses others at exactly this rate; the others seen confine it, the members judge it.

    Two ends of the threshold and two ends of the share may each fail with a quarter of what confidence leaves.
    """
    from scipy.stats import binom

    inside, outside = untied.score[untied.member], np.sort(untied.score[~untied.member])[::-1]
    if not len(inside):
        return Rate(false_positives, 0.0, 1.0, confidence)
    failure = (1 - confidence) / 4
    ladder = np.concatenate([[math.inf], outside, [-math.inf]])  # the j-th step has j - 1 others above it

    def suspected(others_above: float) -> int:
        return int((inside > ladder[int(others_above)]).sum())

    strict, lax = binom.ppf([failure, 1 - failure], len(outside), false_positives)
    low = at_least(suspected(strict), len(inside), 1 - failure)
    high = at_most(suspected(lax + 1), len(inside), 1 - failure)
    value = suspected(math.floor(false_positives * (len(outside) + 1))) / len(inside)
    return Rate(min(max(value, low), high), low, high, confidence)
