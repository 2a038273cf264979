"""How near a finished release is to the truth, and what attacks on it achieve; for the custodian's eyes only."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.attacks.attack import Attack
from reaedp.attacks.attribute import by_classifier, by_neighbours, infer
from reaedp.attacks.density import density_attack
from reaedp.attacks.linkage import linkability
from reaedp.attacks.people import People
from reaedp.attacks.roc import FEWEST_ROUNDS
from reaedp.attacks.shadow import most_exposed, shadow
from reaedp.attacks.similarity import similarity
from reaedp.attacks.singling_out import combinations, rare_values, single_out
from reaedp.attacks.space import Space
from reaedp.curves.lattice import RADIUS
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.space import CurveSpace
from reaedp.curves.synthetic_curves import ReleasedCurves, SyntheticCurves
from reaedp.engines.data import Data, Engine
from reaedp.errors import DeclarationError, sentence, unknown
from reaedp.evaluation.counted_attacks import on_counts, on_parts
from reaedp.evaluation.curve_truth import true_mean
from reaedp.evaluation.finished import Finished, finished, synthetic_codes
from reaedp.evaluation.line import Line
from reaedp.evaluation.originals import true_bits, true_frame, true_moments, true_parts
from reaedp.evaluation.picture_quality import picture_quality
from reaedp.evaluation.quantile_truth import missed_ranks, true_values
from reaedp.evaluation.refit import Refit
from reaedp.evaluation.utility import utility
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.moments.words import THESE
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.synthetic import Synthetic

#: Guesses of attacks on people.
GUESSES = 1_000
#: Records among which the most exposed one is looked for.
SEARCHED = 2_000


def evaluate(
    folder: str | Path,
    data: Data,
    *,
    rng: np.random.Generator,
    others: Data | None = None,
    label: str | None = None,
    shadows: int = 0,
    workers: int = 1,
    engine: Engine | None = None,
    progress: Callable[[str], None] = lambda _: None,
    counted: Callable[[str, int, int], None] = lambda what, done, of: None,  # noqa: ARG005
) -> tuple[Line, ...]:
    """Compare every release in a folder with the data, and attack it.

    `others` holds people from the same population who are not in the data; attacks on synthetic records and the
    prediction of `label` need them. `shadows` is how often each synthetic release is repeated, with and without the
    most exposed record, to train an attack that tells the two apart; `workers` processes share that work and change no
    figure. `progress` is called with what is being done, `counted` with the number of finished shadows and their total.

    >>> {line.release for line in evaluate("published", "data.csv", rng=rng)}
    {'ages'}
    """
    if 0 < shadows < 2 * FEWEST_ROUNDS:
        rule = f"shadows must be 0 or at least {2 * FEWEST_ROUNDS}, because half of them train the attack"
        raise DeclarationError(sentence(rule, given=shadows))
    lines: list[Line] = []
    for release in finished(Path(folder), data, others, engine):
        progress(f"{release.name}: {release.statistic.title}")
        lines += _EVALUATIONS.of(release.statistic)(release, rng, label)
        if shadows and isinstance(release.statistic, Synthetic):
            lines += (_line(release, attack) for attack in _by_shadows(release, shadows, rng, workers, counted))
    return tuple(lines)


def _by_shadows(
    release: Finished, runs: int, rng: np.random.Generator, workers: int, counted: Callable[[str, int, int], None]
) -> tuple[Attack, ...]:
    names = release.statistic.columns
    codes, space = release.truth.rows(names), Space.of(release.contract.select(names))
    among = rng.choice(len(codes), min(len(codes), SEARCHED), replace=False)
    target = int(most_exposed(codes, space, among=among))
    synthesize = Refit(release.contract, names, release.noise, len(synthetic_codes(release)))

    told = partial(counted, f"{release.name}: shadows")
    return shadow(codes, target, synthesize, release.promise, runs=runs, rng=rng, workers=workers, progress=told)


def _of_histogram(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    exact: Any = release.statistic.answer(release.truth)
    noisy = release.released()["count"]
    error = np.abs(noisy - exact)
    yield Line(release.name, "utility", "mean error, rows", float(error.mean()))
    yield Line(release.name, "utility", "largest error, rows", float(error.max()))
    total = max(float(exact.sum()), 1.0)
    yield Line(release.name, "utility", "total variation", float(error.sum() / (2 * total)))
    yield from (_line(release, attack) for attack in on_counts(release, exact, rng))


def _of_keys(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    exact = release.truth.key_counts(release.statistic.columns)
    shown = float(release.released()["count"].sum())
    rows = max(float(exact.counts.sum()), 1.0)
    yield Line(release.name, "utility", "share of rows in released cells", shown / rows)
    yield Line(
        release.name, "utility", "share of cells released", len(release.released()["count"]) / max(len(exact.counts), 1)
    )


def _of_entropy(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    error = np.abs(release.released()["bits"] - true_bits(release))
    yield Line(release.name, "utility", "mean error, bits", float(error.mean()))
    yield Line(release.name, "utility", "largest error, bits", float(error.max()))


def _of_summary(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:
    """What is measured of figures, and what somebody who knows everyone else finds out."""
    yield from _of_figures(release, rng, label)
    yield from (_line(release, attack) for attack in on_parts(release, rng))


def _of_figures(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    """Errors of each statistic of each column over groups with enough rows, and how many intervals hold the truth."""
    found, exact = release.released(), true_frame(release)
    true, enough = exact["value"], (found["note"] == "") & (exact["note"] == "")
    covered = (found["low_95"] <= true) & (true <= found["high_95"])
    for column in dict.fromkeys(found["column"].tolist()):
        for statistic in dict.fromkeys(found["statistic"].tolist()):
            chosen = enough & (found["column"] == column) & (found["statistic"] == statistic)
            if chosen.any():
                error = float(np.abs(found["value"] - true)[chosen].mean())
                yield Line(release.name, "utility", f"mean error of {statistic} of {column}", error)
    yield Line(
        release.name,
        "utility",
        "share of intervals that cover the truth",
        float(covered[enough].mean()) if enough.any() else 1.0,
    )


def _of_groups(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:
    """Errors of the groups that are shown, and how many of all rows are in them."""
    statistic: Any = release.statistic
    exact = statistic.answer(release.truth)
    shown = true_parts(release)
    rows = max(float(exact.parts.sum()), 1.0)
    yield Line(release.name, "utility", "share of rows in released groups", float(shown.parts.sum()) / rows)
    yield Line(release.name, "utility", "share of groups released", len(shown.keys) / max(len(exact.keys), 1))
    yield from _of_figures(release, rng, label)


def _of_quantiles(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:
    """What is measured of ranks, and what somebody who knows everyone else finds out from counts."""
    statistic: Any = release.statistic
    yield from _of_ranks(release, rng, label)
    yield from (_line(release, attack) for attack in on_counts(release, statistic.answer(release.truth), rng))


def _of_ranks(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    statistic: Any = release.statistic
    if not statistic.at:
        error = np.abs(release.released()["at_most"] - true_values(release))
        yield Line(release.name, "utility", "mean error, share of rows", float(error.mean()))
        yield Line(release.name, "utility", "largest error, share of rows", float(error.max()))
        return
    missed = missed_ranks(release)
    yield Line(release.name, "utility", "mean rank error, rows", float(missed.mean()))
    yield Line(release.name, "utility", "largest rank error, rows", float(missed.max()))


def _of_curve(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    """How far the mean is from the one that its bands are about, and how much of it lies in them."""
    statistic: Any = release.statistic
    numbers, true = release.released(), true_mean(release)
    if true is None:
        return
    whose = "original mean" if statistic.bands == "truth" else "clipped mean"
    error = numbers["mean"] - true
    inside = (numbers["low_95"] <= true) & (true <= numbers["high_95"])
    yield Line(release.name, "utility", f"root mean square error, {whose}", math.sqrt(float((error**2).mean())))
    yield Line(release.name, "utility", f"largest error, {whose}", float(np.abs(error).max()))
    yield Line(release.name, "utility", f"share of times in 95 % range, {whose}", float(inside.mean()))


def _of_synthetic_curves(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    """Mean and spread over time, beside those of the curves as their coefficients have them."""
    statistic: Any = release.statistic
    curve = release.contract.curve(statistic.curve)
    numbers = release.released()
    made = numbers["value"].reshape(-1, len(CurveSpace(curve).times))
    points = release.truth.curve_points(statistic.curve).astype(np.float64) * (curve.clip / RADIUS)
    real = ReleasedCurves(curve, points, np.zeros(curve.rank), {}).on(CurveSpace(curve).times)
    if len(made) and len(real):
        for measure, summary in (("mean", np.mean), ("standard deviation", np.std)):
            error = summary(made, axis=0) - summary(real, axis=0)
            name = f"{measure} over time, root mean square error"
            yield Line(release.name, "utility", name, math.sqrt(float((error**2).mean())))


def _of_picture(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    picture = release.contract.picture
    assert picture is not None
    original = release.truth.pixels().reshape(picture.shape)
    released = release.released()["value"].reshape(picture.shape).clip(picture.lower, picture.upper)
    quality = picture_quality(original, released, picture.reach)
    for measure, value in (("PSNR, dB", quality.psnr), ("mean error, levels", quality.mae), ("SSIM", quality.ssim)):
        if value is not None:
            yield Line(release.name, "utility", measure, value)


def _of_synthetic(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:
    names = release.statistic.columns
    real, synthetic = release.truth.rows(names), synthetic_codes(release)
    strangers = None if release.others is None else release.others.rows(names)
    if label is not None and label not in names:
        raise DeclarationError(unknown("column", label, names))
    known = strangers is not None and label is not None
    place = names.index(label) if label is not None else None
    axes = release.contract.select(names)
    sizes = tuple(axis.size for axis in axes)
    compared = utility(
        real, synthetic, sizes, rng=rng, label=place if known else None, test=strangers if known else None
    )
    for figure in compared.summary:
        yield Line(release.name, "utility", *figure)
    if strangers is not None and len(synthetic) and len(real):
        people = People(real, strangers, Space.of(axes))
        yield from (_line(release, attack) for attack in _on_people(release, people, synthetic, place, rng))
        alike = similarity(people, synthetic, rng)
        rates = {
            "share equal to someone in the data": alike.copies,
            "share equal to someone not in the data": alike.chance_copies,
        }
        for measure, rate in rates.items():
            yield Line(release.name, "similarity", measure, rate.value, rate.low, rate.high)


def _on_people(
    release: Finished, people: People, synthetic: Any, label: int | None, rng: np.random.Generator
) -> Iterator[Attack]:
    """Half of the outsiders are the attacker's reference, the other half the control."""
    reference, strangers = np.array_split(rng.permutation(people.outsiders), 2)
    watched = People(people.members, strangers, people.space)
    columns = synthetic.shape[1]
    yield from density_attack(watched, synthetic, reference, release.promise, rounds=2 * GUESSES, rng=rng)
    if columns > 1:
        halves = (range(columns // 2), range(columns // 2, columns))
        yield linkability(people, synthetic, halves, release.promise, rng=rng)
        secret = columns - 1 if label is None else label
        learners = {"nearest records": by_neighbours(people.space, secret), "a classifier": by_classifier}
        for how, learner in learners.items():
            name = f"attribute inference by {how}"
            yield infer(people, synthetic, secret, learner, release.promise, rng=rng, name=name)
    described = {
        "rare values": rare_values(synthetic, people.space.sizes, GUESSES, rng),
        "combinations": combinations(synthetic, min(3, columns), GUESSES, rng),
    }
    limit = {"epsilon": release.epsilon, "delta": release.contract.budget.delta}
    for how, found in described.items():
        yield single_out(people, found, **limit, rng=rng, name=f"singling out by {how}")


def _line(release: Finished, attack: Attack) -> Line:
    return Line(
        release=release.name,
        subject=attack.name,
        measure=attack.figure,
        value=attack.main.value,
        low=attack.main.low,
        high=attack.main.high,
        control=attack.control.value,
        baseline=attack.baseline,
        permitted=attack.permitted,
    )


def _of_moments(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    """By kind of number: the largest error relative to half its interval, and how many intervals cover."""
    found, true = release.released(), true_moments(release)
    reach = (found["high_95"] - found["low_95"]) / 2
    inside = (found["low_95"] <= true) & (true <= found["high_95"])
    for measure in dict.fromkeys(found["measure"].tolist()):
        chosen = (found["measure"] == measure) & (found["about"] == THESE)
        error = np.abs(found["value"] - true)[chosen]
        yield Line(release.name, "utility", f"{measure}: mean error", float(error.mean()))
        told = np.isfinite(reach[chosen])
        if told.any():
            share = float(inside[chosen][told].mean())
            yield Line(release.name, "utility", f"{measure}: share of 95 % intervals that cover", share)


def _of_any(release: Finished, rng: np.random.Generator, label: str | None) -> Iterator[Line]:  # noqa: ARG001
    """The mean error of each column of numbers, for statistics of other packages."""
    statistic: Any = release.statistic
    if statistic.answers != "vector":
        return
    exact = statistic.frame(statistic.value(release.contract, statistic.answer(release.truth)), release.noise)
    for name, noisy in release.released().items():
        true = exact.get(name)
        if true is not None and true.dtype.kind in "iuf" and noisy.dtype.kind in "iuf" and len(true) == len(noisy):
            error = np.abs(noisy.astype(np.float64) - true)
            yield Line(release.name, "utility", f"mean error of {name}", float(error.mean()))


_EVALUATIONS = ByKind[Callable[[Finished, np.random.Generator, str | None], Iterator[Line]]](
    "how near it is to the truth",
    {
        Marginal: _of_histogram,
        EntropyHistogram: _of_histogram,
        KeyedMarginal: _of_keys,
        Entropy: _of_entropy,
        RoutedEntropy: _of_entropy,
        ConditionalEntropy: _of_entropy,
        MutualInformation: _of_entropy,
        EntropyMap: _of_entropy,
        Quantiles: _of_quantiles,
        ChosenQuantiles: _of_ranks,
        MeanCurve: _of_curve,
        SyntheticCurves: _of_synthetic_curves,
        Pixels: _of_picture,
        Synthetic: _of_synthetic,
        Correlation: _of_moments,
        Regression: _of_moments,
        Summary: _of_summary,
        Rates: _of_summary,
        KeyedSummary: _of_groups,
        KeyedRates: _of_groups,
    },
    otherwise=_of_any,
)
