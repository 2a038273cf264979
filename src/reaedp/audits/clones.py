"""The exact audit of a privacy test: a number of plausible clones, and one unit's rows more.

All clones propose the same record, everyone else a record of one's own. What is seen is that record, one of a unit that
was replaced, another one, or nothing; the laws of all four are sums of a few terms.
"""

import math
from typing import NamedTuple

import numpy as np

from reaedp.audits.ceilings import Ceilings, log_ratio
from reaedp.audits.claim import Claim, Claimed
from reaedp.audits.finding import ROUNDING, Finding, Verdict
from reaedp.audits.loss_law import Floats, between
from reaedp.mechanisms.acceptance import PrivacyTest
from reaedp.mechanisms.record_plan import RecordPlan
from reaedp.mechanisms.stopping import Stopping
from reaedp.privacy.unit import Unit
from reaedp.rate import at_least, at_most

#: Numbers of clones that are tried, from none to more than always pass.
TRIED = 1_000
#: Runs of each world, and the error probability of each of four ends of ranges, for which clones are chosen.
_RUNS, _LEVEL = 1_000, 0.05 / 4
ONE_ROW = Unit("add-remove")


class _Attained(NamedTuple):
    epsilon: float
    delta: float
    clones: int


def audit_clones(test: PrivacyTest, stopping: Stopping, *, claim: Claimed, rows: int, unit: Unit = ONE_ROW) -> Finding:
    """The worst number of clones among `rows` rows, by formula; one unit's rows join them, or become clones."""
    stated = Claim.of(claim)
    room = rows if unit.change == "add-remove" else max(rows - unit.rows, 0)
    counts = np.unique(np.linspace(0, min(room, test.certain + 1), TRIED).astype(np.int64)).tolist()
    tried = [_attained(test, stopping, stated, Crowds.of(clones, rows, unit)) for clones in counts]
    worst, delta = max(tried), max(one.delta for one in tried)
    broken = worst.epsilon > stated.epsilon * (1 + ROUNDING)
    return Finding(
        subject=f"privacy test that always passes from {test.certain:,} plausible seeds on, τ = {stopping.tau:g}",
        pair=f"{worst.clones:,} and {worst.clones + unit.rows:,} clones among {rows:,} rows",
        verdict=Verdict.VIOLATED if broken else Verdict.CONSISTENT,
        method="by formula: the laws of what is seen are known, so that nothing is sampled",
        witness=f"ε = {worst.epsilon:.4g} at the claimed δ, and δ = {delta:.3g} at the claimed ε" if broken else "",
        claim=stated,
        ceilings=Ceilings.of(stated, math.inf, (worst.epsilon, delta)),
    )


def audit_plan(plan: RecordPlan, unit: Unit, at_least: int | None) -> Finding:
    """One record of mechanism F as it is planned; data sets of several sizes where none is declared."""
    certain = plan.test.certain + 1
    sizes = [at_least] if at_least else [size for size in (unit.rows, 10, 100, 1_000) if size < certain] + [certain]
    found = [audit_clones(plan.test, plan.stopping, claim=plan.each, rows=rows, unit=unit) for rows in sizes]
    return max(found, key=lambda finding: (finding.verdict is Verdict.VIOLATED, _own_epsilon(finding)))


def _own_epsilon(finding: Finding) -> float:
    return (finding.ceilings and finding.ceilings.attainable) or 0.0


class Crowd(NamedTuple):
    """Rows that propose the same record; rows of others, and of a unit that will be replaced, with one each."""

    clones: int
    others: int
    replaced: int


class Crowds(NamedTuple):
    """Neighbours: before and after one unit's rows joined the clones."""

    before: Crowd
    after: Crowd

    @classmethod
    def of(cls, clones: int, rows: int, unit: Unit) -> "Crowds":
        """The crowds of a number of clones among a number of rows."""
        replaced = unit.rows if unit.change == "replace" else 0
        others = max(rows - clones - replaced, 0)
        return cls(Crowd(clones, others, replaced), Crowd(clones + unit.rows, others, 0))


def clearest(plan: RecordPlan, unit: Unit, rows: int, alike: int = 1) -> int:
    """The number of clones among so many rows at which a thousand runs show most; of other rows so many are alike.

    The worst number is often so small that hardly anything passes, which runs cannot show.
    """
    room = rows if unit.change == "add-remove" else max(rows - unit.rows, 0)
    counts = np.unique(np.linspace(0, min(room, plan.test.certain + 1), TRIED).astype(np.int64)).tolist()

    def shown(clones: int) -> float:
        before, after = (seen(plan.test, plan.stopping, crowd, alike) for crowd in Crowds.of(clones, rows, unit))
        ways = [*zip(before, after, strict=True), *zip(after, before, strict=True)]
        return max(_expected(float(often), float(seldom), plan.each.delta) for seldom, often in ways)

    return int(max(counts, key=shown))


def _expected(often: float, seldom: float, delta: float) -> float:
    """The ε that an event shows which is seen as often as expected."""
    low = at_least(int(often * _RUNS), _RUNS, 1 - _LEVEL)
    return log_ratio(low - delta, at_most(math.ceil(seldom * _RUNS), _RUNS, 1 - _LEVEL))


def _attained(test: PrivacyTest, stopping: Stopping, claim: Claim, crowds: Crowds) -> _Attained:
    """ε at the claimed δ and δ at the claimed ε, the worse way round."""
    before, after = (seen(test, stopping, crowd) for crowd in crowds)
    laws = [between(after, before), between(before, after)]
    epsilon, delta = max(law.epsilon(claim.delta) for law in laws), max(law.delta(claim.epsilon) for law in laws)
    return _Attained(epsilon, delta, crowds.before.clones)


def seen(test: PrivacyTest, stopping: Stopping, crowd: Crowd, alike: int = 1) -> Floats:
    """Probabilities of the clones' record, of others' records, of the replaced unit's records, and of nothing."""
    passed, shared, alone = test.rate(np.array([crowd.clones, alike, 1]))
    trial = np.array([crowd.clones * passed, crowd.others * shared, crowd.replaced * alone]) / max(sum(crowd), 1)
    nothing = stopping.nothing(float(trial.sum()))
    answered: Floats = trial * (1 - stopping.tau) / stopping.tau * nothing
    return np.append(answered, nothing)
