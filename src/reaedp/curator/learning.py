"""Learning what is not public, for a price: bounds and common values of numbers, levels of categories."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Column, Contract, Number
from reaedp.contract.category import Undeclared
from reaedp.contract.spikes import with_spikes
from reaedp.curator.curator import Curator, charged
from reaedp.engines.data import Data, Engine
from reaedp.errors import DeclarationError, ReaedpError, sentence
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.request import Request
from reaedp.privacy.loss import exact, positive
from reaedp.privacy.spending import decimal_floor
from reaedp.release.release import Release
from reaedp.statistics.levels import Levels
from reaedp.statistics.marginal import Marginal

#: 1, 2, 5, 10, 20, … on both sides of zero: fixed before any data is seen, and round numbers for people.
_STEPS = [digit * 10.0**power for power in range(-6, 13) for digit in (1, 2, 5)]
LADDER = tuple([-step for step in reversed(_STEPS)] + [0.0] + _STEPS)


def learn_bounds(
    contract: Contract, data: Data, column: str, epsilon: float, *, engine: Engine | None = None
) -> tuple[float, float, Release]:
    """Learn round numbers between which the values of a column lie, outliers aside.

    Rows are counted with noise on a fixed ladder of bins; the bounds are the ends of the bins whose counts exceed what
    noise alone would reach in one ladder out of twenty.

    >>> lower, upper, release = learn_bounds(contract, "data.csv", "age", 1.0)
    >>> lower <= 0.0, 100.0 <= upper
    (True, True)
    """
    (learned,) = learn_columns(contract, data, bounds=[column], epsilon=epsilon, engine=engine)
    if learned.bounds is None:
        raise ReaedpError(
            f"ε = {epsilon:g} was too little to find bounds of {column!r}: no bin rose above the noise."
            " The charge stands. Spend more, or declare public bounds."
        )
    return *learned.bounds, learned.release


def learn_levels(
    contract: Contract, data: Data, column: str, epsilon: float, delta: float, *, engine: Engine | None = None
) -> tuple[tuple[str, ...], Release]:
    """Learn the texts of a column that occur often enough, in alphabetical order.

    >>> levels, release = learn_levels(contract, "data.csv", "sex", 1.0, 1e-7)
    >>> levels
    ('f', 'm')
    """
    (learned,) = learn_columns(contract, data, levels=[column], epsilon=epsilon, delta=delta, engine=engine)
    if not learned.levels:
        raise ReaedpError(
            f"No level of {column!r} occurs often enough to be shown at ε = {epsilon:g}, δ = {delta:g}."
            " The charge stands. Spend more, or declare public levels."
        )
    return learned.levels, learned.release


def learn_values(
    contract: Contract, data: Data, column: str, epsilon: float, delta: float, *, engine: Engine | None = None
) -> tuple[Number, Release]:
    """Learn which values of a declared numeric column occur often enough.

    Returns the column with a bin for each of these values, and with their step; and the release that paid for it.

    >>> found, release = learn_values(contract, "data.csv", "age", 5.0, 1e-7)
    >>> found.step, found.provenance
    (1.0, 'dp')
    """
    declared = contract.column(column)
    if not isinstance(declared, Number):
        raise DeclarationError(
            f"Common values can only be learned for a column of kind number; {column!r} is of kind {declared.kind}."
        )
    (learned,) = learn_columns(contract, data, levels=[column], epsilon=epsilon, delta=delta, engine=engine)
    mark = contract.files.decimal if contract.files and contract.files.decimal else "."
    values = _numbers(learned.levels, mark, declared)
    if not values:
        raise ReaedpError(
            f"No value of {column!r} occurs often enough to be shown at ε = {epsilon:g}, δ = {delta:g}."
            " The charge stands. Spend more, or declare public bins."
        )
    return with_spikes(declared, values, learned.release.entry), learned.release


def _numbers(texts: Sequence[str], mark: str, column: Number) -> list[float]:
    """The numbers among texts that lie within a column's bounds."""
    found = set()
    for text in texts:
        with suppress(ValueError):
            found.add(float(text.replace(mark, ".")))
    edges = column.boundaries
    return sorted(value for value in found if edges[0] <= value <= edges[-1])


@dataclass(frozen=True, slots=True)
class Learned:
    """What a `release` found out about a `column`: `bounds` or `levels`; neither if nothing stood out from the noise.

    >>> (sex,) = learn_columns(contract, "data.csv", levels=["sex"], epsilon=1.0, delta=1e-7)
    >>> type(sex).__name__, sex.levels
    ('Learned', ('f', 'm'))
    """

    column: str
    bounds: tuple[float, float] | None
    levels: tuple[str, ...]
    release: Release

    @property
    def found(self) -> bool:
        """Whether anything was found that can be declared."""
        return self.bounds is not None or bool(self.levels)


def learn_columns(
    contract: Contract,
    data: Data,
    *,
    bounds: Sequence[str] = (),
    levels: Sequence[str] = (),
    epsilon: float,
    delta: float | None = None,
    engine: Engine | None = None,
) -> tuple[Learned, ...]:
    """Learn bounds of some columns and levels of others, charged all or none; each gets an equal share of (ε, δ).

    `bounds` and `levels` name the columns; `delta` is needed for levels.

    >>> keys = {"bounds": ["age"], "levels": ["sex"], "epsilon": 2.0, "delta": 1e-7}
    >>> [learned.column for learned in learn_columns(contract, "data.csv", **keys)]
    ['age', 'sex']
    """
    number = len(bounds) + len(levels)
    if number == 0 or len({*bounds, *levels}) < number:
        raise DeclarationError(sentence("Name one or more columns to learn, each once", given=[*bounds, *levels]))
    if (delta is None) != (not levels):
        raise DeclarationError(sentence("δ must be given to learn levels, and only then", given=delta))
    each = decimal_floor(exact(positive("epsilon", epsilon)) / number)
    requests = [Request(name, Marginal(name), Laplace(each)) for name in bounds]
    if delta is not None:
        threshold = Threshold(each, decimal_floor(exact(positive("delta", delta, below=1.0)) / len(levels)))
        requests += [Request(name, Levels(name), threshold) for name in levels]
    unknown: list[Column] = [Number(name=name, edges=LADDER, provenance="public") for name in bounds]
    unknown += [Undeclared(name=name, provenance="public") for name in levels]
    files = contract.files and contract.files.about({*bounds, *levels, contract.unit.person or ""})
    curator = Curator(replace(contract, columns=tuple(unknown), files=files, rules=()), data, engine=engine)
    releases = curator.release_all(requests)
    entries = [release.entry for release in releases]
    with charged(entries):
        curator.ledger.finish(entries)
    return tuple(_learned(release, release.name in bounds) for release in releases)


def _learned(release: Release, bounded: bool) -> Learned:
    if not bounded:
        return Learned(release.name, None, tuple(sorted(release.value)), release)
    counts = release.counts.values[: len(LADDER) - 1].astype(np.int64)
    return Learned(release.name, standing_out(counts, release.noise), (), release)


def standing_out(counts: Integers, noise: Calibrated) -> tuple[float, float] | None:
    """The ends of the bins of the ladder that stand out from the noise; nothing if none does."""
    full = np.flatnonzero(counts > noise.error_quantile(0.95, cells=len(counts)))
    return (LADDER[full[0]], LADDER[full[-1] + 1]) if full.size else None
