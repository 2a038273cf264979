"""The nine tables of the comparison, with public cells, what is predicted, and a fixed fifth of the rows held out.

Where a file has codes already, they are taken as they are. The cells of the others are stated here; the levels of
carriers and destinations are those of the file. Adult, the survey, NLTCS, Salary, Titanic and artificial-characters
come from the folder of public data; flights and diamonds from packages, in an environment of their own.
"""

import csv
import io
import json
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from compared.axis import Axis, Codes
from harness.peer import python_of
from synthesis import EDGES, LISTED, NULLABLE, STATES, binned


@dataclass(frozen=True)
class Compared:
    """Rows to learn from and rows to test on; `target` is predicted: a category's level, or a number."""

    name: str
    axes: tuple[Axis, ...]
    train: Codes
    test: Codes
    target: str
    #: The column by whose values NIST's score is formed; empty where there is none.
    area: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    @property
    def names(self) -> list[str]:
        return [axis.name for axis in self.axes]

    @property
    def label(self) -> int:
        return self.names.index(self.target)


def _split(name: str, axes: Sequence[Axis], codes: Codes, target: str, area: str = "") -> Compared:
    order = np.random.default_rng(0).permutation(len(codes))
    cut = int(0.8 * len(codes))
    return Compared(name, tuple(axes), codes[order[:cut]], codes[order[cut:]], target, area)


#: Edges of Adult's codes in their own units, from its file of original values.
ADULT = {
    "age": np.arange(16, 102),
    "fnlwgt": np.linspace(12285, 1490400, 101),
    "education-num": np.arange(1, 18),
    "capital-gain": np.arange(0, 100_001, 1000),
    "capital-loss": np.arange(0, 5001, 50),
    "hours-per-week": np.arange(1, 101),
}


def adult(folder: Path) -> Compared:
    return _coded("adult", folder / "adult", "income>50K", ADULT)


def _coded(name: str, stem: Path, target: str, numbers: dict[str, "np.typing.NDArray[np.number]"]) -> Compared:
    """A file of codes with the sizes of its domain beside it."""
    domain: dict[str, int] = json.loads(stem.with_name(f"{stem.name}-domain.json").read_text(encoding="utf-8"))
    axes = [
        Axis.number(column, numbers[column].tolist()) if column in numbers else Axis.category(column, size)
        for column, size in domain.items()
    ]
    assert [axis.size for axis in axes] == list(domain.values())
    codes = pd.read_csv(stem.with_suffix(".csv"))[list(domain)].to_numpy(np.int32)
    return _split(name, axes, codes, target)


def nltcs(folder: Path) -> Compared:
    return _coded("nltcs", folder / "synthesis" / "nltcs", "managing money", {})


def titanic(folder: Path) -> Compared:
    """Ages, fares and counts as codes: the file does not say their units. The last age stands for a missing one."""
    sizes = {"Age": 91, "SibSp": 9, "Parch": 7, "Fare": 32}
    numbers = {column: np.arange(size + 1) for column, size in sizes.items()}
    table = _coded("titanic", folder / "synthesis" / "titanic", "Survived", numbers)
    age = table.names.index("Age")
    for rows in (table.train, table.test):
        rows[:, age] = (rows[:, age] + 1) % sizes["Age"]
    axes = [Axis.number("Age", range(sizes["Age"]), null=True) if axis.name == "Age" else axis for axis in table.axes]
    return replace(table, axes=tuple(axes))


def salary(folder: Path) -> Compared:
    """Amounts as codes: the file does not say their units."""
    amounts = ("annual-salary", "regular-earnings", "overtime-earning", "other-earnings", "ytd-gross")
    return _coded("salary", folder / "synthesis" / "salary", "annual-salary", dict.fromkeys(amounts, np.arange(34)))


#: Where the first cell of a column of the survey begins, and where its last one ends.
ENDS = {
    "AGEP": (0, 100), "NOC": (0, 21), "NPF": (2, 22), "DENSITY": (0, 60_000), "EDU": (1, 14),
    "PINCP": (-20_000, 1_500_000), "PINCP_DECILE": (0, 11), "POVPIP": (0, 502),
}  # fmt: skip
PUMAS = ("25-00503", "25-00703", "25-01000", "25-01300", "25-02800")


def national(folder: Path) -> Compared:
    return _survey("national", folder / "nist-acs" / "national2019.csv", "STATE", STATES, slice(0, 2))


def massachusetts(folder: Path) -> Compared:
    return _survey("ma", folder / "nist-acs" / "ma2019.csv", "PUMA", PUMAS, slice(0, None))


def _survey(name: str, file: Path, area: str, areas: Sequence[str], part: slice) -> Compared:
    with file.open(encoding="utf-8") as source:
        raw = pd.DataFrame(list(csv.DictReader(source)))
    axes, codes = [Axis.category(area, len(areas))], [raw["PUMA"].str[part].map(list(areas).index)]
    for column in raw.columns:
        if column in LISTED:
            values = LISTED[column].split()
            axes.append(Axis.category(column, len(values)))
            codes.append(raw[column].map(values.index))
        elif column in EDGES:
            low, high = ENDS[column]
            axes.append(Axis.number(column, [low, *EDGES[column], high], null=column in NULLABLE))
            codes.append(binned(raw[column].to_numpy(), column))
    return _split(name, axes, np.column_stack(codes).astype(np.int32), "OWN_RENT", area)


#: Of artificial-characters: whole numbers, and lengths to the unit.
STROKES = {"V1": range(9), **{f"V{place}": range(-2, 65) for place in (2, 3, 4, 5)}, "V6": range(81), "V7": range(81)}


def characters(folder: Path) -> Compared:
    """Trained and tested on the files that the set is published in."""
    parts = [pd.read_csv(folder / "synthesis" / f"artificial-characters_{part}.csv") for part in ("train", "test")]
    axes = [*(Axis.number(column, list(edges)) for column, edges in STROKES.items()), Axis.category("Class", 10)]
    train, test = (
        np.column_stack([*(axis.codes(part[axis.name].to_numpy(float)) for axis in axes[:-1]), part["Class"] - 1])
        for part in parts
    )
    return Compared("characters", tuple(axes), train.astype(np.int32), test.astype(np.int32), "Class")


#: Minutes of delay: of one minute where most flights are, wider beyond; the earliest and the latest share a cell.
DELAYS = [-90, -40, -30, *range(-25, 31), *range(35, 61, 5), *range(75, 181, 15), 240, 300, 400, 600, 1400]
FLIGHTS = {
    "month": range(1, 14),
    "day": range(1, 33),
    "hour": range(25),
    "dep_delay": DELAYS,
    "arr_delay": DELAYS,
    "air_time": range(0, 721, 10),
    "distance": range(0, 5001, 50),
}


def flights(_: Path) -> Compared:
    """Ten columns; delays and time in the air are missing together."""
    frame = pd.read_csv(_site("flights.csv.zip"))
    axes, codes = [], []
    for column in (
        "month",
        "day",
        "hour",
        "carrier",
        "origin",
        "dest",
        "dep_delay",
        "arr_delay",
        "air_time",
        "distance",
    ):
        if column in FLIGHTS:
            missing = column in ("dep_delay", "arr_delay", "air_time")
            axes.append(Axis.number(column, list(FLIGHTS[column]), null=missing))
            codes.append(axes[-1].codes(frame[column].to_numpy(float)))
        else:
            levels = sorted(frame[column].unique())
            axes.append(Axis.category(column, len(levels)))
            codes.append(frame[column].map({level: code for code, level in enumerate(levels)}).to_numpy(np.int32))
    return _split("flights", axes, np.column_stack(codes), "arr_delay")


GRADES = {
    "cut": ("Fair", "Good", "Very Good", "Premium", "Ideal"),
    "color": tuple("DEFGHIJ"),
    "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"),
}
#: First edge, last edge, step.
DIAMONDS = {
    "carat": (0, 5.25, 0.05), "depth": (40, 80, 0.5), "table": (40, 100, 1), "price": (0, 19_000, 250),
    "x": (0, 12, 0.2), "y": (0, 12, 0.2), "z": (0, 8, 0.2),
}  # fmt: skip


def diamonds(_: Path) -> Compared:
    """Ten columns; a few lengths beyond the last edge are in the last cell."""
    with tarfile.open(_site("resources.tar.gz")) as archive:
        (member,) = (one for one in archive.getmembers() if one.name.endswith("/diamonds.csv"))
        source = archive.extractfile(member)
        assert source is not None
        frame = pd.read_csv(io.BytesIO(source.read()))
    axes, codes = [], []
    for column in ("carat", "cut", "color", "clarity", "depth", "table", "price", "x", "y", "z"):
        if column in GRADES:
            axes.append(Axis.category(column, len(GRADES[column])))
            codes.append(frame[column].map(GRADES[column].index).to_numpy(np.int32))
        else:
            low, high, step = DIAMONDS[column]
            axes.append(Axis.number(column, np.linspace(low, high, round((high - low) / step) + 1).tolist()))
            codes.append(axes[-1].codes(frame[column].to_numpy(float)))
    return _split("diamonds", axes, np.column_stack(codes), "price")


def _site(file: str) -> Path:
    """A file of a package that holds tables."""
    home = python_of("tables").parent.parent
    return next(home.glob(f"lib/python*/site-packages/*/**/{file}"))


#: The cheapest first.
TABLES: dict[str, Callable[[Path], Compared]] = {
    "titanic": titanic,
    "nltcs": nltcs,
    "ma": massachusetts,
    "characters": characters,
    "adult": adult,
    "diamonds": diamonds,
    "national": national,
    "flights": flights,
    "salary": salary,
}
