"""Exact draws of discrete Laplace or Gaussian variables, all at once, by integer arithmetic alone.

A size |X| is the number of k with u < P(|X| > k), for a uniform real number u. The first 64 bits of u are compared with
the first 64 bits of these probabilities, which a table holds; where they are equal, more bits of both are made.
"""

import math
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from reaedp.answer import Integers, Words

#: A number from below and from above, in units of 2^-bits.
Bounds = tuple[int, int]
#: P(|X| > k) for k = 0, 1, … without end, from a scale and a number of bits.
Survival = Callable[[Fraction, int], Iterator[Bounds]]

#: Bits that are computed beyond those that are compared.
_GUARD = 128
#: Values that are drawn in one step, which bounds the memory.
_AT_ONCE = 1 << 20


def laplace_survival(scale: Fraction, bits: int) -> Iterator[Bounds]:
    """P(|X| > k) = 2 q^(k+1) / (1 + q) with q = exp(-1/scale)."""
    one, (low, high) = 1 << bits, exponential(-1 / scale, bits)
    power = (low, high)
    while True:
        yield 2 * power[0] * one // (one + high), _upward(2 * power[1] * one, one + low)
        power = product(power, (low, high), bits)


def gaussian_survival(scale: Fraction, bits: int) -> Iterator[Bounds]:
    """P(|X| > k) from the weights exp(-j²/(2 scale²)), each the one before it times a factor that shrinks evenly."""
    one = 1 << bits
    factor, shrinking = exponential(-1 / (2 * scale**2), bits), exponential(-1 / scale**2, bits)
    weights = [factor]
    while weights[-1][0]:
        factor = product(factor, shrinking, bits)
        weights.append(product(weights[-1], factor, bits))
    # What follows shrinks at least as fast as a geometric series with the last factor.
    sums = [(0, _upward(weights[-1][1] * one, one - factor[1]))]
    for low, high in reversed(weights):
        sums.append((sums[-1][0] + low, sums[-1][1] + high))
    total = (one + 2 * sums[-1][0], one + 2 * sums[-1][1])
    for low, high in reversed(sums):
        yield 2 * low * one // total[1], _upward(2 * high * one, total[0])
    while True:
        yield 0, _upward(2 * sums[0][1] * one, total[0])


SURVIVAL: dict[str, Survival] = {"laplace": laplace_survival, "gaussian": gaussian_survival}
#: How many scales of size are worked out before what follows is rarer than 2^-64, and the guard's bits.
_REACH = {"laplace": 46, "gaussian": 17}
#: Sizes whose probabilities are worked out long before the library could be imported.
_FEW_SIZES = 1_000


def pays(family: str, scale: float, count: int) -> bool:
    """Whether a table costs little beside so many draws, or beside an import of the library."""
    sizes = _REACH[family] * scale
    return 0 < sizes <= max(_FEW_SIZES, count / 4)


def drawn(family: str, scale: float, count: int, words: Callable[[int], Words]) -> Integers:
    """Independent integers of a law, made of random words."""
    steps = [min(_AT_ONCE, count - start) for start in range(0, count, _AT_ONCE)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *(_drawn(family, scale, step, words) for step in steps)])


def _drawn(family: str, scale: float, count: int, words: Callable[[int], Words]) -> Integers:
    table, first = _table(family, scale), words(count)
    place = np.searchsorted(table, first)
    sizes = (len(table) - place).astype(np.int64)
    undecided = table[np.minimum(place, len(table) - 1)] == first
    for index in np.flatnonzero(undecided):
        sizes[index] = resolved(family, scale, int(first[index]), words)
    signs = np.unpackbits(words(-(-count // 64)).view(np.uint8), count=count)
    return np.where(signs, -sizes, sizes)


def resolved(family: str, scale: float, word: int, words: Callable[[int], Words]) -> int:
    """The size that belongs to a number whose first bits are these; as many more are drawn as are needed."""
    value, bits = word, 64
    while True:
        for size, (low, high) in enumerate(SURVIVAL[family](Fraction(scale), bits + _GUARD)):
            if value >= _upward(high, 1 << _GUARD):
                return size
            if value + 1 > low >> _GUARD:
                break
        value, bits = value << 64 | int(words(1)[0]), bits + 64


@lru_cache(maxsize=64)
def _table(family: str, scale: float) -> Words:
    """The first 64 bits of P(|X| > k), in ascending order, down to the first that are all zero."""
    bits = 64 + _GUARD
    while True:
        found: list[int] = []
        for low, high in SURVIVAL[family](Fraction(scale), bits):
            found.append(low >> (bits - 64))
            if found[-1] != high >> (bits - 64):
                break
            if found[-1] == 0:
                return np.array(found[::-1], dtype=np.uint64)
        bits += 64


def exponential(power: Fraction, bits: int) -> Bounds:
    """The exponential of a negative number, which decimal arithmetic rounds correctly.

    The rounded power is off by at most |power|·10^(1-digits)/2, and |power|·exp(power) < 1/2: together with the
    rounding of the result, also where it is too small for the exponents, that is less than 10^(1-digits) < 2^-bits.
    """
    digits = math.ceil(bits * math.log10(2)) + 2
    context = Context(prec=digits, Emin=-2 * digits, Emax=10**9)
    rounded = context.exp(context.divide(Decimal(power.numerator), Decimal(power.denominator)))
    whole = math.floor(Fraction(rounded) * (1 << bits))
    return max(0, whole - 1), whole + 2


def product(first: Bounds, second: Bounds, bits: int) -> Bounds:
    """Bounds of the product of two numbers that are not negative."""
    return first[0] * second[0] >> bits, _upward(first[1] * second[1], 1 << bits)


def _upward(number: int, divisor: int) -> int:
    return -(-number // divisor)
