"""What else a manifest tells of a release: the keys that its kind has, and those figures that follow from the rest."""

from collections.abc import Callable
from math import isclose
from typing import Any

from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.mean_curve import MeanCurve
from reaedp.errors import ReaedpError
from reaedp.mechanisms.exponential import Exponential
from reaedp.mechanisms.fine_gaussian import bought_mu
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.threshold import Threshold
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.release.manifest import understood
from reaedp.release.pattern import Keys, ListOf, Maybe, Object, OneOf, Pattern, Real, Text, Whole
from reaedp.release.verification.derived import CLOSE, Rebuilt
from reaedp.statistics.by_kind import ENTROPIES, HISTOGRAMS, NOISES, ByKind
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable, paper_details
from reaedp.synthesis.learned import WITHIN
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.purse import CHOICES, MOST, PARTS_OF_A_ROW, choice_scale, table_scale

_NOT_NEGATIVE = Real(0, 1e300)
_NOISE = Maybe(_NOT_NEGATIVE)
_MODEL: dict[str, Pattern] = {
    "rows_found": Whole(-(2**62), 2**62),
    "noise_of_columns": _NOISE,
    "noise_of_choices": _NOISE,
    "noise_of_tables": _NOISE,
    "tables": ListOf(Text()),
    "account": Text(),
}
#: Models of the first folders counted whole rows, and did not say so.
_PARTS: dict[str, Pattern] = {PARTS_OF_A_ROW: Whole(1)}
_COST: dict[str, Pattern] = {
    "plausible_seeds_for_half_a_chance": Whole(0),
    "cost_of_each": Keys({"epsilon": _NOT_NEGATIVE, "delta": Real(0, 1)}),
}
_PAPER = Keys(
    dict.fromkeys(("k", "t", "attempts"), Whole(1))
    | dict.fromkeys(("gamma", "epsilon0", "epsilon_claimed", "delta_claimed"), _NOT_NEGATIVE)
    | {"test": OneOf(("published", "optimal"))}
)
_KEPT: dict[str, Pattern] = {"kept": ListOf(Text(), fewest=1)}
_KEYS = ByKind[Pattern](
    "what a manifest tells of it besides",
    {
        **dict.fromkeys((Laplace, Gaussian, Threshold, GroupThreshold, TwoStage, Exponential), Keys({})),
        MarginalModel: Keys(_MODEL, more=_PARTS | {WITHIN: ListOf(Text(), fewest=1)}),
        Amortised: Keys(_MODEL | _KEPT | {"keys": Whole(0), "threshold": Whole(0)}, more=_PARTS),
        Deniable: Keys(
            _MODEL | _KEPT | _COST | {"proposal": OneOf(("keep", "mixed")), "records_asked_for": Whole(1)},
            more={"paper": _PAPER} | _PARTS,
        ),
        DeniableCurves: Keys(
            _COST | {"curves_asked_for": Whole(1), "gamma": _NOT_NEGATIVE, "moved_by": ListOf(_NOT_NEGATIVE)}
        ),
    },
    otherwise=Object(),
    over="mechanisms",
)
#: Mean curves, correlations and regressions tell the noisy numbers that they are made of; manifests of the first
#: version did not.
_NUMBERS = ByKind[Pattern | None](
    "noisy numbers that a manifest tells of it",
    {
        MeanCurve: Keys(
            {"noisy_sums": ListOf(Whole(-(2**63))), "noisy_count": Whole(-(2**63))},
            more={"noisy_clipped": Whole(-(2**63))},
        ),
        **dict.fromkeys((Correlation, Regression), Keys({"noisy_moments": ListOf(Whole(-(2**63)))})),
        **dict.fromkeys((Summary, Rates, KeyedSummary, KeyedRates), Keys({"noisy_parts": ListOf(Whole(-(2**63)))})),
        Quantiles: Keys({"noisy_counts": ListOf(Whole(-(2**63)))}),
        ChosenQuantiles: Keys({"noisy_rows": ListOf(Whole(-(2**63))), "places": ListOf(Whole(0))}),
    },
    otherwise=None,
    plain=(*HISTOGRAMS, *ENTROPIES, "KeyedMarginal", "Synthetic", "SyntheticCurves", "Pixels"),
)


def check_details(release: Rebuilt) -> None:
    """Nothing is told that this kind does not tell, and nothing that follows otherwise."""
    with understood(f"the details of {release.name!r}"):
        wrong = _mistakes(release)
    if wrong:
        raise ReaedpError(f"The details of {release.name!r} do not fit a release of its kind: {wrong[0]}")


def _mistakes(release: Rebuilt) -> list[str]:
    stated, mechanism = release.record["details"], release.noise.mechanism
    pattern = (_NUMBERS.of(release.statistic) if stated else None) or _KEYS.of(mechanism)
    wrong = list(pattern.mistakes(stated, "details"))
    if not wrong:
        expected = _FIGURES.of(mechanism)(release, mechanism)
        wrong = [f"details.{key} must be {value}." for key, value in expected.items() if not _equal(stated[key], value)]
        wrong += _other_columns(release)
        model = mechanism if isinstance(mechanism, MarginalModel) else getattr(mechanism, "network", None)
        wrong += [*_too_quiet(release, model), *_other_choices(release, model)] if model is not None else []
    return wrong


def _equal(stated: Any, value: Any) -> bool:
    if isinstance(value, float) and isinstance(stated, int | float):
        return isclose(stated, value, rel_tol=CLOSE)
    if isinstance(value, list) and isinstance(stated, list):
        return len(stated) == len(value) and all(map(_equal, stated, value))
    if isinstance(value, dict) and isinstance(stated, dict):
        return stated.keys() == value.keys() and all(_equal(stated[key], value[key]) for key in value)
    return bool(stated == value)


def _other_columns(release: Rebuilt) -> list[str]:
    """Tables and kept columns are columns of the release."""
    columns, stated = release.statistic.columns, release.record["details"]
    known = {f"{first} × {second}" for first in columns for second in columns}
    told_apart = not any("×" in name for name in columns)
    pairs = [
        table
        for table in [*stated.get("tables", ()), *stated.get(WITHIN, ())]
        if told_apart and table.count(" × ") == 1
    ]
    wrong = [table for table in pairs if table not in known]
    wrong += [name for name in stated.get("kept", ()) if name not in columns]
    return [f"{name!r} is no column of it." for name in wrong]


def _other_choices(release: Rebuilt, model: MarginalModel) -> list[str]:
    """A round's price is shared between its choice and its table, so that the noise of one follows from the other's."""
    stated, sensitivity = release.record["details"], release.noise.sensitivity
    of_tables, of_choices = stated["noise_of_tables"], stated["noise_of_choices"]
    if of_tables is None or of_choices is None or (mu := bought_mu(of_tables, sensitivity, model.finest)) is None:
        return []
    price = mu**2 / (1 - CHOICES)
    value = choice_scale(CHOICES * price, sensitivity)
    known = (1 - CHOICES) * price < MOST * (1 - CLOSE)
    return (
        [f"details.noise_of_choices must be {value}."]
        if known and not isclose(of_choices, value, rel_tol=CLOSE)
        else []
    )


def _too_quiet(release: Rebuilt, mechanism: MarginalModel) -> list[str]:
    """How a model shares its price follows from its answers; no part of it has less noise than all of it would buy."""
    squared, sensitivity = mechanism.mu**2, release.noise.sensitivity
    tables, choices = table_scale(squared, sensitivity, mechanism.finest), choice_scale(squared, sensitivity)
    least = {"noise_of_columns": tables, "noise_of_tables": tables, "noise_of_choices": choices}
    stated = release.record["details"]
    return [
        f"details.{key} must be at least {value}."
        for key, value in least.items()
        if stated[key] is not None and stated[key] < value * (1 - CLOSE)
    ]


def _amortised(release: Rebuilt, mechanism: Amortised) -> dict[str, Any]:
    kept = {"kept": list(mechanism.keep)} if mechanism.keep else {}
    threshold = mechanism.keys.threshold(release.noise.sensitivity)
    return kept | {"threshold": threshold}


def _deniable(release: Rebuilt, mechanism: Deniable) -> dict[str, Any]:
    kept = {"kept": list(mechanism.keep)} if mechanism.keep else {}
    asked = {"proposal": mechanism.proposal, "records_asked_for": mechanism.records}
    return kept | asked | _cost(release, mechanism) | paper_details(mechanism.paper)


def _curves(release: Rebuilt, mechanism: DeniableCurves) -> dict[str, Any]:
    statistic: Any = release.statistic
    gamma = mechanism.plan(release.noise.sensitivity).gamma
    moved_by = mechanism.moved_by(release.contract.curve(statistic.curve))
    return _cost(release, mechanism) | {"curves_asked_for": mechanism.curves, "gamma": gamma, "moved_by": moved_by}


def _cost(release: Rebuilt, mechanism: Deniable | DeniableCurves) -> dict[str, Any]:
    plan = mechanism.plan(release.noise.sensitivity)
    each = {"epsilon": plan.each.epsilon, "delta": plan.each.delta}
    return {"plausible_seeds_for_half_a_chance": plan.test.half, "cost_of_each": each}


_FIGURES = ByKind[Callable[[Rebuilt, Any], dict[str, Any]]](
    "figures among its details that follow from the rest",
    {
        MarginalModel: lambda _, __: {},
        Amortised: _amortised,
        Deniable: _deniable,
        DeniableCurves: _curves,
    },
    otherwise=lambda _, __: {},
    plain=(*NOISES, "GroupThreshold"),
    over="mechanisms",
)
