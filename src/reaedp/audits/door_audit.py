"""The black-box audit of the whole door: from a file on disk to a release, thousands of times, on made-up neighbours.

Nothing of a mechanism is assumed but what the ledger charged. The attacker knows everyone else's rows, and looks at the
cells in which the canary's rows lie. Beside each pass stands what would not have passed.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from reaedp.answer import Routed
from reaedp.audits.audit import Evidence, Question, finding
from reaedp.audits.canary_cells import CanaryCells
from reaedp.audits.canary_files import CanaryFiles, canary_files, modest
from reaedp.audits.channel import ABSENT, Knowledge
from reaedp.audits.claim import Claim
from reaedp.audits.doorway import Doorway
from reaedp.audits.estimators import Levels
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.keyed_channel import KeyedChannel, aligned
from reaedp.audits.loss_law import Curve
from reaedp.audits.pair import Floats, Outputs, Score
from reaedp.audits.request_audit import Runs, estimated, of_pair
from reaedp.audits.routed_channel import RoutedChannel
from reaedp.audits.vector_channel import VectorChannel
from reaedp.contract import Contract
from reaedp.curves.estimate import CurveEstimate
from reaedp.curves.synthetic_curves import ReleasedCurves
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise, SecretNoise
from reaedp.plan import Plan
from reaedp.privacy.loss import Approximate, Price, Pure
from reaedp.release import Release
from reaedp.request import Request
from reaedp.statistics.estimates import Estimates
from reaedp.statistics.pixels import NoisyPicture
from reaedp.synthesis.network import Network
from reaedp.synthesis.synthetic import Synthetic
from reaedp.table import KeyCounts, Table

#: Runs of an audit of the door.
RUNS = 5_000
#: Synthetic rows cost nothing once the model is paid for, and so many tell its tables.
MANY_ROWS = 20_000
#: Where made-up files and ledgers are nobody's and need not outlive the machine.
_MEMORY = Path("/dev/shm")
Progress = Callable[[str, int, int], None]


def _silent(what: str, done: int, of: int) -> None:
    """Nobody watches."""


def audit_door(
    plan: Plan, *, rng: np.random.Generator, runs: int = RUNS, noise: Noise | None = None, progress: Progress = _silent
) -> tuple[Finding, ...]:
    """Findings on each release of a plan: made-up files through the real door.

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
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None, prefix="reaedp-") as name:
        folder = Path(name)
        cases = list(canary_files(request, contract, folder))
        levels = Levels.of(0.95, max(len(cases), 1) * requests)
        found: list[Finding] = []
        for number, case in enumerate(cases):
            worlds = [
                Doorway(contract, long_enough(request), path, folder / f"{number} {place}", noise)
                for place, path in (("first", case.first), ("second", case.second))
            ]
            played = _Played(worlds, case, levels, _counted(progress, request, runs))
            found += [_shown(played, Runs(runs, rng)), _in_folder(played)]
        return tuple(found) or (_not_covered(request),)


def long_enough(request: Request) -> Request:
    """The same request for as many rows as tell the model's tables, where rows cost nothing."""
    statistic, priced = request.statistic, hasattr(request.mechanism, "records")
    if not isinstance(statistic, Synthetic) or priced:
        return request
    return replace(request, statistic=replace(statistic, rows=MANY_ROWS))


@dataclass(frozen=True, slots=True)
class _Played:
    """Two doors that differ in one unit's rows."""

    worlds: list[Doorway]
    case: CanaryFiles
    levels: Levels
    tick: Callable[[], None]

    @property
    def request(self) -> Request:
        return self.worlds[0].request

    @property
    def contract(self) -> Contract:
        return self.worlds[0].contract

    @property
    def noise(self) -> Calibrated:
        return self.request.calibrated(self.contract)

    @property
    def subject(self) -> str:
        return f"{self.request.statistic.title}, {self.noise.title}, through the door"


def _counted(progress: Progress, request: Request, runs: int) -> Callable[[], None]:
    """Says how many releases were made; those for choosing a score come before those that judge."""
    done = iter(range(1, 10**12))

    def tick() -> None:
        number = next(done)
        progress(f"{request.name}: {request.statistic.title}", number, max(runs, number))

    return tick


def _shown(played: _Played, runs: Runs) -> Finding:
    price = played.worlds[0].charged()
    claim = Claim.of(price, None if _certain(price) else played.contract.budget.delta)
    question = Question(played.subject, played.case.label, claim, played.levels)
    channel = _channel(played)
    laws = channel.laws()
    scores, estimate = estimated(question, channel, played.noise, laws, runs)
    own = None if laws is None else of_pair(laws, claim)
    found = finding(question, Evidence(scores, 0.0, estimate, own), f"{estimate.method}; releases of whole files")
    if all(world.steady for world in played.worlds):
        return found
    return replace(found, verdict=Verdict.VIOLATED, witness="two counts of one file differ")


def _in_folder(played: _Played) -> Finding:
    same = all(world.folder_agrees() for world in played.worlds)
    return Finding(
        subject=f"{played.request.statistic.title}: its folder",
        pair=played.case.label,
        verdict=Verdict.CONSISTENT if same else Verdict.VIOLATED,
        method="the table in a release folder, read back, against the release",
        witness="" if same else "the folder does not hold the numbers that were released",
    )


def _not_covered(request: Request) -> Finding:
    why = "nobody made up files for a statistic of this kind"
    return Finding(subject=request.statistic.title, pair="none", verdict=Verdict.NOT_COVERED, method=why)


def _certain(price: Price) -> bool:
    return all(type(loss) in (Pure, Approximate) for loss in price)


@dataclass(frozen=True, slots=True)
class DoorChannel:
    """A channel whose runs are releases of files; what is known of the mechanism only tells where to look."""

    known: Knowledge
    worlds: list[Doorway]
    read: Callable[[Release], Any]
    tick: Callable[[], None]

    @property
    def gaussian(self) -> bool:
        """As the mechanism says."""
        return self.known.gaussian

    @property
    def answers(self) -> tuple[Any, Any]:
        """What the door counts."""
        return self.known.answers

    def run(self, answer: Any, runs: int) -> Outputs:
        """Releases of the file that has this answer."""
        world = self.worlds[answer is self.known.answers[1]]
        return np.array(list(self._outputs(world, runs)))

    def _outputs(self, world: Doorway, runs: int) -> Iterator[Any]:
        for release in world.releases(runs):
            self.tick()
            yield self.read(release)

    def evidence(self) -> Score | None:
        """That of the noise that is declared."""
        return self.known.evidence()

    def laws(self) -> tuple[Curve, Curve] | None:
        """Those of the noise that is declared."""
        return self.known.laws()


def _channel(played: _Played) -> DoorChannel:
    known, read = _CHANNELS[played.request.statistic.answers](played)
    return DoorChannel(known, played.worlds, read, played.tick)


Known = tuple[Knowledge, Callable[[Release], Any]]


def _vector(played: _Played) -> Known:
    exact = [world.exact().ravel() for world in played.worlds]
    return VectorChannel(played.noise, SecretNoise(), *exact), _integers


def _integers(release: Release) -> Any:
    return np.asarray(_INTEGERS[type(release.value)](release.value)).ravel()


_INTEGERS: dict[type[Any], Callable[[Any], Any]] = {
    Table: lambda value: value.values,
    Estimates: lambda value: np.rint(value.values / value.steps).astype(np.int64),
    NoisyPicture: lambda value: value.values,
    CurveEstimate: lambda value: np.append(value.sums, value.count),
}


def _keyed(played: _Played) -> Known:
    """Keys in which the files differ."""
    exact = [world.exact() for world in played.worlds]
    counts = aligned(*exact)
    names = sorted({key for keyed in exact for key in map(tuple, np.atleast_2d(keyed.keys.T).T.tolist())})
    moved = np.flatnonzero(counts[0] != counts[1])
    kept = [names[place] for place in moved]

    def read(release: Release) -> Any:
        shown = _shown_keys(release.value)
        return np.array([shown.get(key, ABSENT) for key in kept])

    return KeyedChannel(played.noise, SecretNoise(), counts[0][moved], counts[1][moved]), read


def _shown_keys(value: KeyCounts | dict[str, int]) -> dict[tuple[Any, ...], int]:
    if isinstance(value, dict):
        return {(key,): count for key, count in value.items()}
    return dict(zip(map(tuple, value.keys.tolist()), value.counts.tolist(), strict=True))


def _routed(played: _Played) -> Known:
    exact: list[Routed] = [world.exact() for world in played.worlds]
    assert exact[0].counts is not None
    cells = exact[0].counts.size

    def read(release: Release) -> Any:
        value = release.value
        number = ABSENT if value.point is None else value.point
        counts = np.full(cells, ABSENT) if value.counts is None else value.counts.values.ravel()
        return np.concatenate([[value.look, number], counts])

    return RoutedChannel(played.noise, SecretNoise(), *exact), read


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A mechanism of which nothing is known: a score is learned."""

    answers: tuple[Any, Any] = field(default=("first", "second"))
    gaussian: ClassVar[bool] = False

    def evidence(self) -> Score | None:
        return None

    def laws(self) -> tuple[Curve, Curve] | None:
        return None


@dataclass(frozen=True, slots=True)
class _Model:
    """A model of Gaussian tables: the sum of what its tables say of the canary's cells."""

    score: Score
    answers: tuple[Any, Any] = field(default=("first", "second"))
    gaussian: ClassVar[bool] = True

    def evidence(self) -> Score | None:
        return self.score

    def laws(self) -> tuple[Curve, Curve] | None:
        return None


def _records(played: _Played) -> Known:
    if played.case.canary is None:
        return _Unknown(), _directions
    columns = played.request.statistic.columns
    cells = CanaryCells.of(played.case.canary, columns, lambda names: [world.counts(names) for world in played.worlds])
    if isinstance(played.request.mechanism, Network):
        return _Model(_own_score), lambda release: [cells.score(release.value)]
    return _Unknown(), lambda release: cells.features(release.value)


def _own_score(outputs: Outputs) -> Floats:
    return outputs[:, 0]


def _directions(release: Release) -> list[int]:
    """How many of the released curves point one way, and how many the other."""
    value = release.value
    assert isinstance(value, ReleasedCurves)
    ahead = int((value.coefficients[:, 0] > 0).sum())
    return [ahead, len(value) - ahead]


_CHANNELS: dict[str, Callable[[_Played], Known]] = {
    "vector": _vector,
    "keyed": _keyed,
    "routed": _routed,
    "records": _records,
}
