"""The sensitivities printed in the paper, for comparison only: never behind a release.

The bound for Shannon entropy holds but is about twice too large. The bound for Rényi entropy is false.
"""

import math


def published_shannon_bound(n: int) -> float:
    """Bits by which the entropy of n records is said to move if one is replaced: true, about twice too large."""
    return (2 + 1 / math.log(2) + 2 * math.log2(n)) / n


def published_renyi_bound(n: int, order: float) -> float:
    """Bits by which the Rényi entropy of n records is said to move if one is replaced: false.

    Smallest counterexample: two records in one bin, one of which moves to another bin. The entropy of order 1/4
    goes from 0 to 1 bit, and the bound says 0.481.
    """
    return published_renyi_constant(order) / n


def published_renyi_constant(order: float) -> float:
    """2α / (|1-α| ln 2), said to be least near α = 1, where it is infinite; it falls for all α above one."""
    return 2 * order / (abs(1 - order) * math.log(2))
