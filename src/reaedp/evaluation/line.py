"""One figure of an evaluation, and a file of them."""

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from reaedp.attacks.attack import CustodianOnly
from reaedp.errors import DeclarationError
from reaedp.label import no_formula
from reaedp.release.place import write_secret

FILE = "evaluation.csv"


@dataclass(frozen=True, slots=True)
class Line(CustodianOnly):
    """One figure; computed from the truth, so that publishing it would be a release of its own."""

    release: str
    subject: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    #: Of attacks: on people who are not in the data, without looking at the release, and the most that is permitted.
    control: float | None = None
    baseline: float | None = None
    permitted: float | None = None


_TEXTS = ("release", "subject", "measure")


def write_lines(folder: Path, lines: Sequence[Line]) -> None:
    """Write all figures, each marked as not disclosable, for their owner's eyes only."""
    file = StringIO(newline="")
    writer = csv.DictWriter(file, ["disclosable", *(field.name for field in fields(Line))])
    writer.writeheader()
    for line in lines:
        texts = {name: no_formula(getattr(line, name)) for name in _TEXTS}
        writer.writerow({"disclosable": line.disclosable} | asdict(line) | texts)
    write_secret(folder / FILE, file.getvalue())


def read_lines(folder: Path) -> tuple[Line, ...]:
    """Read what `write_lines` wrote."""
    try:
        with (folder / FILE).open(newline="", encoding="utf-8") as file:
            return tuple(_line(row) for row in csv.DictReader(file))
    except OSError as error:
        raise DeclarationError(
            f"{folder} is not a folder written by `reaedp evaluate`: {FILE}: {error.strerror}."
        ) from None
    except (KeyError, ValueError, TypeError):
        raise DeclarationError(f"{folder / FILE} was not written by `reaedp evaluate`.") from None


def _line(row: dict[str, Any]) -> Line:
    numbers = {field.name: row[field.name] for field in fields(Line) if field.name not in _TEXTS}
    read = {name: float(text) if text else None for name, text in numbers.items()}
    if read["value"] is None:
        raise ValueError
    return Line(**{name: row[name].removeprefix("'") for name in _TEXTS}, **read)  # type: ignore[arg-type]
