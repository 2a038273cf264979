"""The entropy of some columns by the better of two routes: noise on the entropy, or on the counts."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Routed, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.entropies import renyi_entropy
from reaedp.statistics.entropy.entropy import Entropy, named, public_rows
from reaedp.statistics.entropy.noisy_entropy import EntropyEstimate, entropy_from_counts
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.statistic import Cells
from reaedp.table import Table


def evenness(counts: Integers, cap: int) -> Integers:
    """Rows that are left when every cell is cut at `cap` rows; one row more or less moves it by at most one."""
    left: Integers = np.minimum(counts, cap).sum(axis=-1)
    return left


def equal_share(rows: int, cells: int) -> int:
    """Rows in each cell if all were equally full: a cap at which `evenness` tells how far that is from true."""
    return max(1, round(rows / cells))


@dataclass(frozen=True, slots=True, eq=False)
class RoutedEstimate:
    """A noisy entropy as a point of its lattice, or noisy counts from which one follows; `look` decided which."""

    name: str
    step: float
    largest: float
    at_least: int | None
    look: int
    point: int | None
    counts: Table | None
    order: float = 1.0

    @property
    def route(self) -> Literal["direct", "histogram"]:
        """Which of the two was taken."""
        return "direct" if self.counts is None else "histogram"

    def entropy(self, noise: Calibrated, confidence: float) -> EntropyEstimate:
        """Bits and an interval, by either route."""
        if self.counts is not None:
            assert isinstance(noise.mechanism, TwoStage)
            of_counts = noise.mechanism.counts(noise.sensitivity)
            return entropy_from_counts(
                self.counts, of_counts, at_least=self.at_least, confidence=confidence, order=self.order
            )
        assert self.point is not None
        # Half a step for the rounding of the exact entropy to the lattice.
        distance = noise.error_quantile(confidence) + 0.5
        ends = np.array([self.point, self.point - distance, self.point + distance]) * self.step
        value, low, high = np.clip(ends, 0.0, self.largest).tolist()
        return EntropyEstimate(value, low, high, confidence)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenEntropy:
    """What files say of a `RoutedEstimate`: bits and one interval, without the counts that they may have come from."""

    name: str
    look: int
    route: str
    estimate: EntropyEstimate

    def entropy(self, noise: Calibrated, confidence: float) -> EntropyEstimate:  # noqa: ARG002
        """Bits and the interval, at the level at which it was written."""
        if confidence != self.estimate.confidence:
            rule = f"Files have the interval of this entropy at a confidence of {self.estimate.confidence} only"
            raise DeclarationError(sentence(rule, given=confidence))
        return self.estimate


@dataclass(frozen=True, slots=True)
class RoutedEntropy:
    """The entropy of one order of the joint distribution of some columns, for the mechanism `TwoStage`.

    A noisy `look` at the `counts` decides the route. `order` 1 is Shannon entropy, others are Rényi entropies.

    >>> curator.release(RoutedEntropy(("age",)), TwoStage(1.0, 0.1, 1_000)).value.route
    'direct'
    """

    columns: tuple[str, ...]
    order: float = field(default=1.0, metadata={"since": "0.2"})
    answers: ClassVar[Shape] = "routed"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", named(self.columns, "An entropy"))
        object.__setattr__(self, "order", self.direct.orders[0])

    @property
    def direct(self) -> Entropy:
        """The same entropy with noise of its own."""
        return Entropy(self.columns, (self.order,))

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{self.direct.title} by the better of two routes"

    def check(self, contract: Contract) -> None:
        """Refuse what one of the two routes cannot answer."""
        self.direct.check(contract)
        Marginal(*self.columns).check(contract)
        entropy, counts = self.direct.sensitivity(contract), Marginal(*self.columns).sensitivity(contract)
        if counts.l1 > entropy.linf:
            most = entropy.linf * counts.linf // counts.l1
            raise DeclarationError(
                sentence(f"max_rows must be at most {most:,} for route best", given=contract.unit.rows)
            )

    def check_noise(self, noise: Calibrated) -> None:
        """Refuse mechanisms that do not say how much noise the counts have."""
        if not isinstance(noise.mechanism, TwoStage):
            raise DeclarationError(
                sentence("The better of two routes takes TwoStage noise", given=noise.mechanism.name)
            )

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        """The number of entropies, which is one."""
        return 1

    def step(self, contract: Contract) -> float:
        """The entropy's step, in bits."""
        return self.direct.step(contract)

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """The sensitivity of look, entropy and counts together; the entropy moves farthest (see PROOFS.md)."""
        entropy, counts = self.direct.sensitivity(contract), Marginal(*self.columns).sensitivity(contract)
        return Sensitivity(
            l1=entropy.l1 + 2 * counts.l1,
            l2_squared=entropy.l2_squared + counts.l2_squared + counts.l1**2,
            linf=entropy.linf,
        )

    def look(self, contract: Contract, counts: Integers) -> Integers:
        """Evenness, twice if rows are replaced: so that one person moves it at most as far as the counts."""
        counting, rows = Marginal(*self.columns).sensitivity(contract), public_rows(contract.unit)
        assert rows is not None
        return evenness(counts, equal_share(rows, counts.shape[-1])) * (counting.l1 // counting.linf)

    def answer(self, records: Cells) -> Routed:
        """The look, the entropy on its lattice, and the counts; private."""
        counts = Marginal(*self.columns).answer(records)
        lattice = self.direct.lattice(records.contract)
        point = lattice.rounded(np.array([renyi_entropy(counts, self.order)]))
        return Routed(np.array([self.look(records.contract, counts)]), point, counts)

    def value(self, contract: Contract, noisy: Routed) -> RoutedEstimate:
        """The noisy answer in the form in which it is released."""
        counts = Marginal(*self.columns)
        return RoutedEstimate(
            name=self.direct.title,
            step=self.step(contract),
            largest=math.log2(counts.cells(contract)),
            at_least=public_rows(contract.unit),
            look=int(noisy.look.item()),
            point=None if noisy.number is None else int(noisy.number.item()),
            counts=None if noisy.counts is None else counts.value(contract, noisy.counts),
            order=self.order,
        )

    def frame(self, value: RoutedEstimate | WrittenEntropy, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """The entropy, and which route was taken."""
        estimate = value.entropy(noise, 0.95)
        return {
            "measure": np.array([value.name], dtype=object),
            "bits": np.array([estimate.value]),
            "low_95": np.array([estimate.low]),
            "high_95": np.array([estimate.high]),
            "route": np.array([value.route], dtype=object),
            "look": np.array([value.look]),
        }
