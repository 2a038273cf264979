"""How good a release will be, from public facts alone."""

from collections.abc import Callable
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.mechanisms.mechanism import Calibrated
<<<<<<< HEAD
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.labelled import labelled, spoken
=======
from reaedp.plan.expected import Expected, of_any, of_numbers, of_picture
from reaedp.plan.expected_figures import (
    of_chosen,
    of_correlation,
    of_groups,
    of_quantiles,
    of_rates,
    of_regression,
    of_summary,
)
from reaedp.plan.expected_synthetic import of_curve, of_synthetic, of_synthetic_curves
from reaedp.plan.labelled import labelled
>>>>>>> main
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.entropy.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.entropy_map import EntropyMap
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.moments.correlation import Correlation
from reaedp.statistics.moments.regression import Regression
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.rates.keyed_rates import KeyedRates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.keyed_summary import KeyedSummary
from reaedp.statistics.summary.summary import Summary
from reaedp.synthesis.synthetic import Synthetic


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cost and expected error of one planned release.

    `title` says what is released, `cells` how many numbers, `expected` how far they will be from the truth.

    >>> forecast = Forecast.of(Request("ages", Marginal("age"), Laplace(1.0)), contract)
    >>> round(forecast.epsilon, 3), forecast.expected.unit
    (1.0, 'rows')
    """

    name: str
    title: str
    epsilon: float
    cells: int
    expected: Expected

    @classmethod
    def of(cls, request: Request, contract: Contract) -> "Forecast":
        """Compute from the contract and the price; no data is opened."""
        noise = request.calibrated(contract)
        expect = _EXPECTATIONS.of(request.statistic)
        return cls(
            name=request.name,
            title=labelled(request.statistic, contract).title,
            epsilon=composed_epsilon(tally([noise.price]), contract.budget.delta),
            cells=request.statistic.cells(contract),
            expected=expect(request, contract, noise),
        )

    @property
    def words(self) -> str:
        """The expected error for people."""
        return self.expected.words


<<<<<<< HEAD
def _errors(request: Request, contract: Contract, noise: Calibrated) -> tuple[float, float, float]:
    """The mean error, and the errors at 95 % confidence of one number and of all."""
    cells, step = request.statistic.cells(contract), request.statistic.step(contract)
    quantiles = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=cells)
    return noise.mean_error * step, quantiles[0] * step, quantiles[1] * step


def _of_numbers(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    mean, bound, bound_all = _errors(request, contract, noise)
    if request.statistic.step(contract) != 1:
        words = f"Off by about {about(mean, 2)} bits on average, at most {about(bound, 2)} with 95 % confidence."
        return Expected("bits", mean, bound, bound_all, words)
    words = f"Counts are off by about {about(mean, 2)} on average, at most {about(bound)} with 95 % confidence. "
    if isinstance(request.mechanism, Threshold):
        words += f"Cells with fewer than about {request.mechanism.threshold(noise.sensitivity):,} rows will not appear."
    else:  # A 95 % error of half the count or more leaves little to read.
        words += f"Counts below {about(2 * bound)} are mostly noise."
    return Expected("rows", mean, bound, bound_all, words)


def _of_synthetic(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    bound, most = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=1_000)
    words = _METHODS.of(request.mechanism)(request.mechanism, noise)
    return Expected("rows", noise.mean_error, bound, most, words)


def _of_model(network: MarginalModel, noise: Calibrated) -> str:
    if network.columns == 1:
        return f"The noisy counts of one column are off by about {about(noise.mean_error)} rows a cell on average."
    return (
        f"A marginal model is fitted to {network.columns} noisy tables of one column and up to {network.tables} of"
        f" several; their cells are off by about {about(noise.mean_error)} rows on average."
    )


def _of_keys(mechanism: Amortised, noise: Calibrated) -> str:
    threshold = mechanism.keys.threshold(noise.sensitivity)
    return (
        f"{_of_model(mechanism.network, noise)} Combinations of the kept columns that at least about {threshold:,}"
        " records share are published as they are. Any number of rows costs the same."
    )


def _of_records(mechanism: Deniable, noise: Calibrated) -> str:
    plan, paper = mechanism.plan(noise.sensitivity), mechanism.paper
    claim = ""
    if paper is not None:
        claim = f" (the paper claims δ = {about(paper.claimed.delta, 2)})"
    return (
        f"{_of_model(mechanism.network, noise)} Each record costs ε = {about(plan.each.epsilon)},"
        f" δ = {about(plan.each.delta, 2)}{claim}. A candidate passes the test of plausible deniability with"
        f" probability 1/2 if {plan.test.half:,} seeds could have made it, and always if {plan.test.certain:,} could."
        f" At best {about(100 * (1 - plan.stopping.nothing(1.0)))} % of the records asked for are released; the rest"
        " are left out."
    )


_METHODS = ByKind[Callable[[Any, Calibrated], str]](
    "what a method of synthetic records does",
    {
        MarginalModel: lambda mechanism, noise: f"{_of_model(mechanism, noise)} Any number of rows costs the same.",
        Amortised: _of_keys,
        Deniable: _of_records,
    },
    otherwise=lambda _, noise: (
        f"The counts behind the records are off by about {about(noise.mean_error)} rows per cell on average."
    ),
    plain=(*NOISES, "GroupThreshold", "DeniableCurves"),
    over="mechanisms",
)


def _of_curve(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    statistic: Any = request.statistic
    try:
        error = expected_error(contract, statistic, request.mechanism)
        if statistic.bands == "truth":
            return _of_true_curve(request, contract)
    except DeclarationError as reason:
        return Expected("unknown", float("nan"), float("nan"), float("nan"), str(reason))
    words = (
        f"Noise moves the mean curve by about {about(error.curve)} (root mean square over time) and by"
        f" {about(error.worst_time)} at the worst time; smoothing lowers this. The number of curves is off by"
        f" {about(error.number)}."
    )
    unit = contract.curve(statistic.curve).unit_of_measure or ""
    return Expected(unit, error.curve, 2 * error.worst_time, 4 * error.worst_time, words)


def _of_true_curve(request: Request, contract: Contract) -> Expected:
    """Noise and bias apart."""
    statistic: Any = request.statistic
    bands = expected_bands(contract, statistic, request.mechanism)
    total = bands.noise + bands.bias + bands.clipping
    clipping = (
        f"clipping by ±{about(bands.clipping)} if no curve is clipped, and ±{about(bands.each)} more for each one that"
        " is cut off as far as can be"
        if bands.clipping
        else "and no curve can be clipped"
    )
    words = (
        f"Ranges for the mean of the curves as they are have ±{about(total)} on average over time: noise takes"
        f" ±{about(bands.noise)}, smoothing and the finite basis ±{about(bands.bias)}, {clipping}."
    )
    return Expected(contract.curve(statistic.curve).unit_of_measure or "", bands.noise / 2, total, 2 * total, words)


def _of_synthetic_curves(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    statistic: Any = request.statistic
    mechanism = request.mechanism
    if not isinstance(mechanism, DeniableCurves):  # of another package
        return _of_any(request, contract, noise)
    curve = contract.curve(statistic.curve)
    moved = mechanism.move * curve.clip
    plan = mechanism.plan(noise.sensitivity)
    words = (
        f"Each curve costs ε = {about(plan.each.epsilon)}, δ = {about(plan.each.delta, 2)}. It takes the first"
        f" {mechanism.kept} of {curve.rank} coefficients from a seed, the first of them moved by about {about(moved)}."
        f" A candidate passes the test of plausible deniability with probability 1/2 if {plan.test.half:,} curves could"
        " have made it."
    )
    return Expected(curve.unit_of_measure or "", moved, 2 * moved, 4 * moved, words)


def _of_picture(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    assert contract.picture is not None
    quality = expected_quality(noise, contract.picture)
    off, ratio = about(quality.mae), about(quality.psnr)
    words = f"Pixels are off by about {off} on average (PSNR {ratio} dB or more). {PIXELS_ONLY}"
    bounds = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=contract.picture.values)
    return Expected("levels", quality.mae, *bounds, words)


def _even_rows(request: Request, contract: Contract, noise: Calibrated) -> tuple[EvenRows, int | None]:
    """What noise does to moments of rows that are spread evenly, and how many rows there are at least."""
    statistic: Any = request.statistic
    return EvenRows.under(statistic.space(contract), noise), _kept_rows(request, contract)


def _of_correlation(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    even, rows = _even_rows(request, contract, noise)
    words = f"Sums are off by about {about(even.deviation * MEAN_ERROR, 2)} rows on average."
    if rows is None:
        return Expected("rows", *_errors(request, contract, noise), f"{words} {_NO_ROWS}")
    error = even.correlation(rows)
    words += (
        f" With {rows:,} rows that are spread evenly, correlations are off by at most {about(error, 2)} and means by"
        f" {about(100 * even.means(rows), 2)} % of the range, at 95 % confidence; columns that fill little of their"
        " range have larger errors."
    )
    return Expected("", error / DEVIATIONS * MEAN_ERROR, error, min(2 * error, 2.0), words)


def _of_regression(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    even, rows = _even_rows(request, contract, noise)
    words = f"With fewer than about {even.fewest:,} rows that are spread evenly, nothing could be told."
    if rows is None:
        return Expected("rows", *_errors(request, contract, noise), f"{words} {_NO_ROWS}")
    if rows < even.fewest:
        words += f" {rows:,} rows are too few at this ε: give a larger share, or leave predictors out."
        return Expected("rows", *_errors(request, contract, noise), words)
    errors = even.coefficients(rows)
    shown = ", ".join(
        f"{spoken(term, contract)} ±{about(error, 2)}" for term, error in list(errors.items())[:MOST_TERMS]
    )
    words += (
        f" With {rows:,} of them, coefficients are off by at most: {shown}{', …' if len(errors) > MOST_TERMS else ''}"
        " (95 % confidence); predictors that fill little of their range, or go together, have larger errors."
    )
    worst = max(errors.values())
    return Expected("", worst / DEVIATIONS * MEAN_ERROR, worst, worst, words)


def _kept_rows(request: Request, contract: Contract) -> int | None:
    """A public lower bound on rows, if no column drops any."""
    kept = not any(column.drops for column in contract.select(request.statistic.columns))
    return public_rows(contract.unit) if kept else None


def _of_summary(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of counts, and of the mean of each column in a group as large as public facts let one expect."""
    statistic: Any = request.statistic
    expected = expected_errors(statistic, contract, noise)
    known = f"{expected.rows:,.0f}" if expected.promised else f"{expected.rows:,.0f} (for example)"
    means = ", ".join(_in_units(name, off, contract) for name, off in expected.means.items())
    words = (
        f"Counts are within ±{about(expected.counts)} rows with 95 % confidence. In a group of {known} rows, means are"
        f" within: {means}; with more rows in proportion less."
    )
    bound_all = noise.error_quantile(0.95, cells=request.statistic.cells(contract)) * request.statistic.step(contract)
    return Expected("rows", noise.mean_error * request.statistic.step(contract), expected.counts, bound_all, words)


def _in_units(name: str, off: float, contract: Contract) -> str:
    """The error of a column's mean in the column's own unit of measure."""
    return f"{spoken(name, contract)} ±{about(off)} {contract.column(name).unit_of_measure or ''}".rstrip()


def _of_rates(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of counts, and of the rate in a group as large as public facts let one expect."""
    statistic: Any = request.statistic
    expected = expected_rates(statistic, contract, noise)
    known = f"{expected.rows:,.0f}" if expected.promised else f"{expected.rows:,.0f} (for example)"
    words = (
        f"Counts are within ±{about(expected.counts)} rows with 95 % confidence. In a group of {known} rows, the rate"
        f" is within ±{about(expected.rate, 2)} {expected.where}; with more rows in proportion less."
    )
    mean, _, bound_all = _errors(request, contract, noise)
    return Expected("rows", mean, expected.counts, bound_all, words)


def _of_groups(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of groups that appear, and how many rows it takes to appear."""
    rates = isinstance(request.statistic, Rates)
    expected = (_of_rates if rates else _of_summary)(request, contract, noise)
    mechanism: Any = request.mechanism
    if not isinstance(mechanism, GroupThreshold):  # of another package
        return expected
    least = mechanism.shown_rows(noise.sensitivity)
    words = f"{expected.words} Groups with fewer than about {math.ceil(least):,} rows will not appear."
    return expected._replace(words=words)


def _of_quantiles(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Ranks missed by what is read off noisy counts."""
    statistic: Any = request.statistic
    cells = contract.column(statistic.of).regular
    missed = counted_error(noise, cells, statistic.at)
    bound, bound_all = (
        float(
            wide
            * max(
                deviations(noise_variance(noise), np.array([cells // 2]), cells, rank)[0] for rank in _ranks(statistic)
            )
        )
        for wide in (1.96, 4.0)
    )
    said = _missed(missed, bound, contract, statistic)
    words = f"Read off a noisy distribution function: {said}{_instead(request, contract)}"
    return Expected("rows", missed, bound, bound_all, words)


def _of_chosen(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Ranks missed by the exponential mechanism."""
    statistic: Any = request.statistic
    missed = chosen_error(noise, statistic.at)
    places = int(parts_of(contract.column(statistic.of)).sum())
    bound = rank_error(noise, statistic.at, places, 0.95)
    bound_all = rank_error(noise, statistic.at, places * statistic.cells(contract), 0.95)
    words = f"Chosen by their ranks: {_missed(missed, bound, contract, statistic)}{_instead(request, contract)}"
    return Expected("rows", missed, bound, bound_all, words)


def _ranks(statistic: Any) -> tuple[float, ...]:
    return statistic.at or (0.5,)


def _missed(missed: float, bound: float, contract: Contract, statistic: Any) -> str:
    """Ranks, and what they mean if the values of a public number of rows are spread evenly between their bounds."""
    words = f"ranks are off by about {about(missed, 2)} rows on average, at most {bound:,.0f} with 95 % confidence."
    column, rows = contract.column(statistic.of), contract.unit.at_least
    if rows is None or statistic.by or column.ends is None:
        return words
    low, high = column.ends
    span = (high[-1] - low[0]) / (np.timedelta64(1, "D") if low.dtype.kind == "M" else 1)
    unit = " days" if low.dtype.kind == "M" else ""
    share = min(1.0, missed / rows)
    off = f"{about(float(span) * share, 2)}{unit} of {spoken(column.name, contract)}"
    return f"{words} If values are spread evenly, that is {off}."


def _instead(request: Request, contract: Contract) -> str:
    """What the other way without δ would miss at the same price."""
    mechanism: Any = request.mechanism
    if type(mechanism) not in (Laplace, Exponential):
        return ""
    statistic: Any = request.statistic
    way = best_quantiles(contract, statistic, mechanism.epsilon)
    if way.other is None:
        return ""
    other = way.other if type(way.statistic) is type(statistic) else way.missed
    name = "A noisy distribution function" if type(mechanism) is Exponential else "The exponential mechanism"
    return f" {name} would miss about {about(other, 2)}."


def _of_any(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Of a statistic that this package does not know nobody knows what its numbers count."""
    mean, bound, bound_all = _errors(request, contract, noise)
    words = f"Numbers will be off by about {about(mean, 2)}, 95 % of them by at most {about(bound)}."
    return Expected("", mean, bound, bound_all, words)


=======
>>>>>>> main
_EXPECTATIONS = ByKind[Callable[[Request, Contract, Calibrated], Expected]](
    "how far its numbers will be off",
    {
        **dict.fromkeys((Marginal, EntropyHistogram, KeyedMarginal), of_numbers),
        **dict.fromkeys((Entropy, RoutedEntropy, ConditionalEntropy, MutualInformation, EntropyMap), of_numbers),
        Synthetic: of_synthetic,
        MeanCurve: of_curve,
        SyntheticCurves: of_synthetic_curves,
        Pixels: of_picture,
        Correlation: of_correlation,
        Regression: of_regression,
        Summary: of_summary,
        Rates: of_rates,
        KeyedSummary: of_groups,
        KeyedRates: of_groups,
        Quantiles: of_quantiles,
        ChosenQuantiles: of_chosen,
    },
    otherwise=of_any,
)
