"""Release sensitive data with differential privacy, and show that the promise holds.

The public names, each imported when first used: `import reaedp` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reaedp.audits.audit import audit as audit
    from reaedp.audits.pair import Pair as Pair
    from reaedp.audits.pair import one_at_a_time as one_at_a_time
    from reaedp.calibration import Calibration as Calibration
    from reaedp.contract import Boolean as Boolean
    from reaedp.contract import Category as Category
    from reaedp.contract import Contract as Contract
    from reaedp.contract import Curve as Curve
    from reaedp.contract import Date as Date
    from reaedp.contract import Integer as Integer
    from reaedp.contract import Number as Number
    from reaedp.contract import Picture as Picture
    from reaedp.curator.curator import Curator as Curator
    from reaedp.curves.deniable_curves import DeniableCurves as DeniableCurves
    from reaedp.curves.mean_curve import MeanCurve as MeanCurve
    from reaedp.curves.synthetic_curves import SyntheticCurves as SyntheticCurves
    from reaedp.errors import ReaedpError as ReaedpError
    from reaedp.evaluation.custodian_report import custodian_report as custodian_report
    from reaedp.evaluation.evaluate import evaluate as evaluate
    from reaedp.forecast import Forecast as Forecast
    from reaedp.learning import learn_bounds as learn_bounds
    from reaedp.learning import learn_levels as learn_levels
    from reaedp.mechanisms.gaussian import Gaussian as Gaussian
    from reaedp.mechanisms.laplace import Laplace as Laplace
    from reaedp.mechanisms.threshold import Threshold as Threshold
    from reaedp.mechanisms.two_stage import TwoStage as TwoStage
    from reaedp.plan import Plan as Plan
    from reaedp.planned.counted import PlannedRelease as PlannedRelease
    from reaedp.planned.curve import PlannedMeanCurve as PlannedMeanCurve
    from reaedp.planned.curve import PlannedSyntheticCurves as PlannedSyntheticCurves
    from reaedp.planned.image import PlannedImage as PlannedImage
    from reaedp.planned.synthetic import PlannedSynthetic as PlannedSynthetic
    from reaedp.privacy.budget import Budget as Budget
    from reaedp.privacy.ledger import Ledger as Ledger
    from reaedp.privacy.unit import Unit as Unit
    from reaedp.publication import publish as publish
    from reaedp.release import Release as Release
    from reaedp.report.plan_page import plan_page as plan_page
    from reaedp.report.public import public_report as public_report
    from reaedp.statistics.calibrated_histogram import calibrated_histogram as calibrated_histogram
    from reaedp.statistics.entropy import ConditionalEntropy as ConditionalEntropy
    from reaedp.statistics.entropy import Entropy as Entropy
    from reaedp.statistics.entropy import MutualInformation as MutualInformation
    from reaedp.statistics.entropy_histogram import EntropyHistogram as EntropyHistogram
    from reaedp.statistics.entropy_map import EntropyMap as EntropyMap
    from reaedp.statistics.marginal import KeyedMarginal as KeyedMarginal
    from reaedp.statistics.marginal import Marginal as Marginal
    from reaedp.statistics.noisy_entropy import entropy_from_counts as entropy_from_counts
    from reaedp.statistics.pixels import Pixels as Pixels
    from reaedp.statistics.routed_entropy import RoutedEntropy as RoutedEntropy
    from reaedp.statistics.routes import best_route as best_route
    from reaedp.synthesis.amortised import Amortised as Amortised
    from reaedp.synthesis.deniability import Deniable as Deniable
    from reaedp.synthesis.network import Network as Network
    from reaedp.synthesis.synthetic import Synthetic as Synthetic
    from reaedp.table import Table as Table
    from reaedp.verification import verify as verify

_HOMES = {
    "reaedp.audits.audit": ("audit",),
    "reaedp.audits.pair": (
        "Pair",
        "one_at_a_time",
    ),
    "reaedp.calibration": ("Calibration",),
    "reaedp.contract": (
        "Boolean",
        "Category",
        "Contract",
        "Curve",
        "Date",
        "Integer",
        "Number",
        "Picture",
    ),
    "reaedp.curator.curator": ("Curator",),
    "reaedp.curves.deniable_curves": ("DeniableCurves",),
    "reaedp.curves.mean_curve": ("MeanCurve",),
    "reaedp.curves.synthetic_curves": ("SyntheticCurves",),
    "reaedp.errors": ("ReaedpError",),
    "reaedp.evaluation.custodian_report": ("custodian_report",),
    "reaedp.evaluation.evaluate": ("evaluate",),
    "reaedp.forecast": ("Forecast",),
    "reaedp.learning": (
        "learn_bounds",
        "learn_levels",
    ),
    "reaedp.mechanisms.gaussian": ("Gaussian",),
    "reaedp.mechanisms.laplace": ("Laplace",),
    "reaedp.mechanisms.threshold": ("Threshold",),
    "reaedp.mechanisms.two_stage": ("TwoStage",),
    "reaedp.plan": ("Plan",),
    "reaedp.planned.counted": ("PlannedRelease",),
    "reaedp.planned.curve": (
        "PlannedMeanCurve",
        "PlannedSyntheticCurves",
    ),
    "reaedp.planned.image": ("PlannedImage",),
    "reaedp.planned.synthetic": ("PlannedSynthetic",),
    "reaedp.privacy.budget": ("Budget",),
    "reaedp.privacy.ledger": ("Ledger",),
    "reaedp.privacy.unit": ("Unit",),
    "reaedp.publication": ("publish",),
    "reaedp.release": ("Release",),
    "reaedp.report.plan_page": ("plan_page",),
    "reaedp.report.public": ("public_report",),
    "reaedp.statistics.calibrated_histogram": ("calibrated_histogram",),
    "reaedp.statistics.entropy": (
        "ConditionalEntropy",
        "Entropy",
        "MutualInformation",
    ),
    "reaedp.statistics.entropy_histogram": ("EntropyHistogram",),
    "reaedp.statistics.entropy_map": ("EntropyMap",),
    "reaedp.statistics.marginal": (
        "KeyedMarginal",
        "Marginal",
    ),
    "reaedp.statistics.noisy_entropy": ("entropy_from_counts",),
    "reaedp.statistics.pixels": ("Pixels",),
    "reaedp.statistics.routed_entropy": ("RoutedEntropy",),
    "reaedp.statistics.routes": ("best_route",),
    "reaedp.synthesis.amortised": ("Amortised",),
    "reaedp.synthesis.deniability": ("Deniable",),
    "reaedp.synthesis.network": ("Network",),
    "reaedp.synthesis.synthetic": ("Synthetic",),
    "reaedp.table": ("Table",),
    "reaedp.verification": ("verify",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'reaedp' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
