"""README.txt of a release: what it is and what it promises, for whoever receives it."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from textwrap import fill
from typing import Any

from reaedp.contract import Contract
from reaedp.contract.picture import PIXELS_ONLY
from reaedp.curves.estimate import CurveEstimate
from reaedp.curves.synthetic_curves import ReleasedCurves
from reaedp.manifest import own_files
from reaedp.privacy.accounting import epsilon, tally
from reaedp.release import Release
from reaedp.statistics.pixels import NoisyPicture
from reaedp.synthesis.synthetic import SyntheticRecords
from reaedp.table import KeyCounts

#: Columns of numbers, each with the column that tells that it is there, if not the first itself.
_COLUMNS = {
    "count": "the noisy number as released; it can be negative; sums of counts are unbiased",
    "estimate": "the same without negative numbers, adding up to the same total",
    "share": "estimate divided by its total",
    "low_95, high_95": "contain the truth of this row in 95 of 100 releases",
    "all_low_95, all_high_95": "contain the truth of all rows together in 95 of 100 releases",
    "bits": "a noisy entropy or mutual information",
    "entropy_bits, entropy_low_95, entropy_high_95": "an entropy and its range, derived from all counts of the file",
    "route, look": "whether noise was put on the entropy or on counts, and the noisy evenness that decided it",
    "first, second": "the two columns that a row of an entropy map is about, or the same column twice",
    "entropy": "the nearest entropies to the noisy ones that can belong to one table",
    "mutual_information": "the bits that the two columns tell about each other, from these entropies",
    "symmetric_uncertainty": "the same as a share of the mean entropy of both, from 0 to 1",
    "time, mean": "a mean curve over time",
    "curve, time, value": "synthetic curves, a row for each curve and time",
    "x, y, channel, value": "a picture; values as released, some outside its range",
}
_COLUMNS_END = """\
  Files of synthetic records have the columns of the data. In CSV files a text that a spreadsheet would compute has an
  apostrophe before it; Parquet files have it as it is."""

#: What no release promises; {unit} is whose privacy it is.
LIMITS = (
    "What follows about everyone from statistics (smoking harms, also those not in the data).",
    "What other releases from the same data reveal that were not charged to the same ledger.",
    "Anything about groups larger than one {unit}, for whom the promise weakens in proportion.",
    "How long counting took, and whatever insiders see who can read the data, the process or the ledger's disk.",
)

_CHECK = """\
How to check
  `reaedp verify FOLDER` compares every file with its SHA-256 in release.json and computes prices, errors and derived
  numbers again; --ledger asks the ledger that paid, --public-key checks the keeper's signature."""


def readme(
    contract: Contract,
    releases: tuple[Release, ...],
    names: list[str],
    columns: Collection[str],
    ledger: Mapping[str, Any] | None = None,
) -> str:
    """Plain words, wrapped at a readable width; `names` are those of files, `columns` those of all numbers in them.

    `ledger` says which one was charged.
    """
    total = epsilon(tally([release.price for release in releases]), contract.budget.delta)
    blocks = [
        f"Differentially private release of {contract.dataset}",
        *(["NOT PRIVATE: made with seeded noise, for experiments on public data only."] if _seeded(releases) else []),
        "What is here",
        *(_about(release, own_files(release.name, names)) for release in releases),
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
        f"{CHARGED_TO}{ledger['name']}, identity {ledger['identity']}.\n"
        "  Releases of the same data that name another identity are not added up with these."
    )


def _columns(present: Collection[str]) -> Iterator[str]:
    """What stands in the files, and nothing else."""
    for names, meaning in _COLUMNS.items():
        if all(name in present for name in names.split(", ")):
            yield fill(f"{names}: {meaning}", 100, initial_indent="  ", subsequent_indent="    ")


def _limits(contract: Contract) -> Iterator[str]:
    for line in LIMITS:
        yield fill(line.format(unit=contract.unit.noun), 100, initial_indent="  ", subsequent_indent="    ")


def _seeded(releases: tuple[Release, ...]) -> bool:
    return any(release.seeded for release in releases)


def _about(release: Release, files: list[str]) -> str:
    speak = _NOTES.get(type(release.value), _of_numbers)
    return "\n".join(
        [f"  {', '.join(files)}: {release.statistic.title}", *speak(release), f"    ledger entry {release.entry}"]
    )


def _of_numbers(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; a number is off by {release.mean_error:.3g} on average"


def _of_keys(release: Release) -> Iterator[str]:
    yield from _of_numbers(release)
    yield "    only cells with many rows appear; counts near the threshold are too high on average"


def _of_synthetic(release: Release) -> Iterator[str]:
    kept = release.details.get("kept")
    yield f"    {len(release.value):,} rows by the method {release.noise.mechanism.name}; details are in release.json"
    yield f"    the tables behind them are off by {release.mean_error:.3g} rows a cell on average"
    if kept:
        yield f"    in {', '.join(kept)} the rows agree with records that are in the data many times"


def _of_curve(release: Release) -> Iterator[str]:
    yield f"    noise: {release.noise.title}; bands cover the noise, neither smoothing nor clipping"


def _of_synthetic_curves(release: Release) -> Iterator[str]:
    yield f"    {len(release.value):,} curves, each near to many of the data; details are in release.json"


def _of_picture(release: Release) -> Iterator[str]:
    yield from _of_numbers(release)
    yield f"    {PIXELS_ONLY}"


_NOTES: dict[type[Any], Callable[[Release], Iterator[str]]] = {
    KeyCounts: _of_keys,
    SyntheticRecords: _of_synthetic,
    CurveEstimate: _of_curve,
    NoisyPicture: _of_picture,
    ReleasedCurves: _of_synthetic_curves,
}


def _promise(contract: Contract, total: float) -> str:
    unit = contract.unit
    noun = "pixel" if contract.picture else unit.noun
    change = "is in the data or not" if unit.change == "add-remove" else "has these values or any others"
    rows = f" (at most {unit.rows} rows of each person are used)" if unit.person else ""
    odds, after = factor(total), posterior(0.01, total)
    return (
        f"  Whether any one {noun} {change}{rows}, the odds that anyone can give for it\n"
        f"  after seeing these files change by a factor of at most {odds} (ε = {total:.4g}, except with\n"
        f"  probability δ = {contract.budget.delta:g}). Who thought 1 in 100 before can think at most"
        f" {hundredths(after)} in 100 after."
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
