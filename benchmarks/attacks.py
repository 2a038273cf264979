"""Attacks on histograms, curves and synthetic records, beside outsiders, blind guesses and what the promise permits.

    python benchmarks/attacks.py [--data FOLDER] [--rounds 20000] [--runs 400] [--rows 2000] [--only NAME ...]

Histograms: the likelihood ratio reaches what ε permits; the other attackers stay below it, which says something about
them and nothing about the release. Synthetic records: every synthesizer of the registry, among them one that copies its
input and must be caught. With adult.csv in the folder (or in REAEDP_DATA) on that; otherwise on made-up records.
"""

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness.table import show
from reaedp.attacks.attack import Attack
from reaedp.attacks.attribute import by_classifier, by_neighbours, infer, infer_random
from reaedp.attacks.density import density_attack
from reaedp.attacks.linkage import linkability, nearest_reference
from reaedp.attacks.membership import entropy_and_total, known_curves, known_others, known_sample
from reaedp.attacks.pair import Codes, TwoAnswers, counts, with_and_without
from reaedp.attacks.people import People, Synthesize
from reaedp.attacks.rounds import cores
from reaedp.attacks.shadow import most_exposed, shadow
from reaedp.attacks.similarity import similarity
from reaedp.attacks.singling_out import combinations, rare_values, single_out
from reaedp.attacks.space import Space
from reaedp.contract import Category, Contract
from reaedp.evaluation.refit import Refit
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.paper.histogram_rows import independent_rows
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from reaedp.privacy.budget import Budget
from reaedp.privacy.permitted import GaussianPromised, permitted
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.table import Table

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
BINS, ROWS = 30, 1_000
ONE_CELL = Sensitivity(l1=1, l2_squared=1, linf=1)
TWO_CELLS = Sensitivity(l1=2, l2_squared=2, linf=1)

#: From the sizes of the columns, ε and the number of rows to be made, a synthesizer with that promise.
Maker = Callable[[tuple[int, ...], float, int], Synthesize]


def independent(sizes: tuple[int, ...], epsilon: float, rows: int) -> Synthesize:
    """Noisy histograms of single columns, then independent draws."""
    axes = [
        Category(name=str(column), levels=tuple(map(str, range(size))), null="drop", unseen="drop", provenance="public")
        for column, size in enumerate(sizes)
    ]
    each = Calibrated(Laplace(epsilon / len(sizes)), ONE_CELL)

    def synthesize(codes: Codes, rng: np.random.Generator) -> Codes:
        noise = SeededNoise(rng)
        noisy = [each.apply(counts(codes, sizes, [column]), noise) for column in range(len(sizes))]
        tables = [Table((axis,), values) for axis, values in zip(axes, noisy, strict=True)]
        return independent_rows(tables, rows, rng)

    return synthesize


def copying(sizes: tuple[int, ...], epsilon: float, rows: int) -> Synthesize:  # noqa: ARG001
    """The input in another order, whatever was promised: the attacks must find it."""
    return lambda codes, rng: rng.permutation(codes)[:rows]


class Synthesizer(NamedTuple):
    """What to attack: promised at each ε and at δ for a row added or removed."""

    make: Maker
    epsilons: tuple[float, ...] = (0.1, 1.0, 8.0)
    delta: float = 0.0


DELTA = 1e-6
#: With fewer synthetic rows there are no five nearest ones; only how many there are is attacked then.
FEWEST = 20


def ours(method: str) -> Maker:
    """The very mechanism of a release, made anew for each run; deniable records are fewer, as each has a price."""

    def make(sizes: tuple[int, ...], epsilon: float, rows: int) -> Synthesize:
        columns = tuple(
            Category(
                name=str(place), levels=tuple(map(str, range(size))), null="drop", unseen="drop", provenance="public"
            )
            for place, size in enumerate(sizes)
        )
        unit, budget = Unit("add-remove", at_least=1_000), Budget(epsilon, DELTA)
        contract = Contract(dataset="shadows", unit=unit, budget=budget, ledger="none", columns=columns)
        planned = PlannedSynthetic(
            name="shadow",
            kind="synthetic",
            columns=tuple(column.name for column in columns),
            rows=min(rows, 50) if method == "deniable" else rows,
            method=method,  # type: ignore[arg-type]
            share=1.0,
        )
        request = planned.request(contract)
        statistic: Any = request.statistic
        return Refit(contract, statistic.columns, request.calibrated(contract), statistic.rows)

    return make


SYNTHESIZERS = {
    "independent": Synthesizer(independent),
    "copying": Synthesizer(copying, (1.0,)),
    "network": Synthesizer(ours("network"), (1.0, 8.0), DELTA),
    "amortised": Synthesizer(ours("amortised"), (1.0, 8.0), DELTA),
    "deniable": Synthesizer(ours("deniable"), (1.0, 8.0), DELTA),
}


def histograms(rounds: int, rng: np.random.Generator) -> None:
    base = rng.multinomial(ROWS, np.full(BINS, 1 / BINS))
    first, second = np.eye(2, BINS, dtype=np.int64)
    added, replaced = TwoAnswers(base + first, base), TwoAnswers(base + first, base + second)
    sample = {"rows": ROWS, "sample": ROWS, "rounds": rounds, "rng": rng}
    cases = {
        "Discrete Laplace, a row added": (added, ONE_CELL, Laplace, lambda e: 1 / (1 + math.exp(-e))),
        "Discrete Laplace, a row replaced": (replaced, TWO_CELLS, Laplace, lambda e: 1 / (1 + math.exp(-e / 2))),
        "Discrete Gaussian, a row added, ρ = ε²/8": (added, ONE_CELL, _gaussian, _gaussian_accuracy),
    }
    for title, (pair, sensitivity, mechanism, formula) in cases.items():
        noises = {epsilon: Calibrated(mechanism(epsilon), sensitivity) for epsilon in EPSILONS}
        played = {
            epsilon: [
                known_others([(pair, noise)], rounds, rng),
                entropy_and_total(pair, noise, rounds, rng),
                nearest_reference(pair, noise, rounds, rng),
                *([known_sample(base / ROWS, 0, noise, **sample)] if pair is added else []),
            ]
            for epsilon, noise in noises.items()
        }
        heads = ["ε", "permitted", "likelihood ratio", "entropy and total", "linkage", "with a sample", "best control"]
        for place, figure in enumerate(("AUC", "accuracy", "advantage", "TPR at FPR 1 %", "TPR at FPR 0.1 %")):
            rows = [_row(epsilon, [attacks[place] for attacks in games]) for epsilon, games in played.items()]
            blind = played[1.0][0][place].baseline
            show(f"{title}: {figure} (blind guess {blind:g})", [*heads[: len(rows[0]) - 1], heads[-1]], rows)
        print("accuracy by formula:", ", ".join(f"ε = {e:g}: {formula(e):.4f}" for e in EPSILONS))


def _row(epsilon: float, attacks: list[Attack]) -> list[object]:
    control = max((attack.control for attack in attacks), key=lambda rate: rate.value)
    return [f"{epsilon:g}", f"{attacks[0].permitted:.4f}", *(attack.main for attack in attacks), control]


def _gaussian(epsilon: float) -> Gaussian:
    return Gaussian(epsilon * epsilon / 8)


def _gaussian_accuracy(epsilon: float) -> float:
    """(1 + the chance of no noise) / 2: the best test asks on which side of the middle the count is."""
    scale = _gaussian(epsilon).scale(ONE_CELL)
    reach = np.arange(-math.ceil(40 * scale), math.ceil(40 * scale) + 1)
    return (1 + 1 / np.exp(-(reach**2) / (2 * scale**2)).sum()) / 2


def curves(rounds: int, rng: np.random.Generator) -> None:
    direction = 1.0 / np.arange(1, 21)
    rows = []
    for mu in (0.1, 0.25, 0.5, 1.0, 2.0, 4.0):
        scale = float(np.linalg.norm(direction)) / mu
        auc, accuracy, *_ = known_curves(TwoAnswers(direction, np.zeros(20)), scale, rounds, rng)
        promise = GaussianPromised(mu)
        rows.append([f"{mu:g}", f"{promise.accuracy:.4f}", accuracy.main, f"{promise.auc:.4f}", auc.main])
    show("Mean curve, 20 coefficients", ["μ", "Φ(μ/2)", "accuracy", "Φ(μ/√2)", "AUC"], rows)


def records(data: Path | None, rows: int, rng: np.random.Generator) -> tuple[People, Codes, str]:
    """Members, outsiders and a reference sample, by lot."""
    if data is not None and (data / "adult.csv").exists():
        codes = np.loadtxt(data / "adult.csv", delimiter=",", skiprows=1, dtype=np.int64)
        sizes = tuple(json.loads((data / "adult-domain.json").read_text()).values())
        source = "adult.csv"
    else:
        sizes = (12, 5, 9, 4, 7, 2, 15, 2)
        kinds = rng.integers(20, size=3 * rows)
        likely = np.stack([rng.integers(size, size=20) for size in sizes], axis=1)[kinds]
        codes = np.where(rng.random(likely.shape) < 0.7, likely, rng.integers(sizes, size=likely.shape))
        source = "made-up records"
    mixed = rng.permutation(codes)
    members, outsiders, reference = mixed[:rows], mixed[rows : 2 * rows], mixed[2 * rows : 3 * rows]
    return People(members, outsiders, Space.unordered(sizes)), reference, source


def synthetic(people: People, reference: Codes, runs: int, only: list[str], rng: np.random.Generator) -> None:
    sizes, size = people.space.sizes, len(people.members)
    target, secret, half = most_exposed(people.members, people.space), len(sizes) - 1, len(sizes) // 2
    for name in only:
        make, epsilons, delta = SYNTHESIZERS[name]
        for epsilon in epsilons:
            promise, synthesize = permitted(epsilon, delta), make(sizes, epsilon, size)
            start = time.perf_counter()
            made = synthesize(people.members, rng)
            fit = time.perf_counter() - start
            shared: dict[str, Any] = {"promise": promise, "rng": rng}
            workers = cores() if isinstance(synthesize, Refit) else 1  # others cannot be sent to a process
            shadows = shadow(people.members, target, synthesize, runs=runs, workers=workers, progress=told, **shared)
            attacks: list[Attack] = [*shadows[:2]]
            if len(made) >= FEWEST:
                neighbours = by_neighbours(people.space, secret)
                attacks += [
                    *density_attack(people, made, reference, rounds=4_000, **shared)[:2],
                    linkability(people, made, (range(half), range(half, len(sizes))), **shared),
                    infer(people, made, secret, neighbours, name="secret by neighbours", **shared),
                    infer(people, made, secret, by_classifier, name="secret by classifier", **shared),
                    infer_random(people, synthesize, secret, neighbours, **shared),
                    single_out(people, rare_values(made, sizes, 1_000, rng), epsilon=epsilon, delta=delta, rng=rng),
                    single_out(people, combinations(made, half, 1_000, rng), epsilon=epsilon, delta=delta, rng=rng),
                ]
            lines = [
                [a.name, a.figure, a.main, a.control, f"{a.baseline:.3f}", f"{a.permitted:.3f}", a.risk]
                for a in attacks
            ]
            took = time.perf_counter() - start
            heads = ["attack", "figure", "members", "outsiders", "blind", "permitted", "risk"]
            title = f"{name}, ε = {epsilon:g}: {len(made):,} rows (one run {fit:.3f} s, all {took:.0f} s)"
            show(title, heads, lines)
            if len(made) >= FEWEST:
                print("similarity, not privacy:", similarity(people, made, rng))


def told(done: int, of: int) -> None:
    if done % 50 == 0 or done == of:
        print(f"\r{done} of {of} shadow runs", end="" if done < of else "\n", file=sys.stderr, flush=True)


def white_box(people: People, rounds: int, rng: np.random.Generator) -> None:
    """The released one-column tables themselves, against whoever knows everyone else."""
    sizes = people.space.sizes
    target = most_exposed(people.members, people.space)
    pairs = with_and_without(people.members, target, sizes, [[column] for column in range(len(sizes))])
    rows = []
    for epsilon in EPSILONS:
        noise = Calibrated(Laplace(epsilon / len(sizes)), ONE_CELL)
        auc, accuracy, *_ = known_others([(pair, noise) for pair in pairs], rounds, rng)
        simple = permitted(epsilon).accuracy
        rows.append([f"{epsilon:g}", f"{simple:.4f}", f"{accuracy.permitted:.4f}", accuracy.main, auc.main])
    heads = ["ε in all", "permitted by ε", "permitted by the tables", "accuracy", "AUC"]
    show(f"{len(sizes)} noisy tables, everyone else known", heads, rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("REAEDP_DATA"))
    options.add_argument("--rounds", type=int, default=20_000)
    options.add_argument("--runs", type=int, default=400)
    options.add_argument("--rows", type=int, default=2_000)
    options.add_argument("--only", nargs="+", choices=SYNTHESIZERS, default=list(SYNTHESIZERS))
    chosen = options.parse_args()
    rng = np.random.default_rng(1)
    histograms(chosen.rounds, rng)
    curves(chosen.rounds, rng)
    people, reference, source = records(chosen.data and Path(chosen.data), chosen.rows, rng)
    print(f"\nSynthetic records from {source}: {chosen.rows:,} members, as many outsiders, as many for reference")
    white_box(people, chosen.rounds, rng)
    synthetic(people, reference, chosen.runs, chosen.only, rng)


if __name__ == "__main__":
    main()
