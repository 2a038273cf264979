"""How many ranks quantiles will miss by each way, predicted from public facts alone; and which way is better."""

import math
from typing import NamedTuple

import numpy as np

from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.exponential import Exponential, steps
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.statistics.noise_variance import noise_variance
from reaedp.statistics.quantiles.chosen_quantiles import MOST_CELLS as MOST_CHOSEN
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.inside import wide_cells
from reaedp.statistics.quantiles.quantiles import MOST_CELLS as MOST_COUNTED
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.quantiles.question import QuantileQuery
from reaedp.statistics.quantiles.ranks import shares

#: What the misses of quantiles that were chosen before add to those of the ones between them.
_INHERITED = math.sqrt(4 / 3)
#: Ranks missed on average because rows do not lie evenly in a cell, as a share of its rows: a twelfth if their density
#: rises threefold from its one end to the other. A smooth curve through the counts around it misses a third of that.
_UNEVEN, _SMOOTHED = 1 / 12, 1 / 3


def counted_error(noise: Calibrated, cells: int, at: tuple[float, ...]) -> float:
    """Mean ranks missed by quantiles that are read off noisy counts, if all cells have equally many rows.

    At rank p the noise of (1 - p) · below - p · above has the variance of p (1 - p) counts for each cell.
    """
    deviation = math.sqrt(noise_variance(noise) * cells)
    return float(np.mean([math.sqrt(rank * (1 - rank)) for rank in at or (0.5,)]) * deviation * math.sqrt(2 / math.pi))


def chosen_error(noise: Calibrated, at: tuple[float, ...]) -> float:
    """Mean ranks missed by quantiles that are chosen among places of few rows."""
    levels = steps(shares(at))
    own = [float(step.width) for level in levels for step in level]
    return noise.scale * len(levels) * float(np.mean(own)) * (_INHERITED if len(levels) > 1 else 1.0)


class Unseen(NamedTuple):
    """How many rows share a cell, and the mean ranks missed because nobody sees how they lie in it, by each way."""

    rows: float
    counted: float
    chosen: float


def unseen(contract: Contract, asked: QuantileQuery) -> Unseen:
    """For the rows that are promised, in equal groups and cells; nothing where every cell is a single value."""
    column = contract.column(asked.of)
    cells = math.prod(one.regular for one in contract.select((*asked.by, asked.of)))
    shared = (contract.unit.at_least or 0) / cells
    missed = _UNEVEN * shared * wide_cells(column)
    return Unseen(shared, _SMOOTHED * missed, missed)


class Way(NamedTuple):
    """A statistic and a mechanism, the ranks that they will miss, and those of the other way, if there is one."""

    statistic: Quantiles | ChosenQuantiles
    mechanism: Mechanism
    missed: float
    other: float | None


def best_quantiles(contract: Contract, asked: QuantileQuery, epsilon: float) -> Way:
    """The way to the `asked` quantiles that is expected to be off by the fewest ranks at a price of ε.

    >>> best_quantiles(contract, Quantiles(of="age", at="deciles"), 1.0).statistic.title
    'deciles of age'
    """
    column = contract.column(asked.of)
    parameters = (asked.of, asked.at, asked.by, asked.per_person)
    counted, chosen = Quantiles(*parameters), ChosenQuantiles(*parameters)
    sensitivity, inside = asked.sensitivity(contract), unseen(contract, asked)
    ways: list[tuple[float, Quantiles | ChosenQuantiles, Mechanism]] = []
    if counted.cells(contract) <= MOST_COUNTED:
        noise = Calibrated(Laplace(epsilon), sensitivity)
        missed = counted_error(noise, column.regular, asked.at) + inside.counted
        ways.append((missed, counted, noise.mechanism))
    if asked.at and column.regular <= MOST_CHOSEN:
        noise = Calibrated(Exponential(epsilon), sensitivity)
        ways.append((chosen_error(noise, asked.at) + inside.chosen, chosen, noise.mechanism))
    if not ways:
        raise DeclarationError(f"{asked.title} has too many cells to be released in any way. Declare coarser columns.")
    ways.sort(key=lambda way: way[0])
    missed, statistic, mechanism = ways[0]
    return Way(statistic, mechanism, missed, ways[1][0] if len(ways) > 1 else None)
