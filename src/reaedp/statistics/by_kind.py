"""What a layer does with each kind of statistic, mechanism or column, and with one that it has never heard of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NoReturn, TypeVar

from reaedp.errors import DeclarationError

Way = TypeVar("Way")
#: Names of kinds that go together in many tables.
HISTOGRAMS = ("Marginal", "EntropyHistogram")
SINGLE_ENTROPIES = ("Entropy", "RoutedEntropy", "ConditionalEntropy", "MutualInformation")
ENTROPIES = (*SINGLE_ENTROPIES, "EntropyMap")
SUMMARIES = ("Summary", "Rates", "KeyedSummary", "KeyedRates")
QUANTILES = ("Quantiles", "ChosenQuantiles")
RECORDS = ("Synthetic",)
MOMENTS = ("Correlation", "Regression")
CURVES = ("MeanCurve", "SyntheticCurves")
NOISES = ("Laplace", "Gaussian", "Threshold", "TwoStage", "Exponential")
#: Mechanisms that do not add the same noise to every number.
NO_EVEN_NOISE = (*NOISES[2:], "GroupThreshold", "MarginalModel", "Amortised", "Deniable", "DeniableCurves")


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
    #: More ways, by the module or folder of their kinds: imported with it when the first of them is met.
    later: Mapping[str, Callable[[], Mapping[type[Any], Way]]] = field(default_factory=dict)
    #: Ways of kinds of this package by the names of their classes, which are not imported for them.
    named: Mapping[str, Way] = field(default_factory=dict)

    def of(self, thing: object) -> Way:
        """The way for a statistic, a mechanism or a column."""
        kinds = type(thing).__mro__ if self.over == "columns" else (type(thing),)
        return next((ways[kind] for kind in kinds if kind in (ways := self._ways_near(kind))), self.otherwise)

    @property
    def all_ways(self) -> Mapping[str, Way]:
        """Every way that is not the plain one, by the name of its kind."""
        tables = (self.ways, *(load() for load in self.later.values()))
        return {kind.__name__: way for table in tables for kind, way in table.items()} | dict(self.named)

    def _ways_near(self, kind: type[Any]) -> Mapping[type[Any], Way]:
        """The table in which a kind stands if it stands in one."""
        if kind.__name__ in self.named and kind.__module__.startswith("reaedp."):
            return {kind: self.named[kind.__name__]}
        near = (load for place, load in self.later.items() if f"{kind.__module__}.".startswith(f"{place}."))
        load = next(near, None)
        return self.ways if load is None else load()


def full_name(kind: type[Any]) -> str:
    """Where a kind is written, and how it is called there."""
    return f"{kind.__module__}.{kind.__qualname__}"


def derived_from(thing: object, name: str) -> bool:
    """Whether a thing is of the kind with this full name, or of one derived from it; the kind is not imported."""
    return any(name == full_name(kind) for kind in type(thing).__mro__)


def by_noise(purpose: str, ways: Mapping[type[Any], Way], otherwise: Way) -> ByKind[Way]:
    """A way for each mechanism that adds the same noise to every number, and a plain one for all others."""
    plain = tuple(name for name in NO_EVEN_NOISE if name not in {kind.__name__ for kind in ways})
    return ByKind(purpose, ways, otherwise=otherwise, plain=plain, over="mechanisms")


def no_way(*_: Any) -> NoReturn:
    """For columns, each of which is of a declared kind or of one that is derived from such: `Contract` sees to it."""
    raise DeclarationError("A column must be of a declared kind, or of one that is derived from such.")
