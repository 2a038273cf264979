"""The audit of synthetic records: each part of the mechanism by formula, and whether all parts were charged."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from reaedp.audits.claim import Claim
from reaedp.audits.clones import audit_plan
from reaedp.audits.finding import ROUNDING, Finding, Verdict
from reaedp.audits.step_audit import audit_network
from reaedp.contract import Contract
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.by_kind import NOISES, ByKind
from reaedp.statistics.marginal import KeyedMarginal
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel


def audit_records(request: Request, contract: Contract, rng: np.random.Generator) -> tuple[Finding, ...]:
    """Steps of the model, the privacy test of a record, and the sum of all; nothing for a mechanism nobody took apart.

    The keys of an amortised release have runs of their own: see `keys_of`.
    """
    parts = _PARTS.of(request.mechanism)
    if parts is None:
        return ()
    noise = request.calibrated(contract)
    return (*_model(request, contract, rng), *_test(request, contract, noise), _sum(request, noise, parts))


def keys_of(request: Request) -> Request | None:
    """The request for the keys that an amortised release shows; all columns stand for those yet to be chosen."""
    mechanism = request.mechanism
    if not isinstance(mechanism, Amortised):
        return None
    statistic = KeyedMarginal(*(mechanism.keep or request.statistic.columns))
    return replace(request, statistic=statistic, mechanism=mechanism.keys)


def _model(request: Request, contract: Contract, rng: np.random.Generator) -> tuple[Finding, ...]:
    network = getattr(request.mechanism, "network", request.mechanism)
    if not isinstance(network, MarginalModel):
        return ()
    # Only rows that are drawn from the model alone can have a column in regions of the others.
    return audit_network(network, request.statistic.columns, contract, rng, refine=network is request.mechanism)


def _test(request: Request, contract: Contract, noise: Calibrated) -> tuple[Finding, ...]:
    mechanism = request.mechanism
    if not isinstance(mechanism, Deniable | DeniableCurves):
        return ()
    return (audit_plan(mechanism.plan(noise.sensitivity), _unit_of_seeds(request, contract), mechanism.at_least),)


def _unit_of_seeds(request: Request, contract: Contract) -> Unit:
    """Rows; or curves, where these are the seeds."""
    statistic = request.statistic
    return statistic.unit(contract) if isinstance(statistic, SyntheticCurves) else contract.unit


def _sum(request: Request, noise: Calibrated, parts: "Parts") -> Finding:
    """What is charged is the sum of the parts; or at least each of them, where nobody is in two."""
    bought, halves = parts(noise.mechanism, noise.sensitivity), getattr(noise.mechanism, "together", None) is not None
    if halves:
        claim = Claim.of(noise.price)
        covered = all(epsilon(tally([part]), claim.delta) <= claim.epsilon * (1 + ROUNDING) for part in bought)
    else:
        covered = tally(bought) == tally([noise.price])
    return Finding(
        subject=f"{request.statistic.title}, {noise.mechanism.name}: {'larger' if halves else 'sum'} of its parts",
        pair="all",
        verdict=Verdict.CONSISTENT if covered else Verdict.VIOLATED,
        method="the prices of all parts against what is charged, composed by the accountant",
        witness="" if covered else "what is charged does not cover the parts",
    )


Parts = Callable[[Any, Sensitivity], list[Price]]
_PARTS = ByKind[Parts | None](
    "what a mechanism for records buys",
    {
        MarginalModel: lambda m, s: [m.price(s)],
        Amortised: lambda m, s: [m.network.price(s), m.keys.price(s)],
        Deniable: lambda m, s: [m.network.price(s), (m.plan(s).each,) * m.records],
        DeniableCurves: lambda m, s: [(m.plan(s).each,) * m.curves],
    },
    otherwise=None,
    plain=(*NOISES, "GroupThreshold"),
    over="mechanisms",
)
