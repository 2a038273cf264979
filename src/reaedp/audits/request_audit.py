"""The audit of a request: its very mechanism and parameters, on made-up worst-case neighbours."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from reaedp.answer import Keyed, Shape
from reaedp.audits.audit import FULL, Examination, Scoring, events, finding, guessing
from reaedp.audits.channel import Channel
from reaedp.audits.claim import Claim
from reaedp.audits.estimators import ErrorLevels, Estimate, Scores, by_guessing, by_midpoint, known_guess
from reaedp.audits.finding import ROUNDING, Finding, Verdict
from reaedp.audits.grouped_channel import GroupedChannel
from reaedp.audits.keyed_channel import KeyedChannel, aligned
from reaedp.audits.learned_scores import learned_scores
from reaedp.audits.loss_law import LossLaw, TradeOff, gaussian_law
from reaedp.audits.pair import Floats, Pair, play
from reaedp.audits.vector_channel import VectorChannel
from reaedp.audits.worst_case import Neighbours, worst_cases
from reaedp.contract import Contract
from reaedp.mechanisms.mechanism import Calibrated, OnRecords
from reaedp.mechanisms.noise import Noise, SeededNoise
from reaedp.plan.request import Request
from reaedp.privacy.conversion import bisect
from reaedp.privacy.loss import ApproxDP, PureDP
from reaedp.statistics.marginal import KeyedMarginal, Marginal

#: Larger histograms are compared by the cells that have rows.
MOST_CELLS = 1_000_000
#: From this scale on a lattice of integers is as good as the line: accuracy differs by 1/(24 scale²) of itself.
FINE = 10.0


def _routed(noise: Calibrated, source: Noise, first: Any, second: Any, runs: int) -> Channel:
    from reaedp.audits.routed_channel import RoutedChannel

    return RoutedChannel.of(noise, source, first, second, runs)


def _ordered(noise: Calibrated, source: Noise, first: Any, second: Any, runs: int) -> Channel:
    from reaedp.audits.ordered_channel import OrderedChannel

    return OrderedChannel.of(noise, source, first, second, runs)


#: What runs a mechanism that hides answers of each shape.
CHANNELS: dict[Shape, Callable[[Calibrated, Noise, Any, Any, int], Channel]] = {
    "vector": VectorChannel.of,
    "keyed": KeyedChannel.of,
    "grouped": GroupedChannel.of,
    "routed": _routed,
    "ordered": _ordered,
}


def audit_request(
    request: Request,
    contract: Contract,
    *,
    rng: np.random.Generator,
    runs: int = FULL,
    noise: Noise | None = None,
    confidence: float = 0.95,
    requests: int = 1,
) -> tuple[Finding, ...]:
    """One finding for each worst-case pair of the statistic under the contract's unit; no data is opened.

    Runs use seeded noise of the same law, or `noise` if it is given: the secret source, to audit the real sampler.
    Synthetic records are audited part by part, most of them by formula. `requests` is the number of requests that are
    audited together, among which the error probability is shared.
    """
    calibrated = request.calibrated(contract)
    if isinstance(request.mechanism, OnRecords):
        from reaedp.audits.records_audit import audit_records, keys_of

        parts, keys = audit_records(request, contract, rng), keys_of(request)
        if keys is not None:
            parts += audit_request(
                keys, contract, rng=rng, runs=runs, noise=noise, confidence=confidence, requests=requests
            )
        if parts:
            return parts
    subject = f"{request.statistic.title}, {calibrated.title}"
    cases = worst_cases(request.statistic, contract)
    make = CHANNELS.get(request.statistic.answers)
    if make is None or not cases:
        why = "no worst-case neighbours are known for a statistic of this kind"
        return (Finding(subject=subject, pair="none", verdict=Verdict.NOT_COVERED, method=why),)
    claim, levels = claimed(calibrated, contract), ErrorLevels.of(confidence, len(cases) * requests)
    source = SeededNoise(rng) if noise is None else noise
    channels = [make(calibrated, source, *_answers(request, case), runs) for case in cases]
    return tuple(
        _examined(
            Examination(subject, case.label, claim, levels),
            channel,
            calibrated,
            Runs(min(runs, channel.most_runs), rng),
        )
        for case, channel in zip(cases, channels, strict=True)
    )


def claimed(calibrated: Calibrated, contract: Contract) -> Claim:
    """The price; its ε at the budget's δ unless every loss in it says its own."""
    certain = all(type(loss) in (PureDP, ApproxDP) for loss in calibrated.price)
    return Claim.of(calibrated.price, None if certain else contract.budget.delta)


def _answers(request: Request, case: Neighbours) -> tuple[Any, Any]:
    """The exact answers, computed by the statistic; a histogram too large to write out twice by its full cells."""
    statistic, contract = request.statistic, case.first.contract
    if type(statistic) is Marginal and statistic.cells(contract) > MOST_CELLS:
        found: list[Keyed] = [data.answer(KeyedMarginal(*statistic.columns)) for data in (case.first, case.second)]
        return aligned(*found)
    return case.first.answer(statistic), case.second.answer(statistic)


class Runs(NamedTuple):
    """How many runs, and whose coins decide which neighbour each of them sees."""

    number: int
    rng: np.random.Generator


def _examined(question: Examination, channel: Channel, noise: Calibrated, plan: Runs) -> Finding:
    laws = channel.laws()
    scores, estimate = estimated(question, channel, noise, laws, plan)
    own = None if laws is None else of_pair(laws, question.claim)
    scoring = Scoring(scores, 0.0, estimate, own)
    found = finding(question, scoring, f"{estimate.method}; by the likelihood ratio")
    return found if own is None or estimate.violated else _by_formula(found, *own)


def of_pair(laws: tuple[TradeOff, TradeOff], claim: Claim) -> tuple[float, float]:
    """ε at the claimed δ and δ at the claimed ε, the worse way round; without sampling error."""
    return max(law.epsilon(claim.delta) for law in laws), max(law.delta(claim.epsilon) for law in laws)


def _by_formula(found: Finding, epsilon: float, delta: float) -> Finding:
    """A pair's own ε needs no runs to break a claim; nor has it any to show where all it costs is δ."""
    assert found.claim is not None
    if epsilon > found.claim.epsilon * (1 + ROUNDING):
        witness = f"by formula this pair has ε = {epsilon:.4g}, and δ = {delta:.3g} at the claimed ε"
        return replace(found, verdict=Verdict.VIOLATED, witness=witness)
    if epsilon == 0:
        return replace(found, method=f"by formula: this pair costs δ = {delta:.3g} and no ε")
    return found


def estimated(
    question: Examination, channel: Channel, noise: Calibrated, laws: tuple[TradeOff, TradeOff] | None, plan: Runs
) -> tuple[Scores, Estimate]:
    """All runs judge where the law fixes beforehand when to guess; else half of them choose."""
    pair, (runs, rng) = Pair(*channel.answers), plan
    claim, levels = question.claim, question.levels
    score = channel.evidence() or learned_scores(*play(channel.run, pair, runs, rng))[0]

    def scored(runs: int) -> Scores:
        return Scores(*(score(world) for world in play(channel.run, pair, runs, rng)))

    if laws is not None and claim.pure:
        guess = known_guess(laws, _losses(laws[0]), runs, levels.estimate)
        return _with(scored(runs), lambda scores: by_guessing(scores, guess, claim, levels))
    if channel.evidence() is not None and channel.gaussian:
        coarse = laws is not None and noise.scale < FINE
        shape = _lattice_shape(pair, noise.scale, claim.delta) if coarse else None
        return _with(scored(runs), lambda scores: by_midpoint(scores, 0.0, claim, levels, shape))
    practice, judge = scored(runs // 2), guessing if claim.pure else events
    return _with(scored(runs - runs // 2), lambda scores: judge(practice, scores, claim, levels))


def _with(scores: Scores, estimate: Callable[[Scores], Estimate]) -> tuple[Scores, Estimate]:
    return scores, estimate(scores)


def _losses(law: TradeOff) -> Floats:
    return law.losses if isinstance(law, LossLaw) else np.empty(0)


def _lattice_shape(pair: Pair, scale: float, delta: float) -> Callable[[float], float]:
    """Turns an accuracy into the ε of the discrete Gaussian noise, of whatever scale, that reaches it on this pair."""
    moves = pair.second - pair.first

    def accuracy(width: float) -> float:
        law = gaussian_law(moves, width)
        return (1 + law.delta(0.0)) / 2

    def convert(seen: float) -> float:
        narrow, wide = scale / 64, scale * 64
        if seen <= accuracy(wide):
            return 0.0
        width = bisect(lambda width: accuracy(width) <= seen, wide, narrow, 1e-9)
        return gaussian_law(moves, width).epsilon(delta)

    return convert
