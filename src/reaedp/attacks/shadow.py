"""Membership in synthetic records, by practice: the attacker runs the synthesizer many times with and without a target.

The data are fixed and only the target comes and goes, so that nothing else can be mistaken for it.
"""

from collections.abc import Callable
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes
from reaedp.attacks.people import Synthesize
from reaedp.attacks.regression import Separator
from reaedp.attacks.roc import judged
from reaedp.attacks.space import Space
from reaedp.attacks.trials import Floats, Trials, coins
from reaedp.privacy.permitted import Permitted

Columns = NDArray[np.intp]
#: Told after each run how many are done, of how many.
Progress = Callable[[int, int], None]

#: As many questions about the synthetic records as a few hundred practice runs can weigh.
QUESTIONS = 100


def most_exposed(codes: Codes, space: Space, *, among: Columns | None = None, neighbours: int = 5) -> int:
    """The row, of all or of some, with the largest mean distance to its nearest others: nobody is easier to find."""
    rows = np.arange(len(codes)) if among is None else among
    _, distances = space.nearest(codes[rows], codes, neighbours + 1)  # the row itself is among them, at distance 0
    return int(rows[np.argmax(distances.sum(axis=1))])


def subsets(columns: int, count: int, rng: np.random.Generator) -> Columns:
    """Random different sets of one to three columns; the smaller ones repeat their last."""
    sizes = range(1, min(3, columns) + 1)
    every = [(*chosen, *chosen[-1:] * (3 - len(chosen))) for chosen in _all_sets(columns, sizes)]
    return np.array(every)[rng.permutation(len(every))[:count]]


def matching(synthetic: Codes, target: Codes, questions: Columns) -> Floats:
    """How many synthetic records there are, and how many agree with the target on each set of columns."""
    agree = np.ascontiguousarray((synthetic == target).T)
    both = agree[questions[:, 0]] & agree[questions[:, 1]] & agree[questions[:, 2]]
    return np.concatenate([[len(synthetic)], both.sum(axis=1)]).astype(np.float64)


def shadow(
    codes: Codes,
    target: int,
    synthesize: Synthesize,
    promise: Permitted,
    *,
    runs: int,
    rng: np.random.Generator,
    substitute: Codes | None = None,
    progress: Progress = lambda done, of: None,  # noqa: ARG005
) -> tuple[Attack, ...]:
    """Practise on the first half of the runs, attack the second; a substitute takes the place of an absent target."""
    rest, person = np.delete(codes, target, axis=0), codes[[target]]
    inside = np.concatenate([rest, person])
    outside = rest if substitute is None else np.concatenate([rest, substitute.reshape(1, -1)])
    questions = subsets(codes.shape[1], QUESTIONS, rng)
    member = coins(runs, rng)
    features = np.empty((runs, len(questions) + 1))
    for run, present in enumerate(member):
        features[run] = matching(synthesize(inside if present else outside, rng), person, questions)
        progress(run + 1, runs)
    features = np.sqrt(features)  # makes the spread of large and of small counts the same
    half = runs // 2
    separator = Separator.trained(features[:half], member[:half])
    trials = Trials(member[half:], separator.score(features[half:]))
    return judged("shadow runs, counts of records like the target", trials, promise, rng, threshold=0.0)


def _all_sets(columns: int, sizes: range) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(columns), size) for size in sizes)
