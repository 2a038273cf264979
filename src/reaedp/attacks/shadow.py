"""Membership in synthetic records, by practice: the attacker runs the synthesizer many times with and without a target.

The data are fixed and only the target comes and goes, so that nothing else can be mistaken for it.
"""

from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes
from reaedp.attacks.people import Synthesize
from reaedp.attacks.regression import Separator
from reaedp.attacks.roc import judged
from reaedp.attacks.rounds import Progress, played
from reaedp.attacks.space import Space
from reaedp.attacks.trials import Floats, Trials, coins
from reaedp.privacy.permitted import Permitted

Columns = NDArray[np.intp]

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


@dataclass(frozen=True, slots=True, eq=False)
class Practice:
    """Releases with and without one person, seen through questions about records like theirs."""

    inside: Codes
    outside: Codes
    person: Codes
    questions: Columns
    synthesize: Synthesize

    def __call__(self, present: bool, rng: np.random.Generator) -> Floats:
        """One release; the square root makes the spread of large and of small counts the same."""
        codes = self.inside if present else self.outside
        codes.setflags(write=False)  # what cannot change, a synthesizer may remember
        return np.sqrt(matching(self.synthesize(codes, rng), self.person, self.questions))


def shadow(
    codes: Codes,
    target: int,
    synthesize: Synthesize,
    promise: Permitted,
    *,
    runs: int,
    rng: np.random.Generator,
    substitute: Codes | None = None,
    workers: int = 1,
    progress: Progress = lambda done, of: None,  # noqa: ARG005
) -> tuple[Attack, ...]:
    """Practise on the first half of the runs, attack the second; a substitute takes the place of an absent target.

    Every run has a stream of its own, so that the number of workers, which are processes, changes no figure.
    """
    rest, person = np.delete(codes, target, axis=0), codes[[target]]
    inside = np.concatenate([rest, person])
    outside = rest if substitute is None else np.concatenate([rest, substitute.reshape(1, -1)])
    practice = Practice(inside, outside, person, subsets(codes.shape[1], QUESTIONS, rng), synthesize)
    member = coins(runs, rng)
    features = played(practice, member, rng, workers=workers, progress=progress)
    half = runs // 2
    separator = Separator.trained(features[:half], member[:half])
    trials = Trials(member[half:], separator.score(features[half:]))
    return judged("shadow runs, counts of records like the target", trials, promise, rng, threshold=0.0)


def _all_sets(columns: int, sizes: range) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(columns), size) for size in sizes)
