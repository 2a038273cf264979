"""The entropy of what a release counted: from its table of counts, or as it was released."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reaedp.errors import DeclarationError
from reaedp.statistics.by_kind import CURVES, MOMENTS, QUANTILES, RECORDS, SUMMARIES, ByKind
from reaedp.statistics.entropy.entropy import Entropy
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.noisy_entropy import EntropyEstimate, checked_order, entropy_from_counts
from reaedp.statistics.entropy.noisy_information import information_from_counts
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.marginal import Marginal
from reaedp.table import Table

if TYPE_CHECKING:
    from reaedp.release.release import Release


def released_entropy(release: "Release", confidence: float, order: float) -> EntropyEstimate:
    """The entropy of this order with its interval."""
    return _ENTROPIES.of(release.statistic)(release, confidence, checked_order(order))


def released_information(release: "Release", first: str | Sequence[str], confidence: float) -> EntropyEstimate:
    """The mutual information of the columns `first` and the others of a table of counts."""
    if type(release.statistic) not in (Marginal, EntropyHistogram):
        raise DeclarationError(f"{release.statistic.title} has no table of counts from which information follows.")
    return information_from_counts(
        release.counts, release.noise, first, at_least=_public_rows(release), confidence=confidence
    )


def _from_counts(release: "Release", confidence: float, order: float) -> EntropyEstimate:
    return entropy_from_counts(
        release.counts, release.noise, at_least=_public_rows(release), confidence=confidence, order=order
    )


def _public_rows(release: "Release") -> int | None:
    """A public number of rows says nothing about how many are left where some are dropped."""
    return None if any(axis.drops for axis in release.counts.axes) else release.unit.at_least


def _as_released(release: "Release", confidence: float, order: float) -> EntropyEstimate:
    orders = getattr(release.statistic, "orders", ())
    if order not in orders:
        return _no_entropy(release, confidence, order)
    place, value = orders.index(order), release.value
    bits, error = float(value.values[place]), float(value.errors(release.noise, confidence)[place])
    return EntropyEstimate(max(bits, 0.0), max(bits - error, 0.0), max(bits + error, 0.0), confidence)


def _as_routed(release: "Release", confidence: float, order: float) -> EntropyEstimate:
    """The one order that was asked for; every order where counts are there."""
    value, statistic = release.value, release.statistic
    assert isinstance(statistic, RoutedEntropy)
    if order == statistic.order:
        found: EntropyEstimate = value.entropy(release.noise, confidence)
        return found
    if getattr(value, "counts", None) is None:
        return _no_entropy(release, confidence, order)
    again: EntropyEstimate = replace(value, order=order).entropy(release.noise, confidence)
    return again


def _no_entropy(release: "Release", confidence: float, order: float) -> EntropyEstimate:  # noqa: ARG001
    kind = "Shannon entropy" if order == 1 else f"Rényi entropy of order {order:g}"
    raise DeclarationError(f"{release.statistic.title} has no {kind} of its own.")


def _of_any(release: "Release", confidence: float, order: float) -> EntropyEstimate:
    """Whatever has a table of counts."""
    return (_from_counts if isinstance(release.value, Table) else _no_entropy)(release, confidence, order)


_ENTROPIES = ByKind[Callable[["Release", float, float], EntropyEstimate]](
    "the entropy of what was counted",
    {
        Marginal: _from_counts,
        EntropyHistogram: _from_counts,
        Entropy: _as_released,
        RoutedEntropy: _as_routed,
    },
    otherwise=_of_any,
    plain=(
        *("KeyedMarginal", "ConditionalEntropy", "MutualInformation", "EntropyMap", "Pixels"),
        *(*RECORDS, *CURVES, *MOMENTS, *SUMMARIES, *QUANTILES),
    ),
)
