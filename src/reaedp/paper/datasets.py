"""The paper's seven data sets: three made by their definition, four read from files where there are such files."""

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import RandomState  # whose stream and integers never change, unlike those of a Generator
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError
from reaedp.paper.item import Experiment

Floats = NDArray[np.float64]

BINS, MOST_ROWS = 30, 100_000
#: Of the generated sets: seed of the Mersenne Twister, rows, decimals.
_SEED, _ROWS, _DECIMALS = 2048, 10_000, 5


@dataclass(frozen=True, slots=True)
class DataSet:
    """A column with the figures that the paper prints for it, at ε = 1 and 30 bins."""

    name: str
    file: str
    column: str
    #: What a row is: the promise protects one of these, and no person who has several.
    row: str
    n: int
    entropy: float
    noisy_entropy: float
    bound: float
    generate: Callable[[], Floats] | None = None
    #: The name under which a copy that may be shared is found, if it is not the paper's own.
    also: str = ""

    @property
    def absent(self) -> str:
        """What stands in place of figures where there is no file."""
        return f"not checkable: {self.file} is not here"

    @property
    def printed_error(self) -> float:
        """Bits between the two printed entropies."""
        return round(abs(self.noisy_entropy - self.entropy), 4)

    def values(self, experiment: Experiment) -> Floats | None:
        """The numbers, missing ones left out; nothing if there is neither a definition nor a file."""
        if self.generate is not None:
            return self.generate()
        path = experiment.file(self.file) or (experiment.file(self.also) if self.also else None)
        return None if path is None else read_column(path, self.column)

    def counts(self, experiment: Experiment) -> Integers | None:
        """Rows in each of 30 bins from the least to the largest number, as published.

        Such edges tell these two numbers; an experiment on public data may use them and a release may not.
        """
        values = self.values(experiment)
        return None if values is None else np.histogram(values, bins=BINS)[0].astype(np.int64)


def read_column(path: Path, column: str) -> Floats:
    """The numbers of a column of a CSV file among its first 100,000 rows."""
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        if column not in header:
            raise DeclarationError(f"{path.name} must have a column {column!r}. Its columns are: {', '.join(header)}.")
        place = header.index(column)
        texts = [row[place] if place < len(row) else "" for row, _ in zip(rows, range(MOST_ROWS), strict=False)]
    values = np.array([_number(text) for text in texts])
    known: Floats = values[np.isfinite(values)]
    if not known.size:
        raise DeclarationError(f"The column {column!r} of {path.name} must hold numbers, and has none.")
    return known


def _number(text: str) -> float:
    """A cell that is no number counts as missing, as an empty one does."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _printed(values: Floats) -> Floats:
    """Single precision, written with five decimals."""
    single: Floats = values.astype(np.float32).astype(np.float64)
    return single.round(_DECIMALS)


def _power() -> Floats:
    """x² with x from 1 to 10."""
    return _printed(RandomState(_SEED).uniform(1, 10, _ROWS) ** 2)


def _ratio_of_differences() -> Floats:
    """(a - b) / (c - d) with all four from 1 to 10."""
    a, b, c, d = RandomState(_SEED).uniform(1, 10, (_ROWS, 4)).T
    return _printed((a - b) / (c - d))


def _body_mass_index() -> Floats:
    """M / h² with a whole number m from 25 to 199, drawn first, and h from 1.5 to 2."""
    twister = RandomState(_SEED)
    drawn = [(twister.randint(25, 200), twister.uniform(1.5, 2)) for _ in range(_ROWS)]
    mass, height = np.array(drawn).T
    return _printed(mass / height**2)


AMAZON = DataSet("y_amazon-google-large", "y_amazon-google-large.csv", "y", "hour", 100_000, 3.0279, 3.0286, 0.00037)
HOUSES = DataSet(
    "house-prices-train",
    "house-prices-train.csv",
    "SalePrice",
    "house",
    1460,
    3.4873,
    3.5155,
    0.01676,
    also="house-prices-shapash.csv",
)
CREDIT = DataSet(
    "home-credit-application-train",
    "home-credit-application-train.csv",
    "AMT_INCOME_TOTAL",
    "applicant",
    100_000,
    0.0004,
    0.0034,
    0.00037,
)
FEATURES = DataSet(
    "tabular-feature-engineering",
    "tabular-feature-engineering.csv",
    "y1",
    "draw",
    10_000,
    4.6645,
    4.6640,
    0.003,
    _body_mass_index,
)
DIFFERENCES = DataSet(
    "r_diff_train", "r_diff_train.csv", "y1", "draw", 10_000, 0.0237, 0.0459, 0.003, _ratio_of_differences
)
POWER = DataSet("pow_train", "pow_train.csv", "y1", "draw", 10_000, 4.7066, 4.7065, 0.003, _power)
UNEMPLOYMENT = DataSet("unemployment_data", "unemployment_data.csv", "UNRATE", "month", 601, 4.0457, 4.0894, 0.03645)
#: In the paper's order.
SETS = (AMAZON, HOUSES, CREDIT, FEATURES, DIFFERENCES, POWER, UNEMPLOYMENT)
