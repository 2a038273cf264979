"""JSON read without its freedoms: one meaning for each text, and nothing that harms its reader.

A repeated key, NaN, infinity, a number that no double holds, a whole number of many digits, half a character and deep
nesting are read differently by different programs, or not at all; here they are errors.
"""

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

#: No manifest is nested deeper, and none has longer whole numbers.
DEEPEST = 32
MOST_DIGITS = 50


class NotStrict(ValueError):
    """A text that is not strict JSON; the message is the rule that it breaks."""


def read_strict(text: bytes) -> Any:
    """Read a JSON text strictly: no repeated keys, no NaN, no infinite numbers."""
    try:
        value = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_different_keys,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_small,
        )
    except NotStrict:
        raise
    except UnicodeDecodeError:
        raise NotStrict("it must be UTF-8 text") from None
    except RecursionError:
        raise NotStrict(f"it must not be nested deeper than {DEEPEST} levels") from None
    except ValueError:
        raise NotStrict("it must be valid JSON") from None
    _check(value)
    return value


def _different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrict("no key may stand twice in the same place")
    return found


def _no_constant(name: str) -> NoReturn:
    raise NotStrict(f"numbers must be finite, and {name} is not")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotStrict("numbers must fit into a double")
    return number


def _small(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise NotStrict(f"whole numbers must have at most {MOST_DIGITS} digits")
    return int(text)


def _check(value: Any) -> None:
    """Level by level, so that depth costs no stack."""
    level = [value]
    for _ in range(DEEPEST):
        for text in _texts(level):
            if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
                raise NotStrict("texts must not contain half a character")
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return
    raise NotStrict(f"it must not be nested deeper than {DEEPEST} levels")


def _texts(values: list[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value
