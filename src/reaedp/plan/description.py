"""Statistics and mechanisms as plain values and back, so that what was asked for can be written down and compared.

Only kinds of `plan/kind_tables.py` and registered ones can be read back: see `plan/registration.py`.
"""

import math
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from datetime import date
from typing import Any, cast

from reaedp.ledger.canonical_json import digest, write
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.statistics.statistic import Statistic


def plain(value: object) -> object:
    """JSON has neither dates nor infinity."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, date) or value == math.inf else value


def tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn lists into tuples, because JSON has lists only."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def statistic_record(statistic: Statistic) -> dict[str, Any]:
    """A statistic as its name and its parameters."""
    parameters = {
        field.name: plain(getattr(statistic, field.name))
        for field in fields(statistic)  # type: ignore[arg-type]
        if not _left_out(field, getattr(statistic, field.name))
    }
    return {"name": type(statistic).__name__} | parameters


def _left_out(field: Field[Any], value: object) -> bool:
    """A parameter that a kind got later is written where it says something: what was asked for earlier is the same.

    How what was asked for is done is `told` elsewhere.
    """
    return "told" in field.metadata or ("since" in field.metadata and value == field.default)


def read_statistic(record: Mapping[str, Any]) -> Statistic:
    """Rebuild a statistic from its record."""
    parameters = {key: value for key, value in record.items() if key != "name"}
    if record["name"] in ("Marginal", "KeyedMarginal", "EntropyMap"):
        return STATISTICS[record["name"]](*parameters["columns"])  # type: ignore[no-any-return]
    if "orders" in parameters:
        parameters["orders"] = [math.inf if order == "inf" else order for order in parameters["orders"]]
    if parameters.get("order") == "inf":
        parameters["order"] = math.inf
    return STATISTICS[record["name"]](**tuples(parameters))  # type: ignore[no-any-return]


def mechanism_record(mechanism: Mechanism) -> dict[str, Any]:
    """A mechanism as its name and its parameters, which may be mechanisms themselves."""
    parameters = {
        field.name: getattr(mechanism, field.name)
        for field in fields(mechanism)  # type: ignore[arg-type]
        if not _left_out(field, getattr(mechanism, field.name))
    }
    return {"name": mechanism.name} | {
        key: mechanism_record(cast("Mechanism", value)) if is_dataclass(value) else value
        for key, value in parameters.items()
    }


def read_mechanism(record: Mapping[str, Any]) -> Mechanism:
    """Rebuild a mechanism from its record."""
    parameters = {key: read_mechanism(value) if isinstance(value, dict) else value for key, value in record.items()}
    kind = MECHANISMS[record["name"]]
    mechanism: Mechanism = kind(**tuples({key: parameters[key] for key in parameters if key != "name"}))
    if type(mechanism) is not kind:  # a price alone says which noise is wished for, not which there was
        raise ValueError("the parameters of a mechanism are not complete")
    return mechanism


def request_digest(name: str, statistic: Statistic, mechanism: Mechanism, contract: str) -> str | None:
    """SHA-256 of what was asked for, under a contract's fingerprint; None for what a reader could not build again."""
    if STATISTICS.get(type(statistic).__name__) is not type(statistic):
        return None
    if MECHANISMS.get(mechanism.name) is not type(mechanism):
        return None
    asked = {"statistic": statistic_record(statistic), "mechanism": mechanism_record(mechanism)}
    try:
        return digest(write({"name": name, "contract": contract} | asked))
    except (TypeError, ValueError):  # a parameter that JSON cannot hold; no manifest can either
        return None
