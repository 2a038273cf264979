"""Options of every command that opens data."""

import os
from typing import Annotated

import typer


def _limit(memory: str | None) -> str | None:
    """Engines that are started from now on keep to it; `reaedp.engine` reads it where it starts one."""
    if memory is not None:
        os.environ["REAEDP_MEMORY"] = memory
    return memory


Data = Annotated[str, typer.Option(help="CSV, TSV or Parquet file, a glob of them, a database address, or a table.")]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Where to count: local[*] or spark://host:port for Spark, or the address of a database whose table"
        " --data names; by default an embedded engine."
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="The most memory that the embedded engine takes, such as 1GB; what is more goes to temporary files.",
        envvar="REAEDP_MEMORY",
        callback=_limit,
    ),
]
