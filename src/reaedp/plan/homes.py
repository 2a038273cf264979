"""Classes by name, imported by families when one of them is asked for: to know that a kind exists costs nothing."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

Kind = type[Any]


class Homes(MutableMapping[str, Kind]):
    """Classes by name; names alone, and their number, import nothing.

    `families` says which names go together and how their classes are found, in the same order.
    """

    def __init__(self, families: Mapping[tuple[str, ...], Callable[[], tuple[Kind, ...]]]) -> None:
        self._ways = {name: (names, find) for names, find in families.items() for name in names}
        self._kinds: dict[str, Kind | None] = dict.fromkeys(self._ways)

    def __getitem__(self, name: str) -> Kind:
        kind = self._kinds[name]
        if kind is not None:
            return kind
        names, find = self._ways[name]
        found = dict(zip(names, find(), strict=True))
        self._kinds |= {own: kind for own, kind in found.items() if own in self._kinds and self._kinds[own] is None}
        return found[name]

    def __setitem__(self, name: str, kind: Kind) -> None:
        self._kinds[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)
