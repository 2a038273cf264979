"""The canonical form of values in portable SQL, which has no conversion that yields nothing where it fails.

Every conversion therefore stands in a CASE behind a test that lets it succeed. All are made in steps, as what a later
step looks at several times should be computed once: the source puts them into nested selects. A moment is two doubles
on the way, days since 1970 and microseconds of that day, which hold both exactly.
"""

from collections.abc import Callable, Sequence
from typing import Any

import ibis

from reaedp.contract import Boolean, Category, Date, Integer, Number, shapes
from reaedp.contract.meaning import meaning
from reaedp.engines.canonical import TEXT, TIMES
from reaedp.engines.portable_names import mark_of, name_of
from reaedp.engines.portable_texts import (
    LONGEST,
    SECONDS_OF_A_DAY,
    Cell,
    Known,
    days_of_date,
    floor,
    microseconds,
    number_of,
    parts_of_date,
    parts_of_moment,
    plain_text,
)
from reaedp.statistics.by_kind import ByKind, no_way

#: Functions of the database itself. ibis has no MD5 for many, and its own floor is an integer, which is too narrow.
md5: Any = ibis.udf.scalar.builtin(lambda text: text, name="md5", signature=((str,), str))


Step = Callable[[Sequence[Known], Cell], list[Cell]]


def steps(cells: Sequence[Known]) -> list[Step]:
    """What follows the first step: each is a select from what the one before it made."""
    with_dates = [dated] if any(known.kind in TEXT and known.needs("moment") for known in cells) else []
    with_digests = [digested, hashed] if any(known.is_name for known in cells) else []
    return [read, *with_dates, valued, *with_digests]


def raw(cells: Sequence[Known]) -> list[Cell]:
    """The first step: the cells, all that is to be understood as a text as one."""
    return [(plain_text(known.cell) if known.kind in TEXT else known.cell).name(f"c{known.place}") for known in cells]


def read(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The second step: numbers, and the parts of dates."""
    made = []
    for known in cells:
        cell = rows[f"c{known.place}"]
        parts = {"n": number_of(cell, known)} if known.needs("number") else {}
        if known.kind in TEXT and known.needs("moment"):
            parts |= parts_of_date(cell, shapes.DATE if known.is_day else shapes.MOMENT)
        elif known.kind in TIMES and known.needs("moment"):
            parts |= parts_of_moment(cell)
        made += [part.name(f"{name}{known.place}") for name, part in parts.items()]
    return [*(rows[f"c{known.place}"] for known in cells), *made]


def dated(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The third step: days and microseconds of texts."""
    made = []
    for place in (known.place for known in cells if known.kind in TEXT and known.needs("moment")):
        days = days_of_date(rows[f"e{place}"]) + floor(rows[f"s{place}"] / SECONDS_OF_A_DAY)
        seconds = rows[f"s{place}"] - floor(rows[f"s{place}"] / SECONDS_OF_A_DAY) * SECONDS_OF_A_DAY
        made += [days.name(f"d{place}"), (seconds * 1e6 + rows[f"f{place}"]).name(f"u{place}")]
    return [*(rows[name] for name in rows.columns if name[0] not in "esf"), *made]


def valued(cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The fourth step: the canonical values, and the texts that digests are made of."""
    made = []
    for known in cells:
        cell, name = rows[f"c{known.place}"], "person" if known.column is None else f"v{known.place}"
        if known.column is not None:
            made.append(cell.notnull().name(f"filled{known.place}"))
        if known.is_name:
            named = name_of(rows, known)
            made += [named.name(name), mark_of(rows, known, named).name(f"mark{known.place}")]
        else:
            made.append(_VALUES.of(known.column)(rows, known).name(name))
    return made


def digested(_cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The fifth step: digests instead of their texts."""
    return [md5(rows[name]).name(name) if name.startswith("mark") else rows[name] for name in rows.columns]


def hashed(_cells: Sequence[Known], rows: Cell) -> list[Cell]:
    """The last step: numbers from digests."""
    made = []
    for name in rows.columns:
        place = name.removeprefix("mark")
        if not name.startswith("mark"):
            made.append(rows[name])
        elif place:
            made.append(_bits(rows[name], 0).name(f"h{place}"))
        else:
            made += [_bits(rows[name], start).name(f"hash{number}") for number, start in enumerate((0, 7))]
    return made


def _bits(digest: Cell, start: int) -> Cell:
    """28 bits as a number; by way of a double, as ibis believes that a sum of digits has 64 bits already."""
    digits = [ibis.literal("0123456789abcdef").find(digest.substr(start + place, 1)) for place in range(7)]
    total = sum(digit * 16 ** (6 - place) for place, digit in enumerate(digits))
    return total.cast("float64").cast("int64")


def _whole_only(rows: Cell, known: Known) -> Cell:
    """Fractions have no canonical form in an integer column; NaN and infinities keep theirs."""
    number = rows[f"n{known.place}"]
    return ibis.cases(((number == floor(number)) | number.isnan(), number))


def _truth(rows: Cell, known: Known) -> Cell:
    number, text = rows[f"n{known.place}"], rows[f"c{known.place}"]
    words = ((shapes.YES, 1.0), (shapes.NO, 0.0)) if known.kind in TEXT else ()
    short = (text.length() <= LONGEST) if words else None
    cases = [(short & text.re_search(shape), truth) for shape, truth in words]
    return ibis.cases(*cases, (number == 1, 1.0), (number == 0, 0.0)).cast("float64")


def _day(rows: Cell, known: Known) -> Cell:
    return rows[f"d{known.place}"] if known.kind in TEXT | TIMES else ibis.null("float64")


def _level(rows: Cell, known: Known) -> Cell:
    """The number of the level: of texts as they are written, then by what they mean; -1 for any other cell."""
    assert known.column is not None
    cell, levels = rows[f"c{known.place}"], known.column.labels
    found: list[tuple[Cell, list[tuple[Any, float]]]] = []
    keys: list[tuple[Any, float]]
    if known.kind in TEXT:
        found.append((cell, [(level, float(place)) for place, level in enumerate(levels)]))
    meant = [(*meaning(level), float(place)) for place, level in enumerate(levels)]
    if known.kind not in TIMES and known.needs("number"):
        keys = [(float(key), place) for sort, key, place in meant if sort == "number"]
        found.append((rows[f"n{known.place}"], keys))
    if known.kind in TEXT | TIMES and known.needs("moment"):
        keys = [(int(key), place) for sort, key, place in meant if sort == "moment"]
        found.append((microseconds(rows, known.place), keys))
    cases = [(value.isin([key for key, _ in keys]), _halved(value, keys)) for value, keys in found]
    return ibis.cases((cell.isnull(), ibis.null("float64")), *cases, else_=-1.0)


def _halved(value: Cell, keys: Sequence[tuple[Any, float]]) -> Cell:
    """Halve the list until one is left: databases test membership by hashing."""
    if len(keys) == 1:
        return ibis.literal(keys[0][1])
    half = len(keys) // 2
    first = value.isin([key for key, _ in keys[:half]])
    return ibis.ifelse(first, _halved(value, keys[:half]), _halved(value, keys[half:]))


_VALUES = ByKind[Callable[[Cell, Known], Cell]](
    "its canonical value in a database",
    {
        Number: lambda rows, known: rows[f"n{known.place}"],
        Integer: _whole_only,
        Date: _day,
        Boolean: _truth,
        Category: _level,
    },
    otherwise=no_way,
    over="columns",
)
