"""A statistic in the words of the contract: its titles speak of labels, and not of the names of columns."""

from collections.abc import Mapping
from typing import Any

from reaedp.contract import Contract
from reaedp.errors import ReaedpError
from reaedp.label import different
from reaedp.plan.description import read_statistic, statistic_record
from reaedp.plan.kind_tables import STATISTICS
from reaedp.statistics.statistic import Statistic


def labelled(statistic: Statistic, contract: Contract) -> Statistic:
    """The same statistic, had its columns and curves their labels for names.

    For people only: nothing can be counted by it. A kind that nobody could build again keeps its names.
    """
    labels = labels_of(contract)
    if not labels or STATISTICS.get(type(statistic).__name__) is not type(statistic):
        return statistic
    record = {key: _called(value, labels) for key, value in statistic_record(statistic).items() if key != "name"}
    try:
        return read_statistic({"name": type(statistic).__name__} | record)
    except (ReaedpError, TypeError, ValueError):
        return statistic


def labels_of(contract: Contract) -> Mapping[str, str]:
    """What columns and curves are called, where that is not their name; different ones are called differently."""
    parts = (*contract.columns, *contract.curves)
    if not any(part.label for part in parts):
        return {}
    called = different([part.called for part in parts], 100)
    return dict(zip((part.name for part in parts), called, strict=True))


def spoken(term: str, contract: Contract) -> str:
    """A column's label for its name, also where a level stands behind it, as in `ward = heart`."""
    labels = labels_of(contract)
    if term in labels:
        return labels[term]
    name = max((name for name in labels if term.startswith(f"{name} = ")), key=len, default="")
    return labels[name] + term[len(name) :] if name else term


def measured(name: str, contract: Contract) -> str:
    """What a declared column is called, with its unit of measure."""
    return next((column.measured for column in contract.columns if column.name == name), spoken(name, contract))


def _called(value: Any, labels: Mapping[str, str]) -> Any:
    """A name as its label, names as theirs; what is not all names is something else, and stays."""
    if isinstance(value, str):
        return labels.get(value, value)
    names = isinstance(value, list) and all(isinstance(part, str) and part in labels for part in value)
    return [labels[part] for part in value] if names else value
