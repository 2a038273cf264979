"""Columns as people name them: one by one, or in a list."""

from collections.abc import Iterable


def column_names(given: object) -> tuple[str, ...]:
    """One name as it is, or the names in a list or tuple; whatever else is given stays, for the caller to refuse."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, list | tuple) else (given,)  # type: ignore[return-value]


def listed(columns: Iterable[object]) -> tuple[str, ...]:
    """The names of f("a", "b") and of f(["a", "b"])."""
    names = tuple(columns)
    return column_names(names[0]) if len(names) == 1 else names  # type: ignore[return-value]
