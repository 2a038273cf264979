"""What a layer does with each kind of statistic, mechanism or column, and with one that it has never heard of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NoReturn, TypeVar

from reaedp.errors import DeclarationError

Way = TypeVar("Way")
#: Names of kinds that go together in many tables.
HISTOGRAMS = ("Marginal", "EntropyHistogram")
ENTROPIES = ("Entropy", "RoutedEntropy", "ConditionalEntropy", "MutualInformation", "EntropyMap")
SUMMARIES = ("Summary",)
QUANTILES = ("Quantiles", "ChosenQuantiles")
RECORDS = ("Synthetic",)
MOMENTS = ("Correlation", "Regression")
CURVES = ("MeanCurve", "SyntheticCurves")
NOISES = ("Laplace", "Gaussian", "Threshold", "TwoStage", "Exponential")
#: Mechanisms that do not add the same noise to every number.
NO_EVEN_NOISE = (*NOISES[2:], "MarginalModel", "Amortised", "Deniable", "DeniableCurves")


@dataclass(frozen=True)
class ByKind(Generic[Way]):
    """A way for some kinds, and a plain one for all others: those in `plain`, and whatever a stranger wrote.

    Layers that know statistics, mechanisms or columns by their type keep one of these and no other table. A kind of
    this package must stand in `ways` or in `plain`; tests/test_kinds.py fails for one that was forgotten. A kind of
    column that is derived from another one goes its way.
    """

    #: What the ways do, in words.
    purpose: str
    ways: Mapping[type[Any], Way]
    otherwise: Way
    #: Names of the kinds for which the plain way is meant.
    plain: tuple[str, ...] = ()
    over: Literal["statistics", "mechanisms", "columns"] = "statistics"

    def of(self, thing: object) -> Way:
        """The way for a statistic, a mechanism or a column."""
        kinds = type(thing).__mro__ if self.over == "columns" else (type(thing),)
        return next((self.ways[kind] for kind in kinds if kind in self.ways), self.otherwise)


def by_noise(purpose: str, ways: Mapping[type[Any], Way], otherwise: Way) -> ByKind[Way]:
    """A way for each mechanism that adds the same noise to every number, and a plain one for all others."""
    return ByKind(purpose, ways, otherwise=otherwise, plain=NO_EVEN_NOISE, over="mechanisms")


def no_way(*_: Any) -> NoReturn:
    """For columns, each of which is of a declared kind or of one that is derived from such: `Contract` sees to it."""
    raise DeclarationError("A column must be of a declared kind, or of one that is derived from such.")
