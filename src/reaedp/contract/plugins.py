"""Packages that bring kinds of their own: found by their entry points, imported when a name is not known here."""

from collections.abc import Mapping
from functools import cache
from typing import Any

#: Where packages name the modules that register their kinds.
PLUGINS = "reaedp.kinds"


@cache
def load_plugins() -> None:
    """Import what other packages named as entry points, once."""
    from importlib.metadata import entry_points

    for plugin in entry_points(group=PLUGINS):
        plugin.load()


def redefines(new: Any, old: Any) -> bool:
    """Whether something has the name and the module of another one: a cell of a notebook may be run again."""
    return all(getattr(new, name, new) == getattr(old, name, old) for name in ("__module__", "__qualname__"))


def known(table: Mapping[str, Any], name: object) -> bool:
    """Whether there is a kind of this name, also in packages that are installed but not imported yet."""
    if not isinstance(name, str):
        return False
    if name not in table:
        load_plugins()
    return name in table
