"""Means, variances, covariances and correlations of several columns at one price."""

from collections.abc import Sequence
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.statistics.moments.covariances import Covariances
from reaedp.statistics.moments.moment_sums import MomentSums, refuse_names
from reaedp.statistics.moments.noisy_moments import NoisyMoments, Told
from reaedp.statistics.names import column_names


@dataclass(frozen=True, slots=True, init=False)
class Correlation(MomentSums):
    """Means, variances, covariances and correlations of several columns.

    `of` names two or more columns of numbers, dates or booleans.

    >>> release = curator.release(Correlation(of=["age", "smokes"]), Gaussian(epsilon=1, delta=1e-6))
    >>> sorted(set(release.frame()["measure"].tolist()))[:3]
    ['correlation', 'covariance', 'mean']
    """

    of: tuple[str, ...]

    def __init__(self, of: str | Sequence[str]) -> None:
        names = column_names(of)
        if not all(isinstance(name, str) for name in names) or len(set(names)) < max(len(names), 2):
            rule = "Correlations must be of two or more columns, each named once"
            raise DeclarationError(sentence(rule, given=of, remedy='Write Correlation(of=["age", "income"]).'))
        object.__setattr__(self, "of", names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns that are read."""
        return self.of

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"correlations of {', '.join(self.of)}"

    def check(self, contract: Contract) -> None:
        """Refuse what cannot be answered under this contract."""
        refuse_names(contract, self.of, "Use it as a predictor of a regression, or leave it out.")
        MomentSums.check(self, contract)

    def told(self, moments: NoisyMoments) -> list[Told]:
        """The results that follow from the sums in `moments`, line by line."""
        return Covariances(moments).told()
