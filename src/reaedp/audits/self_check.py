"""The audit's own examination: broken mechanisms must be convicted, and ours must not be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from reaedp.audits.audit import QUICK
from reaedp.audits.broken import BROKEN, examined
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.made_up_sums import made_up_curve
from reaedp.audits.one_run import audit_once
from reaedp.audits.request_audit import audit_request
from reaedp.contract import Category, Contract, Integer, Number, Picture
from reaedp.curves.mean_curve import MeanCurve
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.threshold import Threshold
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.plan.request import Request
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import PureDP
from reaedp.privacy.unit import Unit
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.statistic import Statistic
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

_UNITS = (
    Unit("add-remove", at_least=500),
    Unit("replace", at_least=500),
    Unit("replace", person="person", max_rows=3, at_least=500),
)
_COLUMNS = (
    Number(name="age", lower=0, upper=100, bins=10, provenance="public"),
    Category(name="region", levels=("north", "south", "west"), provenance="public"),
    Integer(name="visits", lower=0, upper=4, provenance="public"),
)
_CURVE = made_up_curve(points=5, rank=3)
_PICTURE = Picture(width=2, height=2, channels=3, lower=0, upper=255, provenance="public")
_VECTORS: tuple[Statistic, ...] = (
    Marginal("age", "region"),
    EntropyHistogram(("age",), every=2),
    Entropy(("age", "region"), (1.0, 2.0)),
    ConditionalEntropy(("age",), ("region",)),
    MutualInformation(("age",), ("visits",)),
    EntropyMap("age", "region", "visits"),
    Quantiles(of="age", at="deciles", by="region"),
)


@dataclass(frozen=True, slots=True)
class Specimen:
    """A mechanism that is known to be broken or sound, and what the audit found.

    A broken one has one finding, a sound one has one for each pair of neighbours.
    """

    name: str
    broken: bool
    findings: tuple[Finding, ...]

    @property
    def convicted(self) -> bool:
        """Whether any finding is a violation."""
        return any(finding.verdict is Verdict.VIOLATED for finding in self.findings)

    def __str__(self) -> str:
        truth = "broken" if self.broken else "sound"
        return f"{truth:6}  {'VIOLATED' if self.convicted else 'not convicted':13}  {self.name}"


@dataclass(frozen=True, slots=True)
class SpecimenPanel:
    """All specimens, sound and broken, with the verdict on each."""

    specimens: tuple[Specimen, ...]

    @property
    def missed(self) -> tuple[Specimen, ...]:
        """Broken mechanisms that were not convicted."""
        return tuple(specimen for specimen in self.specimens if specimen.broken and not specimen.convicted)

    @property
    def false_alarms(self) -> tuple[Specimen, ...]:
        """Sound mechanisms that were."""
        return tuple(specimen for specimen in self.specimens if not specimen.broken and specimen.convicted)

    def __str__(self) -> str:
        broken = sum(specimen.broken for specimen in self.specimens)
        sound = len(self.specimens) - broken
        summary = (
            f"{broken - len(self.missed)} of {broken} broken mechanisms convicted,"
            f" {len(self.false_alarms)} of {sound} sound ones"
        )
        return "\n".join([*map(str, self.specimens), summary])


def self_test(rng: np.random.Generator, progress: Callable[[str], None] = lambda _: None) -> SpecimenPanel:
    """Run quick audits of every broken mechanism and of each of ours under several units."""
    specimens = []
    for name, make in BROKEN.items():
        progress(name)
        specimens.append(Specimen(name, True, (examined(name, make, rng),)))
    for name, request, contract in _sound():
        progress(name)
        findings = audit_request(request, contract, rng=rng, runs=QUICK)
        specimens.append(Specimen(name, False, findings))
    progress("one release")
    return SpecimenPanel((*specimens, Specimen("one release with canaries", False, (_once(rng),))))


def _sound() -> Iterator[tuple[str, Request, Contract]]:
    for contract in _contracts():
        for statistic, mechanism in _ours(contract):
            request = Request("panel", statistic, mechanism)
            unit = contract.unit
            yield f"{statistic.title}, {mechanism.name}, {unit.change} of {unit.rows}", request, contract


def _contracts() -> Iterator[Contract]:
    budget, ledger = Budget(1.0, 1e-5), "none.sqlite"
    for unit in _UNITS:
        yield Contract(dataset="made up", unit=unit, budget=budget, ledger=ledger, columns=_COLUMNS, curves=(_CURVE,))
    yield Contract(dataset="made up", unit=Unit("replace"), budget=budget, ledger=ledger, columns=(), picture=_PICTURE)


def _ours(contract: Contract) -> Iterator[tuple[Statistic, Mechanism]]:
    if contract.picture is not None:
        yield from _both(Pixels(), contract)
        return
    for statistic in _VECTORS:
        yield from _both(statistic, contract)
    for mean in (MeanCurve("curve"), MeanCurve("curve", "C")):
        yield mean, Gaussian.within(1.0, 1e-5, mean.sensitivity(contract))
    yield KeyedMarginal("age", "region"), Threshold(1.0, 1e-5)
    yield RoutedEntropy(("age",)), TwoStage(1.0, 0.1, 300)
    rows = Synthetic(("age", "region"), 100)
    yield rows, MarginalModel.within(1.0, 1e-5, contract, rows.columns)
    yield rows, Amortised.within(1.0, 1e-5, contract, rows.columns)


def _both(statistic: Statistic, contract: Contract) -> Iterator[tuple[Statistic, Mechanism]]:
    yield statistic, Laplace(1.0)
    yield statistic, Gaussian.within(1.0, 1e-5, statistic.sensitivity(contract))


def _once(rng: np.random.Generator) -> Finding:
    noise = SeededNoise(rng)
    return audit_once(lambda counts: noise.laplace(counts, 1.0), 10_000, claim=PureDP(1.0), rng=rng)
