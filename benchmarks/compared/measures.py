"""All measures of one synthetic table, by name, and which way each is better."""

from dataclasses import dataclass

import numpy as np

from compared import distances, learners
from compared.axis import Codes
from compared.tables import Compared


@dataclass(frozen=True)
class Measure:
    """How a table shows a measure; `worst` marks those that are about a worst case and not a mean."""

    name: str
    head: str
    more: bool = False
    worst: bool = False
    digits: int = 3


MEASURES = (
    Measure("tv1", "1-way"),
    Measure("tv1_worst", "1-way worst", worst=True),
    Measure("tv2", "2-way"),
    Measure("tv2_worst", "2-way worst", worst=True),
    Measure("tv3", "3-way"),
    Measure("tv3_worst", "3-way worst", worst=True),
    Measure("tv4", "4-way"),
    Measure("tv4_worst", "4-way worst", worst=True),
    Measure("workload3", "workload error"),
    Measure("impossible", "impossible pairs", digits=4),
    Measure("impossible_worst", "impossible, worst pair", worst=True),
    Measure("rare", "rare levels"),
    Measure("discriminator", "discriminator AUC"),
    Measure("auc_boosting", "AUC, boosting", more=True),
    Measure("auc_forest", "AUC, forest", more=True),
    Measure("accuracy_boosting", "accuracy, boosting", more=True),
    Measure("accuracy_forest", "accuracy, forest", more=True),
    Measure("r2_boosting", "R², boosting", more=True),
    Measure("r2_forest", "R², forest", more=True),
    Measure("k_marginal", "NIST k-marginal", more=True, digits=0),
    Measure("quantile", "quantiles"),
    Measure("processor", "processor s", digits=0),
    Measure("peak_mb", "MB", digits=0),
)


def measured(table: Compared, made: Codes) -> dict[str, float]:
    """Every measure of quality that the table has."""
    mean, worst = distances.impossible_pairs(_all_rows(table), made, table.sizes)
    found: dict[str, float | None] = {
        **distances.total_variations(table.train, made, table.sizes),
        "impossible": mean,
        "impossible_worst": worst,
        "rare": distances.rare_levels(table.train, made, table.sizes),
        "quantile": distances.quantile_error(table.train, made, table.axes),
        "discriminator": learners.discriminator(table.train, made),
        **learners.downstream(table, made),
    }
    if table.area:
        found["k_marginal"] = distances.k_marginal(table.train, made, table.sizes, table.names.index(table.area))
    return {name: round(value, 6) for name, value in found.items() if value is not None}


def _all_rows(table: Compared) -> Codes:
    """A pair of values that only held-out rows have is possible."""
    return np.concatenate([table.train, table.test])
