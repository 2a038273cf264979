"""ε in pictures: what somebody can think of a person afterwards, of 100 people, and what the best attacker reaches."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reaedp.errors import DeclarationError
from reaedp.frames.number import about
from reaedp.privacy.loss import positive
from reaedp.privacy.permitted import permitted
from reaedp.release.readme import factor, hundredths, posterior

#: Beliefs before, in a hundred.
PRIORS = (1, 10, 50)
#: The side of the attacker's chart, and where it begins.
SIDE, LEFT, TOP = 240, 44, 12
#: False alarms, in a hundred, at which the cursor of the chart can stand.
ALARMS = (1, 5, 10, 25, 50)


@dataclass(frozen=True, slots=True)
class Odds:
    """What (ε, δ) permits: the picture of 100 dots, and the curve of the best attacker."""

    epsilon: float
    delta: float
    prior: int
    alarm: int

    @classmethod
    def of(cls, epsilon: float | None, delta: float | None, prior: int | None, alarm: int | None) -> "Odds | None":
        """For what was chosen; nothing where no ε was."""
        if epsilon is None:
            return None
        positive("epsilon", epsilon)
        return cls(
            float(epsilon),
            float(delta) if delta is not None and 0 < delta < 1 else 0.0,
            prior if prior in PRIORS else 10,
            alarm if alarm in ALARMS else 5,
        )

    @property
    def after(self) -> float:
        """How many of 100 somebody can think at most afterwards."""
        return 100 * posterior(self.prior / 100, self.epsilon)

    @property
    def words(self) -> str:
        """The picture in a sentence."""
        return (
            f"A belief of {self.prior} in 100 can become at most"
            f" {hundredths(posterior(self.prior / 100, self.epsilon))} in 100."
        )

    @property
    def changed(self) -> str:
        """The factor by which odds change at most."""
        return factor(self.epsilon)

    @property
    def dots(self) -> list[tuple[int, int, str]]:
        """A hundred dots with their places: filled before, ringed after, plain."""
        ringed = round(self.after)
        kinds = ["before" if n < self.prior else "after" if n < ringed else "rest" for n in range(100)]
        return [(12 + 24 * (n % 10), 12 + 24 * (n // 10), kind) for n, kind in enumerate(kinds)]

    @property
    def curve(self) -> str:
        """The best attacker's curve, as points of a chart."""
        falls = np.unique(np.concatenate([np.linspace(0, 1, 41), np.geomspace(1e-3, 1, 30)]))
        rises = permitted(self.epsilon, self.delta).true_positives(falls)
        return " ".join(f"{LEFT + SIDE * x:.1f},{TOP + SIDE * (1 - y):.1f}" for x, y in zip(falls, rises, strict=True))

    @property
    def cursor(self) -> Mapping[str, float | str]:
        """Where the cursor stands, and what it says."""
        caught = 100 * float(permitted(self.epsilon, self.delta).true_positives(self.alarm / 100))
        return {
            "x": LEFT + SIDE * self.alarm / 100,
            "y": TOP + SIDE * (1 - caught / 100),
            "words": f"An attacker who raises false alarms about {self.alarm} of 100 people outside the data finds"
            f" at most {about(caught, 2)} of 100 people in it.",
        }

    @property
    def beliefs(self) -> list[tuple[int, str]]:
        """How many of 100 somebody thinks before, and at most afterwards."""
        return [(prior, hundredths(posterior(prior / 100, self.epsilon))) for prior in PRIORS]

    @property
    def found(self) -> list[tuple[int, str]]:
        """False alarms of 100, and how many of 100 the best attacker finds for them."""
        best = permitted(self.epsilon, self.delta)
        return [(alarm, about(100 * float(best.true_positives(alarm / 100)), 2)) for alarm in ALARMS]

    @property
    def accuracy(self) -> str:
        """How often the best attacker is right, of 100 times, when a coin decides."""
        return about(100 * permitted(self.epsilon, self.delta).accuracy, 3)


def whole_of(text: str, digits: int = 3) -> int | None:
    """A small number of a query; nothing where it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def given(epsilon: float | int | None) -> float | None:
    """ε where it can be one."""
    try:
        return None if epsilon is None else positive("epsilon", epsilon)
    except DeclarationError:
        return None
