"""Membership in counts and other vectors that were hidden by additive noise.

Two attackers use what is known of the noise: one knows everyone else's data and takes the likelihood ratio, than which
nothing is better; one knows only a sample of other people. A third looks at entropy and total alone.
"""

from collections.abc import Callable, Sequence

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Hiding, Numbers, TwoAnswers
from reaedp.attacks.regression import Separator
from reaedp.attacks.roc import judged
from reaedp.attacks.trials import Flags, Floats, Trials, coins
from reaedp.errors import DeclarationError, unknown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.permitted import GaussianPromised, permitted_by

Scale = float | Floats


def laplace_evidence(released: Numbers, pair: TwoAnswers, scale: Scale) -> Floats:
    """The logarithm of Pr[released | present] / Pr[released | absent] under independent Laplace noise."""
    distances = np.abs(released - pair.absent) - np.abs(released - pair.present)
    evidence: Floats = (distances / scale).sum(axis=-1)
    return evidence


def gaussian_evidence(released: Numbers, pair: TwoAnswers, scale: Scale) -> Floats:
    """The logarithm of Pr[released | present] / Pr[released | absent] under independent Gaussian noise."""
    squares = (released - pair.absent) ** 2 - (released - pair.present) ** 2
    evidence: Floats = (squares / (2.0 * np.square(scale))).sum(axis=-1)
    return evidence


EVIDENCE: dict[str, Callable[[Numbers, TwoAnswers, Scale], Floats]] = {
    "discrete Laplace": laplace_evidence,
    "discrete Gaussian": gaussian_evidence,
}


def known_others(
    tables: Sequence[tuple[TwoAnswers, Calibrated]], rounds: int, rng: np.random.Generator
) -> tuple[Attack, ...]:
    """The attacker who knows everyone else and sees these noisy tables: the likelihood ratio of them all."""
    member = coins(rounds, rng)
    score = sum((_evidence(pair.moved, noise, member, rng) for pair, noise in tables), start=np.zeros(rounds))
    promise = permitted_by(tuple(loss for _, noise in tables for loss in noise.price))
    return judged("likelihood ratio, everyone else known", Trials(member, score), promise, rng, threshold=0.0)


def known_law(
    pair: TwoAnswers, noise: Hiding, evidence: Callable[[Numbers], Floats], rounds: int, rng: np.random.Generator
) -> tuple[Attack, ...]:
    """The attacker who knows everyone else and the law of what is released, of which `evidence` is the log-ratio."""
    member = coins(rounds, rng)
    score = evidence(noise.apply(pair.either(member), SeededNoise(rng)))
    promise = permitted_by(noise.price)
    return judged("likelihood ratio, everyone else known", Trials(member, score), promise, rng, threshold=0.0)


def known_curves(pair: TwoAnswers, scale: Scale, rounds: int, rng: np.random.Generator) -> tuple[Attack, ...]:
    """The attacker who knows everyone else and sees coefficients under Gaussian noise of these standard deviations."""
    member = coins(rounds, rng)
    exact = pair.either(member)
    score = gaussian_evidence(exact + scale * rng.standard_normal(exact.shape), pair, scale)
    promise = GaussianPromised(float(np.linalg.norm((pair.present - pair.absent) / scale)))
    return judged("likelihood ratio, all other curves known", Trials(member, score), promise, rng, threshold=0.0)


def known_sample(
    shares: Floats, cell: int, noise: Calibrated, *, rows: int, sample: int, rounds: int, rng: np.random.Generator
) -> tuple[Attack, ...]:
    """The attacker who has a sample of other people: everyone else is drawn anew in each round, and so is the sample.

    What the sample leaves open about the target's cell adds to the noise; the likelihood ratio of the sum is taken as
    Gaussian.
    """
    others, seen = rng.multinomial(rows, shares, rounds), rng.multinomial(sample, shares, rounds)
    member = coins(rounds, rng)
    released = noise.apply(others + (member[:, None] & (np.arange(len(shares)) == cell)), SeededNoise(rng))
    expected = (seen[:, cell] + 0.5) * (rows / sample)
    spread = np.sqrt(expected * (1 + rows / sample) + noise.scale**2)
    guess = TwoAnswers(expected[:, None] + 1, expected[:, None])
    score = gaussian_evidence(released[:, [cell]], guess, spread[:, None])
    promise = permitted_by(noise.price)
    return judged("likelihood ratio, others known from a sample", Trials(member, score), promise, rng, threshold=0.0)


def entropy_and_total(pair: TwoAnswers, noise: Hiding, rounds: int, rng: np.random.Generator) -> tuple[Attack, ...]:
    """Logistic regression on each release's entropy and total, trained on as many releases of its own."""
    practice, member = coins(rounds, rng), coins(rounds, rng)
    features = [_entropy_and_total(noise.apply(pair.either(tossed), SeededNoise(rng))) for tossed in (practice, member)]
    trials = Trials(member, Separator.trained(features[0], practice).score(features[1]))
    return judged("logistic regression on entropy and total", trials, permitted_by(noise.price), rng, threshold=0.0)


def _evidence(pair: TwoAnswers, noise: Calibrated, member: Flags, rng: np.random.Generator) -> Floats:
    name = noise.mechanism.name
    if name not in EVIDENCE:
        raise DeclarationError(unknown("kind of additive noise", name, EVIDENCE))
    return EVIDENCE[name](noise.apply(pair.either(member), SeededNoise(rng)), pair, noise.scale)


def _entropy_and_total(released: Numbers) -> Floats:
    """Two features of each release; negative counts are set to zero for the entropy."""
    from scipy.special import entr

    kept = np.maximum(released, 0)
    shares = kept / np.maximum(kept.sum(axis=1, keepdims=True), 1)
    return np.column_stack([entr(shares).sum(axis=1), released.sum(axis=1)])
