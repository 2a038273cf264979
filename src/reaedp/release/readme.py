"""README.txt of a release: what it is and what it promises, for whoever receives it."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from textwrap import fill
from types import MappingProxyType
from typing import Any

import numpy as np

from reaedp.contract import Contract
from reaedp.contract.picture import PIXELS_ONLY
from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.privacy.accounting import epsilon, tally
from reaedp.release.manifest import own_files
from reaedp.release.release import Release
from reaedp.statistics.by_kind import ENTROPIES, HISTOGRAMS, ByKind
from reaedp.statistics.moments.words import TOO_FEW

#: Columns of numbers, each with the column that tells that it is there, if not the first itself.
_COLUMNS = {
    "count": "the noisy count; it can be negative, and sums of counts are unbiased",
    "estimate": "the noisy counts adjusted to have no negative numbers and the same total",
    "share": "estimate divided by the total",
    "low_95, high_95": "95 % confidence interval of this row",
    "all_low_95, all_high_95": "95 % confidence intervals that hold for all rows at once",
    "bits": "a noisy entropy or mutual information",
    "entropy_bits, entropy_low_95, entropy_high_95": "entropy with its 95 % interval, from all counts of the file",
    "information_bits, information_low_95, information_high_95": "mutual information of both sides, with its 95 %"
    " interval, from all counts of the file",
    "route, look": "whether noise was added to the entropy or to counts, and the noisy evenness that decided it",
    "first, second": "the columns that a row refers to; in an entropy map, one column twice; in a regression, the"
    " outcome and the term",
    "measure, about, value": "a mean, covariance, correlation or coefficient, of the rows in the data (clipped and"
    " complete) or of the population they were drawn from; an infinite interval means that the noise is too large",
    "entropy": "the noisy entropies, adjusted so that a single table can have all of them",
    "mutual_information": "mutual information of the two columns in bits, from these entropies",
    "symmetric_uncertainty": "mutual information divided by the mean of the two entropies, from 0 to 1",
    "quantile, value": "a rank, as a share of the group's rows, and the value at that rank",
    "rank_error_95": "with 95 % confidence the value misses its rank by at most this many rows, not counting ties",
    "rows, note": "the noisy number of rows of the group that have a rank, and whether it may be empty",
    "at_most, at_most_low_95, at_most_high_95": "the group's share of rows in this cell and below, with its interval",
    "time, mean": "a mean curve over time",
    "noise_width, bias_width, clipping_width": "parts of the distance from mean to low_95 and high_95: noise; smoothing"
    " and the finite basis; clipping",
    "curve, time, value": "synthetic curves, one row per curve and time",
    "column, statistic, value": "a statistic of one column in one group; sums and means use values within the declared"
    " range; the missing share is the share of rows without such a value",
    "date": "the date of a mean, which is counted in days since 1970-01-01",
    "note": "marks a group with too few rows for an interval, which is then the whole possible range",
    "x, y, channel, value": "a picture; some of the noisy values lie outside its range",
}
_COLUMNS_END = """\
  Files of synthetic records have the columns of the data. In CSV files, text that a spreadsheet would take for a
  formula starts with an apostrophe; Parquet files have it unchanged."""

#: What no release promises; {unit} is whose privacy it is.
LIMITS = (
    "General facts: if the data show that smoking is harmful, that concerns every smoker, in the data or not.",
    "Other releases of the same data that were not charged to the same ledger.",
    "Groups: the promise is for one {unit}; for several together it weakens in proportion to their number.",
    "Timing and insiders: how long counting took, and what anyone can see who has access to the data, memory or disk.",
)

_CHECK = """\
How to check
  `reaedp verify FOLDER` compares every file with its SHA-256 in release.json and recomputes costs, errors and derived
  numbers. --ledger also checks the ledger entries that paid, --public-key the custodian's signature."""


def readme(
    contract: Contract,
    releases: tuple[Release, ...],
    names: list[str],
    columns: Collection[str],
    *,
    ledger: Mapping[str, Any] | None = None,
    wording: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> str:
    """Plain words, wrapped at a readable width; `names` are those of files, `columns` those of all numbers in them.

    `ledger` says which one was charged, `wording` what people are told of releases, by their names.
    """
    total = epsilon(tally([release.price for release in releases]), contract.budget.delta)
    blocks = [
        f"Differentially private release of {contract.dataset}",
        *(["NOT PRIVATE: the noise was seeded. For experiments on public data only."] if _seeded(releases) else []),
        "What is here",
        *(_about(release, own_files(release.name, names), wording.get(release.name, {})) for release in releases),
        *_columns_of_the_data(contract, releases),
        "\n".join(["Columns of the files", *_columns(columns), _COLUMNS_END]),
        "What is promised",
        _promise(contract, total),
        *([_paid_by(ledger)] if ledger else []),
        "What is not promised\n" + "\n".join(_limits(contract)),
        _CHECK,
    ]
    return "\n\n".join(blocks) + "\n"


#: How the line begins that names the ledger.
CHARGED_TO = "  Charged to the ledger "


def _paid_by(ledger: Mapping[str, Any]) -> str:
    """Releases of the same data are one promise only if one ledger adds them up."""
    return (
        f"{CHARGED_TO}{shown(ledger['name'])}, identity {ledger['identity']}.\n"
        "  Releases of the same data that name a different ledger identity are not counted in this total."
    )


def _columns(present: Collection[str]) -> Iterator[str]:
    """What stands in the files, and nothing else."""
    for names, meaning in _COLUMNS.items():
        if all(name in present for name in names.split(", ")):
            yield fill(f"{names}: {meaning}", 100, initial_indent="  ", subsequent_indent="    ")
    if any(name.startswith("renyi_") for name in present):
        meaning = "the Rényi entropy of this order with its 95 % interval, from all counts of the file"
        words = f"renyi_…_bits, renyi_…_low_95, renyi_…_high_95: {meaning}"
        yield fill(words, 100, initial_indent="  ", subsequent_indent="    ")


def _limits(contract: Contract) -> Iterator[str]:
    for line in LIMITS:
        yield fill(line.format(unit=contract.unit.noun), 100, initial_indent="  ", subsequent_indent="    ")


def _seeded(releases: tuple[Release, ...]) -> bool:
    return any(release.seeded for release in releases)


def _about(release: Release, files: list[str], words: Mapping[str, str]) -> str:
    speak = _NOTES.of(release.statistic)
    told = [words[key] for key in ("label", "description") if key in words]
    return "\n".join(
        [
            f"  {', '.join(files)}: {release.statistic.title}",
            *(fill(line, 100, initial_indent="    ", subsequent_indent="    ") for line in told),
            *speak(release),
            f"    ledger entry {release.entry}",
        ]
    )


def _columns_of_the_data(contract: Contract, releases: tuple[Release, ...]) -> Iterator[str]:
    """What names of columns and curves mean, where the contract says it."""
    used: set[str | None] = {name for release in releases for name in release.statistic.columns}
    used |= {getattr(release.statistic, "curve", None) for release in releases}
    told = [part for part in (*contract.columns, *contract.curves) if part.wording and part.name in used]
    lines = [f"{shown(part.name)}: {'. '.join(filter(None, (part.measured, part.description)))}" for part in told]
    if lines:
        wrapped = (fill(line, 100, initial_indent="  ", subsequent_indent="    ") for line in lines)
        yield "\n".join(["Columns of the data", *wrapped])


def _of_numbers(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; numbers are off by {about(release.mean_error)} on average"


def _of_keys(release: Release) -> Iterator[str]:
    yield from _of_numbers(release)
    yield "    only cells with many rows appear (partition selection); counts near the threshold tend to be too high"


def _of_synthetic(release: Release) -> Iterator[str]:
    from reaedp.synthesis.published_model import MODEL_SUFFIX

    kept = release.details.get("kept")
    yield f"    {len(release.value):,} rows, made by the method {release.noise.mechanism.name}; see release.json"
    yield f"    the counts behind them are off by {about(release.mean_error)} rows per cell on average"
    if kept:
        yield f"    the combinations of {', '.join(kept)} occur many times in the data"
    if release.value.model is not None and release.value.model.small:
        yield f"    {release.name}{MODEL_SUFFIX} is the model: `reaedp synthesize FOLDER` draws more rows from it, and"
        yield "    `reaedp ask FOLDER QUESTION` answers questions with intervals; both are free"


def _of_quantiles(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; counts are off by {about(release.mean_error)} on average"
    yield "    intervals cover the quantiles of the rows in the data; rows without a value have no rank"


def _of_chosen(release: Release) -> Iterator[str]:
    yield f"    {release.noise.title}; values are chosen by their ranks, and have no intervals of their own"
    yield "    rank_error_95 says how many rows they may miss; rows without a value have no rank"


def _of_curve(release: Release) -> Iterator[str]:
    if release.statistic.bands == "truth":  # type: ignore[attr-defined]
        yield f"    noise: {release.noise.title}; the bands cover the mean of the original curves, if the declared"
        yield "    smoothness and bounds are true: noise, smoothing, the finite basis and clipping"
        return
    yield f"    noise: {release.noise.title}; the bands cover the noise, but not smoothing and clipping"


def _of_synthetic_curves(release: Release) -> Iterator[str]:
    yield f"    {len(release.value):,} curves, each similar to many curves of the data; see release.json"


def _of_moments(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; all numbers follow from the noisy sums in release.json"
    yield "    rows that lack a value in any of the columns are left out; values outside the bounds count as the bounds"


def _of_regression(release: Release) -> Iterator[str]:
    yield from _of_moments(release)
    yield "    intervals for the population assume that the error variance hardly depends on the predictors"
    if not np.isfinite(release.columns()["high_95"]).all():
        yield f"    {TOO_FEW}"


def _of_picture(release: Release) -> Iterator[str]:
    yield from _of_numbers(release)
    yield f"    {PIXELS_ONLY}"


def _of_summary(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; parts of counts are off by {about(release.mean_error)} rows on average"
    yield "    intervals cover the noise, for the rows in the data; that of the population mean also covers sampling"
    yield "    values outside the declared range count as its nearest end, or as the contract says"


def _of_rates(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; parts of counts are off by {about(release.mean_error)} rows on average"
    yield "    intervals cover the noise, for the rows in the data; that of the population rate also covers sampling"
    if release.value.weights:
        yield "    a standardised rate weights the cells of a column by public weights"


def _of_summarised_groups(release: Release) -> Iterator[str]:
    yield from _of_summary(release)
    yield from _of_groups()


def _of_rated_groups(release: Release) -> Iterator[str]:
    yield from _of_rates(release)
    yield from _of_groups()


def _of_groups() -> Iterator[str]:
    yield "    only groups with enough rows appear (partition selection); intervals hold for groups of at least"
    yield "    the threshold; groups near it tend to be too high, and a note marks them"


_NOTES = ByKind[Callable[[Release], Iterator[str]]](
    "what README.txt says of it",
    {},
    otherwise=_of_numbers,
    named={
        "KeyedMarginal": _of_keys,
        "Quantiles": _of_quantiles,
        "ChosenQuantiles": _of_chosen,
        "Synthetic": _of_synthetic,
        "MeanCurve": _of_curve,
        "Pixels": _of_picture,
        "SyntheticCurves": _of_synthetic_curves,
        "Correlation": _of_moments,
        "Regression": _of_regression,
        "Summary": _of_summary,
        "Rates": _of_rates,
        "KeyedSummary": _of_summarised_groups,
        "KeyedRates": _of_rated_groups,
    },
    plain=(*HISTOGRAMS, *ENTROPIES),
)


def _promise(contract: Contract, total: float) -> str:
    unit = contract.unit
    noun = "pixel" if contract.picture else unit.noun
    change = f"whether any one {noun} is in the data"
    if unit.change == "replace":
        change = f"the values of any one {noun}"
    rows = f"  At most {unit.rows} rows per person are used (the contribution bound).\n" if unit.person else ""
    odds, after = factor(total), posterior(0.01, total)
    return (
        f"  These files change the odds of any guess about {change}\n"
        f"  by a factor of at most {odds} (ε = {total:.4g}, except with probability δ = {contract.budget.delta:g}).\n"
        f"{rows}  A belief of 1 in 100 can become at most {hundredths(after)} in 100."
    )


def posterior(prior: float, epsilon: float) -> float:
    """The largest belief that a prior can become when odds change by a factor of at most e^ε."""
    return prior / (prior + (1 - prior) * math.exp(-epsilon))


def hundredths(chance: float) -> str:
    """How many in a hundred, with two digits."""
    return f"{float(f'{100 * chance:.2g}'):g}"


def factor(epsilon: float) -> str:
    """e^ε with three digits; where it is beyond the doubles, the next power of ten."""
    return f"{math.exp(epsilon):.3g}" if epsilon < 700 else f"10^{math.ceil(epsilon / math.log(10))}"
