"""Release sensitive data with differential privacy, and show that the promise holds.

The public names, each imported when first used: `import reaedp` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from reaedp.audits.audit import audit as audit
    from reaedp.audits.pair import Pair as Pair
    from reaedp.audits.pair import one_at_a_time as one_at_a_time
    from reaedp.contract import Boolean as Boolean
    from reaedp.contract import Category as Category
    from reaedp.contract import ColumnNotation as ColumnNotation
    from reaedp.contract import Contract as Contract
    from reaedp.contract import Curve as Curve
    from reaedp.contract import Date as Date
    from reaedp.contract import Files as Files
    from reaedp.contract import Integer as Integer
    from reaedp.contract import Number as Number
    from reaedp.contract import Picture as Picture
    from reaedp.contract import RowRule as RowRule
    from reaedp.curator.curator import Curator as Curator
    from reaedp.curator.learning import Learned as Learned
    from reaedp.curator.learning import learn_bounds as learn_bounds
    from reaedp.curator.learning import learn_columns as learn_columns
    from reaedp.curator.learning import learn_levels as learn_levels
    from reaedp.curator.learning import learn_values as learn_values
    from reaedp.curator.quantile_bins import LearnedBins as LearnedBins
    from reaedp.curator.quantile_bins import learn_bins as learn_bins
    from reaedp.curves.deniable_curves import DeniableCurves as DeniableCurves
    from reaedp.curves.mean_curve import MeanCurve as MeanCurve
    from reaedp.curves.synthetic_curves import SyntheticCurves as SyntheticCurves
    from reaedp.engines.data import Data as Data
    from reaedp.engines.data import Engine as Engine
    from reaedp.engines.source import register_engine as register_engine
    from reaedp.errors import BudgetRefused as BudgetRefused
    from reaedp.errors import DeclarationError as DeclarationError
    from reaedp.errors import LedgerBusy as LedgerBusy
    from reaedp.errors import LedgerDamaged as LedgerDamaged
    from reaedp.errors import LedgerError as LedgerError
    from reaedp.errors import LedgerMissing as LedgerMissing
    from reaedp.errors import NotDisclosable as NotDisclosable
    from reaedp.errors import ReaedpError as ReaedpError
    from reaedp.evaluation.custodian_report import custodian_report as custodian_report
    from reaedp.evaluation.evaluate import evaluate as evaluate
    from reaedp.inference.combining import combine as combine
    from reaedp.ledger.ledger import Ledger as Ledger
    from reaedp.mechanisms.exponential import Exponential as Exponential
    from reaedp.mechanisms.gaussian import Gaussian as Gaussian
    from reaedp.mechanisms.group_threshold import GroupThreshold as GroupThreshold
    from reaedp.mechanisms.laplace import Laplace as Laplace
    from reaedp.mechanisms.mechanism import Mechanism as Mechanism
    from reaedp.mechanisms.threshold import Threshold as Threshold
    from reaedp.mechanisms.two_stage import TwoStage as TwoStage
    from reaedp.plan.calibration import Calibration as Calibration
    from reaedp.plan.forecast import Forecast as Forecast
    from reaedp.plan.kinds.counted import PlannedRelease as PlannedRelease
    from reaedp.plan.kinds.curves import PlannedMeanCurve as PlannedMeanCurve
    from reaedp.plan.kinds.curves import PlannedSyntheticCurves as PlannedSyntheticCurves
    from reaedp.plan.kinds.image import PlannedImage as PlannedImage
    from reaedp.plan.kinds.moments import PlannedCorrelation as PlannedCorrelation
    from reaedp.plan.kinds.moments import PlannedRegression as PlannedRegression
    from reaedp.plan.kinds.quantiles import PlannedQuantiles as PlannedQuantiles
    from reaedp.plan.kinds.rate import PlannedRate as PlannedRate
    from reaedp.plan.kinds.statistic import PlannedStatistic as PlannedStatistic
    from reaedp.plan.kinds.summary import PlannedSummary as PlannedSummary
    from reaedp.plan.kinds.synthetic import PlannedSynthetic as PlannedSynthetic
    from reaedp.plan.plan import Plan as Plan
    from reaedp.plan.registration import register as register
    from reaedp.plan.request import Request as Request
    from reaedp.privacy.budget import Budget as Budget
    from reaedp.privacy.unit import Sensitivity as Sensitivity
    from reaedp.privacy.unit import Unit as Unit
    from reaedp.release.publication import publish as publish
    from reaedp.release.release import Release as Release
    from reaedp.release.verification import read as read
    from reaedp.release.verification import verify as verify
    from reaedp.report.plan_page import plan_page as plan_page
    from reaedp.report.public import public_report as public_report
    from reaedp.statistics.entropy.calibrated_histogram import calibrated_histogram as calibrated_histogram
    from reaedp.statistics.entropy.differential import differential_entropy as differential_entropy
    from reaedp.statistics.entropy.entropy import ConditionalEntropy as ConditionalEntropy
    from reaedp.statistics.entropy.entropy import Entropy as Entropy
    from reaedp.statistics.entropy.entropy import MutualInformation as MutualInformation
    from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram as EntropyHistogram
    from reaedp.statistics.entropy.entropy_map import EntropyMap as EntropyMap
    from reaedp.statistics.entropy.information_routes import best_information_route as best_information_route
    from reaedp.statistics.entropy.noisy_entropy import entropy_from_counts as entropy_from_counts
    from reaedp.statistics.entropy.routed_entropy import RoutedEntropy as RoutedEntropy
    from reaedp.statistics.entropy.routes import best_route as best_route
    from reaedp.statistics.images.pixels import Pixels as Pixels
    from reaedp.statistics.marginal import KeyedMarginal as KeyedMarginal
    from reaedp.statistics.marginal import Marginal as Marginal
    from reaedp.statistics.moments.correlation import Correlation as Correlation
    from reaedp.statistics.moments.regression import Regression as Regression
    from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles as ChosenQuantiles
    from reaedp.statistics.quantiles.prediction import best_quantiles as best_quantiles
    from reaedp.statistics.quantiles.quantiles import Quantiles as Quantiles
    from reaedp.statistics.rates.keyed_rates import KeyedRates as KeyedRates
    from reaedp.statistics.rates.rates import Rates as Rates
    from reaedp.statistics.statistic import Statistic as Statistic
    from reaedp.statistics.summary.keyed_summary import KeyedSummary as KeyedSummary
    from reaedp.statistics.summary.summary import Summary as Summary
    from reaedp.synthesis.amortised import Amortised as Amortised
    from reaedp.synthesis.deniability import Deniable as Deniable
    from reaedp.synthesis.marginal_model import MarginalModel as MarginalModel
    from reaedp.synthesis.synthetic import Synthetic as Synthetic
    from reaedp.table import Table as Table

_HOMES = {
    "reaedp.audits.audit": ("audit",),
    "reaedp.audits.pair": (
        "Pair",
        "one_at_a_time",
    ),
    "reaedp.plan.calibration": ("Calibration",),
    "reaedp.contract": (
        "Contract",
        "Files",
        "ColumnNotation",
        "Boolean",
        "Category",
        "Date",
        "Integer",
        "Number",
        "Curve",
        "Picture",
        "RowRule",
    ),
    "reaedp.curator.curator": ("Curator",),
    "reaedp.inference.combining": ("combine",),
    "reaedp.curves.deniable_curves": ("DeniableCurves",),
    "reaedp.curves.mean_curve": ("MeanCurve",),
    "reaedp.curves.synthetic_curves": ("SyntheticCurves",),
    "reaedp.engines.data": (
        "Data",
        "Engine",
    ),
    "reaedp.engines.source": ("register_engine",),
    "reaedp.errors": (
        "BudgetRefused",
        "DeclarationError",
        "LedgerBusy",
        "LedgerDamaged",
        "LedgerError",
        "LedgerMissing",
        "NotDisclosable",
        "ReaedpError",
    ),
    "reaedp.evaluation.custodian_report": ("custodian_report",),
    "reaedp.evaluation.evaluate": ("evaluate",),
    "reaedp.plan.forecast": ("Forecast",),
    "reaedp.curator.learning": (
        "Learned",
        "learn_bounds",
        "learn_columns",
        "learn_levels",
        "learn_values",
    ),
    "reaedp.curator.quantile_bins": (
        "LearnedBins",
        "learn_bins",
    ),
    "reaedp.mechanisms.exponential": ("Exponential",),
    "reaedp.mechanisms.gaussian": ("Gaussian",),
    "reaedp.mechanisms.laplace": ("Laplace",),
    "reaedp.mechanisms.mechanism": ("Mechanism",),
    "reaedp.mechanisms.group_threshold": ("GroupThreshold",),
    "reaedp.mechanisms.threshold": ("Threshold",),
    "reaedp.mechanisms.two_stage": ("TwoStage",),
    "reaedp.plan.plan": ("Plan",),
    "reaedp.plan.registration": ("register",),
    "reaedp.plan.request": ("Request",),
    "reaedp.plan.kinds.statistic": ("PlannedStatistic",),
    "reaedp.plan.kinds.counted": ("PlannedRelease",),
    "reaedp.plan.kinds.curves": (
        "PlannedMeanCurve",
        "PlannedSyntheticCurves",
    ),
    "reaedp.plan.kinds.image": ("PlannedImage",),
    "reaedp.plan.kinds.moments": (
        "PlannedCorrelation",
        "PlannedRegression",
    ),
    "reaedp.plan.kinds.rate": ("PlannedRate",),
    "reaedp.plan.kinds.summary": ("PlannedSummary",),
    "reaedp.plan.kinds.quantiles": ("PlannedQuantiles",),
    "reaedp.plan.kinds.synthetic": ("PlannedSynthetic",),
    "reaedp.privacy.budget": ("Budget",),
    "reaedp.ledger.ledger": ("Ledger",),
    "reaedp.privacy.unit": (
        "Sensitivity",
        "Unit",
    ),
    "reaedp.release.publication": ("publish",),
    "reaedp.release.release": ("Release",),
    "reaedp.report.plan_page": ("plan_page",),
    "reaedp.report.public": ("public_report",),
    "reaedp.statistics.entropy.calibrated_histogram": ("calibrated_histogram",),
    "reaedp.statistics.entropy.differential": ("differential_entropy",),
    "reaedp.statistics.entropy.entropy": (
        "ConditionalEntropy",
        "Entropy",
        "MutualInformation",
    ),
    "reaedp.statistics.entropy.entropy_histogram": ("EntropyHistogram",),
    "reaedp.statistics.entropy.entropy_map": ("EntropyMap",),
    "reaedp.statistics.marginal": (
        "KeyedMarginal",
        "Marginal",
    ),
    "reaedp.statistics.moments.correlation": ("Correlation",),
    "reaedp.statistics.moments.regression": ("Regression",),
    "reaedp.statistics.quantiles.chosen_quantiles": ("ChosenQuantiles",),
    "reaedp.statistics.quantiles.prediction": ("best_quantiles",),
    "reaedp.statistics.quantiles.quantiles": ("Quantiles",),
    "reaedp.statistics.statistic": ("Statistic",),
    "reaedp.statistics.rates.keyed_rates": ("KeyedRates",),
    "reaedp.statistics.rates.rates": ("Rates",),
    "reaedp.statistics.summary.keyed_summary": ("KeyedSummary",),
    "reaedp.statistics.summary.summary": ("Summary",),
    "reaedp.statistics.entropy.noisy_entropy": ("entropy_from_counts",),
    "reaedp.statistics.images.pixels": ("Pixels",),
    "reaedp.statistics.entropy.routed_entropy": ("RoutedEntropy",),
    "reaedp.statistics.entropy.information_routes": ("best_information_route",),
    "reaedp.statistics.entropy.routes": ("best_route",),
    "reaedp.synthesis.amortised": ("Amortised",),
    "reaedp.synthesis.deniability": ("Deniable",),
    "reaedp.synthesis.marginal_model": ("MarginalModel",),
    "reaedp.synthesis.synthetic": ("Synthetic",),
    "reaedp.table": ("Table",),
    "reaedp.release.verification": (
        "read",
        "verify",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("reaedp")
    if name not in _HOME:
        raise AttributeError(f"module 'reaedp' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
