"""Linear regression of one column on others."""

from collections.abc import Sequence
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.statistics.moments.fit import Fit
from reaedp.statistics.moments.moment_sums import MomentSums, refuse_names
from reaedp.statistics.moments.noisy_moments import NoisyMoments, Told
from reaedp.statistics.names import column_names


@dataclass(frozen=True, slots=True, init=False)
class Regression(MomentSums):
    """The linear regression of one column on others, by least squares.

    It regresses the column `of` (numbers, dates or booleans) `on` columns of any kind; each level of a category is
    compared with its first level.

    >>> release = curator.release(Regression(of="age", on=["sex", "smokes"]), Gaussian(epsilon=1, delta=1e-6))
    >>> release.frame()["second"].tolist()[:6:2]
    ['(intercept)', 'sex = m', 'smokes']
    """

    of: str
    on: tuple[str, ...]

    def __init__(self, of: str, on: str | Sequence[str]) -> None:
        names = column_names(on)
        if not all(isinstance(name, str) for name in (of, *names)) or len({of, *names}) <= max(len(names), 1):
            rule = "A regression must be of one column on one or more others, each named once"
            given = {"of": of, "on": on}
            raise DeclarationError(sentence(rule, given=given, remedy='Write Regression(of="income", on=["age"]).'))
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "on", names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns that are read."""
        return (*self.on, self.of)

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"regression of {self.of} on {', '.join(self.on)}"

    def check(self, contract: Contract) -> None:
        """Refuse what cannot be answered under this contract."""
        refuse_names(contract, (self.of,), "Categories can be predictors.")
        MomentSums.check(self, contract)

    def told(self, moments: NoisyMoments) -> list[Told]:
        """The results that follow from the sums in `moments`, line by line."""
        return Fit(moments).told()
