"""Patterns of plain values: what a key may hold, said once, and every place where a value is not so."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

#: Longer values are cut in messages.
_SHOWN = 60
#: What is said of a kind that nobody here defines, and how every such mistake ends.
ELSEWHERE = (
    "is not a kind that is known here. If another package defines it, install that package, or import it before the"
    " folder is read."
)


class Pattern(Protocol):
    """What a value must be."""

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Every rule that the value breaks, with the place of each."""


def _said(where: str, rule: str, value: Any) -> str:
    given = repr(value) if isinstance(value, str | int | float | bool) or value is None else type(value).__name__
    return f"{where} must be {rule}; given {given if len(given) <= _SHOWN else given[:_SHOWN] + '…'}."


class Text(NamedTuple):
    """A text, of a form if one is given; `form` in words is `rule`."""

    rule: str = "a text"
    form: str | None = None
    longest: int = 1_000_000

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not a text, or of another form."""
        good = isinstance(value, str) and len(value) <= self.longest
        if not good or (self.form is not None and not re.fullmatch(self.form, value)):
            yield _said(where, self.rule, value)


class OneOf(NamedTuple):
    """One of some texts."""

    texts: tuple[str, ...]

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Complain of any other text, and of anything that is not text."""
        if not isinstance(value, str) or value not in self.texts:
            yield _said(where, f"one of {', '.join(self.texts)}", value)


class Whole(NamedTuple):
    """A whole number in a closed range; truth values are none."""

    low: int
    high: int = 2**63 - 1

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not whole, or out of range."""
        if type(value) is not int or not self.low <= value <= self.high:
            yield _said(where, f"a whole number from {self.low:,} to {self.high:,}", value)


class Real(NamedTuple):
    """A number in a closed range; truth values are none."""

    low: float
    high: float

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not a number, or out of range."""
        if type(value) not in (int, float) or not self.low <= value <= self.high:
            yield _said(where, f"a number from {self.low:g} to {self.high:g}", value)


class Truth(NamedTuple):
    """A value that must be true or false."""

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Complain of anything but true and false."""
        if type(value) is not bool:
            yield _said(where, "true or false", value)


class Maybe(NamedTuple):
    """Null, or what another pattern says."""

    inner: Pattern

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Complain as the other pattern does, unless the value is null."""
        if value is not None:
            yield from self.inner.mistakes(value, where)


class ListOf(NamedTuple):
    """A list of alike things, with a least length."""

    inner: Pattern
    fewest: int = 0

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not a list, too short, or something in it."""
        if not isinstance(value, list) or len(value) < self.fewest:
            yield _said(where, f"a list of {self.fewest} or more", value)
            return
        for number, item in enumerate(value):
            yield from self.inner.mistakes(item, f"{where}[{number}]")


class PairOf(NamedTuple):
    """A list of two different things."""

    first: Pattern
    second: Pattern

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not two, or something in them."""
        if not isinstance(value, list) or len(value) != 2:
            yield _said(where, "a list of two", value)
            return
        yield from self.first.mistakes(value[0], f"{where}[0]")
        yield from self.second.mistakes(value[1], f"{where}[1]")


class Keys(NamedTuple):
    """An object with exactly these keys; those of `more` may be left out."""

    keys: Mapping[str, Pattern]
    more: Mapping[str, Pattern] = MappingProxyType({})

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not an object, a key too many or too few, or something in it."""
        if not isinstance(value, dict):
            yield _said(where, "an object", value)
            return
        known = {**self.keys, **self.more}
        yield from (f"{_inner(where, key)} is missing." for key in self.keys if key not in value)
        yield from (f"{_inner(where, key)[:_SHOWN]!r} is not a key here." for key in value if key not in known)
        for key, pattern in known.items():
            if key in value:
                yield from pattern.mistakes(value[key], _inner(where, key))


class MapOf(NamedTuple):
    """An object whose keys and values are alike."""

    key: Pattern
    inner: Pattern

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not an object, or something in it."""
        if not isinstance(value, dict):
            yield _said(where, "an object", value)
            return
        for key, item in value.items():
            yield from self.key.mistakes(key, f"a key of {where}")
            yield from self.inner.mistakes(item, _inner(where, key)[:200])


class Named(NamedTuple):
    """An object of a kind, by its name under one key; the rest is for whoever builds the thing again."""

    key: str
    kinds: Mapping[str, Any]
    #: Whether there is a kind of a name; it may look further than `kinds`, and add to them. Only this package's own
    #: kinds can be there without it.
    known: Callable[[Mapping[str, Any], str], bool] | None = None

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Not an object, or of no known kind."""
        if not isinstance(value, dict):
            yield _said(where, "an object", value)
            return
        name = value.get(self.key)
        if isinstance(name, str) and (name in self.kinds if self.known is None else self.known(self.kinds, name)):
            return
        if self.known is not None and isinstance(name, str):
            yield f"{_inner(where, self.key)} {name[:_SHOWN]!r} {ELSEWHERE}"
            return
        yield from OneOf(tuple(self.kinds)).mistakes(value.get(self.key), _inner(where, self.key))


class Object(NamedTuple):
    """An object with any keys."""

    def mistakes(self, value: Any, where: str) -> Iterator[str]:
        """Complain of anything but an object."""
        if not isinstance(value, dict):
            yield _said(where, "an object", value)


def _inner(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
