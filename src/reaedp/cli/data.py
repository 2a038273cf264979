"""Options of every command that opens data."""

import os
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

Data = Annotated[str, typer.Option(help="The data: files (* for several), a database address, or a table.")]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Where to count: local[*] or spark://host:port for Spark, or the address of a database whose table"
        " --data names; by default an embedded engine."
    ),
]


def _setting(kind: type, variable: str, words: str) -> Any:
    """An option that is kept in an environment variable, which the engines read where they start."""

    def keep(value: object) -> object:
        if value is not None:
            os.environ[variable] = str(value)
        return value

    return Annotated[kind | None, typer.Option(help=words, envvar=variable, callback=keep)]


_LIMITS = {
    "memory": _setting(
        str,
        "REAEDP_MEMORY",
        "Memory limit, such as 1GB, with the embedded engine. Beyond it, temporary files are used.",
    ),
    "spark_wait": _setting(
        float,
        "REAEDP_SPARK_WAIT",
        "Seconds that a release waits while a Spark cluster has no worker left, 300 by default; then it fails.",
    ),
}


def limited(command: Callable[..., None]) -> Callable[..., None]:
    """The command with options for the limits of engines, which take effect before it runs."""

    @wraps(command)
    def run(**given: Any) -> None:
        command(**{name: value for name, value in given.items() if name not in _LIMITS})

    own = signature(command)
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in _LIMITS.items()]
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **_LIMITS}
    return run
