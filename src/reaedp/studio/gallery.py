"""What can be released, in words and with a small picture; a kind of another package has its name for words."""

from collections.abc import Mapping
from typing import NamedTuple

from reaedp.contract import Contract
from reaedp.plan.plan import KINDS


class Shown(NamedTuple):
    """A kind in a few words, for which question it is, and lines of a drawing of 64 by 40."""

    title: str
    about: str
    drawing: str = "M4 36H60M8 36V8M8 28L24 20L40 24L58 10"


_BARS = "M4 36H60M8 36V22H18V36M22 36V10H32V36M36 36V16H46V36M50 36V28H58V36"
_CURVE = "M4 36H60M4 34C16 34 20 8 32 8S48 34 60 34"
#: By the names that plans use; what most people look for comes first.
SHOWN: Mapping[str, Shown] = {
    "histogram": Shown("Counts", "How many rows fall into each cell of one or several columns.", _BARS),
    "summary": Shown(
        "Means and totals", "Counts, totals, means and spreads of numbers, for all or for each group.",
        "M4 36H60M12 36V18M12 18m-4 0h8M32 36V10M32 10m-4 0h8M52 36V24M52 24m-4 0h8M12 14v8M32 6v8M52 20v8",
    ),
    "rate": Shown(
        "Rates", "The share of rows for which something is true, or the ratio of two totals, by groups.",
        "M4 36H60M12 26h12M18 22v8M30 14h12M36 10v8M46 20h12M52 16v8",
    ),
    "quantiles": Shown(
        "Medians and quantiles", "The value that half, a tenth or any other share of rows lie below.",
        "M4 36H60M8 34C24 34 26 26 32 20S42 8 58 8M4 20H32V36",
    ),
    "synthetic": Shown(
        "Synthetic rows", "Made-up rows that resemble the data, for questions you did not plan for.",
        "M6 6H58V36H6ZM6 14H58M6 22H58M6 30H58M24 6V36M42 6V36",
    ),
    "correlation": Shown(
        "Correlations", "How closely numbers go together, pair by pair.",
        "M4 36H60M8 36V4M14 30h2M20 26h2M24 28h2M30 20h2M36 22h2M42 14h2M48 16h2M54 8h2",
    ),
    "regression": Shown(
        "A regression", "How one number depends on others: a linear model with its coefficients.",
        "M4 36H60M8 36V4M8 32L58 8M14 24h2M22 30h2M34 16h2M44 20h2M52 6h2",
    ),
    "entropy": Shown("Diversity", "How evenly rows are spread over the cells of a column, in bits.", _CURVE),
    "conditional-entropy": Shown(
        "Conditional entropy", "How diverse a column is once another one is known, in bits.", _CURVE
    ),
    "mutual-information": Shown(
        "Mutual information", "How much one column says about another, in bits.",
        "M26 20m-16 0a16 14 0 1 0 32 0a16 14 0 1 0 -32 0M40 20m-16 0a16 14 0 1 0 32 0a16 14 0 1 0 -32 0",
    ),
    "entropy-map": Shown(
        "Which columns go together", "How much each column says about every other one.",
        "M8 4H56V36H8ZM8 12H56M8 20H56M8 28H56M20 4V36M32 4V36M44 4V36",
    ),
    "mean-curve": Shown("A mean curve", "The mean of measurements over time.", _CURVE),
    "synthetic-curves": Shown(
        "Synthetic curves", "Made-up curves that resemble the data.",
        "M4 30C16 10 24 34 34 18S52 8 60 20M4 22C14 30 26 6 36 26S50 24 60 10",
    ),
    "image": Shown(
        "A picture", "One picture with noise on every pixel.", "M8 6H56V34H8ZM8 30L24 16L34 26L44 18L56 30"
    ),
}  # fmt: skip


def offered(contract: Contract) -> dict[str, Shown]:
    """The kinds that fit what a contract declares, by the names that plans use."""
    order = {kind: place for place, kind in enumerate(SHOWN)}
    parts = {"image": bool(contract.picture), "curve": bool(contract.curves), "other": bool(contract.columns)}
    return {
        kind: SHOWN.get(kind, Shown(kind, f"A kind of {planned.__module__.split('.')[0]}."))
        for kind, planned in sorted(KINDS.items(), key=lambda one: order.get(one[0], len(order)))
        if parts["image" if kind == "image" else "curve" if "curve" in kind else "other"]
    }
