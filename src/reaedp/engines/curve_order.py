"""An order of a person's curves that every engine computes alike."""

from collections.abc import Sequence
from typing import Any


def mixed(values: Sequence[Any]) -> Any:
    """Σ (i + 1)·xᵢ in a fixed order of additions, which IEEE 754 then fixes, as any engine's expression.

    Added in pairs, so that expressions over many points are not deep.
    """
    terms = [value * float(place + 1) for place, value in enumerate(values)]
    while len(terms) > 1:
        pairs = [first + second for first, second in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[2 * len(pairs) :]
    return terms[0]


class Sql(str):
    """An expression in SQL, which can be multiplied and added."""

    __slots__ = ()

    def __mul__(self, factor: Any) -> "Sql":
        return Sql(f"({self} * {factor!r}::DOUBLE)")

    def __add__(self, other: Any) -> "Sql":
        return Sql(f"({self} + {other})")
