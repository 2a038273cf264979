"""What thousands of releases through the whole door show of every kind that a plan can ask for, and would have missed.

    python benchmarks/door.py [--runs 2000] [--model-runs 1000] [--only NAME ...] [--units NAME ...]

Made-up files go through the real curator with secret noise and a real ledger in memory. A row of the table is one kind,
one unit and one change: the charge, what the releases show of it, how often guesses were right and may be, and the
multiple of the charge that would have been convicted with probability 0.95.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from reaedp import Budget, Category, Contract, Gaussian, Laplace, Marginal, Number, Unit
from reaedp.audits.door_audit import audit_release
from reaedp.audits.finding import Finding
from reaedp.contract import Curve, Picture
from reaedp.contract.category import Undeclared
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.learning import LADDER
from reaedp.mechanisms.threshold import Threshold
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.request import Request
from reaedp.statistics.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy_map import EntropyMap
from reaedp.statistics.levels import Levels
from reaedp.statistics.marginal import KeyedMarginal
from reaedp.statistics.pixels import Pixels
from reaedp.statistics.routed_entropy import RoutedEntropy
from reaedp.statistics.statistic import Statistic
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.network import Network
from reaedp.synthesis.synthetic import Synthetic

DELTA = 1e-6
#: The ε at which fewest runs show most: of Laplace noise, and of Gaussian noise, whose loss is rarely its worst.
EPSILON, GAUSSIAN = 2.0, 8.0
COLUMNS = tuple(Category(name=name, levels=("yes", "no"), provenance="public") for name in ("a", "b"))
CURVE = Curve(
    name="curve",
    form="wide",
    points=("p0", "p1", "p2", "p3", "p4"),
    at=(0.0, 0.25, 0.5, 0.75, 1.0),
    interval=(0.0, 1.0),
    basis="wiener",
    rank=3,
    clip=1.0,
    rho=0.01,
    provenance="public",
)
PICTURE = Picture(width=2, height=2, channels=1, lower=0, upper=255, provenance="public")
UNITS = {
    "row, add-remove": Unit("add-remove", at_least=100),
    "row, replace": Unit("replace", at_least=100),
    "person, add-remove": Unit("add-remove", person="person", max_rows=2, at_least=100),
    "person, replace": Unit("replace", person="person", max_rows=2, at_least=100),
}
Made = tuple[Statistic, object, Contract]


def contract(unit: Unit, *columns: object, picture: Picture | None = None) -> Contract:
    """Made-up data of so many columns."""
    return Contract(
        dataset="made up",
        unit=Unit(unit.change) if picture else unit,
        budget=Budget(10.0, DELTA),
        ledger="none.sqlite",
        columns=columns or (() if picture else COLUMNS),  # type: ignore[arg-type]
        curves=() if picture else (CURVE,),
        picture=picture,
    )


def laplace(statistic: Statistic) -> Callable[[Contract], Made]:
    """The statistic with Laplace noise."""
    return lambda terms: (statistic, Laplace(EPSILON), terms)


def gaussian(statistic: Statistic) -> Callable[[Contract], Made]:
    """The statistic with Gaussian noise."""
    return lambda terms: (statistic, Gaussian.within(GAUSSIAN, DELTA, statistic.sensitivity(terms)), terms)


def _bounds(terms: Contract) -> Made:
    ladder = Number(name="x", edges=LADDER, provenance="public")
    return Marginal("x"), Laplace(EPSILON), contract(terms.unit, ladder)


def _levels(terms: Contract) -> Made:
    return Levels("x"), Threshold(EPSILON, DELTA), contract(terms.unit, Undeclared(name="x", provenance="public"))


def _picture(terms: Contract) -> Made:
    return Pixels(), Laplace(EPSILON), contract(terms.unit, picture=PICTURE)


def _one_column(terms: Contract) -> Made:
    return Synthetic(("a",), 1), Network.within(GAUSSIAN, DELTA, terms, ("a",)), terms


def _network(terms: Contract) -> Made:
    return Synthetic(("a", "b"), 1), Network.within(GAUSSIAN, DELTA, terms, ("a", "b")), terms


def _amortised(terms: Contract) -> Made:
    return Synthetic(("a", "b"), 1), Amortised.within(GAUSSIAN, DELTA, terms, ("a", "b"), ("a", "b")), terms


def _deniable(terms: Contract) -> Made:
    return Synthetic(("a", "b"), 1), Deniable.within(GAUSSIAN, DELTA, terms, ("a", "b"), 1, keep=("a", "b")), terms


def _curves(terms: Contract) -> Made:
    mechanism = DeniableCurves.within(EPSILON, DELTA, terms, "curve", 1, kept=1, spread=0.5)
    return SyntheticCurves("curve", 1), mechanism, terms


KINDS: dict[str, Callable[[Contract], Made]] = {
    "histogram, Laplace": laplace(Marginal("a", "b")),
    "histogram, Gaussian": gaussian(Marginal("a", "b")),
    "frequent cells": lambda terms: (KeyedMarginal("a", "b"), Threshold(EPSILON, DELTA), terms),
    "entropy, direct": laplace(Entropy(("a", "b"))),
    "entropy, by histogram": laplace(EntropyHistogram(("a",))),
    "entropy, best route": lambda terms: (RoutedEntropy(("a",)), TwoStage(EPSILON, 0.1, 60), terms),
    "conditional entropy": laplace(ConditionalEntropy(("a",), ("b",))),
    "mutual information": laplace(MutualInformation(("a",), ("b",))),
    "entropy map": laplace(EntropyMap("a", "b")),
    "mean curve": gaussian(MeanCurve("curve")),
    "image": _picture,
    "learn bounds": _bounds,
    "learn levels": _levels,
    "network, one column": _one_column,
    "network, two columns": _network,
    "amortised": _amortised,
    "deniable": _deniable,
    "synthetic curves": _curves,
}
#: Kinds whose releases take a fiftieth of a second, and not a thousandth.
MODELS = ("network, two columns", "amortised", "deniable", "synthetic curves")


def main() -> None:
    """Print a row as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2_000, help="releases of cheap kinds that judge")
    parser.add_argument("--model-runs", type=int, default=1_000, help="the same for kinds that learn or draw records")
    parser.add_argument("--only", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--units", nargs="*", default=list(UNITS), choices=list(UNITS))
    options = parser.parse_args()
    print("| kind | unit, change | charged | shown | right guesses (permitted) | convicted from |")
    print("|---|---|---|---|---|---|")
    for kind in options.only:
        for unit in options.units if kind != "image" else ["row, replace"]:
            runs = options.model_runs if kind in MODELS else options.runs
            for line in rows(kind, unit, runs):
                print(line, flush=True)


def rows(kind: str, unit: str, runs: int) -> Iterator[str]:
    """Lines of the table: one for each pair of files, and none for folders that agree."""
    statistic, mechanism, terms = KINDS[kind](contract(UNITS[unit]))
    request = Request("door", statistic, mechanism)  # type: ignore[arg-type]
    for finding in audit_release(request, terms, rng=np.random.default_rng(), runs=runs):
        if finding.measured is not None:
            yield line(kind, unit, finding)
        elif finding.witness or finding.verdict == "NOT COVERED":
            yield f"| {kind} | {unit} | {finding.verdict}: {finding.witness or finding.method} | | | |"


def line(kind: str, unit: str, finding: Finding) -> str:
    """One row of the table."""
    measured, power, ceilings = finding.measured, finding.power, finding.ceilings
    assert measured is not None and power is not None and ceilings is not None  # noqa: PT018
    charged = str(finding.claim)
    shown = f"ε ≥ {measured.epsilon:.3g} in {measured.runs:,}" if measured.epsilon else f"nothing in {measured.runs:,}"
    guesses = f"{measured.accuracy} ({ceilings.accuracy:.3f})"
    missed = f"{power.multiple:.2f} × the charge" if np.isfinite(power.multiple) else "none"
    flag = "" if finding.verdict != "VIOLATED" else " **VIOLATED**"
    return f"| {kind} | {unit} | {charged} | {shown}{flag} | {guesses} | {missed} |"


if __name__ == "__main__":
    main()
