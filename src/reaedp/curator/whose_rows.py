"""Which rows of a person count: those that come first in an order that is as good as random, or the one in the middle.

The order depends on that person's rows and name alone, and is the same on every engine.
"""

from collections.abc import Sequence
from typing import Any

import narwhals as nw

#: A Mersenne prime: products of two remainders stay below 2^63.
MODULUS = 2**31 - 1


def _mixed(values: Sequence[str]) -> nw.Expr:
    """A number from the hashes of a person and from numbers of one of their rows, by arithmetic that all engines share.

    Each person has a multiplier of their own.
    """
    total = nw.col("hash0") * 8
    for value in values:
        total = (total * _multiplier() + nw.col(value).cast(nw.Int64) + 1) % MODULUS
    return total


def _multiplier() -> nw.Expr:
    return nw.col("hash1") * 8 + 1


def first_rows(frame: nw.LazyFrame[Any], limit: int, digested: list[str], cells: list[str]) -> nw.LazyFrame[Any]:
    """The first `limit` rows of each person; a row without a person is nobody's and is never counted.

    Their order is pseudo-random: a number that is made of canonical ones, then their cells, so that rows which tie are
    counted alike.
    """
    named = frame.filter(~nw.col("person").is_null()).with_columns(_mixed(digested).alias("mixed"))
    # Squared, or of three neighbouring cells the one in the middle would come first in a quarter of all cases.
    place = (nw.col("mixed") * nw.col("mixed") % MODULUS * _multiplier() % MODULUS).alias("place")
    # A running count of what is never null is the number of the row; for others the engine builds a tree of counts.
    named = named.with_columns(place, nw.lit(1).alias("one"))
    rank = nw.col("one").cum_count().over("person", order_by=["place", *cells])
    return named.filter(rank <= limit)


def middle_rows(frame: nw.LazyFrame[Any], order: list[str]) -> nw.LazyFrame[Any]:
    """Of each person the row in the middle, of two such rows the first."""
    ranked = frame.with_columns(nw.col("one").cum_count().over("person", order_by=order).alias("rank"))
    numbered = ranked.with_columns(nw.col("one").sum().over("person").alias("number"))
    twice = 2 * nw.col("rank").cast(nw.Int64)
    number = nw.col("number").cast(nw.Int64)
    return numbered.filter((twice == number) | (twice == number + 1))
