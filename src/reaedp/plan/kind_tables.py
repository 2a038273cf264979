"""All statistics and mechanisms that can be written down and read again, by name."""

from reaedp.plan.homes import Homes, Kind


def _marginals() -> tuple[Kind, ...]:
    from reaedp.statistics.marginal import KeyedMarginal, Marginal

    return Marginal, KeyedMarginal


def _entropies() -> tuple[Kind, ...]:
    from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
    from reaedp.statistics.entropy.entropy_map import EntropyMap

    return Entropy, ConditionalEntropy, MutualInformation, EntropyMap


def _routed() -> tuple[Kind, ...]:
    from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
    from reaedp.statistics.entropy.routed_entropy import RoutedEntropy

    return EntropyHistogram, RoutedEntropy


def _quantiles() -> tuple[Kind, ...]:
    from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
    from reaedp.statistics.quantiles.quantiles import Quantiles

    return Quantiles, ChosenQuantiles


def _records() -> tuple[Kind, ...]:
    from reaedp.synthesis.synthetic import Synthetic

    return (Synthetic,)


def _curves() -> tuple[Kind, ...]:
    from reaedp.curves.mean_curve import MeanCurve
    from reaedp.curves.synthetic_curves import SyntheticCurves

    return MeanCurve, SyntheticCurves


def _pixels() -> tuple[Kind, ...]:
    from reaedp.statistics.images.pixels import Pixels

    return (Pixels,)


def _moments() -> tuple[Kind, ...]:
    from reaedp.statistics.moments.correlation import Correlation
    from reaedp.statistics.moments.regression import Regression

    return Correlation, Regression


def _summaries() -> tuple[Kind, ...]:
    from reaedp.statistics.rates.keyed_rates import KeyedRates
    from reaedp.statistics.rates.rates import Rates
    from reaedp.statistics.summary.keyed_summary import KeyedSummary
    from reaedp.statistics.summary.summary import Summary

    return Summary, Rates, KeyedSummary, KeyedRates


def _noises() -> tuple[Kind, ...]:
    from reaedp.mechanisms.gaussian import Gaussian
    from reaedp.mechanisms.laplace import Laplace

    return Laplace, Gaussian


def _selections() -> tuple[Kind, ...]:
    from reaedp.mechanisms.exponential import Exponential
    from reaedp.mechanisms.group_threshold import GroupThreshold
    from reaedp.mechanisms.threshold import Threshold
    from reaedp.mechanisms.two_stage import TwoStage

    return Threshold, GroupThreshold, TwoStage, Exponential


def _models() -> tuple[Kind, ...]:
    from reaedp.synthesis.amortised import Amortised
    from reaedp.synthesis.deniability import Deniable
    from reaedp.synthesis.marginal_model import MarginalModel

    return MarginalModel, Amortised, Deniable


def _models_of_curves() -> tuple[Kind, ...]:
    from reaedp.curves.deniable_curves import DeniableCurves

    return (DeniableCurves,)


#: Statistics by the names of their classes.
STATISTICS = Homes(
    {
        ("Marginal", "KeyedMarginal"): _marginals,
        ("Entropy", "ConditionalEntropy", "MutualInformation", "EntropyMap"): _entropies,
        ("EntropyHistogram", "RoutedEntropy"): _routed,
        ("Quantiles", "ChosenQuantiles"): _quantiles,
        ("Synthetic",): _records,
        ("MeanCurve", "SyntheticCurves"): _curves,
        ("Pixels",): _pixels,
        ("Correlation", "Regression"): _moments,
        ("Summary", "Rates", "KeyedSummary", "KeyedRates"): _summaries,
    }
)
#: Mechanisms by their names.
MECHANISMS = Homes(
    {
        ("discrete Laplace", "discrete Gaussian"): _noises,
        (
            "thresholded discrete Laplace",
            "thresholded groups of discrete Laplace",
            "two-stage discrete Laplace",
            "exponential mechanism",
        ): _selections,
        ("network", "amortised", "deniable"): _models,
        ("deniable curves",): _models_of_curves,
    }
)
