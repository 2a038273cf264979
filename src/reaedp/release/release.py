"""A release: noisy numbers with everything that a reader must know to use and to check them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from reaedp.errors import DeclarationError
from reaedp.frames.columns import same
from reaedp.frames.framed import Framed
from reaedp.frames.shown import Facts, in_words, number
from reaedp.label import shown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.loss import Price, PureDP
from reaedp.privacy.unit import Unit
from reaedp.statistics import histogram
from reaedp.statistics.histogram import Interval
from reaedp.statistics.statistic import Statistic
from reaedp.table import Table

if TYPE_CHECKING:  # what follows from some kinds of releases alone is imported when somebody asks for it
    from reaedp.statistics.entropy.noisy_entropy import EntropyEstimate
    from reaedp.statistics.quantiles.distribution import Quantiled
    from reaedp.statistics.summary.comparison import Comparison
    from reaedp.statistics.summary.grouped import Grouped
    from reaedp.synthesis.synthetic import SyntheticRecords

#: Cells of a histogram from which a few rows are quickly shown.
MOST_PREVIEWED = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release(Framed):
    """A released answer: every field is either public from the start or protected by noise.

    `noise` is the noise that was added, `step` its unit in rows or bits, `entry` the ledger entry that paid, `contract`
    the contract's fingerprint. If `seeded`, the noise can be repeated, so it protects nothing. Estimates add up to
    `total` if a total is public. Two releases are equal if all their facts and numbers are, so a release read from its
    folder equals the one that was written.

    >>> release: Release = curator.release(Marginal("age"), Laplace(1.0))
    >>> release.counts.names, release.seeded, round(release.estimate(total=2_000.0).total)
    (('age',), False, 2000)
    """

    name: str
    dataset: str
    statistic: Statistic
    noise: Calibrated
    unit: Unit
    step: float
    value: Any
    entry: int
    contract: str
    seeded: bool
    #: The budget's δ, at which ε is stated.
    delta: float | None = None

    @property
    def price(self) -> Price:
        """What the release cost."""
        return self.noise.price

    @property
    def epsilon(self) -> float:
        """ε of this release alone, at the budget's δ."""
        if self.delta is None:
            raise DeclarationError("This release does not know the budget's δ, at which ε is stated; see its `price`.")
        return epsilon(tally([self.price]), self.delta)

    @property
    def mean_error(self) -> float:
        """Mean absolute error of a released number, in rows or bits."""
        return self.noise.mean_error * self.step

    @property
    def counts(self) -> Table:
        """Noisy counts as released: unbiased integers, some possibly negative."""
        if not isinstance(self.value, Table):
            raise DeclarationError(f"{self.statistic.title} has no table of counts.")
        return self.value

    @property
    def details(self) -> dict[str, Any]:
        """Further public facts and released numbers that a reader should know."""
        found: dict[str, Any] = getattr(self.value, "details", {})
        return found

    @property
    def attachments(self) -> dict[str, bytes]:
        """Files beside the table of numbers, by their suffix."""
        found: dict[str, bytes] = getattr(self.value, "attachments", {})
        return found

    def estimate(self, total: float | None = None) -> Table:
        """Counts without negative numbers; they add up to a known total if one is given."""
        return histogram.estimate(self.counts, total)

    def proportions(self, total: float | None = None) -> Table:
        """The estimated counts as shares."""
        return histogram.proportions(self.counts, total)

    def intervals(self, confidence: float = 0.95) -> Interval:
        """A confidence interval for each count; each covers its true count at least this often."""
        return histogram.intervals(self.counts, self.noise, confidence)

    def simultaneous_intervals(self, confidence: float = 0.95) -> Interval:
        """Confidence intervals that cover all true counts at once at least this often."""
        return histogram.simultaneous_intervals(self.counts, self.noise, confidence)

    def entropy(self, confidence: float = 0.95, order: float = 1.0) -> "EntropyEstimate":
        """An entropy with a confidence interval: computed from released counts, or as released.

        `order` 1 is Shannon entropy, others are Rényi entropies; counts give every order.
        """
        from reaedp.release.released_entropy import released_entropy

        return released_entropy(self, confidence, order)

    def mutual_information(self, first: str | Sequence[str], confidence: float = 0.95) -> "EntropyEstimate":
        """The mutual information of the columns `first` and the others of a table of counts, with an interval."""
        from reaedp.release.released_entropy import released_information

        return released_information(self, first, confidence)

    def summary(self, confidence: float = 0.95) -> dict[str, NDArray[Any]]:
        """The figures of a summary or of rates, with intervals that hold this often; one row per group and figure."""
        return self._grouped().columns(self.noise, confidence, ("low", "high"))

    def compare(
        self, statistic: str, /, *, of: str | None = None, confidence: float = 0.95, **groups: Any
    ) -> "Comparison":
        """The difference and ratio of a `statistic` between two groups, with intervals that hold this often.

        `groups` names a cell of each grouping column, and a pair of cells for one of them; `of` names the column if
        there are several.
        """
        return self._grouped().compare(self.noise, statistic, of, confidence, groups)

    def top(self, number: int, by: str = "count", *, of: str | None = None) -> dict[str, NDArray[Any]]:
        """The `number` rows with the largest values; of the statistic `by`, if there are several.

        `of` names the column if there are several. This only sorts what is released and costs nothing; noise can change
        the order of groups whose intervals overlap.
        """
        from reaedp.statistics.summary.largest import largest

        return largest(self.columns(), number, by, of)

    def _grouped(self) -> "Grouped":
        from reaedp.statistics.summary.grouped import Grouped

        if not isinstance(self.value, Grouped):
            raise DeclarationError(f"{self.statistic.title} has no figures of groups.")
        return self.value

    def quantiles(
        self, at: Any = "quartiles", *, of: str | None = None, by: tuple[str, ...] = (), confidence: float = 0.95
    ) -> "Quantiled":
        """Quantiles `at` some ranks, with intervals, computed from the released counts at no cost.

        A distribution function keeps its own groups; for a histogram, choose the column with `of` and the groups with
        `by`.
        """
        from reaedp.statistics.quantiles.distribution import Distribution, Quantiled
        from reaedp.statistics.quantiles.ranks import ranks

        if isinstance(self.value, Distribution):
            found, of = self.value, self.value.column.name
        else:
            of = self.statistic.columns[-1] if of is None else of
            found = Distribution.of_table(self.counts, of, by)
        wanted = ranks(at)
        return Quantiled(of, wanted, found.read(wanted, self.noise, confidence))

    def sample(
        self, rows: int, given: Mapping[str, Any] | Sequence[str] | str | None = None, seed: int | None = None
    ) -> "SyntheticRecords":
        """Draw more synthetic `rows` from the released model, at no cost; `given` has conditions that every row meets.

        A condition is a value for a column, `{"sex": "f"}`, or a text such as `"age >= 40"`. The same `seed` gives the
        same rows.
        """
        from reaedp.synthesis.sampling import sample

        return sample(self._records(), rows, given, seed)

    def copies(
        self,
        number: int,
        rows: int,
        given: Mapping[str, Any] | Sequence[str] | str | None = None,
        seed: int | None = None,
    ) -> "Iterator[SyntheticRecords]":
        """Draw `rows` from each of a `number` of models as they might have been learned with other noise, at no cost.

        Compute a figure from each copy and give all of them to `reaedp.combine`, which finds an interval. `given` and
        `seed` are as for `sample`.
        """
        from reaedp.synthesis.sampling import sample_copies

        return sample_copies(self._records(), number, rows, given, seed)

    def _records(self) -> "SyntheticRecords":
        from reaedp.synthesis.synthetic import SyntheticRecords

        if not isinstance(self.value, SyntheticRecords):
            raise DeclarationError(f"{self.statistic.title} has no model to draw rows from.")
        return self.value

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the release's files: released numbers and what follows from them."""
        if isinstance(self.value, Written):
            return dict(self.value.columns)
        return self.statistic.frame(self.value, self.noise)

    def frame(self) -> dict[str, NDArray[Any]]:
        """The columns of the release's files as a table; cells that are ranges also have their two ends."""
        framed = getattr(self.value, "framed", dict)
        return dict(framed(self.columns()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        return self._identity() == other._identity() and same(self.columns(), other.columns())

    def __hash__(self) -> int:
        return hash((self.name, self.dataset, self.contract, self.entry))

    def _identity(self) -> tuple[Any, ...]:
        """All that it says of itself but its numbers."""
        return tuple(getattr(self, field.name) for field in fields(self) if field.name != "value")

    def _headline(self) -> str:
        return f"Release {self.name!r}: {shown(self.statistic.title, 160)}"

    def _facts(self) -> Facts:
        mark = (("warning", "NOT PRIVATE (seeded noise)"),) if self.seeded else ()
        pure = all(isinstance(loss, PureDP) for loss in self.price)
        cost = () if self.delta is None else (("cost", _cost(self.epsilon, None if pure else self.delta)),)
        return (
            *mark,
            ("data set", f"{shown(self.dataset)}, ledger entry {self.entry}"),
            ("noise", self.noise.title),
            *cost,
            ("error", f"{number(self.mean_error)} on average, per number"),
        )

    def _preview(self) -> dict[str, NDArray[Any]]:
        large = isinstance(self.value, Table) and self.value.values.size > MOST_PREVIEWED
        return {} if large else self.frame()

    def drawing(self) -> str:
        """A small chart as SVG, or the released picture."""
        from reaedp.release.small_chart import DRAWINGS

        return DRAWINGS.of(self.statistic)(self)

    def __repr__(self) -> str:
        return in_words(self._headline(), self._facts(), self._preview())


def _cost(spent: float, delta: float | None) -> str:
    """ε, and the δ at which it holds where it does not hold at any."""
    return f"ε = {number(spent)}" + ("" if delta is None else f" at δ = {delta:g}")


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The numbers of a release as its files have them, where nobody knows from which others they followed."""

    columns: dict[str, NDArray[Any]]
