"""How everything that `import reaedp` offers is called: its parameters, which may be left out, which are named."""

import inspect
from collections.abc import Iterator

import reaedp

Calls = dict[str, list[str]]


def signatures() -> Calls:
    """Every public function, class and public method with its parameters, as `called` writes them."""
    return {name: called(thing) for name, thing in sorted(public())}


def public() -> Iterator[tuple[str, object]]:
    """What can be called, under the name by which it is."""
    for name in reaedp.__all__:
        thing = getattr(reaedp, name)
        if callable(thing) and not getattr(thing, "_is_protocol", False):
            yield name, thing
        if inspect.isclass(thing):
            yield from ((f"{name}.{method}", getattr(thing, method)) for method in methods(thing))


def methods(thing: type) -> list[str]:
    """The public methods that a class of this package has, its parents' too."""
    own = (kind for kind in thing.__mro__ if kind.__module__.startswith("reaedp"))
    found = {name for kind in own for name in vars(kind) if not name.startswith("_")}
    return sorted(name for name in found if callable(getattr(thing, name)))


def called(thing: object) -> list[str]:
    """Parameters in their order: `name`, `name=` if it may be left out, after `*` those that must be named."""
    written: list[str] = []
    try:
        parameters = inspect.signature(thing).parameters.values()  # type: ignore[arg-type]
    except ValueError:  # an error that is made like any exception of Python
        return ["*arguments"]
    for parameter in parameters:
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        written.append(f"{star}{parameter.name}{'' if parameter.default is parameter.empty else '='}")
    return written


def broken(before: list[str], now: list[str]) -> list[str]:
    """Which calls that were right are wrong now: a parameter gone, moved, needed, or new and needed."""
    places = _places(now)
    old = _places(before)
    found = []
    for name, (place, needed) in old.items():
        if name not in places:
            found.append(f"{name} is gone")
        elif place is not None and places[name][0] != place:
            found.append(f"{name} has moved")
        elif places[name][1] and not needed:
            found.append(f"{name} can no longer be left out")
    return found + [f"{name} is new and needed" for name, (_, needed) in places.items() if needed and name not in old]


def _places(parameters: list[str]) -> dict[str, tuple[int | None, bool]]:
    """Where each parameter stands, if it may be given by its place, and whether it must be given."""
    named = parameters.index("*") if "*" in parameters else len(parameters)
    return {
        parameter.rstrip("="): (place if place < named else None, not parameter.endswith("=") and "*" not in parameter)
        for place, parameter in enumerate(parameters)
        if parameter != "*"
    }
