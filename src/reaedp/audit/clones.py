"""The exact audit of a privacy test: so many plausible clones, and one more.

All clones propose the same record, everyone else a record of one's own. What is seen is that record, another one, or
nothing; the laws of all three are sums of a few terms.
"""

import numpy as np

from reaedp.audit.ceilings import Ceilings
from reaedp.audit.claim import Claim, Claimed
from reaedp.audit.finding import ROUNDING, Finding, Verdict
from reaedp.audit.loss_law import Floats, between
from reaedp.mechanisms.privacy_test import PrivacyTest
from reaedp.mechanisms.stopping import Stopping

#: Numbers of clones that are tried, from none to more than always pass.
TRIED = 1_000


def audit_clones(test: PrivacyTest, stopping: Stopping, *, claim: Claimed, rows: int) -> Finding:
    """The worst number of clones among `rows` rows, by formula; the claim is about one row more or less."""
    stated = Claim.of(claim)
    counts = np.unique(np.linspace(0, min(rows, test.certain + 1), TRIED).astype(np.int64))
    worst = max(counts.tolist(), key=lambda clones: _own(test, stopping, stated, clones, rows)[1])
    attained = max(counts.tolist(), key=lambda clones: _own(test, stopping, stated, clones, rows)[0])
    epsilon, delta = _own(test, stopping, stated, attained, rows)[0], _own(test, stopping, stated, worst, rows)[1]
    broken = epsilon > stated.epsilon * (1 + ROUNDING)
    return Finding(
        subject=f"privacy test that always passes from {test.certain:,} plausible seeds on, τ = {stopping.tau:g}",
        pair=f"{attained:,} and {attained + 1:,} clones among {rows:,} rows",
        verdict=Verdict.VIOLATED if broken else Verdict.CONSISTENT,
        method="by formula: the laws of what is seen are known, so that nothing is sampled",
        witness=f"ε = {epsilon:.4g} at the claimed δ, and δ = {delta:.3g} at the claimed ε" if broken else "",
        claim=stated,
        ceilings=Ceilings.of(stated, epsilon, (epsilon, delta)),
    )


def _own(test: PrivacyTest, stopping: Stopping, claim: Claim, clones: int, rows: int) -> tuple[float, float]:
    """ε at the claimed δ and δ at the claimed ε, the worse way round."""
    seen = [_seen(test, stopping, clones + more, rows + more) for more in (0, 1)]
    laws = [between(seen[1], seen[0]), between(seen[0], seen[1])]
    return max(law.epsilon(claim.delta) for law in laws), max(law.delta(claim.epsilon) for law in laws)


def _seen(test: PrivacyTest, stopping: Stopping, clones: int, rows: int) -> Floats:
    """Probabilities of the clones' record, of any other record, and of nothing."""
    passed, alone = test.rate(np.array([clones, 1]))
    trial = np.array([clones * passed, (rows - clones) * alone]) / rows
    nothing = stopping.nothing(float(trial.sum()))
    answered: Floats = trial * (1 - stopping.tau) / stopping.tau * nothing
    return np.append(answered, nothing)
