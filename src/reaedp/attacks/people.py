"""People whose records went into a release, and people from the same population whose records did not."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.pair import Codes
from reaedp.attacks.space import Space
from reaedp.attacks.trials import Flags
from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.permitted import Permitted
from reaedp.rate import Rate, share

#: Makes synthetic records from true ones.
Synthesize = Callable[[Codes, np.random.Generator], Codes]
#: Which of these people an attack succeeds on.
Success = Callable[[Codes], Flags]


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Records of both, as codes in the same space; who is in must have been decided by lot."""

    members: Codes
    outsiders: Codes
    space: Space

    def __post_init__(self) -> None:
        columns = {len(self.space.places), *(codes.shape[-1] for codes in (self.members, self.outsiders))}
        if len(columns) > 1:
            raise DeclarationError(sentence("Members, outsiders and space must have the same columns", given=columns))

    def attacked(
        self,
        name: str,
        figure: str,
        success: Success,
        *,
        baseline: float,
        promise: Permitted,
        most: int,
        rng: np.random.Generator,
    ) -> Attack:
        """Try an attack on at most this many of each kind; the promise caps members by what outsiders suffer.

        Members are drawn with replacement, as the range is for the share of this release's members; outsiders are new
        people each, as their range is for the population (see PROOFS.md). The cap is read at its upper end.
        """
        drawn = self.members[rng.integers(len(self.members), size=most)]
        strangers = self.outsiders[rng.permutation(len(self.outsiders))[:most]]
        main, control = _share_of(success(drawn)), _share_of(success(strangers))
        return Attack(name, figure, main, control, baseline, float(promise.true_positives(control.high)))

    def with_random(self, column: int, rng: np.random.Generator) -> "People":
        """The same people with a column drawn anew, evenly and independently."""
        size = self.space.sizes[column]
        return People(
            _redrawn(self.members, column, size, rng), _redrawn(self.outsiders, column, size, rng), self.space
        )


def _redrawn(codes: Codes, column: int, size: int, rng: np.random.Generator) -> Codes:
    changed = codes.copy()
    changed[:, column] = rng.integers(size, size=len(codes))
    return changed


def _share_of(flags: Flags) -> Rate:
    return share(int(flags.sum()), len(flags))
