"""Entropies of count arrays: plain arithmetic on exact, noisy or post-processed counts."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reaedp.errors import DeclarationError, sentence

Base = Literal["bits", "nats"]
Counts = NDArray[np.float64]

_NATS_PER = {"bits": math.log(2), "nats": 1.0}


def renyi_entropy(counts: ArrayLike, order: float, *, base: Base = "bits") -> float:
    """Rényi entropy of any order from 0 (log of the support) through 1 (Shannon) to infinity (min-entropy).

    An array without counts has entropy 0.
    """
    if not order >= 0:
        raise DeclarationError(sentence("order must be a number of at least 0", given=order))
    present = _accepted(counts).ravel()
    return _in(base, _renyi_nats(present, order)) if present.any() else 0.0


def renyi_entropies(tables: Counts, order: float) -> Counts:
    """Rényi entropies in bits of many arrays at once, one in each row; each has a positive count."""
    top = tables.max(axis=-1, keepdims=True)
    relative = tables / top
    at_the_top = np.log2(relative.sum(axis=-1))
    if order == math.inf:
        return np.asarray(at_the_top)
    logarithms = np.log2(relative, out=np.zeros_like(relative), where=relative > 0)
    if order == 1:
        return np.asarray(at_the_top - (relative * logarithms).sum(axis=-1) / relative.sum(axis=-1))
    powers = np.where(relative > 0, np.exp2(order * logarithms), 0.0).sum(axis=-1)
    return np.asarray((np.log2(powers) - order * at_the_top) / (1 - order))


def shannon_entropy(counts: ArrayLike, *, base: Base = "bits") -> float:
    """Shannon entropy, which is the Rényi entropy of order 1."""
    return renyi_entropy(counts, 1, base=base)


def conditional_entropy(joint: ArrayLike, *, base: Base = "bits") -> float:
    """H(Y|X) of a table of counts with X on the first axis and Y on the second."""
    table = _table(joint)
    return _in(base, _mean_log(table, table.sum(axis=1, keepdims=True), table))


def mutual_information(joint: ArrayLike, *, base: Base = "bits") -> float:
    """I(X;Y) of a table of counts; never negative."""
    table = _table(joint)
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    # Divided by the total, because a product of two counts could overflow.
    return _in(base, max(_mean_log(table, table, rows * (columns / (table.sum() or 1))), 0.0))


def symmetric_uncertainty(joint: ArrayLike) -> float:
    """2 I(X;Y) / (H(X) + H(Y)), between 0 and 1; 0 if both variables are constant.

    Its sensitivity is 1, the whole range, for every number of rows: no noise can hide a row and leave anything.
    Compute it only from released numbers.
    """
    table = _table(joint)
    total = shannon_entropy(table.sum(axis=1)) + shannon_entropy(table.sum(axis=0))
    return min(2 * mutual_information(table) / total, 1.0) if total else 0.0


def _renyi_nats(counts: Counts, order: float) -> float:
    """With p the shares, r = p / max p and β = α - 1: -ln max p - ln(Σ p r^β) / β, both terms positive.

    Next to β = 0 the sum's distance from 1 is summed. Sums are pairwise, as dot products are not: then a result of up
    to 64 bits is less than 2^-37 bits off (see PROOFS.md).
    """
    relative = counts / counts.max()
    relative = relative[relative > 0]
    shares = relative / relative.sum()
    at_the_top = math.log(relative.sum())
    if order == math.inf:
        return at_the_top
    if order == 1:
        return at_the_top - float((shares * np.log(relative)).sum())
    beta = order - 1
    if abs(beta) < 1 / 16:
        return at_the_top - math.log1p(float((shares * np.expm1(beta * np.log(relative))).sum())) / beta
    return at_the_top - math.log(float((shares * relative**beta).sum())) / beta


def _mean_log(counts: Counts, over: Counts, under: Counts) -> float:
    """The mean of ln(over / under) over all counted records."""
    present = counts > 0
    ratio = np.broadcast_to(over, counts.shape)[present] / np.broadcast_to(under, counts.shape)[present]
    return float(counts[present] @ np.log(ratio) / counts.sum()) if present.any() else 0.0


def _table(joint: ArrayLike) -> Counts:
    table = _accepted(joint)
    if table.ndim != 2:
        raise DeclarationError(sentence("A joint table must have two axes", given=table.shape))
    return table


def _accepted(counts: ArrayLike) -> Counts:
    """Counts as floats; the message names no count, for they may be private."""
    array = np.asarray(counts, dtype=float)
    if not (np.isfinite(array) & (array >= 0)).all():
        raise DeclarationError("Counts must be finite and not negative. Clip noisy counts at zero first.")
    return array


def _in(base: Base, nats: float) -> float:
    return nats / _NATS_PER[base]
