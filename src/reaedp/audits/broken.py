"""Mechanisms that are wrong on purpose, each in a way that has been published or shipped; an audit must convict them.

Nothing here is reachable from a release.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.audits.audit import QUICK, audit
from reaedp.audits.claim import Claimed
from reaedp.audits.finding import Finding
from reaedp.audits.pair import Floats, Mechanised, Outputs, Pair, Score
from reaedp.audits.vector_channel import VectorChannel
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.conversion import gaussian_mu
from reaedp.privacy.loss import PureDP
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.entropies import renyi_entropy
from reaedp.statistics.entropy.published import published_renyi_bound

Numbers = NDArray[np.float64]
EPSILON = 1.0
ONE_STEP = Sensitivity(l1=1, l2_squared=1, linf=1)
#: Points of a lattice to the bit, so fine that rounding does not matter.
FINE = 2**20


class Suspect(NamedTuple):
    """A mechanism, neighbours on which it fails, what it claims, and a score if one is known."""

    release: Mechanised
    pair: Pair
    claim: Claimed = PureDP(EPSILON)
    score: Score | None = None


def examined(name: str, make: Callable[[SeededNoise], Suspect], rng: np.random.Generator) -> Finding:
    """Audit a suspect with a quick audit's runs."""
    suspect = make(SeededNoise(rng))
    return audit(
        suspect.release,
        suspect.pair,
        claim=suspect.claim,
        runs=QUICK,
        rng=rng,
        statistic=suspect.score,
        subject=name,
    )


def _additive(noise: SeededNoise, first: list[int], second: list[int], label: str) -> Suspect:
    """Discrete Laplace noise for one step of one cell, whatever the two answers are."""
    calibrated = Calibrated(Laplace(EPSILON), ONE_STEP)
    channel = VectorChannel(calibrated, noise, np.array(first), np.array(second))
    return Suspect(channel.run, Pair(*channel.answers, label), score=channel.evidence())


def one_step_under_replacement(noise: SeededNoise) -> Suspect:
    """A row that is replaced leaves one cell and enters another."""
    return _additive(noise, [20, 10], [19, 11], "one row moves from a cell to another")


def spent_twice(noise: SeededNoise) -> Suspect:
    """The same count released twice, each time for all of ε."""
    return _additive(noise, [20, 20], [21, 21], "one row joins, and is counted twice")


def edges_from_data(noise: SeededNoise) -> Suspect:
    """Ten bins between the smallest and the largest value."""

    def release(data: Numbers, runs: int) -> Outputs:
        return noise.laplace(np.tile(np.histogram(data, bins=10)[0], (runs, 1)), 1 / EPSILON)

    crowd = np.linspace(1.0, 2.0, 50)
    return Suspect(release, Pair(crowd, np.append(crowd, 100.0), "one row joins with an extreme value"))


def float_noise(noise: SeededNoise) -> Suspect:
    """Noise drawn and added as doubles."""

    def release(data: float, runs: int) -> Outputs:
        return data + noise.rng.laplace(0.0, 1 / EPSILON, runs)

    return Suspect(release, Pair(0.0, 1.0, "a count of 0 and a count of 1"), score=low_order_bits)


def reused_noise(noise: SeededNoise) -> Suspect:
    """One draw for two counts."""

    def release(data: NDArray[np.int64], runs: int) -> Outputs:
        return data + noise.laplace(np.zeros((runs, 1), dtype=np.int64), 1 / EPSILON)

    return Suspect(release, Pair(np.array([5, 9]), np.array([6, 9]), "one row joins the first of two cells"))


def privacy_test_without_noise(noise: SeededNoise) -> Suspect:  # noqa: ARG001
    """A record leaves if ten or more others could have made it; the threshold has no noise."""

    def release(data: int, runs: int) -> Outputs:
        return np.full(runs, data >= 10)

    return Suspect(release, Pair(9, 10, "nine and ten plausible seeds"), claim=(EPSILON, 1e-6))


def tries_not_accounted(noise: SeededNoise) -> Suspect:
    """Noise is drawn until a count reaches a threshold, sixty times at most, and only the last draw is paid for."""

    def release(data: int, runs: int) -> Outputs:
        reached = noise.laplace(np.full((runs, 60), data), 1 / EPSILON) >= 10
        return np.where(reached.any(axis=1), reached.argmax(axis=1), 60)

    return Suspect(release, Pair(7, 8, "one row joins"))


def nan_through_a_clip(noise: SeededNoise) -> Suspect:
    """A sum of values clipped to [0, 1]; a value that is no number stays none."""

    def release(data: Numbers, runs: int) -> Outputs:
        total = float(np.clip(data, 0.0, 1.0).sum())
        return total + noise.laplace(np.zeros(runs, dtype=np.int64), 1 / EPSILON)

    return Suspect(release, Pair(np.ones(10), np.append(np.ones(10), np.nan), "one row joins without a value"))


def published_renyi_calibration(noise: SeededNoise) -> Suspect:
    """Noise for the sensitivity C_α/n of a Rényi entropy as published, which is 31 times too small here."""
    scale = published_renyi_bound(1000, 0.5) / EPSILON * FINE

    def release(data: list[int], runs: int) -> Outputs:
        point = round(renyi_entropy(data, 0.5) * FINE)
        return noise.laplace(np.full(runs, point), scale)

    return Suspect(release, Pair([1000, 0], [999, 1], "one of 1,000 rows has another value"))


def clip_from_data(noise: SeededNoise) -> Suspect:
    """A sum clipped at the median of the data, with noise for that."""

    def release(data: Numbers, runs: int) -> Outputs:
        top = int(np.sort(data)[len(data) // 2])
        return noise.laplace(np.full(runs, int(np.minimum(data, top).sum())), top / EPSILON)

    crowd = np.repeat([100.0, 1.0], 50)
    return Suspect(release, Pair(crowd, np.append(crowd, 1.0), "one row joins"))


def total_without_noise(noise: SeededNoise) -> Suspect:
    """Noisy counts, and beside them how many rows there are."""

    def release(data: NDArray[np.int64], runs: int) -> Outputs:
        noisy = noise.laplace(np.tile(data, (runs, 1)), 1 / EPSILON)
        return np.column_stack([noisy, np.full(runs, data.sum())])

    return Suspect(release, Pair(np.array([5, 9, 2]), np.array([6, 9, 2]), "one row joins"))


# Which doubles can come out: the low-order bits of noise that was added as a double tell to what it was added.

#: The spacing of doubles just below one.
SPACING = 2.0**-53
#: Outputs nearer to zero than this have bits below that spacing, unless they were computed next to one.
NEAR = 0.25


def low_order_bits(outputs: Outputs) -> Floats:
    """Score the answers 0 and 1: 1 plus anything is, near 0, a multiple of 2^-53; 0 plus noise seldom is."""
    values = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)[:, 0]
    multiple = values / SPACING == np.round(values / SPACING)
    return np.where(np.abs(values) < NEAR, np.where(multiple, 1.0, -1.0), 0.0)


# Mean curves that are wrong on purpose; an audit must convict them. A curve is its coefficients here.

CLAIM = (1.0, 1e-6)
#: Lattice points of the length at which curves are cut.
CLIP = 1_000
SCALE = CLIP / gaussian_mu(*CLAIM)


def _shortened(curves: Numbers, clip: float) -> Numbers:
    lengths = np.linalg.norm(curves, axis=1, keepdims=True)
    cut: Numbers = curves * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))
    return cut


def _noisy(sums: Numbers, runs: int, scale: float, noise: SeededNoise) -> Outputs:
    return noise.gaussian(np.tile(np.rint(sums).astype(np.int64), (runs, 1)), scale)


def _crowd(first: int, second: int) -> Numbers:
    """Long curves and short ones, of three coefficients each."""
    return np.vstack([np.full((first, 3), CLIP), np.full((second, 3), CLIP / 100)])


def clipped_after_the_noise(noise: SeededNoise) -> Suspect:
    """Curves are added up as they are; only the noisy sum is cut, to what this many curves can reach."""

    def release(curves: Numbers, runs: int) -> Outputs:
        noisy = _noisy(curves.sum(axis=0), runs, SCALE, noise)
        most = 200 * CLIP
        return np.clip(noisy, -most, most)

    crowd = _crowd(0, 100)
    joined = np.vstack([crowd, np.full((1, 3), 1e6)])
    return Suspect(release, Pair(crowd, joined, "one curve joins, far longer than the clip"), claim=CLAIM)


def clip_from_lengths(noise: SeededNoise) -> Suspect:
    """Curves are cut at the median of their lengths, and the noise is for that."""

    def release(curves: Numbers, runs: int) -> Outputs:
        lengths = np.sort(np.linalg.norm(curves, axis=1))
        clip = float(lengths[len(lengths) // 2])
        return _noisy(_shortened(curves, clip).sum(axis=0), runs, clip / CLIP * SCALE, noise)

    crowd = _crowd(50, 50)
    return Suspect(release, Pair(crowd, np.vstack([crowd, crowd[-1:]]), "one short curve joins"), claim=CLAIM)


def number_of_curves(noise: SeededNoise) -> Suspect:
    """Noisy sums, and beside them how many curves there are."""

    def release(curves: Numbers, runs: int) -> Outputs:
        noisy = _noisy(_shortened(curves, CLIP).sum(axis=0), runs, SCALE, noise)
        return np.column_stack([noisy, np.full(runs, len(curves))])

    crowd = _crowd(0, 100)
    return Suspect(release, Pair(crowd, np.vstack([crowd, crowd[-1:]]), "one curve joins"), claim=CLAIM)


# The panel of broken mechanisms, by what is wrong with each.

#: Every broken mechanism by what is wrong with it.
BROKEN: dict[str, Callable[[SeededNoise], Suspect]] = {
    "noise for one cell under replacement": one_step_under_replacement,
    "bin edges from the data": edges_from_data,
    "noise added as doubles": float_noise,
    "one noise for two releases": reused_noise,
    "privacy test without noise": privacy_test_without_noise,
    "tries that are not accounted for": tries_not_accounted,
    "ε spent twice": spent_twice,
    "NaN through a clip": nan_through_a_clip,
    "Rényi entropy with the published sensitivity": published_renyi_calibration,
    "clip at a quantile of the data": clip_from_data,
    "number of rows without noise": total_without_noise,
    "curves cut after the noise": clipped_after_the_noise,
    "curves cut at the median of their lengths": clip_from_lengths,
    "number of curves without noise": number_of_curves,
}
