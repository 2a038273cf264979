"""NIST's k-marginal score by its own package: of codes as they are, and of numbers in the package's own cells."""

import json
import sys
from pathlib import Path

import pandas as pd
import sdnist.report.dataset  # noqa: F401 - first, as the package's own modules import each other in a circle
from sdnist.metrics.kmarginal import KMarginal
from sdnist.report.dataset.binning import add_bin_for_NA, bin_density, percentile_rank_synthetic, percentile_rank_target

folder = Path(sys.argv[1])
#: The numbers that the package ranks, in twenty cells of as many real rows each.
RANKED = ["AGEP", "POVPIP", "PINCP"]
#: Where its scale of densities ends; its own dictionary of the data, which says this, is not in the package.
HIGHEST = {"DENSITY": {"values": {"max": 60_000}}}


def read(name):
    """Rows with codes of categories and values of numbers, where N is missing."""
    return pd.read_csv(folder / f"{name}.csv", dtype=dict.fromkeys(RANKED, str))


def binned(real, synthetic):
    """As the package does before it scores a file."""
    real, synthetic = (bin_density(rows.copy(), HIGHEST) for rows in (real, synthetic))
    target = add_bin_for_NA(percentile_rank_target(real, RANKED), real, RANKED)
    made = add_bin_for_NA(percentile_rank_synthetic(synthetic, real, target, RANKED), synthetic, RANKED)
    return target, made


def score(real, synthetic):
    return float(KMarginal(real, synthetic, ["PUMA"]).compute_score())


found = {
    "same_cells": score(read("real_codes").astype(int), read("synthetic_codes").astype(int)),
    "own_cells": score(*binned(read("real_values"), read("synthetic_values"))),
}
print(json.dumps(found))
