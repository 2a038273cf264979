"""What a plan could do better for its entropies and synthetic records, said before any data is opened."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from reaedp.contract import Contract
from reaedp.frames.number import about
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.plan.request import Request
from reaedp.statistics.by_kind import CURVES, MOMENTS, QUANTILES, RECORDS, SUMMARIES, ByKind, derived_from, full_name
from reaedp.statistics.entropy.entropy import Entropy, MutualInformation, public_rows
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.information_routes import best_information_route, information_errors
from reaedp.statistics.entropy.prediction import FEW_LEVELS, MOST_CELLS, histogram_errors
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.entropy.routes import best_route, predicted_errors
from reaedp.statistics.marginal import Marginal

#: Kinds that most plans have nothing of, and that are not imported for them.
SUMMARY = "reaedp.statistics.summary.summary.Summary"
RATES = "reaedp.statistics.rates.rates.Rates"
COUNTED_QUANTILES = "reaedp.statistics.quantiles.quantiles.Quantiles"
CHOSEN_QUANTILES = "reaedp.statistics.quantiles.chosen_quantiles.ChosenQuantiles"
DENIABLE = "reaedp.synthesis.deniability.Deniable"


def advice(requests: Sequence[Request], contract: Contract) -> Iterator[str]:
    """One line for each release about which there is something to say."""
    histograms = _histograms(requests)
    for request in requests:
        statistic: Any = request.statistic
        text = _words(request, contract)
        free = included_by(request, requests)
        if free is not None:
            text += f" The release {free} of this plan includes it at no extra cost."
        if derived_from(statistic, SUMMARY):
            text += _free(request, histograms, "counts and, to half a bin, its means")
        if derived_from(statistic, RATES) and statistic.per is None:
            text += _free(request, histograms, "shares, where the condition is one of cells,")
        text += _quantiles_for_free(request, requests)
        if text:
            yield f"{request.name}: {text.strip()}"


def included_by(request: Request, requests: Sequence[Request]) -> str | None:
    """The histogram of the same plan from which an entropy follows at no extra cost, if there is one."""
    if type(request.statistic) not in (Entropy, RoutedEntropy, MutualInformation):
        return None
    return _histograms(requests).get(frozenset(request.statistic.columns))


def _histograms(requests: Sequence[Request]) -> dict[frozenset[str], str]:
    """The histograms of a plan, by their columns."""
    return {frozenset(request.statistic.columns): request.name for request in requests if _tells(request)}


def _tells(request: Request) -> bool:
    """Whether an entropy follows from what is released: counts of all cells, with noise that can be taken out."""
    return type(request.statistic) is Marginal and type(request.mechanism) in (Laplace, Gaussian)


def _free(request: Request, histograms: Mapping[frozenset[str], str], figures: str) -> str:
    """A histogram that has all columns of a summary or of rates gives much of them."""
    wanted = set(request.statistic.columns)
    free = next((name for columns, name in histograms.items() if wanted <= columns), None)
    return "" if free is None else f" The release {free} of this plan gives its {figures} at no extra cost."


def _quantiles_for_free(request: Request, requests: Sequence[Request]) -> str:
    """A histogram of all columns of a question about ranks answers it; so does a distribution function."""
    statistic: Any = request.statistic
    if full_name(type(statistic)) not in (COUNTED_QUANTILES, CHOSEN_QUANTILES) or statistic.per_person:
        return ""
    for other in requests:
        asked: Any = other.statistic
        same = (
            full_name(type(asked)) == COUNTED_QUANTILES and asked.columns == statistic.columns and not asked.per_person
        )
        if other is request or not (type(asked) is Marginal or same):
            continue
        if set(statistic.columns) <= set(asked.columns):
            return (
                f" The release {other.name} of this plan includes it at no extra cost: Release.quantiles reads it off,"
                " with intervals, though not as accurately."
            )
    return ""


def _words(request: Request, contract: Contract) -> str:
    mechanism: Any = request.mechanism
    if derived_from(mechanism, DENIABLE):
        from reaedp.plan.purchase import Purchase

        return Purchase.of(mechanism, contract).words
    speak = _SPEAKERS.of(request.statistic)
    return speak(request, contract) if speak is not _silent and _predictable(request, contract) else ""


def _predictable(request: Request, contract: Contract) -> bool:
    """Whether rows are known and all fall into cells, of which there are not too many."""
    columns = contract.select(request.statistic.columns)
    few = 1 < Marginal(*request.statistic.columns).cells(contract) <= MOST_CELLS
    return few and public_rows(contract.unit) is not None and not any(column.drops for column in columns)


def _of_histogram(request: Request, contract: Contract) -> str:
    if type(request.mechanism) not in (Laplace, Gaussian):
        return ""
    rows, cells = public_rows(contract.unit) or 1, request.statistic.cells(contract)
    errors = histogram_errors(request.calibrated(contract), rows, cells, of=FEW_LEVELS).mean(axis=1)
    return (
        f"Its entropy comes at no extra cost, off by about {about(float(errors[-1]), 2)} bits if the cells are equally"
        f" full, and by up to {about(float(errors.max()), 2)} otherwise."
    )


def _of_entropy(request: Request, contract: Contract) -> str:
    statistic: Any = request.statistic
    if len(statistic.orders) > 1 or type(request.mechanism) is not Laplace:
        return ""
    asked = contract, statistic.columns, request.mechanism.epsilon, statistic.orders[0]
    predicted, route = predicted_errors(*asked), best_route(*asked)
    border = predicted.border
    better = (
        "never better" if border is None else f"better if the entropy is above about {about(float(border), 2)} bits"
    )
    return (
        f"A histogram at the same cost would give it with an error of {about(float(predicted.histogram.min()), 2)} to"
        f" {about(float(predicted.histogram.max()), 2)} bits, which is {better}. Best route: {route.name}. {route.why}"
    )


def _of_information(request: Request, contract: Contract) -> str:
    statistic: Any = request.statistic
    if type(request.mechanism) is not Laplace:
        return ""
    epsilon = request.mechanism.epsilon
    predicted = information_errors(contract, statistic, epsilon)
    route = best_information_route(contract, statistic.first, statistic.second, epsilon)
    return (
        f"A histogram at the same cost would give it with an error of {about(float(predicted.histogram.min()), 2)} to"
        f" {about(float(predicted.histogram.max()), 2)} bits. Best route: {route.name}. {route.why}"
    )


def _of_both(request: Request, contract: Contract) -> str:
    mechanism: Any = request.mechanism
    statistic: Any = request.statistic
    return f"{best_route(contract, statistic.columns, mechanism.epsilon, statistic.order).why}"


def _silent(request: Request, contract: Contract) -> str:  # noqa: ARG001
    return ""


_SPEAKERS = ByKind[Callable[[Request, Contract], str]](
    "what a plan could do better",
    {
        Marginal: _of_histogram,
        EntropyHistogram: _of_histogram,
        Entropy: _of_entropy,
        RoutedEntropy: _of_both,
        MutualInformation: _of_information,
    },
    otherwise=_silent,
    plain=(
        *("KeyedMarginal", "ConditionalEntropy", "EntropyMap", "Pixels"),
        *(*RECORDS, *CURVES, *MOMENTS, *SUMMARIES, *QUANTILES),
    ),
)
