"""The black-box audit of whole releases: from a file on disk to a release, thousands of times, on made-up neighbours.

Nothing of a mechanism is assumed but what the ledger charged. The attacker knows everyone else's rows, and looks at the
cells in which the canary's rows lie. Beside each pass stands what would not have passed.
"""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reaedp.audits.audit import Examination, Scoring, finding
from reaedp.audits.claim import Claim
from reaedp.audits.estimators import ErrorLevels
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.neighbour_files import modest, neighbour_files
from reaedp.audits.release_channel import Played, ReleaseChannel, release_channel, tables_channel
from reaedp.audits.repeated_release import RepeatedRelease
from reaedp.audits.request_audit import Runs, estimated, of_pair
from reaedp.contract import Contract
from reaedp.disk.claimed_folder import claimed
from reaedp.mechanisms.noise import Noise
from reaedp.plan.plan import Plan
from reaedp.plan.request import Request
from reaedp.privacy.loss import ApproxDP, Price, PureDP
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

#: Runs of an audit of whole releases.
RUNS = 5_000
#: Synthetic rows cost nothing once the model is paid for, and so many tell its tables, or the counts of keys.
MANY_ROWS, ROWS_OF_KEYS = 200_000, 5_000
#: What is looked at.
WHOLE, TABLES = "whole releases", "published tables of whole releases"
#: Where made-up files and ledgers are nobody's and need not outlive the machine.
_MEMORY = Path("/dev/shm")
Progress = Callable[[str, int, int], None]


def _silent(what: str, done: int, of: int) -> None:
    """Report progress to nobody."""


def audit_whole_releases(
    plan: Plan, *, rng: np.random.Generator, runs: int = RUNS, noise: Noise | None = None, progress: Progress = _silent
) -> tuple[Finding, ...]:
    """Findings on each release of a plan: the real curator releases made-up files.

    Noise is secret unless another is given. `runs` is the number of releases of each pair of files that judge. No data
    of the custodian is opened, and their ledger is not charged.
    """
    small = replace(plan, contract=modest(plan.contract))
    requests = small.requests()
    found = [
        audit_release(
            request, small.contract, rng=rng, runs=runs, noise=noise, progress=progress, requests=len(requests)
        )
        for request in requests
    ]
    return tuple(one for findings in found for one in findings)


def audit_release(
    request: Request,
    contract: Contract,
    *,
    rng: np.random.Generator,
    runs: int = RUNS,
    noise: Noise | None = None,
    progress: Progress = _silent,
    requests: int = 1,
) -> tuple[Finding, ...]:
    """Findings on one request under a contract: one for each pair of files, and one on what lies in the folder."""
    with claimed(_MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir()), "audit") as folder:
        cases = list(neighbour_files(request, contract, folder))
        ways = readings(request)
        levels = ErrorLevels.of(0.95, max(len(cases), 1) * len(ways) * requests)
        found: list[Finding] = []
        for number, (case, reading) in enumerate((case, reading) for case in cases for reading in ways):
            worlds = [
                RepeatedRelease(contract, reading.request, path, folder / f"{number} {place}", noise)
                for place, path in (("first", case.first), ("second", case.second))
            ]
            played = Played(worlds, case, levels, _counted(progress, request, runs))
            found += [_shown(played, reading, Runs(runs, rng)), _in_folder(played)]
        return tuple(found) or (_not_covered(request),)


class Reading(NamedTuple):
    """A way to look at releases: what is asked for, what is read off, and its name."""

    request: Request
    channel: Callable[[Played], ReleaseChannel]
    name: str


def readings(request: Request) -> tuple[Reading, ...]:
    """Everything that is released as it is; of a model, its published tables besides its rows."""
    whole = Reading(long_enough(request), release_channel, WHOLE)
    statistic = request.statistic
    if not isinstance(statistic, Synthetic) or not isinstance(request.mechanism, MarginalModel):
        return (whole,)
    return whole, Reading(replace(request, statistic=replace(statistic, rows=1)), tables_channel, TABLES)


def long_enough(request: Request) -> Request:
    """The same request for as many rows as tell the model's tables, where rows cost nothing."""
    statistic, priced = request.statistic, hasattr(request.mechanism, "records")
    if not isinstance(statistic, Synthetic) or priced:
        return request
    rows = ROWS_OF_KEYS if isinstance(request.mechanism, Amortised) else MANY_ROWS
    return replace(request, statistic=replace(statistic, rows=rows))


def _counted(progress: Progress, request: Request, runs: int) -> Callable[[], None]:
    """Says how many releases were made; those for choosing a score come before those that judge."""
    done = iter(range(1, 10**12))

    def tick() -> None:
        number = next(done)
        progress(f"{request.name}: {request.statistic.title}", number, max(runs, number))

    return tick


def _shown(played: Played, reading: Reading, runs: Runs) -> Finding:
    price = played.worlds[0].charged()
    claim = Claim.of(price, None if _certain(price) else played.contract.budget.delta)
    question = Examination(
        f"{played.request.statistic.title}, {played.noise.title}, {reading.name}",
        played.case.label,
        claim,
        played.levels,
    )
    channel = reading.channel(played)
    laws = channel.laws()
    scores, estimate = estimated(question, channel, played.noise, laws, runs)
    own = None if laws is None else of_pair(laws, claim)
    found = finding(question, Scoring(scores, 0.0, estimate, own), f"{estimate.method}; releases of whole files")
    if all(world.steady for world in played.worlds):
        return found
    return replace(found, verdict=Verdict.VIOLATED, witness="two counts of one file differ")


def _in_folder(played: Played) -> Finding:
    same = all(world.folder_agrees() for world in played.worlds)
    return Finding(
        subject=f"{played.request.statistic.title}: its folder",
        pair=played.case.label,
        verdict=Verdict.CONSISTENT if same else Verdict.VIOLATED,
        method="the table in a release folder, read back, against the release",
        witness="" if same else "the folder does not hold the numbers that were released",
    )


def _not_covered(request: Request) -> Finding:
    why = "no made-up files exist for a statistic of this kind"
    return Finding(subject=request.statistic.title, pair="none", verdict=Verdict.NOT_COVERED, method=why)


def _certain(price: Price) -> bool:
    return all(type(loss) in (PureDP, ApproxDP) for loss in price)
