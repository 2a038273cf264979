"""The true numbers that belong beside the private ones of a release, in the order of its file; for the custodian."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reaedp.answer import GroupedParts
from reaedp.curves.mean_curve import MeanCurve
from reaedp.evaluation.curve_truth import true_mean
from reaedp.evaluation.finished import Finished
from reaedp.evaluation.quantile_truth import true_values
from reaedp.report.profile import merged
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.noisy_moments import NoisyMoments, frame
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.selected import Selected
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.synthetic import Synthetic
from reaedp.table import numbered


def original(release: Finished) -> Any:
    """The true numbers, or nothing for kinds that have none to set beside theirs."""
    find = _ORIGINALS.of(release.statistic)
    return None if find is None else find(release)


def _counts(release: Finished) -> Any:
    return release.statistic.answer(release.truth)


def _key_counts(release: Finished) -> Any:
    """The true counts of the cells that are shown."""
    exact = release.truth.key_counts(release.statistic.columns)
    known = dict(zip(map(tuple, exact.keys.tolist()), exact.counts.tolist(), strict=True))
    axes = release.contract.select(release.statistic.columns)
    keys = numbered(axes, list(release.released().values())[: len(axes)])
    return np.array([known.get(tuple(key), 0) for key in keys.tolist()])


def true_bits(release: Finished) -> Any:
    """Exact entropies on their lattice, in bits; by whatever route they were released."""
    statistic: Any = release.statistic
    plain = statistic.direct if isinstance(statistic, RoutedEntropy) else statistic
    return plain.lattice(release.contract).values(plain.answer(release.truth))


def _information(release: Finished) -> Any:
    statistic: Any = release.statistic
    true = statistic.value(release.contract, statistic.answer(release.truth))
    return true.frame(release.noise)["mutual_information"]


def true_moments(release: Finished) -> Any:
    """What the exact sums would have told."""
    statistic: Any = release.statistic
    exact = statistic.value(release.contract, statistic.answer(release.truth))
    return frame(statistic.told(NoisyMoments.exact(exact)))["value"]


def true_frame(release: Finished) -> Any:
    """The figures that the exact parts give, in the order of the file; a group without rows has a note."""
    statistic: Any = release.statistic
    answer = true_parts(release) if isinstance(statistic, Selected) else statistic.answer(release.truth)
    return statistic.frame(statistic.value(release.contract, answer), release.noise)


def true_parts(release: Finished) -> GroupedParts:
    """The exact parts of the groups that are shown; nothing of one that has no rows."""
    statistic: Any = release.statistic
    exact = statistic.answer(release.truth)
    axes, found = release.contract.select(statistic.by), release.released()
    named = list(found.values())[: len(axes)]
    keys = np.unique(numbered(axes, named), axis=0)
    known = dict(zip(map(tuple, exact.keys.tolist()), exact.parts, strict=True))
    nothing = np.zeros(exact.parts.shape[1], dtype=np.int64)
    parts = [known.get(tuple(key), nothing) for key in keys.tolist()]
    return GroupedParts(keys, np.array(parts, dtype=np.int64).reshape(len(keys), len(nothing)))


def _figures(release: Finished) -> Any:
    return true_frame(release)["value"]


def _shares(release: Finished) -> Any:
    names = release.statistic.columns
    return {
        column.name: merged(column, release.truth.counts((column.name,)).values)
        for column in release.contract.select(names)
    }


_ORIGINALS = ByKind[Callable[[Finished], Any] | None](
    "true numbers beside the private ones",
    {
        Marginal: _counts,
        EntropyHistogram: _counts,
        KeyedMarginal: _key_counts,
        Entropy: true_bits,
        RoutedEntropy: true_bits,
        ConditionalEntropy: true_bits,
        MutualInformation: true_bits,
        EntropyMap: _information,
        Quantiles: true_values,
        ChosenQuantiles: true_values,
        MeanCurve: true_mean,
        Synthetic: _shares,
        Correlation: true_moments,
        Regression: true_moments,
        Summary: _figures,
        Rates: _figures,
        KeyedSummary: _figures,
        KeyedRates: _figures,
    },
    otherwise=None,
    plain=("SyntheticCurves", "Pixels"),
)
