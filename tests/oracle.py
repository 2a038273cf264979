"""The canonical value of a cell by hand: plain Python that shares no code with any engine's SQL.

A cell is given as what it is: None, a text, a truth value, an integer, a float, a `Decimal`, a date, a `datetime`, or
`Nanoseconds` since 1970. Only the meaning of a category's levels is taken from the contract's own code.
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from reaedp.contract.meaning import meaning

BLANKS = " \t\n\v\f\r"
DAY = 86_400_000_000
EPOCH = datetime(1970, 1, 1)
DIGITS = set("0123456789")
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Nanoseconds:
    """A moment finer than Python's own, or beyond its years."""

    since_1970: int


def _digits(text: str, least: int = 1, most: int = 10**9) -> bool:
    return least <= len(text) <= most and set(text) <= DIGITS


def number_of_text(text: str) -> float | None:
    """Python reads numbers as everyone does, and besides digits of other scripts and underscores."""
    bare = text.strip(BLANKS)
    if not bare.isascii() or "_" in bare or bare != bare.strip():
        return None
    try:
        return float(bare)
    except ValueError:
        return None


def word(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.strip(BLANKS).lower()) if text.isascii() else None


def number(cell: Any) -> float | None:
    if isinstance(cell, str):
        truth = word(cell)
        return number_of_text(cell) if truth is None else float(truth)
    if isinstance(cell, Decimal):
        return float(str(cell))
    if isinstance(cell, int) and not isinstance(cell, bool):
        return float(str(cell))  # Python's own conversion fails beyond the doubles
    return float(cell) if isinstance(cell, bool | float) else None


def integer(cell: Any) -> float | None:
    found = number(cell)
    return found if found is None or not math.isfinite(found) or found == int(found) else None


def truth(cell: Any) -> float | None:
    if isinstance(cell, str) and cell.isascii():
        bare = cell.strip(BLANKS).lower()
        if bare in ("t", "true", "y", "yes", "f", "false", "n", "no"):
            return float(bare in ("t", "true", "y", "yes"))
    return {1.0: 1.0, 0.0: 0.0}.get(number(cell))  # type: ignore[arg-type]


def _civil(year: int, month: int, day: int) -> int | None:
    """Days since 1970, if there is such a day; the calendar repeats every 400 years, and Python's ends with 9999."""
    cycles = (year - 2000) // 400
    try:
        return date(year - 400 * cycles, month, day).toordinal() - EPOCH.toordinal() + cycles * 146_097
    except ValueError:
        return None


def _clock(time: str, strict: bool) -> int | None:  # noqa: PLR0911 - each is a rule
    """Microseconds since midnight of a time, less its zone."""
    for mark in ("Z", " UTC"):
        if time.endswith(mark):
            rest = _clock(time.removesuffix(mark), strict)
            return rest if time.count(":") == 2 and not set("+-") & set(time) else None
    place = max(time.rfind("+"), time.rfind("-"))
    offset = 0
    if place > 0:
        zone = time[place + 1 :].replace(":", "", 1) if time[place + 3 : place + 4] == ":" else time[place + 1 :]
        if not (_digits(zone, 2, 2) or _digits(zone, 4, 4)) or time[:place].count(":") != 2 or time.endswith(":"):
            return None
        offset = (int(zone[:2]) * 60 + int(zone[2:] or 0)) * (1 if time[place] == "+" else -1)
        time = time[:place]
    parts = time.split(":")
    seconds, point, fraction = (parts[2] if len(parts) > 2 else "0").partition(".")
    if len(parts) not in (2, 3) or (point and fraction and not _digits(fraction)):
        return None
    least = 2 if strict else 1
    if not all(_digits(part, least, 2) for part in (*parts[:2], seconds if len(parts) > 2 else "00")):
        return None
    if strict and (len(parts) != 3 or (point and not 1 <= len(fraction) <= 9)):
        return None
    hours, minutes, micros = int(parts[0]), int(parts[1]), int((fraction + "000000")[:6])
    if hours == 24:
        zeros = all(set(part) <= {"0"} for part in (*parts[1:2], seconds, fraction))
        short = all(len(part) <= 2 for part in parts[:2])
        if strict or not (zeros and short):
            return None
    elif hours > 23 or minutes > 59 or int(seconds) > 59:
        return None
    return ((hours * 60 + minutes - offset) * 60 + int(seconds)) * 1_000_000 + micros


def moment_of_text(text: str, *, strict: bool) -> int | None:
    """Microseconds since 1970; `strict` as programs write them, else as people may."""
    bare = text if strict else text.lstrip(BLANKS)
    for mark in "-" if strict else "-/ ":
        parts = bare.split(mark, 2)
        if len(parts) == 3 and all(map(_digits, parts[:2])):
            break
    else:
        return None
    year, month, rest = parts
    cut = next((place for place, sign in enumerate(rest) if sign not in DIGITS), len(rest))
    day, time = rest[:cut], rest[cut:]
    sizes = ((4, 4), (2, 2), (2, 2)) if strict else ((1, 5), (1, 2), (1, 2))
    if not all(_digits(part, *size) for part, size in zip((year, month, day), sizes, strict=True)):
        return None
    if strict and int(year) == 0:
        return None
    days = _civil(int(year), int(month), int(day))
    if days is None or (time and time[0] not in " T"):
        return None
    micros = _clock(time[1:], strict) if time else 0
    return None if micros is None else days * DAY + micros


def _counted(micros: int) -> int | None:
    return micros if -(2**63) <= micros < 2**63 else None


def moment(cell: Any) -> int | None:
    """Microseconds since 1970 that a cell names as programs do."""
    if isinstance(cell, str):
        return moment_of_text(cell, strict=True)
    if isinstance(cell, Nanoseconds):
        return _counted(cell.since_1970 // 1000)
    if isinstance(cell, datetime):
        plain = cell if cell.tzinfo is None else cell.astimezone(UTC).replace(tzinfo=None)
        return (plain - EPOCH) // MICROSECOND
    return (cell.toordinal() - EPOCH.toordinal()) * DAY if isinstance(cell, date) else None


def day(cell: Any) -> float | None:
    found = moment_of_text(cell, strict=False) if isinstance(cell, str) else moment(cell)
    return None if found is None else float(found // DAY)


def meant(cell: Any) -> tuple[str, str] | None:
    """What a cell means as a level, in the contract's words."""
    if isinstance(cell, str):
        return meaning(cell)
    found = number(cell)
    if found is not None:
        return meaning("nan" if math.isnan(found) else repr(found))
    micros = moment(cell)
    return None if micros is None else ("moment", str(micros))


def level(levels: tuple[str, ...], cell: Any) -> float | None:
    if cell is None:
        return None
    here = meant(cell)
    return next((float(place) for place, there in enumerate(_meanings(levels)) if there == here), -1.0)


@cache
def _meanings(levels: tuple[str, ...]) -> list[tuple[str, str]]:
    return [meaning(text) for text in levels]


def _name_of_double(value: float) -> str:
    return str(int(value)) if abs(value) < 2**63 and value == int(value) else repr(value)


def _identifier(text: str) -> bool:
    """Digits, an e and digits, as no program prints a double that it has; hexadecimal identifiers look so."""
    bare = text.strip(BLANKS)
    first, letter, last = bare.lower().partition("e")
    if not (letter and _digits(first) and _digits(last)):
        return False
    printed = len(first) == 1 and first != "0" and last[0] != "0" and 16 <= int(last) <= 307
    return not printed


def _name_of_moment(micros: int) -> str:
    days, rest = divmod(micros, DAY)
    if not 1 - EPOCH.toordinal() <= days <= date.max.toordinal() - EPOCH.toordinal():
        return f"us{micros}"
    text = date.fromordinal(days + EPOCH.toordinal()).strftime("%Y").rjust(4, "0")
    text += date.fromordinal(days + EPOCH.toordinal()).strftime("-%m-%d")
    seconds, left = divmod(rest, 1_000_000)
    clock = f" {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{left:06}"
    return text + clock if rest else text


def _whole(text: str) -> str | None:
    bare = text.strip(BLANKS)
    sign, digits = (bare[:1], bare[1:]) if bare[:1] in ("+", "-") and bare else ("", bare)
    whole, _, zeros = digits.partition(".")
    if not _digits(whole) or set(zeros) - {"0"}:
        return None
    plain = whole.lstrip("0") or "0"
    return "-" + plain if sign == "-" and plain != "0" else plain


def name(cell: Any) -> str | None:  # noqa: PLR0911 - each is a type
    if isinstance(cell, str):
        found, micros = number_of_text(cell), moment(cell)
        if _whole(cell) is not None:
            return _whole(cell)
        if found is not None:
            return cell if _identifier(cell) else _name_of_double(found)
        if word(cell) is not None:
            return str(word(cell)).lower()
        return cell if micros is None else _name_of_moment(micros)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, Decimal) and cell == cell.to_integral_value():
        return str(int(cell))
    if isinstance(cell, float | Decimal):
        return _name_of_double(number(cell))  # type: ignore[arg-type]
    micros = moment(cell)
    return None if micros is None else _name_of_moment(micros)


def mark(cell: Any) -> str | None:
    found = number_of_text(cell) if isinstance(cell, str) else None if isinstance(cell, bool) else number(cell)
    if found is None:
        return name(cell)
    if math.isnan(found):
        return "nan"
    if abs(found) >= 2**63:
        return "inf" if found > 0 else "-inf"
    whole = math.floor(found)
    return f"{whole}:{math.floor((found - whole) * 2.0**53)}"


def hashes(cell: Any) -> tuple[int, int] | None:
    text = mark(cell)
    if text is None:
        return None
    digest = hashlib.md5(text.encode()).hexdigest()
    return int(digest[:7], 16), int(digest[7:14], 16)
