"""What noise will do to synthetic rows."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reaedp.contract import Contract
from reaedp.frames.number import about
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.expected import Expected
from reaedp.plan.request import Request
from reaedp.statistics.by_kind import NOISES, ByKind
from reaedp.synthesis.marginal_model import MarginalModel

if TYPE_CHECKING:
    from reaedp.synthesis.amortised import Amortised
    from reaedp.synthesis.deniability import Deniable

#: Says what a method does.
Words = Callable[[Any, Calibrated], str]


def of_synthetic(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    """Errors of the counts behind synthetic rows, and what their method does."""
    bound, most = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=1_000)
    words = _METHODS.of(request.mechanism)(request.mechanism, noise)
    return Expected("rows", noise.mean_error, bound, most, words)


def _of_model(network: MarginalModel, noise: Calibrated) -> str:
    if network.columns == 1:
        return f"The noisy counts of one column are off by about {about(noise.mean_error)} rows a cell on average."
    return (
        f"A marginal model is fitted to {network.columns} noisy tables of one column and up to {network.tables} of"
        f" several; their cells are off by about {about(noise.mean_error)} rows on average."
    )


def _of_keys(mechanism: "Amortised", noise: Calibrated) -> str:
    threshold = mechanism.keys.threshold(noise.sensitivity)
    return (
        f"{_of_model(mechanism.network, noise)} Combinations of the kept columns that at least about {threshold:,}"
        " records share are published as they are. Any number of rows costs the same."
    )


def _of_records(mechanism: "Deniable", noise: Calibrated) -> str:
    plan, paper = mechanism.plan(noise.sensitivity), mechanism.paper
    claim = ""
    if paper is not None:
        claim = f" (the paper claims δ = {about(paper.claimed.delta, 2)})"
    return (
        f"{_of_model(mechanism.network, noise)} Each record costs ε = {about(plan.each.epsilon)},"
        f" δ = {about(plan.each.delta, 2)}{claim}. A candidate passes the test of plausible deniability with"
        f" probability 1/2 if {plan.test.half:,} seeds could have made it, and always if {plan.test.certain:,} could."
        f" At best {about(100 * (1 - plan.stopping.nothing(1.0)))} % of the requested records are released; the rest"
        " are left out."
    )


def _amortised() -> dict[type[Any], Words]:
    from reaedp.synthesis.amortised import Amortised

    return {Amortised: _of_keys}


def _deniable() -> dict[type[Any], Words]:
    from reaedp.synthesis.deniability import Deniable

    return {Deniable: _of_records}


_METHODS = ByKind[Words](
    "what a method of synthetic records does",
    {MarginalModel: lambda mechanism, noise: f"{_of_model(mechanism, noise)} Any number of rows costs the same."},
    otherwise=lambda _, noise: (
        f"The counts behind the records are off by about {about(noise.mean_error)} rows per cell on average."
    ),
    plain=(*NOISES, "GroupThreshold", "DeniableCurves"),
    over="mechanisms",
    later={"reaedp.synthesis.amortised": _amortised, "reaedp.synthesis.deniability": _deniable},
)
