"""Mechanisms that are asked for by what they may cost, as plans ask: (ε, δ) in place of a scale.

How much noise a price buys depends on what is to be hidden. So `Gaussian(epsilon=1, delta=1e-6)` is a wish, which
becomes a mechanism when statistic and contract are known, before anything is charged.
"""

from dataclasses import dataclass, field, fields
from inspect import signature
from typing import Any, ClassVar, Self

from reaedp.answer import Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.loss import positive


@dataclass(frozen=True, slots=True)
class ByPrice:
    """A kind of mechanism, and the price and options with which it was asked for."""

    kind: type[Any]
    wish: dict[str, Any] = field(hash=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be asked of the kind."""
        try:
            signature(self.kind.bought).bind(None, None, **self.wish)
        except TypeError as error:
            raise DeclarationError(
                f"{self.kind.__name__} was called with {', '.join(self.wish)}: {error}."
                f" A price is written {self.kind.__name__}(epsilon=1, delta=1e-6)."
            ) from None
        for name, below in (("epsilon", float("inf")), ("delta", 1.0)):
            positive(name, self.wish[name], below=below)

    @property
    def name(self) -> str:
        """The name of the mechanism that it will be."""
        return str(self.kind.name)

    @property
    def hides(self) -> Shape:
        """What it will hide."""
        shape: Shape = self.kind.hides
        return shape

    def settled(self, statistic: Any, contract: Contract) -> Any:
        """The mechanism itself, for a statistic that it can hide."""
        return self.kind.bought(statistic, contract, **self.wish)

    def __repr__(self) -> str:
        wish = ", ".join(f"{key}={value!r}" for key, value in self.wish.items())
        return f"{self.kind.__name__}({wish})"


class Buyable:
    """Makes `Kind(epsilon=…, delta=…)` a wish, unless the parameter `scaled_by`, which follows from a price, is given.

    A kind has a class method `bought(statistic, contract, *, epsilon, delta, …)`, whose further arguments are options
    of the wish.
    """

    __slots__ = ()
    scaled_by: ClassVar[str]

    def __new__(cls, *given: Any, **wish: Any) -> Self:
        """A wish, or the mechanism itself."""
        if len(given) > len(fields(cls)):  # type: ignore[arg-type]
            raise DeclarationError(
                sentence(
                    f"A price must be given by name, as in {cls.__name__}(epsilon=1, delta=1e-6)",
                    given=given,
                )
            )
        if given or not wish or cls.scaled_by in wish:
            return object.__new__(cls)
        return ByPrice(cls, wish)  # type: ignore[return-value]


def settled(mechanism: Any, statistic: Any, contract: Contract) -> Any:
    """The mechanism; if it is a wish, the least noise that it buys for this statistic."""
    if not isinstance(mechanism, ByPrice):
        return mechanism
    statistic.check(contract)
    check_shape(mechanism, statistic)
    return mechanism.settled(statistic, contract)


def check_shape(mechanism: Any, statistic: Any) -> None:
    """Refuse a mechanism that cannot hide what this statistic answers."""
    if statistic.answers != mechanism.hides:
        raise DeclarationError(
            sentence(
                f"The mechanism {mechanism.name} needs a statistic whose answers are {mechanism.hides!r}",
                given=f"{statistic.title}, which is {statistic.answers}",
                remedy="Marginal takes Laplace or Gaussian, KeyedMarginal takes Threshold, and KeyedSummary takes"
                " GroupThreshold.",
            )
        )


def check_fit(mechanism: Any, statistic: Any, contract: Contract) -> None:
    """Refuse a mechanism that was made for another statistic, where it can say so."""
    fits = getattr(mechanism, "fits", None)
    if fits is not None and not fits(statistic, contract):
        raise DeclarationError(
            f"The mechanism {mechanism.name} was made for another statistic or contract than {statistic.title}; ask for"
            f" it by its price: {type(mechanism).__name__}(epsilon=1, delta=1e-6)."
        )
