"""A table of codes for all synthesizers, and how one is timed; also runs inside peers' environments."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.stopwatch import peak_megabytes, versions


@dataclass(frozen=True)
class Table:
    """A folder with train.csv, of codes from 0 on, and the public facts about it."""

    folder: Path
    domain: dict[str, int]
    ordered: list[str]
    rows: int
    epsilon: float
    delta: float
    seed: int = 0
    #: The column that is predicted from the others, for those who must know it.
    target: str = ""

    @classmethod
    def read(cls, folder: str) -> "Table":
        """What `write` wrote."""
        facts = json.loads((Path(folder) / "facts.json").read_text(encoding="utf-8"))
        return cls(Path(folder), **facts)

    def write(self, train: Any) -> None:
        """Write the rows and what is public about them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        train.to_csv(self.folder / "train.csv", index=False)
        names = ("domain", "ordered", "rows", "epsilon", "delta", "seed", "target")
        facts = {name: getattr(self, name) for name in names}
        (self.folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")

    def frame(self) -> Any:
        """The rows as a pandas frame."""
        import pandas as pd

        return pd.read_csv(self.folder / "train.csv")

    @property
    def rho(self) -> float:
        """The largest ρ of which this ε and δ follow (Canonne, Kamath, Steinke 2020, proposition 12), by bisection."""
        low, high = 0.0, self.epsilon
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if _delta(middle, self.epsilon) <= self.delta else (low, middle)
        return low


def _delta(rho: float, epsilon: float) -> float:
    orders = (1 + 10 ** (power / 50 - 3) for power in range(400))
    return min(
        math.exp(min(0.0, (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1))) for a in orders
    )


def synthesize(table: Table, rows: Callable[[], Any], *packages: str) -> None:
    """Time a synthesizer from the file to its rows, imports included, and leave the rows in synthetic.csv."""
    start, processor = time.perf_counter(), time.process_time()
    made = rows()[list(table.domain)]
    found = {
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - processor,
        "peak_mb": peak_megabytes(),
        "versions": versions(*packages),
    }
    made.to_csv(table.folder / "synthetic.csv", index=False)
    print(json.dumps(found))
