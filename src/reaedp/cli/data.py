"""Options of every command that opens data."""

import os
from typing import Annotated

import typer


def _limit(memory: str | None) -> str | None:
    """Engines that are started from now on keep to it; `reaedp.disk.duckdb_engine` reads it where it starts one."""
    if memory is not None:
        os.environ["REAEDP_MEMORY"] = memory
    return memory


def _wait(seconds: float | None) -> float | None:
    """Queries that begin from now on wait so long; `reaedp.engines.spark.patience` reads it."""
    if seconds is not None:
        os.environ["REAEDP_SPARK_WAIT"] = str(seconds)
    return seconds


Data = Annotated[str, typer.Option(help="The data: files (* for several), a database address, or a table.")]
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
        help="Memory limit, such as 1GB, with the embedded engine. Beyond it, temporary files are used.",
        envvar="REAEDP_MEMORY",
        callback=_limit,
    ),
]
SparkWait = Annotated[
    float | None,
    typer.Option(
        help="Seconds that a release waits while a Spark cluster has no worker left, 300 by default; then it fails.",
        envvar="REAEDP_SPARK_WAIT",
        callback=_wait,
    ),
]
