"""Attribute inference: guess one column of a record from the others, through synthetic records.

Whoever learns that smokers fall ill learns it of outsiders too: what counts is the difference from the control. A
secret that was drawn anew before the release goes with nothing, so that each right guess beyond chance is a leak.
"""

from collections.abc import Callable

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes
from reaedp.attacks.people import People, Synthesize
from reaedp.attacks.space import Space
from reaedp.attacks.trials import Flags
from reaedp.privacy.permitted import Permitted

#: A guess of the secret for each person, who is given without it.
Guess = Callable[[Codes], Codes]
#: Learns to guess from synthetic records without their secret, and their secrets.
Learner = Callable[[Codes, Codes, np.random.Generator], Guess]


def by_neighbours(space: Space, secret: int, neighbours: int = 5) -> Learner:
    """The commonest secret among the nearest synthetic records."""
    known = space.on([column for column in range(len(space.places)) if column != secret])

    def learn(records: Codes, secrets: Codes, rng: np.random.Generator) -> Guess:
        order = rng.permutation(len(records))  # which of equally near records is taken must not follow their order
        records, secrets = records[order], secrets[order]

        def guess(people: Codes) -> Codes:
            rows, _ = known.nearest(people, records, neighbours)
            votes = np.zeros((len(people), space.sizes[secret]))
            np.add.at(votes, (np.arange(len(people))[:, None], secrets[rows]), 1)
            commonest: Codes = votes.argmax(axis=1)
            return commonest

        return guess

    return learn


def by_classifier(records: Codes, secrets: Codes, rng: np.random.Generator) -> Guess:
    """Guess the secret with boosted trees trained on the synthetic rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    values = np.unique(secrets)
    if len(values) == 1:
        return lambda people: np.full(len(people), values[0])
    seed = int(rng.integers(2**31))
    model = HistGradientBoostingClassifier(max_iter=50, early_stopping=False, random_state=seed)
    guess: Guess = model.fit(records, secrets).predict
    return guess


def infer(
    people: People,
    synthetic: Codes,
    secret: int,
    learner: Learner,
    promise: Permitted,
    *,
    rng: np.random.Generator,
    most: int = 1_000,
    name: str = "attribute inference",
) -> Attack:
    """The share of secrets guessed, of members and of outsiders; the blind guess is the outsiders' commonest value."""
    guess = learner(np.delete(synthetic, secret, axis=1), synthetic[:, secret], rng)

    def success(targets: Codes) -> Flags:
        right: Flags = guess(np.delete(targets, secret, axis=1)) == targets[:, secret]
        return right

    commonest = float(np.bincount(people.outsiders[:, secret]).max() / len(people.outsiders))
    return people.attacked(name, "secrets guessed", success, baseline=commonest, promise=promise, most=most, rng=rng)


def infer_random(
    people: People,
    synthesize: Synthesize,
    secret: int,
    learner: Learner,
    promise: Permitted,
    *,
    rng: np.random.Generator,
    most: int = 1_000,
) -> Attack:
    """Attribute inference after everyone's secret was drawn anew and the release made from that."""
    changed = people.with_random(secret, rng)
    synthetic = synthesize(changed.members, rng)
    name = "attribute inference, secret drawn anew"
    return infer(changed, synthetic, secret, learner, promise, rng=rng, most=most, name=name)
