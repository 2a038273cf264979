"""The one import of the noise library, and the one place that asks the operating system for random words.

`SecretNoise` draws from OpenDP's exact samplers, or many values at once by exact inversion, and cannot be repeated.
`SeededNoise` is for experiments on public data: it repeats itself, so a release made with it is marked NOT PRIVATE.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Words
from reaedp.mechanisms.choice import chosen
from reaedp.mechanisms.choice import pays as choice_pays
from reaedp.mechanisms.inversion import drawn, pays
from reaedp.privacy.normal import probabilities

#: Below this number of cells a second thread costs more than it saves.
_CELLS_PER_THREAD = 2_000


class Noise(Protocol):
    """A source of discrete noise."""

    @property
    def seeded(self) -> bool:
        """Whether it could be repeated."""

    def laplace(self, exact: Integers, scale: float) -> Integers:
        """Add independent noise with probability proportional to exp(-|x| / scale) to every integer."""

    def gaussian(self, exact: Integers, scale: float, grain: int = 1) -> Integers:
        """Add independent noise with probability proportional to exp(-x² / (2 scale²)) to every integer.

        With `grain`, to so many times every integer: scale and sums are in parts of one.
        """

    def choose(self, scores: Integers, scale: float) -> int:
        """A place, with probability proportional to exp(score / scale)."""

    def choose_each(self, scores: Integers, scale: float) -> list[int]:
        """A place in each row of scores, independently, by the same law."""

    def words(self, count: int) -> Words:
        """Independent words of 64 random bits, from which other laws are made exactly."""

    def generator(self) -> "np.random.Generator":
        """A fresh generator for what is computed from released numbers; not secret enough to hide anything."""


@dataclass(frozen=True, slots=True)
class SecretNoise:
    """Unrepeatable noise from exact samplers; sums that leave the 64-bit range stay at its end."""

    seeded: ClassVar[bool] = False

    def laplace(self, exact: Integers, scale: float) -> Integers:
        """The exact integers with discrete Laplace noise of this scale."""
        return self._noisy("laplace", exact, scale)

    def gaussian(self, exact: Integers, scale: float, grain: int = 1) -> Integers:
        """The exact integers, in parts, with discrete Gaussian noise of this scale."""
        return self._noisy("gaussian", exact * grain, scale)

    def _noisy(self, family: str, exact: Integers, scale: float) -> Integers:
        if pays(family, scale, exact.size):
            return _sums(exact, drawn(family, scale, exact.size, self.words).reshape(exact.shape))
        return _in_parallel(_sampler(family, scale), exact)

    def choose(self, scores: Integers, scale: float) -> int:
        """The place of the largest score after Gumbel noise; among many, by exact inversion, which has the same law."""
        return chosen(scores, scale, self.words) if choice_pays(scores) else int(_chooser(scale)(scores.tolist()))

    def choose_each(self, scores: Integers, scale: float) -> list[int]:
        """The place of the largest score of each row after Gumbel noise."""
        chosen = _chooser(scale)
        return [int(chosen(row)) for row in scores.tolist()]

    def words(self, count: int) -> Words:
        """Words from the operating system."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def generator(self) -> "np.random.Generator":
        """Seeded with 256 bits from the operating system."""
        return np.random.default_rng(self.words(4))


def fresh_generator() -> "np.random.Generator":
    """A generator for experiments on made-up data, different each time."""
    return SecretNoise().generator()


@cache
def _library() -> Any:
    """The library's constructors. Its prelude imports all its extras, and scikit-learn with them."""
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return SimpleNamespace(domains=domains, measurements=measurements, measures=measures, metrics=metrics)


def _integers() -> Any:
    return _library().domains.vector_domain(_library().domains.atom_domain(T="i64"))


def _sampler(family: str, scale: float) -> Callable[[list[int]], list[int]]:
    make, metrics = _library().measurements, _library().metrics
    if family == "laplace":
        measurement = make.make_laplace(_integers(), metrics.l1_distance(T="i64"), scale=scale)
    else:
        measurement = make.make_gaussian(_integers(), metrics.l2_distance(T="i64"), scale=scale)
    return measurement  # type: ignore[no-any-return]


def _chooser(scale: float) -> Callable[[list[int]], int]:
    """The zero-concentrated form is the exponential mechanism, whose loss has a bounded range."""
    distance, measure = _library().metrics.linf_distance(T="i64"), _library().measures.zero_concentrated_divergence()
    make = _library().measurements.make_noisy_max
    return make(_integers(), distance, measure, scale=scale)  # type: ignore[no-any-return]


def _sums(exact: Integers, noise: Integers) -> Integers:
    """Sums that stay at the end of the 64-bit range where they would leave it, as those of the library do."""
    ends = np.iinfo(np.int64)
    low, high = np.where(noise < 0, ends.min - noise, ends.min), np.where(noise > 0, ends.max - noise, ends.max)
    return np.clip(exact, low, high) + noise


def _in_parallel(sample: Callable[[list[int]], list[int]], exact: Integers) -> Integers:
    """Share the cells among the cores; the library's samplers run outside the interpreter's lock."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pieces = min(cores, max(1, exact.size // _CELLS_PER_THREAD))
    chunks = [chunk.tolist() for chunk in np.array_split(exact.ravel(), pieces)]
    if pieces == 1:
        noisy = [sample(chunks[0])] if exact.size else []
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(pieces) as threads:
            noisy = list(threads.map(sample, chunks))
    return np.array([number for piece in noisy for number in piece], dtype=np.int64).reshape(exact.shape)


@dataclass(frozen=True, slots=True)
class SeededNoise:
    """Repeatable noise for experiments on public data; never private."""

    rng: "np.random.Generator"
    seeded: ClassVar[bool] = True

    def laplace(self, exact: Integers, scale: float) -> Integers:
        """Difference of two geometric variables, which is discrete Laplace."""
        stop = -np.expm1(-1.0 / scale)
        first, second = self.rng.geometric(stop, (2, *exact.shape))
        noisy: Integers = exact + first - second
        return noisy

    def gaussian(self, exact: Integers, scale: float, grain: int = 1) -> Integers:
        """Rounded Gaussian draws, accepted in proportion to the discrete law."""
        noise = np.empty(exact.size, dtype=np.int64)
        open_places = np.arange(exact.size)
        while open_places.size:
            drawn = np.rint(self.rng.normal(0.0, scale, open_places.size)).astype(np.int64)
            accepted = _accepted(drawn, self.rng.random(open_places.size), scale)
            noise[open_places[accepted]] = drawn[accepted]
            open_places = open_places[~accepted]
        return exact * grain + noise.reshape(exact.shape)

    def choose(self, scores: Integers, scale: float) -> int:
        """The place of the largest score after Gumbel noise."""
        return int(np.argmax(scores + self.rng.gumbel(0.0, scale, scores.shape)))

    def choose_each(self, scores: Integers, scale: float) -> list[int]:
        """The place of the largest score of each row after Gumbel noise."""
        found: list[int] = np.argmax(scores + self.rng.gumbel(0.0, scale, scores.shape), axis=1).tolist()
        return found

    def words(self, count: int) -> Words:
        """Words of the generator."""
        return self.rng.integers(0, 2**64, count, dtype=np.uint64)

    def generator(self) -> "np.random.Generator":
        """An independent stream that repeats with this one."""
        return self.rng.spawn(1)[0]


def _accepted(drawn: Integers, chance: NDArray[np.float64], scale: float) -> NDArray[np.bool_]:
    """Which draws to keep, in proportion to the discrete law over the rounded Gaussian's, which is largest at zero.

    At a distance d the ratio is ∫ exp(-t²/2s²) dt over ∫ exp(-t²/2s²) cosh(dt/s²) dt, both for t between -1/2 and 1/2,
    so at least 1/cosh(d/2s²). That is enough to know for nearly all draws.
    """
    distance = np.abs(drawn).astype(np.float64)
    with np.errstate(over="ignore"):
        accepted: NDArray[np.bool_] = chance < 1 / np.cosh(distance / (2 * scale**2))
    unsure = ~accepted
    distance = distance[unsure]
    at_zero, rounded = (
        probabilities((0.5 - place) / scale) - probabilities((-0.5 - place) / scale) for place in (0.0, distance)
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # beyond the doubles, where nothing is ever drawn
        accepted[unsure] = chance[unsure] < at_zero / rounded * np.exp(-(distance**2) / (2 * scale**2))
    return accepted
