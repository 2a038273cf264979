"""Membership, linkage and attribute inference against ε: the paper's attacks, fair ones, the best one, the ceiling."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import Attack
from reaedp.attacks.linkage import nearest_reference
from reaedp.attacks.membership import entropy_and_total, known_others
from reaedp.attacks.pair import TwoAnswers
from reaedp.attacks.regression import Separator
from reaedp.attacks.trials import Flags, coins
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.paper.attacked_records import FITS, AttackedRecords
from reaedp.paper.best_entropy import CHANGES, contract
from reaedp.paper.datasets import HOUSES, POWER
from reaedp.paper.item import Experiment, Item, Result
from reaedp.paper.line_chart import marked_lines, ordered
from reaedp.paper.published_release import entropies
from reaedp.paper.white_box import CURVE, DELTA, KEYS, NETWORK, RECORD, games
from reaedp.privacy.normal import quantile
from reaedp.privacy.unit import Change
from reaedp.rate import Rate, share
from reaedp.statistics.marginal import Marginal

Floats = NDArray[np.float64]

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: Bins from and to which a record moves; rows are drawn from the distribution of a public set.
FROM, TO, ROWS = 0, 29, 1_000
PAPERS_RUNS, PAPERS_PAIRS = 5, 200
MEMBERSHIP, LINKAGE = "entropy and total, as published", "nearest of two releases, as published"
TWO = "sizes differ by two, as published"
BEST, WEAK = "likelihood ratio, everyone else known", "logistic regression on entropy and total"
HISTOGRAM = "histogram"
#: Figures in the table; all but the area are shares of right guesses, of which a blind one is right half the time.
SHOWN = ("accuracy", "AUC", "secrets guessed")


def run(experiment: Experiment) -> Result:
    """Every attack at every ε, with ranges that hold."""
    counts = POWER.counts(experiment)
    assert counts is not None
    base = experiment.rng.multinomial(ROWS, counts / counts.sum()).astype(np.int64)
    rows: list[dict[str, Any]] = []
    people = AttackedRecords(experiment)
    for epsilon in EPSILONS[:: experiment.runs(3, 1)]:
        experiment.progress(f"ε = {epsilon:g}")
        rows += _as_published(base, epsilon, experiment)
        for change in CHANGES:
            rows += _fair(base, change, epsilon, experiment)
        for game in games(epsilon, base, experiment.rng):
            attacks = game.attacks(experiment.runs(4_000, 20_000), experiment.rng)
            rows += (_row(attack, game.release, "add-remove", epsilon) for attack in attacks if attack.figure in SHOWN)
        records = people.attacks(epsilon)
        rows += (_row(each, name, "add-remove", epsilon) for name, each in records if each.figure in SHOWN)
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return Result(
        table,
        _chart({row["attack"] for row in rows if row["figure"] != "AUC"}),
        "holds with correction",
        _because(rows),
    )


def _fair(base: NDArray[np.int64], change: Change, epsilon: float, experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Attacks on true neighbours; all of them at most as good as the promise permits."""
    rounds, rng = experiment.runs(4_000, 20_000), experiment.rng
    sensitivity = Marginal("bin").sensitivity(contract(len(base), 1, change))
    noise, pair = Calibrated(Laplace(epsilon), sensitivity), _neighbours(base, change)
    attacks = [
        *known_others([(pair, noise)], rounds, rng),
        *entropy_and_total(pair, noise, rounds, rng),
        *nearest_reference(pair, noise, rounds, rng),
    ]
    yield from (_row(attack, HISTOGRAM, change, epsilon) for attack in attacks if attack.figure in SHOWN)


def _neighbours(base: NDArray[np.int64], change: Change) -> TwoAnswers:
    """One record more in the last bin; or the same record in the first bin instead."""
    elsewhere = base if change == "add-remove" else base + _one(len(base), FROM)
    return TwoAnswers(base + _one(len(base), TO), elsewhere)


def _one(cells: int, place: int) -> NDArray[np.int64]:
    single: NDArray[np.int64] = (np.arange(cells) == place).astype(np.int64)
    return single


def _row(attack: Attack, release: str, change: str, epsilon: float) -> dict[str, Any]:
    line = _line(attack.name, change, epsilon, attack.main)
    return line | {"release": release, "figure": attack.figure, "permitted": attack.permitted}


def _line(attack: str, neighbours: str, epsilon: float, rate: Rate) -> dict[str, Any]:
    """An accuracy of which no promise speaks."""
    return {
        "release": HISTOGRAM,
        "attack": attack,
        "neighbours": neighbours,
        "epsilon": epsilon,
        "figure": "accuracy",
        "value": rate.value,
        "low": rate.low,
        "high": rate.high,
        "permitted": None,
    }


def _as_published(base: NDArray[np.int64], epsilon: float, experiment: Experiment) -> Iterator[dict[str, Any]]:
    """The paper's pairs differ by two records in size, so that no promise speaks of them."""
    rng, houses = experiment.rng, HOUSES.counts(experiment)
    counts = base if houses is None else houses
    found = np.array([_published_membership(counts, epsilon, rng) for _ in range(PAPERS_RUNS)])
    for figure, values in zip(("accuracy", "AUC"), found.T, strict=True):
        centre, reach = float(values.mean()), 1.96 * float(values.std()) / math.sqrt(PAPERS_RUNS)
        rate = Rate(centre, centre - reach, centre + reach, 0.95)
        yield _line(MEMBERSHIP, TWO, epsilon, rate) | {"figure": figure}
    pair = TwoAnswers(base + _one(len(base), TO), base - _one(len(base), FROM))
    rounds = experiment.runs(1_000, 5_000)
    yield _line(LINKAGE, TWO, epsilon, share(int(_published_linkage(pair, epsilon, rounds, rng).sum()), rounds))


def _published_membership(counts: NDArray[np.int64], epsilon: float, rng: np.random.Generator) -> tuple[float, float]:
    """Accuracy and area of a regression that is judged on the releases from which it learned.

    Each of the random pairs takes a record from a bin, unless that is empty, and adds one to another.
    """
    pairs, cells = np.arange(PAPERS_PAIRS), len(counts)
    less, more = (np.tile(counts, (PAPERS_PAIRS, 1)).astype(np.float64) for _ in range(2))
    less[pairs, rng.integers(0, cells, PAPERS_PAIRS)] -= 1
    more[pairs, rng.integers(0, cells, PAPERS_PAIRS)] += 1
    exact, member = np.vstack([np.maximum(less, 0.0), more]), np.repeat([False, True], PAPERS_PAIRS)
    released = np.maximum(exact + rng.laplace(0.0, 1 / epsilon, exact.shape), 0.0)
    features = np.column_stack([entropies(released), released.sum(axis=1)])
    scores = Separator.trained(features, member, strength=1.0).score(features)
    wins = scores[member][:, None] - scores[~member]
    return float(((scores > 0) == member).mean()), float((wins > 0).mean() + (wins == 0).mean() / 2)


def _published_linkage(pair: TwoAnswers, epsilon: float, rounds: int, rng: np.random.Generator) -> Flags:
    """The observed release is one of the two references, so that its distance to that one is zero."""
    member = coins(rounds, rng)
    present, absent = (
        exact + rng.laplace(0.0, 1 / epsilon, (rounds, pair.present.size)) for exact in (pair.present, pair.absent)
    )
    observed = np.where(member[:, None], present, absent)
    near, far = (np.linalg.norm(observed - reference, axis=1) for reference in (present, absent))
    right: Flags = (near < far) == member
    return right


def _because(rows: list[dict[str, Any]]) -> str:
    at = {(r["release"], r["attack"], r["neighbours"], r["epsilon"]): r for r in rows if r["figure"] == "accuracy"}
    linked = [row["value"] for row in rows if row["attack"] == LINKAGE]
    best, weak, paired = (at[HISTOGRAM, name, "add-remove", 1.0] for name in (BEST, WEAK, "nearest reference release"))
    reached = ", ".join(
        f"{release} {row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f}) of {row['permitted']:.3f}"
        for release in (CURVE, NETWORK, KEYS, RECORD)
        for row in [at[release, BEST, "add-remove", 1.0]]
    )
    secrets = [row["value"] for row in rows if row["figure"] == "secrets guessed"]
    published = {row["figure"]: row for row in rows if row["attack"] == MEMBERSHIP and row["epsilon"] == 1.0}
    shown = ", ".join(f"{name} {row['value']:.3f}" for name, row in published.items())
    return (
        f"As printed, linkage is right in {min(linked):.3f} of cases at every ε, because the observed release is itself"
        f" one of the references; with fresh noise it is right in {paired['value']:.3f} at ε = 1. Entropy"
        f" and total reach {shown} as published, judged on their own training data; on true neighbours and new releases"
        f" they are right in {weak['value']:.3f} ({weak['low']:.3f} to {weak['high']:.3f}) at ε = 1, where the"
        f" likelihood ratio is right in {best['value']:.3f} ({best['low']:.3f} to {best['high']:.3f}) and"
        f" {best['permitted']:.3f} is permitted: a weak attack near one half does not show privacy. On true neighbours"
        f" the best attack falls to {at[HISTOGRAM, BEST, 'add-remove', 0.1]['value']:.3f} at ε = 0.1, as it must. At"
        f" ε = 1 it reaches: {reached}. {beside_ceilings(rows)} A record of F reveals less than permitted; since its"
        " distribution is known exactly, no attack on this pair can do better. Freshly drawn secrets are guessed from"
        f" synthetic rows in {min(secrets):.3f} to {max(secrets):.3f} of cases."
    )


def beside_ceilings(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many figures lie above what is permitted: by their own ranges, some of which miss, and by ranges for all."""
    beside = [row for row in rows if row["permitted"] is not None]
    reach = quantile(1 - 0.025 / len(beside)) / quantile(0.975)
    above = sum(row["low"] > row["permitted"] for row in beside)
    sure = sum(row["value"] - reach * (row["value"] - row["low"]) > row["permitted"] for row in beside)
    return (
        f"Of {len(beside)} figures with a ceiling, {above or 'none'} {'lies' if above == 1 else 'lie'} above it with"
        f" {'its' if above == 1 else 'their'} whole 95 % range (one in 40 ranges is too high by chance), and"
        f" {sure or 'none'} with ranges wide enough to hold for all figures at once."
    )


def _chart(attacks: set[str]) -> dict[str, Any]:
    epsilon = {"field": "epsilon", "type": "quantitative", "scale": {"type": "log"}, "title": "ε"}
    guessed = {"type": "quantitative", "title": "right guesses, 95 % ranges", "scale": {"domain": [0.4, 1]}}
    attack = ordered("attack", sorted(attacks))
    layers = [
        {
            "mark": {"type": "line", "strokeDash": [4, 3]},
            "encoding": {
                "x": epsilon,
                "y": guessed | {"field": "permitted"},
                "detail": {"field": "figure", "type": "nominal"},
                "color": {"value": "black"},
            },
        },
        *marked_lines(epsilon, guessed | {"field": "value"}, attack),
        {"mark": {"type": "rule", "color": "grey"}, "encoding": {"y": {"datum": 0.5}}},
        {
            "mark": "rule",
            "encoding": {"x": epsilon, "y": guessed | {"field": "low"}, "y2": {"field": "high"}, "color": attack},
        },
    ]
    return {
        "title": "Attacks on every kind of release; dashed: the most that the guarantee permits; grey: random guessing",
        "transform": [
            {"filter": "datum.figure != 'AUC'"},
            {"calculate": "datum.release + ', ' + datum.neighbours", "as": "panel"},
        ],
        "facet": {"field": "panel", "type": "nominal", "title": None, "sort": None},
        "columns": 3,
        "spec": {"width": 240, "height": 220, "layer": layers},
    }


_SHADOWS = f" Shadows: {FITS} releases."
ITEM = Item.declared(
    "attacks",
    run,
    full={"epsilons": "0.1, 0.25, 0.5, 1, 2, 4, 8", "rounds": "20,000", "shadows": _SHADOWS},
    quick={"epsilons": "0.1, 1, 8", "rounds": "4,000", "shadows": ""},
    papers_runs=PAPERS_RUNS,
    clipped=2 * PAPERS_PAIRS,
    delta=DELTA,
)
