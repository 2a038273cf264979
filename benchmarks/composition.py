"""The paper's composition theorems beside ours, as a table ready to plot.

    python benchmarks/composition.py > composition.csv

ε of k releases at δ = 1e-6, each (0.1, 1e-12)-differentially private: sequential (Theorem 1), advanced (Theorem 2, with
the rest of δ as its δ'), and the ledger's own, which is the optimum.
"""

import argparse
import csv
import sys

from reaedp.privacy.accounting import advanced_composition, epsilon, sequential_composition
from reaedp.privacy.loss import ApproxDP

EACH, DELTA = ApproxDP(0.1, 1e-12), 1e-6


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["releases", "sequential", "advanced", "ours"])
    for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000):
        sequential, _ = sequential_composition([(EACH.epsilon, EACH.delta)] * k)
        advanced, _ = advanced_composition(EACH.epsilon, EACH.delta, k, DELTA - k * EACH.delta)
        table.writerow([k, *(f"{value:.4g}" for value in (sequential, advanced, epsilon({EACH: k}, DELTA)))])


if __name__ == "__main__":
    main()
