"""What noise will do to means, rates, quantiles, correlations and regressions."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from reaedp.contract import Contract, Date
from reaedp.frames.number import about
from reaedp.mechanisms.exponential import Exponential
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.expected import Aim, Expected, kept_rows, noise_errors
from reaedp.plan.labelled import spoken
from reaedp.plan.request import Request
from reaedp.statistics.moments.noisy_moments import DEVIATIONS
from reaedp.statistics.moments.prediction import MEAN_ERROR, EvenRows
from reaedp.statistics.noise_variance import noise_variance
from reaedp.statistics.quantiles.chosen_quantiles import parts_of, rank_error
from reaedp.statistics.quantiles.prediction import best_quantiles, chosen_error, counted_error, unseen
from reaedp.statistics.quantiles.reach import deviations
from reaedp.statistics.rates.prediction import expected_rates
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.prediction import expected_errors

#: Coefficients that are named.
MOST_TERMS = 6
_NO_ROWS = "Declare unit.at_least to see the expected errors here."


def of_summary(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of counts, and of the mean of each column in a group as large as public facts let one expect."""
    statistic: Any = request.statistic
    expected = expected_errors(statistic, contract, noise)
    known = f"{expected.rows:,.0f}" if expected.promised else f"{expected.rows:,.0f} (for example)"
    means = ", ".join(_in_units(name, off, contract) for name, off in expected.means.items())
    words = (
        f"Counts are within ±{about(expected.counts)} rows with 95 % confidence. In a group of {known} rows, means are"
        f" within: {means}; the error shrinks in proportion to the rows."
    )
    everywhere = expected_errors(statistic, contract, noise, _of_each(request, contract)).counts
    figure = _of_means(expected.means, contract) if "mean" in statistic.statistics else None
    return Expected("rows", noise.mean_error * statistic.step(contract), expected.counts, everywhere, words, figure)


def _of_means(means: Mapping[str, float], contract: Contract) -> Aim:
    """The largest error of a mean; several columns have no unit in common."""
    units = {_unit(name, contract) for name in means}
    return Aim(max(means.values()), units.pop() if len(units) == 1 else "")


def _of_each(request: Request, contract: Contract) -> float:
    """The confidence that each of all counts needs, so that all together have 95 %."""
    return 1 - 0.05 / request.statistic.cells(contract)


def _in_units(name: str, off: float, contract: Contract) -> str:
    """The error of a column's mean in the column's own unit of measure."""
    return f"{spoken(name, contract)} ±{about(off)} {_unit(name, contract)}".rstrip()


def _unit(name: str, contract: Contract) -> str:
    """The unit of measure of a column's mean; that of dates is a day."""
    column = contract.column(name)
    return "days" if isinstance(column, Date) else column.unit_of_measure or ""


def of_rates(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of counts, and of the rate in a group as large as public facts let one expect."""
    statistic: Any = request.statistic
    expected = expected_rates(statistic, contract, noise)
    known = f"{expected.rows:,.0f}" if expected.promised else f"{expected.rows:,.0f} (for example)"
    words = (
        f"Counts are within ±{about(expected.counts)} rows with 95 % confidence. In a group of {known} rows, the rate"
        f" is within ±{about(expected.rate, 2)} {expected.where}; the error shrinks in proportion to the rows."
    )
    everywhere = expected_rates(statistic, contract, noise, _of_each(request, contract)).counts
    mean, figure = noise.mean_error * statistic.step(contract), Aim(expected.rate, "")
    return Expected("rows", mean, expected.counts, everywhere, words, figure)


def of_groups(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of groups that appear, and how many rows it takes to appear."""
    rates = isinstance(request.statistic, Rates)
    expected = (of_rates if rates else of_summary)(request, contract, noise)
    mechanism: Any = request.mechanism
    if not isinstance(mechanism, GroupThreshold):  # of another package
        return expected
    least = mechanism.shown_rows(noise.sensitivity)
    words = f"{expected.words} Groups with fewer than about {math.ceil(least):,} rows will not appear."
    return expected._replace(words=words)


def of_quantiles(request: Request, contract: Contract, noise: Calibrated) -> Expected:
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
    inside = unseen(contract, statistic)
    said = _missed(missed, bound, contract, statistic) + _hidden(inside.rows, inside.counted, missed)
    words = f"Read off a noisy distribution function: {said}{_instead(request, contract)}"
    return Expected("rows", missed, bound, bound_all, words)


def of_chosen(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Ranks missed by the exponential mechanism."""
    statistic: Any = request.statistic
    missed = chosen_error(noise, statistic.at)
    places = int(parts_of(contract.column(statistic.of)).sum())
    bound = rank_error(noise, statistic.at, places, 0.95)
    bound_all = rank_error(noise, statistic.at, places * statistic.cells(contract), 0.95)
    inside = unseen(contract, statistic)
    said = _missed(missed, bound, contract, statistic) + _hidden(inside.rows, inside.chosen, missed)
    words = f"Chosen by their ranks: {said}{_instead(request, contract)}"
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


def _hidden(rows: float, missed: float, by_noise: float) -> str:
    """What cells that many rows share do to ranks, if it is worth a word."""
    if missed < 1:
        return ""
    more = " Declare more cells." if missed > by_noise else ""
    return (
        f" About {about(rows, 2)} rows share a cell, and nobody sees how they lie in it: that may add about"
        f" {about(missed, 2)} ranks.{more}"
    )


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
    return f" {name} would miss about {about(other, 2)} in all."


def _even_rows(request: Request, contract: Contract, noise: Calibrated) -> tuple[EvenRows, int | None]:
    """What noise does to moments of rows that are spread evenly, and how many rows there are at least."""
    statistic: Any = request.statistic
    return EvenRows.under(statistic.space(contract), noise), kept_rows(request, contract)


def of_correlation(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of sums, and of correlations and means of rows that are spread evenly."""
    even, rows = _even_rows(request, contract, noise)
    words = f"Sums are off by about {about(even.deviation * MEAN_ERROR, 2)} rows on average."
    if rows is None:
        return Expected("rows", *noise_errors(request, contract, noise), f"{words} {_NO_ROWS}")
    error = even.correlation(rows)
    words += (
        f" With {rows:,} evenly spread rows, correlations are off by at most {about(error, 2)} and means by"
        f" {about(100 * even.means(rows), 2)} % of the range, at 95 % confidence; columns that fill little of their"
        " range have larger errors."
    )
    return Expected("", error / DEVIATIONS * MEAN_ERROR, error, min(2 * error, 2.0), words)


def of_regression(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """How many rows a regression takes, and the errors of coefficients with the rows that are promised."""
    even, rows = _even_rows(request, contract, noise)
    words = f"With fewer than about {even.fewest:,} evenly spread rows, no coefficient could be estimated."
    if rows is None:
        return Expected("rows", *noise_errors(request, contract, noise), f"{words} {_NO_ROWS}")
    if rows < even.fewest:
        words += f" {rows:,} rows are too few at this ε: give a larger share, or leave predictors out."
        return Expected("rows", *noise_errors(request, contract, noise), words)
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
