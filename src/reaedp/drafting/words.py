"""A column in a few words: `integer:0:120`, `number:0:50000:25`, `category:f:m`, `date:2020-01-01:2024-12-31:month`."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from reaedp.drafting.drafted import Drafted
from reaedp.errors import DeclarationError, sentence, unknown

#: What stands for what in the words of each kind, in order.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "number": ("lower", "upper", "bins"),
    "integer": ("lower", "upper", "width"),
    "boolean": (),
    "date": ("lower", "upper", "every"),
}
FORMS = (
    "integer:LOWER:UPPER, number:LOWER:UPPER:BINS, category:LEVEL:LEVEL:…, boolean, date:FIRST:LAST:EVERY (day, week,"
    " month or year)"
)
#: A comma ends the words of a column only before a name and a kind: levels may have commas.
_NEXT = re.compile(r",\s*(?=[^=,]+=\s*(?:number|integer|category|boolean|date)\b)")


def in_words(name: str, words: str) -> Drafted:
    """The column that some words describe; parts that are left out stay open."""
    kind, _, rest = words.strip().partition(":")
    kind = kind.strip()
    if kind == "category":
        levels = [level.strip() for level in rest.split("|" if "|" in rest else ":")] if rest.strip() else None
        return Drafted.of(name, kind, "public", {"levels": levels})
    if kind not in _PARTS:
        raise DeclarationError(f"{name}: {unknown('kind', kind, ('category', *_PARTS))} Write one of {FORMS}.")
    given = [part.strip() for part in rest.split(":")] if rest.strip() else []
    if len(given) > len(_PARTS[kind]):
        raise DeclarationError(sentence(f"{name}: the words must have one of the forms {FORMS}", given=words))
    facts = {key: _READ[key](name, kind, part) for key, part in zip(_PARTS[kind], given, strict=False) if part}
    return Drafted.of(name, kind, "public", facts)


def all_in_words(options: Sequence[str]) -> dict[str, Drafted]:
    """The columns of options such as `age=integer:0:120,sex=category:f:m`."""
    found = {}
    for option in options:
        for one in _NEXT.split(option):
            name, equals, words = one.partition("=")
            if not equals or not name.strip():
                raise DeclarationError(sentence("A kind must be given as NAME=KIND", given=one, remedy=f"{FORMS}."))
            found[name.strip()] = in_words(name.strip(), words)
    return found


def plain_number(text: str) -> float | int | None:
    """A number as people write it; None if it is none."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def plain_day(text: str) -> date | None:
    """A day as in 2024-12-31, whatever time follows; None if it is none."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _bound(name: str, kind: str, part: str) -> Any:
    value = plain_day(part) if kind == "date" else plain_number(part)
    if value is None:
        what = "a date such as 2024-12-31" if kind == "date" else "a number"
        raise DeclarationError(sentence(f"{name}: a bound of kind {kind} must be {what}", given=part))
    return value


def _count(name: str, kind: str, part: str) -> int:
    value = plain_number(part)
    if not isinstance(value, int):
        raise DeclarationError(sentence(f"{name}: the last part of kind {kind} must be a whole number", given=part))
    return value


_READ: Mapping[str, Callable[[str, str, str], Any]] = {
    "lower": _bound,
    "upper": _bound,
    "bins": _count,
    "width": _count,
    "every": lambda _name, _kind, part: part,
}
