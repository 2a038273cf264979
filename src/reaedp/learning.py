"""Learning what is not public, for a price: bounds of a number, levels of a category."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.contract import Contract, Number
from reaedp.contract.category import Undeclared
from reaedp.curator.curator import Curator
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.threshold import Threshold
from reaedp.release import Release
from reaedp.statistics.levels import Levels
from reaedp.statistics.marginal import Marginal

#: 1, 2, 5, 10, 20, … on both sides of zero: fixed before any data is seen, and round numbers for people.
_STEPS = [digit * 10.0**power for power in range(-6, 13) for digit in (1, 2, 5)]
LADDER = tuple([-step for step in reversed(_STEPS)] + [0.0] + _STEPS)


def learn_bounds(
    contract: Contract, data: Any, column: str, epsilon: float, *, engine: Any = None
) -> tuple[float, float, Release]:
    """Round numbers between which the values of a column lie, outliers aside.

    Noisy counts on a fixed ladder of bins; the bounds are the ends of the bins whose counts exceed what noise
    alone reaches in one of twenty ladders.
    """
    ladder = Number(name=column, edges=LADDER, provenance="public")
    curator = Curator(replace(contract, columns=(ladder,)), data, engine=engine)
    release = curator.release(Marginal(column), Laplace(epsilon), name=column)
    counts = release.counts.values[: len(LADDER) - 1].astype(np.int64)
    full = np.flatnonzero(counts > release.noise.spread(0.95, cells=len(counts)))
    if not full.size:
        raise ReaedpError(
            f"ε = {epsilon:g} was too little to find bounds of {column!r}: no bin stood out from the noise."
            " The charge stands. Spend more, or declare public bounds."
        )
    return LADDER[full[0]], LADDER[full[-1] + 1], release


def learn_levels(
    contract: Contract, data: Any, column: str, epsilon: float, delta: float, *, engine: Any = None
) -> tuple[tuple[str, ...], Release]:
    """The texts of a column that occur often enough, in alphabetical order."""
    text = Undeclared(name=column, provenance="public")
    curator = Curator(replace(contract, columns=(text,)), data, engine=engine)
    release = curator.release(Levels(column), Threshold(epsilon, delta), name=column)
    levels = tuple(sorted(release.value))
    if not levels:
        raise ReaedpError(
            f"No level of {column!r} occurs often enough to be shown at ε = {epsilon:g}, δ = {delta:g}."
            " The charge stands. Spend more, or declare public levels."
        )
    return levels, release


def write_column(path: Path, column: str, facts: dict[str, Any]) -> None:
    """Set these keys of a column in a contract file, keeping everything else in it, comments included."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
        columns: Any = document.setdefault("columns", tomlkit.table(is_super_table=True))
        table: Any = columns.setdefault(column, tomlkit.table())
        for key, value in facts.items():
            table[key] = value
        _replace(path, tomlkit.dumps(document))
    except (OSError, TOMLKitError) as error:
        raise DeclarationError(f"{path} could not be updated ({error}); the learned facts are {facts}.") from None


def _replace(path: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).chmod(path.stat().st_mode & 0o777)
    Path(file.name).replace(path)
