"""What a text means, however it is written: "1", "1.0" and "01" are one number, midnight is the day that it begins.

The same value is stored as a number, a truth value, a moment or a text, as it pleases a container and the other rows in
it. Whatever compares values compares what is said here.
"""

import math
import re
from datetime import date

from reaedp.contract import shapes

MICROSECONDS_OF_A_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1)

#: A kind of meaning, "number", "moment" or "text", and what is meant.
Meaning = tuple[str, str]


def meaning(text: str) -> Meaning:
    """What a text in a category means; texts of the same meaning are the same level."""
    if not re.match(shapes.PROMISING, text):
        return "text", text
    value = number(text)
    if value is not None:
        return "number", "nan" if math.isnan(value) else repr(value + 0.0)
    instant = moment(text)
    return ("text", text) if instant is None else ("moment", str(instant))


def number(text: str) -> float | None:
    """The nearest double of a text that is a number; 1 and 0 for "true" and "false" in any case; None of any other."""
    if _is(shapes.TRUE, text):
        return 1.0
    if _is(shapes.FALSE, text):
        return 0.0
    return float(text.strip(shapes.BLANKS)) if _is(shapes.NUMBER, text) else None


def moment(text: str) -> int | None:
    """Microseconds since 1970 of a text that is a date or a time as programs write it; those without a zone in UTC."""
    if not _is(shapes.MOMENT, text):
        return None
    try:
        day = date(int(text[:4]), int(text[5:7]), int(text[8:10]))
    except ValueError:
        return None
    midnight = (day - _EPOCH).days * MICROSECONDS_OF_A_DAY
    if len(text) == 10:
        return midnight
    hours, minutes, seconds = (int(text[place : place + 2]) for place in (11, 14, 17))
    fraction = re.match("[.]([0-9]+)", text[19:])
    micros = int(fraction[1][:6].ljust(6, "0")) if fraction else 0
    return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros - _offset(text)


def _offset(text: str) -> int:
    zone = re.search(shapes.ZONE, text)
    if zone is None:
        return 0
    minutes = int(zone[2]) * 60 + int(zone[3] or 0)
    return (-minutes if zone[1] == "-" else minutes) * 60_000_000


def _is(shape: str, text: str) -> bool:
    """Python's `$` also stands before a last line break."""
    return re.fullmatch(shape.removeprefix("^").removesuffix("$"), text) is not None
