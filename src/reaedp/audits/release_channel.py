"""What is seen of whole releases of two files: a channel whose runs are releases, and what is read off each of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from reaedp.answer import Integers, Routed
from reaedp.audits.canary_cells import CanaryCells, CanaryKeys, PublishedTables
from reaedp.audits.channel import ABSENT, Knowledge
from reaedp.audits.estimators import ErrorLevels
from reaedp.audits.grouped_channel import GroupedChannel, aligned_parts
from reaedp.audits.keyed_channel import KeyedChannel, aligned
from reaedp.audits.loss_law import TradeOff
from reaedp.audits.neighbour_files import Canary, NeighbourFiles
from reaedp.audits.ordered_channel import OrderedChannel, flat
from reaedp.audits.pair import Floats, Outputs, Score
from reaedp.audits.repeated_release import RepeatedRelease
from reaedp.audits.routed_channel import RoutedChannel
from reaedp.audits.vector_channel import VectorChannel
from reaedp.contract import Contract
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import ReleasedCurves
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise
from reaedp.plan.request import Request
from reaedp.release.release import Release
from reaedp.statistics.by_kind import NOISES, RECORDS, ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.estimates import Estimates
from reaedp.statistics.entropy.information import InformationMap
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.table import KeyCounts


@dataclass(frozen=True, slots=True)
class Played:
    """Releases of two files that differ in one unit's rows."""

    worlds: list[RepeatedRelease]
    case: NeighbourFiles
    levels: ErrorLevels
    tick: Callable[[], None]

    @property
    def request(self) -> Request:
        """What is asked for in both."""
        return self.worlds[0].request

    @property
    def contract(self) -> Contract:
        """The contract of both."""
        return self.worlds[0].contract

    @property
    def noise(self) -> Calibrated:
        """The mechanism as it was declared."""
        return self.request.calibrated(self.contract)

    def counts(self, names: tuple[str, ...]) -> list[Integers]:
        """The exact counts of some columns in both files, which the best attacker knows."""
        return [world.counts(names) for world in self.worlds]


@dataclass(frozen=True, slots=True)
class ReleaseChannel:
    """A channel whose runs are releases of files; what is known of the mechanism only tells where to look."""

    known: Knowledge
    worlds: list[RepeatedRelease]
    read: Callable[[Release], Any]
    tick: Callable[[], None]
    most_runs: ClassVar[int] = 2**62

    @property
    def gaussian(self) -> bool:
        """Whether the mechanism's noise is Gaussian."""
        return self.known.gaussian

    @property
    def answers(self) -> tuple[Any, Any]:
        """The exact answers of both files."""
        return self.known.answers

    def run(self, answer: Any, runs: int) -> Outputs:
        """Releases of the file that has this answer."""
        world = self.worlds[answer is self.known.answers[1]]
        return np.array(list(self._outputs(world, runs)))

    def _outputs(self, world: RepeatedRelease, runs: int) -> Iterator[Any]:
        for release in world.releases(runs):
            self.tick()
            yield self.read(release)

    def evidence(self) -> Score | None:
        """The evidence under the declared noise."""
        return self.known.evidence()

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """The laws of the declared noise on both neighbours."""
        return self.known.laws()


def release_channel(played: Played) -> ReleaseChannel:
    """The channel that suits the shape of the statistic's answers."""
    known, read = _CHANNELS[played.request.statistic.answers](played)
    return ReleaseChannel(known, played.worlds, read, played.tick)


def tables_channel(played: Played) -> ReleaseChannel:
    """The channel that reads the noisy tables of a published model."""
    tables = PublishedTables(played.counts)
    known = _Scored(_own_score, gaussian=True)
    return ReleaseChannel(known, played.worlds, lambda release: [tables.score(release.value)], played.tick)


Known = tuple[Knowledge, Callable[[Release], Any]]


def _vector(played: Played) -> Known:
    exact = [world.exact().ravel() for world in played.worlds]
    return VectorChannel(played.noise, SecretNoise(), *exact), _integers


def _integers(release: Release) -> Any:
    return np.asarray(_INTEGERS.of(release.statistic)(release.value)).ravel()


def _steps_of_map(value: InformationMap) -> Any:
    """Steps of the lattice: single columns, then pairs, as they were released."""
    steps = np.rint(value.noisy / value.step).astype(np.int64)
    return np.concatenate([np.diag(steps), steps[np.triu_indices(len(steps), 1)]])


def _steps(value: Estimates) -> Any:
    return np.rint(value.values / value.steps).astype(np.int64)


def _of_curve(value: Any) -> Any:
    """The sums, the number of curves, and that of clipped ones if it was paid for."""
    clipped = getattr(value, "clipped", None)
    return np.append(value.sums, [value.count] if clipped is None else [value.count, clipped])


_INTEGERS = ByKind[Callable[[Any], Any]](
    "the integers of a vector, as they were released",
    {
        **dict.fromkeys((Marginal, EntropyHistogram, Pixels), lambda value: value.values),
        **dict.fromkeys((Entropy, ConditionalEntropy, MutualInformation), _steps),
        EntropyMap: _steps_of_map,
        Quantiles: lambda value: value.counts,
        MeanCurve: _of_curve,
        Correlation: lambda value: value.noisy,
        Regression: lambda value: value.noisy,
        Summary: lambda value: value.noisy,
        Rates: lambda value: value.noisy,
    },
    otherwise=np.asarray,
    plain=(
        "KeyedMarginal",
        "KeyedSummary",
        "KeyedRates",
        "RoutedEntropy",
        "ChosenQuantiles",
        *RECORDS,
        "SyntheticCurves",
    ),  # no vectors
)


def _keyed(played: Played) -> Known:
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


def _grouped(played: Played) -> Known:
    """Groups in which the files differ."""
    exact = [world.exact() for world in played.worlds]
    parts = aligned_parts(*exact)
    moved = np.flatnonzero((parts[0] != parts[1]).any(axis=1))
    groups = sorted({group for one in exact for group in map(tuple, one.keys.tolist())})
    kept, absent = [groups[place] for place in moved], np.full(parts[0].shape[1], ABSENT)

    def read(release: Release) -> Any:
        shown = dict(zip(map(tuple, release.value.keys.tolist()), release.value.noisy, strict=True))
        return np.concatenate([shown.get(group, absent) for group in kept])

    return GroupedChannel(played.noise, SecretNoise(), parts[0][moved], parts[1][moved]), read


def _shown_keys(value: KeyCounts | dict[str, int]) -> dict[tuple[Any, ...], int]:
    if isinstance(value, dict):
        return {(key,): count for key, count in value.items()}
    return dict(zip(map(tuple, value.keys.tolist()), value.counts.tolist(), strict=True))


def _routed(played: Played) -> Known:
    exact: list[Routed] = [world.exact() for world in played.worlds]
    assert exact[0].counts is not None
    cells = exact[0].counts.size

    def read(release: Release) -> Any:
        value = release.value
        number = ABSENT if value.point is None else value.point
        counts = np.full(cells, ABSENT) if value.counts is None else value.counts.values.ravel()
        return np.concatenate([[value.look, number], counts])

    return RoutedChannel(played.noise, SecretNoise(), *exact), read


def _ordered(played: Played) -> Known:
    exact = [world.exact() for world in played.worlds]
    return OrderedChannel(played.noise, SecretNoise(), *exact), lambda release: flat(release.value.chosen)


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A mechanism of which nothing is known: a score is learned."""

    answers: tuple[Any, Any] = field(default=("first", "second"))
    gaussian: ClassVar[bool] = False

    def evidence(self) -> Score | None:
        return None

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        return None


@dataclass(frozen=True, slots=True)
class _Scored:
    """A mechanism of which a score is known, and whether that has the shape of a normal law's."""

    score: Score
    gaussian: bool
    answers: tuple[Any, Any] = field(default=("first", "second"))

    def evidence(self) -> Score | None:
        return self.score

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        return None


def _records(played: Played) -> Known:
    if played.case.canary is None:
        return _Unknown(), _directions
    cells = CanaryCells.of(played.case.canary, played.request.statistic.columns, played.counts)
    return _RECORDS.of(played.request.mechanism)(played, played.case.canary, cells)


def _tables_in_rows(played: Played, canary: Canary, cells: CanaryCells) -> Known:  # noqa: ARG001
    """All tables that the model was fitted to, as far as its rows tell them, in one score."""
    return _Scored(_own_score, gaussian=True), lambda release: [cells.score(release.value)]


def _features(played: Played, canary: Canary, cells: CanaryCells) -> Known:  # noqa: ARG001
    """Of a method that nobody took apart: shares of rows in the canary's cells."""
    return _Unknown(), lambda release: cells.features(release.value)


def _keys(played: Played, canary: Canary, cells: CanaryCells) -> Known:
    """Keys that are drawn in proportion to their noisy counts; all columns where the key's are yet to be chosen."""
    mechanism = played.request.mechanism
    assert isinstance(mechanism, Amortised)
    kept = mechanism.keep or cells.columns
    places = tuple(cells.columns.index(name) for name in kept)
    keys = CanaryKeys.of(canary, places, played.counts(kept))
    scale = mechanism.keys.scale(played.noise.sensitivity)
    return _Scored(lambda counts: keys.score(counts, scale), gaussian=False), lambda release: keys.counts(release.value)


def _answers(played: Played, canary: Canary, cells: CanaryCells) -> Known:  # noqa: ARG001
    """Few records, each of them or nothing: how many are the canary's, and how many others there are."""

    def read(release: Release) -> list[int]:
        codes = release.value.codes
        own = [int((codes == rows[0]).all(axis=1).sum()) if len(rows) else 0 for rows in canary]
        return [*own, len(codes) - sum(own)]

    return _Unknown(), read


def _own_score(outputs: Outputs) -> Floats:
    return outputs[:, 0]


def _directions(release: Release) -> list[int]:
    """How many of the released curves are as long as the canary's, and how many are not."""
    value = release.value
    assert isinstance(value, ReleasedCurves)
    ahead = int((value.coefficients[:, 0] > value.curve.clip / 2).sum())
    return [ahead, len(value) - ahead]


_RECORDS = ByKind[Callable[[Played, Canary, CanaryCells], Known]](
    "what is read off synthetic rows",
    {MarginalModel: _tables_in_rows, Amortised: _keys, Deniable: _answers},
    otherwise=_features,
    plain=(*NOISES, "GroupThreshold", "DeniableCurves"),
    over="mechanisms",
)
_CHANNELS: dict[str, Callable[[Played], Known]] = {
    "vector": _vector,
    "keyed": _keyed,
    "grouped": _grouped,
    "routed": _routed,
    "ordered": _ordered,
    "records": _records,
}
