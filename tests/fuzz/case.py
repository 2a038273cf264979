"""One schema with several sets of rows, of which each is an input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaedp.contract.column import Column
from reaedp.contract.files import Files


@dataclass(frozen=True, slots=True)
class Rows:
    """One set of rows: makes the data in a folder, and says how many rows there are if that is known."""

    make: Callable[[Path], Any]
    number: int | None = None
    #: Files, or tables, that this set of rows consists of.
    inputs: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """Sets of rows whose outcomes must be the same. If there are three, the third is the first and the second together.

    `sound` data is what its format says it is: no reader may fail on it.
    """

    label: str
    columns: tuple[Column, ...]
    rows: Sequence[Rows]
    person: bool = False
    sound: bool = True
    #: Whether the container keeps values as they are, so that sets of rows add up.
    adds: bool = True
    #: How files are declared to be read.
    files: Files | None = None
