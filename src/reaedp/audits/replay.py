"""The deterministic part of an audit: the real curator releases made-up neighbours, with noise that forgets its input.

Everything published must then be the same for both, row for row; what was handed to the noise may differ by no more
than the declared sensitivity; and both must have cost the same. No real data is opened.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.made_up_rows import DataPair, data_pairs, short, small
from reaedp.audits.movement import not_hidden, too_far
from reaedp.audits.rehearsal import Outcome, Rehearsal
from reaedp.contract import Contract
from reaedp.disk.claimed_folder import claimed
from reaedp.plan.plan import Plan
from reaedp.plan.request import Request
from reaedp.statistics.by_kind import derived_from, full_name
from reaedp.synthesis.known_fits import fits_kept

#: Mechanisms that release what was made from records, which are not imported for other ones.
DENIABLE = "reaedp.synthesis.deniability.Deniable"
DENIABLE_CURVES = "reaedp.curves.deniable_curves.DeniableCurves"

_METHOD = "made-up neighbours through the real curator, with noise that forgets its input"
_BY_DESIGN = (
    "its candidates are made from records, so they differ between neighbours by design; its privacy test is audited by"
    " formula instead"
)
Outcomes = tuple[Outcome, ...]


def replay(
    contract: Contract,
    wanted: Plan | Sequence[Request],
    rng: np.random.Generator,
    *,
    most_pairs: int | None = None,
    show_keys: bool = True,
) -> tuple[Finding, ...]:
    """Whether anything but noisy numbers can depend on a row under this contract.

    One finding for each pair about what is published, one for each request about how far what it asks for moves. With
    `show_keys`, keys are also released with all of them shown, where neighbours have the same. Of mechanism F the model
    is replayed, its candidates are not.
    """
    requests = wanted.requests() if isinstance(wanted, Plan) else tuple(wanted)
    skipped = tuple(_by_design(request) for request in requests if _kind(request) in (DENIABLE, DENIABLE_CURVES))
    replayed = tuple(short(_model_only(request)) for request in requests if _kind(request) != DENIABLE_CURVES)
    if not replayed:
        return skipped
    terms, pairs = small(contract), tuple(islice(data_pairs(small(contract), rng), most_pairs))
    with claimed(Path(tempfile.gettempdir()), "audit") as folder, fits_kept():
        rehearsal = Rehearsal(folder, terms, replayed, rng)
        outcomes = [
            tuple(rehearsal.outcomes(data, keys=show_keys and pair.same_keys) for data in (pair.first, pair.second))
            for pair in pairs
        ]
    published = tuple(_published(pair, *outcome) for pair, outcome in zip(pairs, outcomes, strict=True))
    moved = tuple(_moved(place, request, terms, pairs, outcomes) for place, request in enumerate(replayed))
    return published + moved + skipped


def _kind(request: Request) -> str:
    return full_name(type(request.mechanism))


def _model_only(request: Request) -> Request:
    """Mechanism F without its candidates."""
    mechanism: Any = request.mechanism
    return replace(request, mechanism=mechanism.network) if derived_from(mechanism, DENIABLE) else request


def _published(pair: DataPair, first: Outcomes, second: Outcomes) -> Finding:
    """Whether neighbours published the same facts, and were charged what the prices add up to."""
    differing = [
        name
        for one, other in zip(first, second, strict=True)
        for name in sorted(one.facts.keys() | other.facts.keys())
        if one.facts.get(name) != other.facts.get(name)
    ]
    unpaid = [o for o in first + second if o.facts.get("ledger total") != o.facts.get("composed price")]
    witness = f"differs between neighbours: {', '.join(dict.fromkeys(differing))}" if differing else ""
    if unpaid:
        witness = "; ".join(filter(None, (witness, "the ledger's total is not the price of what was released")))
    crashed = next((outcome.refused for outcome in first + second if outcome.crashed), "")
    if crashed:  # on the data it would happen after the charge
        witness = "; ".join(filter(None, (witness, f"it fails on made-up data: {crashed}")))
    refused = next((outcome.refused for outcome in first + second if outcome.refused), "")
    verdict = Verdict.VIOLATED if witness else Verdict.WEAK if refused else Verdict.CONSISTENT
    return Finding(
        subject="everything published besides noise",
        pair=pair.label,
        verdict=verdict,
        method=_METHOD,
        witness=witness or (f"nothing was released: {refused}" if refused else ""),
    )


def _moved(
    place: int,
    request: Request,
    contract: Contract,
    pairs: tuple[DataPair, ...],
    outcomes: Sequence[tuple[Outcomes, ...]],
) -> Finding:
    """The farthest that one unit moved what noise was given, against what is declared."""
    declared, shape = request.calibrated(contract).sensitivity, request.statistic.answers
    problems = []
    for pair, ((one, *_), (other, *_)) in zip(pairs, outcomes, strict=True):
        if one.refused or other.refused:
            continue
        found = [words for outcome in (one, other) for words in not_hidden(shape, place, outcome)]
        if _enough(contract, pair):
            found += too_far(shape, place, declared, one, other)
        problems += [f"{pair.label}: {words}" for words in dict.fromkeys(found)]
    return Finding(
        subject=f"{request.statistic.title}: movement within L1 {declared.l1:,}, L2² {declared.l2_squared:,},"
        f" L∞ {declared.linf:,}",
        pair=f"{len(pairs)} pairs",
        verdict=Verdict.VIOLATED if problems else Verdict.CONSISTENT,
        method=_METHOD,
        witness="; ".join(problems),
    )


def _enough(contract: Contract, pair: DataPair) -> bool:
    """A sensitivity is promised only where both neighbours have the public number of units."""
    return min(pair.first.units, pair.second.units) >= (contract.unit.at_least or 0)


def _by_design(request: Request) -> Finding:
    return Finding(subject=request.statistic.title, pair="none", verdict=Verdict.NOT_COVERED, method=_BY_DESIGN)
