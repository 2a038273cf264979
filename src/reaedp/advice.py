"""What a plan could do better for its entropies and synthetic records, said before any data is opened."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reaedp.contract import Contract
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.purchase import Purchase
from reaedp.request import Request
from reaedp.statistics.entropy import Entropy, public_rows
from reaedp.statistics.entropy_histogram import EntropyHistogram
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.prediction import MOST_CELLS, histogram_errors
from reaedp.statistics.routed_entropy import RoutedEntropy
from reaedp.statistics.routes import best_route, predicted_errors
from reaedp.synthesis.deniability import Deniable


def advice(requests: Sequence[Request], contract: Contract) -> Iterator[str]:
    """One line for each release about which there is something to say."""
    histograms = {
        request.statistic.columns: request.name for request in requests if type(request.statistic) is Marginal
    }
    for request in requests:
        text = _words(request, contract)
        free = histograms.get(request.statistic.columns)
        if free and type(request.statistic) in (Entropy, RoutedEntropy):
            text += f" {free} in this plan gives it for free."
        if text:
            yield f"{request.name}: {text.strip()}"


def _words(request: Request, contract: Contract) -> str:
    if isinstance(request.mechanism, Deniable):
        return Purchase.of(request.mechanism, contract).words
    speak = _SPEAKERS.get(type(request.statistic))
    return speak(request, contract) if speak and _predictable(request, contract) else ""


def _predictable(request: Request, contract: Contract) -> bool:
    """Whether rows are known and all fall into cells, of which there are not too many."""
    columns = contract.select(request.statistic.columns)
    few = 1 < Marginal(*request.statistic.columns).cells(contract) <= MOST_CELLS
    return few and public_rows(contract.unit) is not None and not any(column.drops for column in columns)


def _of_histogram(request: Request, contract: Contract) -> str:
    if type(request.mechanism) not in (Laplace, Gaussian):
        return ""
    rows, cells = public_rows(contract.unit) or 1, request.statistic.cells(contract)
    errors = histogram_errors(request.calibrated(contract), rows, cells).mean(axis=1)
    return (
        f"Its entropy comes for free, off by about {errors[-1]:.2g} bits if cells are equally full,"
        f" by up to {errors.max():.2g} if not."
    )


def _of_entropy(request: Request, contract: Contract) -> str:
    statistic: Any = request.statistic
    if statistic.orders != (1.0,) or type(request.mechanism) is not Laplace:
        return ""
    predicted = predicted_errors(contract, statistic.columns, request.mechanism.epsilon)
    route, border = best_route(contract, statistic.columns, request.mechanism.epsilon), predicted.border
    better = "never better" if border is None else f"better from about {border:.2g} bits on"
    return (
        f"By a histogram at the same price it would be off by {predicted.histogram.min():.2g} to"
        f" {predicted.histogram.max():.2g} bits, which is {better}. The best route is {route.name}: {route.why}"
    )


def _of_both(request: Request, contract: Contract) -> str:
    mechanism: Any = request.mechanism
    return f"{best_route(contract, request.statistic.columns, mechanism.epsilon).why}"


_SPEAKERS: dict[type[Any], Callable[[Request, Contract], str]] = {
    Marginal: _of_histogram,
    EntropyHistogram: _of_histogram,
    Entropy: _of_entropy,
    RoutedEntropy: _of_both,
}
