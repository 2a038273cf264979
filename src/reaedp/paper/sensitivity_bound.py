"""How far one record moves an entropy: the published bound against the exact number."""

import math
from typing import Any

from reaedp.paper.item import Experiment, Item, Result, Specification
from reaedp.paper.line_chart import kind, quantity
from reaedp.statistics.entropy.published import published_shannon_bound
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity

SIZES = (50, 100, 200, 500, 1000, 2000, 5000)
#: The bounds in the paper's tables, by the number of rows.
PRINTED = {601: 0.03645, 1460: 0.01676, 10_000: 0.00300, 100_000: 0.00037}
#: What its text reads off the figure: about a fifth for fifty rows.
READ_OFF = {50: 0.2}


def run(experiment: Experiment) -> Result:  # noqa: ARG001
    """Nothing is drawn: both are formulas."""
    sizes = sorted((*SIZES, *PRINTED))
    published = [published_shannon_bound(n) for n in sizes]
    replaced = [shannon_sensitivity(n, change="replace") for n in sizes]
    table: dict[str, list[Any]] = {
        "n": sizes,
        "as published": published,
        "printed": [PRINTED.get(n) for n in sizes],
        "read off": [READ_OFF.get(n) for n in sizes],
        "exact, one replaced": replaced,
        "exact, one added or removed": [shannon_sensitivity(n, change="add-remove") for n in sizes],
        "as published ÷ exact": [bound / exact for bound, exact in zip(published, replaced, strict=True)],
        "exact × n": [exact * n for exact, n in zip(replaced, sizes, strict=True)],
        "exact × n ÷ log2 n": [exact * n / math.log2(n) for exact, n in zip(replaced, sizes, strict=True)],
    }
    true = all(bound >= exact for bound, exact in zip(published, replaced, strict=True))
    return Result(table, _CHART, "holds with correction" if true else "does not hold", _because(table))


def _because(table: dict[str, list[Any]]) -> str:
    ratio, order = table["as published ÷ exact"], table["exact × n"]
    matching = sum(value == round(published_shannon_bound(n), 5) for n, value in PRINTED.items())
    return (
        f"The bound is true, but {min(ratio):.2f} to {max(ratio):.2f} times the exact h(1/n), h the entropy of a coin."
        f" {matching} of {len(PRINTED)} printed values agree to the last digit; at n = 50 the bound is"
        f" {published_shannon_bound(50):.3f}, not about 0.2. Times n, the exact number grows from {order[0]:.1f} to"
        f" {order[-1]:.1f} bits: its order is log n / n, not 1/n."
    )


_CHART: Specification = {
    "width": 520,
    "height": 320,
    "layer": [
        {
            "transform": [{"fold": ["as published", "exact, one replaced"], "as": ["bound", "bits"]}],
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": quantity("n", "number of records n", scale={"type": "log", "nice": False}),
                "y": quantity("bits", "bits that one record moves", log=True),
                "color": kind("bound"),
            },
        },
        {
            "transform": [
                {"fold": ["printed", "read off"], "as": ["source", "value"]},
                {"filter": "datum.value !== null"},
            ],
            "mark": {"type": "point", "size": 120, "color": "black"},
            "encoding": {
                "x": {"field": "n", "type": "quantitative"},
                "y": {"field": "value", "type": "quantitative"},
                "shape": kind("source", "in the paper"),
            },
        },
    ],
}

ITEM = Item.declared("sensitivity-bound", run)
