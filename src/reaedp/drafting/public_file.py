"""Kinds, bounds and levels from the values of a file that everybody may see: a sample, or last year's published data.

The custodian says that it is public, and the contract says which file it was. It is read as any other data.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from reaedp.contract import Boolean, Column, Date, Number
from reaedp.contract.category import Undeclared
from reaedp.contract.day import EPOCH
from reaedp.contract.files import Files
from reaedp.contract.meaning import meaning
from reaedp.drafting.drafted import Drafted
from reaedp.engines.source import Source, Unreadable, counted, open_source
from reaedp.errors import DeclarationError

#: More different texts are no list of levels.
MOST_LEVELS = 50
#: So many cells of whole numbers are one for each number.
MOST_WHOLE = 100
#: Finite doubles lie below it.
_INFINITE = math.inf


def from_public(path: str, files: Files | None, names: Iterable[str]) -> dict[str, Drafted]:
    """The columns of these names that the file has too; values nobody can name a kind for are better left out."""
    source = open_source(path, None, files)
    provenance = f"public: {Path(path).name}"
    try:
        return {name: _drafted(source, name, provenance) for name in names if name in source.types}
    except Unreadable:
        raise DeclarationError(f"{path} cannot be read: it is corrupted.") from None


@dataclass(frozen=True, slots=True)
class Values:
    """What the filled cells of a column have in common: how many there are, and how many are what."""

    filled: int
    numbers: int
    whole: int
    days: int
    truths: int
    texts: int
    least: float
    most: float
    first: float
    last: float


def _drafted(source: Source, name: str, provenance: str) -> Drafted:
    forms: tuple[Column, ...] = (
        Number(name=name, edges=(0.0, 1.0), provenance="public"),
        Date(name=name, lower=EPOCH, upper=EPOCH, every="year", provenance="public"),
        Boolean(name=name, provenance="public"),
        Undeclared(name=name, provenance="public"),
    )
    rows = source.canonical(forms, None)
    values = _values(source.collect(_summary(rows)))
    if values.filled == 0:
        return Drafted(name)
    if values.truths == values.filled and values.texts == 2:
        return Drafted.of(name, "boolean", provenance, {})
    if values.numbers == values.filled:
        return _number(name, values, provenance)
    if values.days == values.filled:
        return Drafted.of(name, "date", provenance, _days(values))
    if values.texts > MOST_LEVELS:
        return Drafted(name, why_not=f"which has more than {MOST_LEVELS} different texts in the public file")
    levels = source.collect(counted(rows.filter(~nw.col("v3").is_null()), ["v3"]))["v3"]
    return Drafted.of(name, "category", provenance, {"levels": _levels(map(str, levels.tolist()))})


def _summary(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    value, day = nw.col("v0"), nw.col("v1")
    finite = nw.when((value > -_INFINITE) & (value < _INFINITE)).then(value)
    made = rows.select("v1", "v2", "v3", filled=nw.col("filled0").cast(nw.Int64), number=finite).with_columns(
        whole=(nw.col("number") == nw.col("number").floor()).cast(nw.Int64)
    )
    return made.select(
        filled=nw.col("filled").sum(),
        numbers=nw.col("number").count(),
        whole=nw.col("whole").sum(),
        days=day.count(),
        truths=nw.col("v2").count(),
        texts=nw.col("v3").n_unique() - nw.col("v3").is_null().any().cast(nw.Int64),
        least=nw.col("number").min(),
        most=nw.col("number").max(),
        first=day.min(),
        last=day.max(),
    )


def _values(found: Mapping[str, Any]) -> Values:
    """The one row of a summary; what there is nothing of is 0."""
    numbers = {key: float(np.ma.filled(values.astype(np.float64), 0.0)[0]) for key, values in found.items()}
    whole: dict[str, Any] = {
        key: int(numbers[key]) for key in ("filled", "numbers", "whole", "days", "truths", "texts")
    }
    return Values(**{**numbers, **whole})


def _number(name: str, values: Values, provenance: str) -> Drafted:
    """Bounds are rounded outward to a step of the size of the range, so that a few other values fit too."""
    whole = values.whole == values.filled
    if whole and values.texts == values.filled == values.most - values.least + 1 and values.filled > MOST_LEVELS:
        return Drafted(name, why_not="which numbers the rows of the public file")
    step = _step(values.most - values.least, whole)
    lower, upper = math.floor(values.least / step) * step, math.ceil(values.most / step) * step
    upper = upper if upper > lower else lower + step
    if not whole:
        lower, upper = float(f"{lower:.12g}"), float(f"{upper:.12g}")
        return Drafted.of(
            name, "number", provenance, {"lower": lower, "upper": upper, "bins": 2 * round((upper - lower) / step)}
        )
    lower, upper = int(lower), int(upper)
    width = {"width": max(1, int(step) // 10)} if upper - lower >= MOST_WHOLE else {}
    return Drafted.of(name, "integer", provenance, {"lower": lower, "upper": upper, **width})


def _step(length: float, whole: bool) -> float:
    """The power of ten of which between one and ten make the length."""
    step = 10.0 ** math.floor(math.log10(length)) if length > 0 else 1.0
    return max(1.0, step) if whole else step


def _days(values: Values) -> dict[str, object]:
    """Whole years around the days."""
    first, last = (EPOCH + timedelta(days=int(day)) for day in (values.first, values.last))
    every = "month" if last.year - first.year < 5 else "year"
    return {"lower": date(first.year, 1, 1), "upper": date(last.year, 12, 31), "every": every}


def _levels(texts: Iterable[str]) -> list[str]:
    return list({meaning(text): text for text in sorted(texts, reverse=True)}.values())[::-1]
