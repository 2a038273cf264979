"""Kinds of other packages: how they become known here, and why nothing unknown is charged.

A folder that nobody can read again is refused before anything is charged. Other packages register their kinds when
they are imported, and name their modules as entry points of the group `reaedp.kinds`, so that every command finds them.
"""

import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import is_dataclass
from typing import Any, TypeVar, get_args

from reaedp.answer import Shape
from reaedp.contract import Column, Contract
from reaedp.contract.contract import DECLARED
from reaedp.contract.contract import KINDS as COLUMNS
from reaedp.contract.plugins import redefines
from reaedp.errors import DeclarationError, sentence
from reaedp.ledger.canonical_json import write
from reaedp.ledger.entry import UNREADABLE
from reaedp.plan.description import mechanism_record, read_mechanism, read_statistic, statistic_record
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.plan import KINDS as RELEASES
from reaedp.plan.request import Request

Kind = TypeVar("Kind", bound=type[Any])


def register(kind: Kind) -> Kind:
    """Register a statistic, mechanism, column kind or kind of planned release; also usable as a class decorator.

    From then on contracts and plans can name it, it can be published, and `verify`, `report` and `evaluate` can read
    it. A statistic is known by the name of its class, a mechanism by its `name`, a column by its `kind`, a planned
    release by each of its `kinds`. All are frozen dataclasses whose fields are their parameters.

    >>> from dataclasses import dataclass
    >>> @register
    ... @dataclass(frozen=True, slots=True, kw_only=True)
    ... class Weekend(Boolean):
    ...     kind = "weekend"
    >>> Weekend(name="on_weekend", provenance="public").kind
    'weekend'
    """
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise DeclarationError(sentence("Only a dataclass can be registered", given=kind))
    table, names = _place(kind)
    for name in names:
        if not redefines(kind, table.get(name, kind)):
            raise DeclarationError(f"The name {name!r} is taken by {table[name].__module__}; choose another one.")
    table.update(dict.fromkeys(names, kind))
    return kind


def _place(kind: type[Any]) -> tuple[MutableMapping[str, type[Any]], tuple[str, ...]]:
    """Which table knows such a kind, and under which names."""
    if issubclass(kind, Column):
        if not issubclass(kind, DECLARED):
            bases = ", ".join(base.__name__ for base in DECLARED)
            raise DeclarationError(sentence(f"A kind of column must be derived from one of {bases}", given=kind))
        return COLUMNS, (kind.kind,)
    if issubclass(kind, Planned):
        if not kind.kinds:
            raise DeclarationError(sentence("A planned release must list in `kinds` what plans call it", given=kind))
        return RELEASES, kind.kinds
    for attribute, table in (("hides", MECHANISMS), ("answers", STATISTICS)):
        shape = getattr(kind, attribute, None)
        if shape in get_args(Shape):
            return table, (kind.name if table is MECHANISMS else kind.__name__,)
    shapes = ", ".join(get_args(Shape))
    raise DeclarationError(
        sentence(f"A statistic must have `answers`, and a mechanism `hides`, one of {shapes}", given=kind)
    )


def check_registered(contract: Contract, requests: Sequence[Request]) -> None:
    """Refuse what no reader could build again from the folder of a release."""
    for column in contract.columns:
        _check_known(COLUMNS, column.kind, column)
    for request in requests:
        statistic, mechanism = request.statistic, request.mechanism
        _check_known(STATISTICS, type(statistic).__name__, statistic)
        _check_known(MECHANISMS, mechanism.name, mechanism)
        _check_written(statistic, statistic_record, read_statistic)
        _check_written(mechanism, mechanism_record, read_mechanism)


def _check_known(table: Mapping[str, type[Any]], name: str, thing: object) -> None:
    kind = type(thing)
    if table.get(name) is not kind:
        raise DeclarationError(
            f"{kind.__name__} is not registered, so its release folder could not be read back; nothing was"
            f" charged. Call reaedp.register({kind.__name__}) first, or release it by Curator.release."
        )


def _check_written(
    thing: Any, record: Callable[[Any], dict[str, Any]], read: Callable[[Mapping[str, Any]], Any]
) -> None:
    """The parameters must come back from JSON as they were."""
    try:
        written = write(record(thing))
        same = write(record(read(json.loads(written)))) == written
    except UNREADABLE:
        same = False
    if not same:
        rule = f"The parameters of {type(thing).__name__} must be numbers, texts or tuples of them, as JSON holds them"
        raise DeclarationError(sentence(rule, given=thing), "Nothing was charged.")
