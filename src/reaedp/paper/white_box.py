"""Games whose attacker sees all that noise hides: a mean curve, a network's tables, keys and records of mechanism F.

Everyone else is known. Where the law of what is released is known too, nothing beats its likelihood ratio.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from reaedp.answer import Integers, Keyed
from reaedp.attacks.attack import Attack
from reaedp.attacks.linkage import nearest_reference
from reaedp.attacks.membership import entropy_and_total, gaussian_evidence, known_law
from reaedp.attacks.pair import Hiding, Numbers, TwoAnswers, with_and_without
from reaedp.attacks.trials import Floats
from reaedp.audits.channel import ABSENT
from reaedp.audits.clones import Crowds, seen
from reaedp.audits.keyed_channel import KeyedChannel
from reaedp.audits.made_up_sums import made_up_curve
from reaedp.audits.worst_case import worst_cases
from reaedp.contract import Category, Contract
from reaedp.curves.mean_curve import MeanCurve
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise, SeededNoise
from reaedp.mechanisms.record_plan import RecordPlan, plan_records
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Unit
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.purse import column_shares

DELTA = 1e-6
UNIT = Unit("add-remove", at_least=1_000)
ONE_ROW = counting_sensitivity(UNIT)
CURVE, NETWORK, KEYS, RECORD = "mean curve", "network, its tables", "amortised F, its keys", "F, one record"
#: Cells of the columns whose network is attacked, and rows for each count of the given histogram, so that keys pass.
SIZES, KEY_ROWS = (4, 3, 2), 100
_CURVE = made_up_curve(points=21, rank=10)


class Game(NamedTuple):
    """What is released with and without somebody, through which noise, and the log-ratio of the two laws."""

    release: str
    pair: TwoAnswers
    noise: Hiding
    evidence: Callable[[Numbers], Floats]

    def attacks(self, rounds: int, rng: np.random.Generator) -> Iterator[Attack]:
        """The best one, and the paper's two with releases of their own to practise on and to compare with."""
        yield from known_law(self.pair, self.noise, self.evidence, rounds, rng)
        yield from entropy_and_total(self.pair, self.noise, rounds, rng)
        yield from nearest_reference(self.pair, self.noise, rounds, rng)


def games(epsilon: float, base: Integers, rng: np.random.Generator) -> Iterator[Game]:
    """Every game at (ε, δ); `base` is a histogram of everyone else."""
    yield _curve(epsilon)
    yield _network(epsilon, rng)
    yield _keys(epsilon, base, rng)
    yield _record(epsilon)


def _curve(epsilon: float) -> Game:
    """A curve as long as may be joins the others."""
    contract = Contract(
        dataset="public", unit=UNIT, budget=Budget(10, DELTA), ledger="none", columns=(), curves=(_CURVE,)
    )
    statistic = MeanCurve(_CURVE.name)
    (case,) = worst_cases(statistic, contract)
    pair = TwoAnswers(case.second.answer(statistic), case.first.answer(statistic))
    sensitivity = statistic.sensitivity(contract)
    noise = Calibrated(Gaussian.within(epsilon, DELTA, sensitivity), sensitivity)
    return Game(CURVE, pair, noise, lambda released: gaussian_evidence(released, pair, noise.scale))


@dataclass(frozen=True, eq=False)
class _Tables:
    """All tables of a network end to end; its choices, which cost a twelfth, are not looked at."""

    network: MarginalModel
    #: Cells of each column's own table, and of all chosen ones.
    lengths: tuple[int, ...]

    @property
    def price(self) -> Price:
        """The price of all tables and choices."""
        return self.network.price(ONE_ROW)

    @cached_property
    def parts(self) -> list[Calibrated]:
        """Noise of each column's own table, and of the chosen ones."""
        shares = column_shares(self.lengths[:-1]).tolist()
        columns = [self.network.column_noise(ONE_ROW, share=share) for share in shares]
        return [*columns, self.network.table_noise(ONE_ROW)]

    @property
    def scales(self) -> Floats:
        """The noise scale of each cell."""
        return np.repeat([part.scale for part in self.parts], self.lengths)

    def apply(self, exact: Integers, noise: Noise) -> Integers:
        """Each part with its own noise."""
        tables = np.split(exact, np.cumsum(self.lengths[:-1]), axis=1)
        return np.concatenate(
            [part.apply(cells, noise) for part, cells in zip(self.parts, tables, strict=True)], axis=1
        )


def _network(epsilon: float, rng: np.random.Generator) -> Game:
    """Every table has one cell that the target moves, whichever tables are chosen: here the pairs in turn."""
    network = MarginalModel.within(epsilon, DELTA, _contract(), tuple(map(str, range(len(SIZES)))))
    codes = rng.integers(SIZES, size=(UNIT.at_least or 0, len(SIZES)))
    pairs = list(combinations(range(len(SIZES)), 2))
    groups: list[Any] = [[column] for column in range(len(SIZES))]
    groups += [pairs[table % len(pairs)] for table in range(network.tables)]
    tables = with_and_without(codes, 0, SIZES, groups)
    cells = [table.present.size for table in tables]
    noise = _Tables(network, (*cells[: len(SIZES)], sum(cells[len(SIZES) :])))
    pair = TwoAnswers(*(np.concatenate(side) for side in zip(*((t.present, t.absent) for t in tables), strict=True)))
    moved = pair.present != pair.absent
    scales = noise.scales[moved]
    return Game(NETWORK, pair, noise, lambda released: gaussian_evidence(released[:, moved], pair.moved, scales))


def _contract() -> Contract:
    columns = tuple(
        Category(name=str(place), levels=tuple(map(str, range(size))), null="drop", unseen="drop", provenance="public")
        for place, size in enumerate(SIZES)
    )
    return Contract(dataset="public", unit=UNIT, budget=Budget(10, DELTA), ledger="none", columns=columns)


@dataclass(frozen=True, eq=False)
class _Keys:
    """Counts of keys, those below the threshold hidden."""

    threshold: Calibrated

    @property
    def price(self) -> Price:
        """The price as (ε, δ)."""
        return self.threshold.price

    def apply(self, exact: Integers, noise: Noise) -> Integers:
        """Zero where nothing is shown."""
        present = np.flatnonzero(exact)
        shown = self.threshold.apply(Keyed(present, exact.ravel()[present]), noise)
        released = np.zeros(exact.size, dtype=np.int64)
        released[shown.keys] = shown.counts
        return released.reshape(exact.shape)


def _keys(epsilon: float, base: Integers, rng: np.random.Generator) -> Game:
    """The target has a key that many have; other keys do not move."""
    noise = _Keys(Calibrated(Threshold(epsilon, DELTA), ONE_ROW))
    others = base * KEY_ROWS
    target = np.arange(len(base)) == np.argmax(base)
    pair = TwoAnswers(others + target, others)
    channel = KeyedChannel(noise.threshold, SeededNoise(rng), pair.moved.absent, pair.moved.present)
    score: Any = channel.evidence()
    return Game(KEYS, pair, noise, lambda released: score(np.where(released == 0, ABSENT, released)[:, target]))


@dataclass(frozen=True, eq=False)
class _Record:
    """One record of mechanism F, as counts: the clones' record, somebody else's, or nothing at all.

    `laws` has the probabilities of these three in a row for each world: without the target, and with it.
    """

    plan: RecordPlan
    laws: Floats

    @property
    def price(self) -> Price:
        """The price of one record."""
        return (self.plan.each,)

    def apply(self, exact: Integers, noise: Noise) -> Integers:
        """Whether the target is there decides by which law the record is drawn."""
        return noise.generator().multinomial(1, self.laws[exact[:, 0]])[:, :-1]


def _record(epsilon: float) -> Game:
    """One seed more that could have made a record, where it makes most difference."""
    laws = record_laws(epsilon)
    ratio = np.log(laws[1] / laws[0])

    def evidence(released: Numbers) -> Floats:
        found: Floats = np.where(released.any(axis=1), released @ ratio[:-1], ratio[-1])
        return found

    pair = TwoAnswers(np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    return Game(RECORD, pair, _Record(_plan(epsilon), laws), evidence)


def record_laws(epsilon: float) -> Floats:
    """What is seen of a record, without and with one clone more, for the number of clones at which most changes."""
    plan, rows = _plan(epsilon), UNIT.at_least or 0
    pairs = [
        np.stack([seen(plan.test, plan.stopping, crowd) for crowd in Crowds.of(clones, rows, UNIT)])
        for clones in range(min(rows, plan.test.certain + 1))
    ]
    farthest = max(pairs, key=lambda laws: float(np.abs(laws[1] - laws[0]).sum()))
    return farthest[:, farthest.sum(axis=0) > 0]


def _plan(epsilon: float) -> RecordPlan:
    return plan_records(epsilon, DELTA, 1, unit=UNIT, gamma=1.0, plausible=np.array([UNIT.at_least]))
