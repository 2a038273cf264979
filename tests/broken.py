"""Mechanism F as published and in other wrong forms, each with a pair of neighbours that convicts it.

A world says how likely a seed of each kind makes each candidate, and into which class it then falls. Laws are computed,
not sampled: an array with one probability for each possible output, "nothing" last where it can be seen.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.acceptance import PrivacyTest
from reaedp.mechanisms.published_acceptance import PublishedTest
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.privacy.unit import Unit

Law = NDArray[np.float64]
Data = NDArray[np.int64]
Test = PrivacyTest | PublishedTest


@dataclass(frozen=True, eq=False)
class World:
    """Row s: how likely a seed of kind s makes each candidate, and its class there, -1 for none."""

    probabilities: Law
    classes: NDArray[np.int64]
    gamma: float

    def one_trial(self, data: Data, test: Test) -> Law:
        """The probability that a trial makes a candidate and lets it pass; `data` counts the seeds of each kind."""
        alike = (self.classes[:, None] == self.classes[None]) & (self.classes >= 0)[:, None]
        plausible = np.einsum("sty,t->sy", alike, data)
        passing = data[:, None] * self.probabilities * test.rate(plausible)
        return passing.sum(axis=0) / max(data.sum(), 1)


def stopped(world: World, test: Test, stopping: Stopping, data: Data) -> Law:
    """F as it is implemented here."""
    return with_nothing(world.one_trial(data, test), stopping)


def with_nothing(trial: Law, stopping: Stopping) -> Law:
    odds = float(stopping.odds)
    return np.append(odds * trial, 1.0) / (1 + odds * trial.sum())


def looped(world: World, test: Test, data: Data) -> Law:
    """Tries until a candidate passes; without one that can, never answers."""
    trial = world.one_trial(data, test)
    return np.append(trial / trial.sum(), 0.0) if trial.sum() else np.append(trial, 1.0)


def capped(world: World, test: Test, most: int, data: Data) -> Law:
    """Tries a fixed number of times."""
    trial = world.one_trial(data, test)
    passing = trial.sum()
    return np.append(trial * (-np.expm1(most * np.log1p(-passing)) / passing), np.exp(most * np.log1p(-passing)))


def tried_once(world: World, test: Test, data: Data) -> Law:
    """One trial, and it shows whether it passed."""
    trial = world.one_trial(data, test)
    return np.append(trial, 1 - trial.sum())


def with_round(world: World, test: Test, stopping: Stopping, rounds: int, data: Data) -> Law:
    """Geometric stopping that says in which round it ended; later rounds are left out."""
    trial, go_on = world.one_trial(data, test), 1 - stopping.tau
    reached = (go_on * (1 - trial.sum())) ** np.arange(rounds)
    return np.concatenate([np.outer(reached * go_on, trial).ravel(), reached * stopping.tau])


def with_trials(world: World, test: Test, stopping: Stopping, rounds: int, data: Data) -> Law:
    """Geometric stopping that runs all its trials and shows, by the time it takes, how many there were."""
    trial = world.one_trial(data, test)
    trials = np.arange(rounds)
    chance, nothing = stopping.tau * (1 - stopping.tau) ** trials, (1 - trial.sum()) ** trials
    return np.concatenate([np.outer(chance * (1 - nothing), trial / trial.sum()).ravel(), chance * nothing])


def learned(test: Test, stopping: Stopping, kinds: int, data: Data) -> Law:
    """Every seed proposes the largest record of the data: a model learned from the seeds and not paid for."""
    proposed = np.zeros((kinds, kinds))
    proposed[:, np.flatnonzero(data)[-1]] = 1.0
    return stopped(World(proposed, np.where(proposed > 0, 0, -1), 1.0), test, stopping, data)


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism, two neighbours, and what was claimed of it; `world` is where the sound form must hold."""

    name: str
    law: Callable[[Data], Law]
    smaller: Data
    larger: Data
    epsilon: float
    delta: float
    world: World


def certain(kinds: int) -> World:
    """Each kind makes its own record and no other."""
    return World(np.eye(kinds), np.where(np.eye(kinds) > 0, 0, -1), 2.0)


def overlapping() -> World:
    """Each of 36 kinds makes half of a circle, one more kind all of it; all are within a factor of two."""
    place = np.arange(36)
    halves = ((place[None] - place[:, None]) % 36 < 18) / 18
    probabilities = np.vstack([halves, np.full(36, 1 / 36)])
    return World(probabilities, np.where(probabilities > 0, 0, -1), 2.5)


def rare_candidate() -> World:
    """Each of 100 seeds makes its own record, six make candidate 0 once in 2,000 times; one more makes nothing else."""
    probabilities = np.hstack([np.zeros((101, 1)), np.eye(101, 100)])
    probabilities[:6, 0] = 1.001 / 2000
    probabilities[:6, 1:] *= 1 - 1.001 / 2000
    probabilities[100, 0] = 1.0
    return World(probabilities, np.where(probabilities > 0, 0, -1), 2000.0)


def zeros_in_a_class(capped_class: bool) -> World:
    """One kind makes candidate 0, the other each of 1,024 candidates; what cannot be made is class 10, or none."""
    spread = np.full(1024, 1 / 1024)
    probabilities = np.block([[np.ones((1, 1)), np.zeros((1, 1024))], [np.zeros((1, 1)), spread[None]]])
    classes = np.where(probabilities == 1, 0, np.where(probabilities > 0, 10, 10 if capped_class else -1))
    return World(probabilities, classes, 2.0)


def published(test: PublishedTest, world: World, new: int, data: list[int], **forms: Callable[[Data], Law]) -> Case:
    """Neighbours that differ by one seed of the kind `new`, the published claim, and the form by its name."""
    smaller = np.array(data)
    larger = smaller + np.eye(len(data), dtype=np.int64)[new]
    ((name, law),) = forms.items()
    return Case(name, law, smaller, larger, test.epsilon(world.gamma), test.delta(), world)


def until_one_passes() -> Case:
    test, world = PublishedTest(20, 2, 1.0), certain(21)
    return published(test, world, 20, [1] * 20 + [0], tries_until_one_passes=partial(looped, world, test))


def until_a_rare_one_passes() -> Case:
    test, world = PublishedTest(100, 80, 1.0), rare_candidate()
    return published(test, world, 100, [1] * 100 + [0], tries_until_a_rare_one_passes=partial(looped, world, test))


def never_ending() -> Case:
    test, world = PublishedTest(20, 2, 1.0), certain(2)
    return published(test, world, 0, [0, 0], never_answers_without_seeds=partial(looped, world, test))


def so_many_times(most: int = 20_000) -> Case:
    """Claimed by adding up the δ of all trials, and ln(1 + 1/n) for the size."""
    test, world = PublishedTest(27, 10, 1.0), overlapping()
    case = published(test, world, 36, [1] * 36 + [0], tries_a_fixed_number_of_times=partial(capped, world, test, most))
    return replace(case, epsilon=case.epsilon + math.log1p(1 / 36), delta=most * case.delta)


def once() -> Case:
    test, world = PublishedTest(50, 10, 1.0), certain(2)
    return published(test, world, 1, [1000, 0], tries_once_and_shows_nothing=partial(tried_once, world, test))


def impossible_seeds() -> Case:
    test = PublishedTest(50, 10, 1.0)
    law = partial(stopped, zeros_in_a_class(True), test, Stopping(2.0**-10))
    return published(test, zeros_in_a_class(False), 1, [1000, 0], counts_seeds_that_cannot_make_it=law)


def without_noise() -> Case:
    test, world = PublishedTest(30, 5, 1.0), certain(41)
    law = partial(stopped, world, PrivacyTest((0,) * 30), Stopping(2.0**-10))
    return published(test, world, 0, [29] + [1] * 40, tests_without_noise=law)


def unpaid_model() -> Case:
    test = PublishedTest(30, 5, 1.0)
    law = partial(learned, test, Stopping(2.0**-10), 3)
    return published(test, certain(3), 2, [60, 60, 0], learns_from_its_seeds=law)


def revealing(**forms: Callable[..., Law]) -> Case:
    """Claimed is what holds for geometric stopping that shows no more than its answer."""
    test, world, stopping = PublishedTest(27, 10, 1.0), overlapping(), Stopping(2.0**-17)
    shown = {name: partial(law, world, test, stopping, 60_000) for name, law in forms.items()}
    case = published(test, world, 36, [1] * 36 + [0], **shown)
    unit = Unit("add-remove", at_least=36)
    return replace(case, delta=guarantee(test.table(), stopping, world.gamma, unit, case.epsilon).delta)


def cases() -> list[Case]:
    """Every broken form."""
    return [
        until_one_passes(),
        until_a_rare_one_passes(),
        never_ending(),
        so_many_times(),
        once(),
        impossible_seeds(),
        without_noise(),
        unpaid_model(),
        revealing(shows_the_round=with_round),
        revealing(shows_the_number_of_trials=with_trials),
    ]
