"""The published constants for Rényi entropies, and histograms that move further than they allow."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from reaedp.paper.item import Experiment, Item, Result, Specification
from reaedp.paper.line_chart import kind, quantity
from reaedp.statistics.entropy.entropies import renyi_entropy
from reaedp.statistics.entropy.published import published_renyi_bound, published_renyi_constant
from reaedp.statistics.entropy.sensitivities import renyi_sensitivity

#: The constants in the paper's table, by order.
PRINTED = {0.5: 2.89, 1.5: 8.66, 2.0: 5.77, 3.0: 4.33, 5.0: 3.61, 10.0: 3.21}
#: Orders next to one, where the constant is said to be least.
BESIDE = (0.9, 0.99, 1.01, 1.1)
SIZES = (100, 1000, 10_000)
BINS = 30

Histogram = list[int]


def run(experiment: Experiment) -> Result:  # noqa: ARG001
    """Nothing is drawn: constants, exact sensitivities, and a search for the smallest counterexample."""
    orders = sorted((*PRINTED, *BESIDE))
    found = [smallest_counterexample(order) if order in PRINTED else None for order in orders]
    table: dict[str, list[Any]] = {
        "order": orders,
        "constant as published": [published_renyi_constant(order) for order in orders],
        "printed": [PRINTED.get(order) for order in orders],
        "smallest n": [pair and sum(pair[0]) for pair in found],
        "bins": [pair and len(pair[0]) for pair in found],
        "before": [pair and _short(pair[0]) for pair in found],
        "after": [pair and _short(pair[1]) for pair in found],
        "change (bits)": [pair and _change(pair, order) for pair, order in zip(found, orders, strict=True)],
        "bound as published": [
            pair and published_renyi_bound(sum(pair[0]), order) for pair, order in zip(found, orders, strict=True)
        ],
    }
    for n, name in zip(SIZES, _RATIOS, strict=True):
        table[name] = [_exact(n, BINS, order) / published_renyi_bound(n, order) for order in orders]
    exceeded = [pair for pair, order in zip(found, orders, strict=True) if pair and _exceeds(pair, order)]
    return Result(table, _CHART, "does not hold" if exceeded else "holds", _because(exceeded))


def _exact(n: int, bins: int, order: float) -> float:
    return renyi_sensitivity(n, bins, order, change="replace")


def smallest_counterexample(order: float) -> tuple[Histogram, Histogram]:
    """Neighbours with the fewest records, and then the fewest bins, whose entropies differ by more than the bound.

    More bins than records never help: the worst pair needs no empty bin.
    """
    n = next(n for n in count(2) if _exact(n, n, order) > published_renyi_bound(n, order))
    bins = next(m for m in range(2, n + 1) if _exact(n, m, order) > published_renyi_bound(n, order))
    return max(_spreading(n, bins), key=lambda pair: _change(pair, order))


def _spreading(n: int, bins: int) -> Iterator[tuple[Histogram, Histogram]]:
    """A record leaves a bin for one at least as full; all other records are spread as evenly as possible."""
    for x in range(1, n):
        for b in range(1, min(x, n - x) + 1):
            others = _even(n - x - b, bins - 2)
            if x + b + sum(others) == n:
                yield [x, b, *others], [x + 1, b - 1, *others]


def _even(records: int, bins: int) -> Histogram:
    each, more = divmod(records, bins) if bins else (0, 0)
    return [each + 1] * more + [each] * (bins - more)


def _change(pair: tuple[Histogram, Histogram], order: float) -> float:
    return abs(renyi_entropy(pair[1], order) - renyi_entropy(pair[0], order))


def _exceeds(pair: tuple[Histogram, Histogram], order: float) -> bool:
    return _change(pair, order) > published_renyi_bound(sum(pair[0]), order)


def _short(histogram: Histogram) -> str:
    """Long runs of equal counts as c×times."""
    runs: list[tuple[int, int]] = []
    for value in histogram:
        last, times = runs[-1] if runs else (None, 0)
        runs = [*runs[:-1], (value, times + 1)] if value == last else [*runs, (value, 1)]
    return ", ".join(f"{value}×{times}" if times > 2 else ", ".join([str(value)] * times) for value, times in runs)


def _because(exceeded: Sequence[tuple[Histogram, Histogram]]) -> str:
    sizes = [sum(before) for before, _ in exceeded]
    matching = sum(value == round(published_renyi_constant(order), 2) for order, value in PRINTED.items())
    exact, bound = _exact(1000, 2, 0.5), published_renyi_bound(1000, 0.5)
    return (
        f"{matching} of {len(PRINTED)} constants agree to two decimals, but C/n is no bound at {len(exceeded)} of these"
        f" orders: the smallest counterexamples have {min(sizes)} to {max(sizes)} records. At order 0.5 one of"
        f" 1000 moves the entropy by {exact:.4f} bits, {exact / bound:.0f} times the bound, and the gap grows with n."
        f" The constant is infinite at order 1, where it is said to be least ({published_renyi_constant(0.99):.0f} at"
        f" 0.99 and {published_renyi_constant(1.01):.0f} at 1.01), and falls beyond, where it is said to grow."
    )


_ORDERS = {"type": "quantitative", "scale": {"type": "log", "domain": [0.4, 12], "nice": False}, "title": "order α"}
_X, _AT_ONE = _ORDERS | {"field": "order"}, _ORDERS | {"datum": 1}
_SIDE = {"calculate": "datum.order < 1", "as": "below one"}
_DETAIL = {"field": "below one", "type": "nominal"}
_RATIOS = [f"exact ÷ published, n = {n}" for n in SIZES]
_CHART: Specification = {
    "hconcat": [
        {
            "width": 300,
            "height": 300,
            "title": "The constant, and as printed; infinite at 1 (dashed)",
            "layer": [
                {
                    "mark": {"type": "line", "point": True},
                    "encoding": {
                        "x": _X,
                        "y": quantity("constant as published", "C", log=True),
                        "detail": _DETAIL,
                    },
                    "transform": [_SIDE],
                },
                {"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"x": _AT_ONE}},
                {
                    "transform": [{"filter": "datum.printed !== null"}],
                    "mark": {"type": "point", "size": 140, "color": "black"},
                    "encoding": {"x": _X, "y": {"field": "printed", "type": "quantitative"}},
                },
            ],
        },
        {
            "width": 300,
            "height": 300,
            "title": f"Exact sensitivity ÷ C/n, {BINS} bins",
            "transform": [{"fold": _RATIOS, "as": ["size", "ratio"]}, {"filter": "datum.printed !== null"}, _SIDE],
            "layer": [
                {
                    "mark": {"type": "line", "point": True},
                    "encoding": {
                        "x": _X,
                        "y": quantity("ratio", "times the bound", log=True),
                        "color": kind("size"),
                        "detail": _DETAIL,
                    },
                },
                {"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"y": {"datum": 1}}},
            ],
        },
    ],
}

ITEM = Item.declared("renyi-constants", run)
