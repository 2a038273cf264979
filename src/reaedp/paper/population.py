"""People with seven attributes: those of the Adult census extract where its file is, else made-up ones; and copies."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reaedp.attacks.pair import Codes, counts
from reaedp.attacks.people import Synthesize
from reaedp.audits.made_up import MadeUp, Placement
from reaedp.contract import Category, Column, Contract, Integer
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.paper.histogram_rows import independent_rows
from reaedp.paper.item import Experiment
from reaedp.privacy.budget import Budget
from reaedp.privacy.unit import Unit
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.table import Table

#: Columns of adult.csv with their numbers of cells; ages, years of education and hours have an order.
SIZES = {
    "age": 85,
    "education-num": 16,
    "marital-status": 7,
    "occupation": 15,
    "sex": 2,
    "hours-per-week": 99,
    "income>50K": 2,
}
NAMES = tuple(SIZES)
ORDERED = ("age", "education-num", "hours-per-week")
LABEL = NAMES.index("income>50K")
DELTA = 1e-6
UNIT = Unit("add-remove")
#: Of the made-up people.
_KINDS, _FOLLOWS = 30, 0.7


def _axis(name: str, size: int) -> Column:
    if name in ORDERED:
        drop = dict.fromkeys(Integer.troubles, "drop")
        return Integer(name=name, lower=0, upper=size - 1, provenance="public", **drop)  # type: ignore[arg-type]
    levels = tuple(map(str, range(size)))
    return Category(name=name, levels=levels, provenance="public", null="drop", unseen="drop")


AXES = tuple(_axis(name, size) for name, size in SIZES.items())


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Records as cell numbers, in random order: any two parts of them are samples of the same population."""

    name: str
    codes: Codes


def population(experiment: Experiment, most: int) -> Population:
    """The population, of at most this many people."""
    path = experiment.file("adult.csv")
    name, codes = ("made-up people", _made_up(most, experiment.rng)) if path is None else ("Adult", _read(path))
    return Population(name, experiment.rng.permutation(codes)[:most])


def _read(path: Path) -> Codes:
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows)
        places = [header.index(name) for name in NAMES]
        return np.array([[int(row[place]) for place in places] for row in rows], dtype=np.int32)


def _made_up(rows: int, rng: np.random.Generator) -> Codes:
    """Kinds of people whose attributes mostly follow their kind, so that each tells something about the others."""
    sizes = np.array(list(SIZES.values()))
    kinds = rng.integers(sizes, size=(_KINDS, len(sizes)))
    likely = kinds[rng.integers(_KINDS, size=rows)]
    drawn = np.where(rng.random(likely.shape) < _FOLLOWS, likely, rng.integers(sizes, size=likely.shape))
    return drawn.astype(np.int32)


def by_network(epsilon: float) -> Synthesize:
    """The project's network at (ε, δ), as many rows as people."""
    contract = Contract(dataset="public", unit=UNIT, budget=Budget(10, DELTA), ledger="none", columns=AXES)
    network = MarginalModel.within(epsilon, DELTA, contract, NAMES)

    def synthesize(codes: Codes, rng: np.random.Generator) -> Codes:
        people = Placement(codes.astype(np.int32), np.ones(len(codes), dtype=np.int64))
        records = MadeUp.of(contract, NAMES, people)
        quiet: Callable[[str], None] = lambda _: None  # noqa: E731
        learned = network.learn(records, NAMES, counting_sensitivity(UNIT), SeededNoise(rng), quiet)
        return learned.rows(len(codes), rng)

    return synthesize


def by_independent_columns(epsilon: float) -> Synthesize:
    """Each column's noisy histogram for an equal share of ε, and independent draws from them."""
    noise = Calibrated(Laplace(epsilon / len(AXES)), counting_sensitivity(UNIT))

    def synthesize(codes: Codes, rng: np.random.Generator) -> Codes:
        exact = [counts(codes, tuple(SIZES.values()), [place]) for place in range(len(AXES))]
        noisy = [Table((axis,), noise.apply(table, SeededNoise(rng))) for axis, table in zip(AXES, exact, strict=True)]
        return independent_rows(noisy, len(codes), rng)

    return synthesize


def by_copying(codes: Codes, rng: np.random.Generator) -> Codes:
    """No privacy at all: the yardstick that an attack must find."""
    return rng.permutation(codes)
