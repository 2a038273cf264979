"""Contracts at random: columns of every kind with every rule, and both kinds of unit."""

import datetime as dt
import random
from typing import Any

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.contract.files import Files
from reaedp.contract.meaning import meaning
from troubles import LEVELS

#: Levels that could be taken for something else where queries are written.
HOSTILE = ("?", "$1", "a'b", 'a"b', ";", "--", "\x01", "\t", "\n", ",", "%s", "{}", "NULL", "null", "\\", "\u2028", "𝕏")
PERSON = "who"


def declared(name: str, chance: random.Random) -> Column:
    """A column of some kind."""
    return chance.choice(_KINDS)(name, chance)


def contract(
    columns: tuple[Column, ...], person: bool, ledger: str, max_rows: int = 2, files: Files | None = None
) -> Contract:
    """Terms under which much can be released: the ledger is not what is tried here."""
    unit = Unit("add-remove", person=PERSON, max_rows=max_rows) if person else Unit("add-remove")
    name = f"people {max_rows}" if person else "rows"
    return Contract(dataset=name, unit=unit, budget=Budget(10_000.0, 1e-2), ledger=ledger, columns=columns, files=files)


def _rules(chance: random.Random, *troubles: str) -> dict[str, Any]:
    """A rule for each trouble; most keep all rows, so that their number is known."""
    return {trouble: "drop" if chance.random() < 0.05 else "cell" for trouble in troubles}


def _number(name: str, chance: random.Random) -> Column:
    rules = _rules(chance, "null", "nan", "infinite", "unparsable", "outside")
    if chance.random() < 0.4:
        edges = tuple(sorted({chance.choice((-1e308, -1.5, 0, 0.1, 0.3, 1, 7, 1e16, 1e308)) for _ in range(5)}))
        if len(edges) > 1:
            return Number(name=name, edges=edges, provenance="public", **rules)
    lower, upper = chance.choice(((-1.0, 0.0), (0, 0.8), (0.1, 910), (-1e15, 1e16), (0, 1), (1e15, 1.1e15)))
    return Number(name=name, lower=lower, upper=upper, bins=chance.randint(1, 13), provenance="public", **rules)


def _integer(name: str, chance: random.Random) -> Column:
    rules = _rules(chance, "null", "nan", "infinite", "unparsable", "outside")
    lower = chance.choice((-7, 0, 1, 2**53 - 21))
    return Integer(
        name=name,
        lower=lower,
        upper=lower + chance.randint(0, 20),
        width=chance.randint(1, 3),
        provenance="public",
        **rules,
    )


def _category(name: str, chance: random.Random) -> Column:
    chosen = chance.sample([*LEVELS, *HOSTILE], chance.randint(1, 12))
    levels = tuple({meaning(level): level for level in chosen}.values())
    return Category(name=name, levels=levels, provenance="public", **_rules(chance, "null", "unseen"))


def _boolean(name: str, chance: random.Random) -> Column:
    return Boolean(name=name, provenance="public", **_rules(chance, "null", "unparsable"))


def _date(name: str, chance: random.Random) -> Column:
    every = chance.choice(("day", "week", "month", "year"))
    lower = chance.choice((dt.date(2020, 1, 1), dt.date(1969, 12, 1)))
    if every == "year":
        lower = chance.choice((lower, dt.date(1, 1, 1), dt.date(9900, 1, 1)))
    upper = lower + dt.timedelta(chance.randint(0, 90))
    return Date(
        name=name,
        lower=lower,
        upper=upper,
        every=every,  # type: ignore[arg-type]
        provenance="public",
        **_rules(chance, "null", "unparsable", "outside"),
    )


def _undeclared(name: str, chance: random.Random) -> Column:
    return Undeclared(name=name, provenance="public")


_KINDS = (_number, _number, _integer, _category, _category, _boolean, _date, _undeclared)
