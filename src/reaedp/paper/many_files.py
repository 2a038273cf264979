"""Many data sets at once: for every column of every file of a folder a noisy histogram and its entropies.

What the paper's `csv_entropy_all` does, through the curator: each file has a contract beside it, which names its
columns, bins, unit, budget and ledger. All are checked before the first is charged.
"""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaedp.contract import Contract
from reaedp.contract.document import Document
from reaedp.errors import DeclarationError
from reaedp.plan.algorithm1 import EntropyBounds, algorithm1
from reaedp.plan.plan import Plan
from reaedp.release.publication import publish
from reaedp.release.release import Release
from reaedp.report.charts.picture import picture

#: Endings of files of data that may lie beside a contract.
SUFFIXES = (".csv", ".tsv", ".parquet")
#: The table and the figure of all data sets.
TABLE, FIGURE = "entropies.csv", "entropies.svg"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of data and its contract, which have the same name but for the ending.

    `name` is that common name, and `plan` is Algorithm 1 for all columns of the contract.
    """

    name: str
    data: Path
    plan: Plan

    @property
    def columns(self) -> tuple[str, ...]:
        """All declared columns."""
        return tuple(column.name for column in self.plan.contract.columns)


def data_files(folder: Path, epsilon: float) -> list[DataFile]:
    """Every contract of a folder with the data beside it; refuses what cannot be released, before any charge."""
    contracts = [path for path in sorted(folder.glob("*.toml")) if "release" not in Document.read(path).data]
    if not contracts:
        raise DeclarationError(f"{folder} must hold contracts: house.toml beside house.csv, for each file.")
    found = [_data_file(path, epsilon) for path in contracts]
    for each in found:
        each.plan.requests()
    return found


def _data_file(path: Path, epsilon: float) -> DataFile:
    beside = [path.with_suffix(suffix) for suffix in SUFFIXES if path.with_suffix(suffix).is_file()]
    if len(beside) != 1:
        raise DeclarationError(
            f"One data file must lie beside {path.name}: {path.stem}{f' or {path.stem}'.join(SUFFIXES)}."
        )
    terms = Contract.load(path)
    return DataFile(path.stem, beside[0], algorithm1(terms, [column.name for column in terms.columns], epsilon))


def release_all(
    folder: Path,
    out: Path,
    *,
    epsilon: float,
    orders: Sequence[float] = (1.0,),
    progress: Callable[[str], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """A release folder for each file in `out`, and a table and a figure of all; the rows of the table."""
    if out.exists():
        raise DeclarationError(f"The output folder must be new; {out} exists. Choose another --out.")
    files = data_files(folder, epsilon)
    out.mkdir(parents=True)
    rows: list[dict[str, Any]] = []
    bars: list[dict[str, Any]] = []
    for each in files:
        progress(each.name)
        releases = publish(each.plan, str(each.data), out / each.name, progress)
        for column, release in zip(each.columns, releases, strict=True):
            rows.append(_row(each, column, release, orders))
            bars += _bars(f"{each.name}: {column}", release)
    with (out / TABLE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (out / FIGURE).write_text(picture(_figure(bars, rows), 0), encoding="utf-8")
    return rows


def _row(each: DataFile, column: str, release: Release, orders: Sequence[float]) -> dict[str, Any]:
    """Released numbers and public ones alone."""
    bounds = EntropyBounds.of(each.plan.contract)
    row: dict[str, Any] = {
        "data": each.name,
        "column": column,
        "noisy_rows": int(release.counts.values.sum()),
        "bins": release.counts.values.size,
        "epsilon": release.epsilon,
    }
    for order in orders:
        name, found = f"H_{'inf' if order == math.inf else f'{order:g}'}", release.entropy(order=order)
        row |= {name: found.value, f"{name}_low_95": found.low, f"{name}_high_95": found.high}
    published, exact = (bounds.published, bounds.exact) if bounds else (None, None)
    return row | {"delta_H_published": published, "delta_H_exact": exact}


def _bars(panel: str, release: Release) -> Iterator[dict[str, Any]]:
    for place, count in enumerate(release.counts.values.ravel().tolist(), 1):
        yield {"panel": panel, "bin": place, "rows": count}


def _figure(bars: list[dict[str, Any]], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The noisy histogram of every column, and all first entropies with their intervals."""
    first = next(name for name in rows[0] if name.startswith("H_"))
    entropies = [
        {"panel": f"{row['data']}: {row['column']}"}
        | {"bits": row[first], "low": row[f"{first}_low_95"], "high": row[f"{first}_high_95"]}
        for row in rows
    ]
    panel = {"field": "panel", "type": "nominal", "title": None, "sort": None}
    bits = {"type": "quantitative", "title": f"{first} in bits, 95 % intervals"}
    return {
        "vconcat": [
            {
                "data": {"values": entropies},
                "width": 520,
                "layer": [
                    {
                        "mark": {"type": "rule", "size": 2},
                        "encoding": {"x": bits | {"field": "low"}, "x2": {"field": "high"}, "y": panel},
                    },
                    {
                        "mark": {"type": "point", "filled": True, "size": 60},
                        "encoding": {"x": bits | {"field": "bits"}, "y": panel},
                    },
                ],
            },
            {
                "data": {"values": bars},
                "facet": panel,
                "columns": 3,
                "spec": {
                    "width": 220,
                    "height": 130,
                    "mark": "bar",
                    "encoding": {
                        "x": {
                            "field": "bin",
                            "type": "ordinal",
                            "title": "bin",
                            "axis": {"labels": False, "ticks": False},
                        },
                        "y": {"field": "rows", "type": "quantitative", "title": "noisy rows"},
                    },
                },
                "resolve": {"scale": {"x": "independent", "y": "independent"}},
            },
        ]
    }
