"""The ranks at which quantiles are wanted, as people name them."""

from fractions import Fraction

from reaedp.contract.column import finite
from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.loss import exact

#: Ranks that have a name; "cdf" is the whole distribution function.
NAMED: dict[str, tuple[float, ...]] = {
    "cdf": (),
    "median": (0.5,),
    "quartiles": (0.25, 0.5, 0.75),
    "deciles": tuple(number / 10 for number in range(1, 10)),
    "percentiles": tuple(number / 100 for number in range(1, 100)),
}
#: Ranks have at most six digits, so that scores stay within 64 bits; and there are at most so many of them.
_FINEST, _MOST = 10**6, 1_000


def ranks(given: object) -> tuple[float, ...]:
    """Ascending numbers between 0 and 1, none for the whole distribution function; refuses anything else."""
    if isinstance(given, str) and given in NAMED:
        return NAMED[given]
    listed = tuple(given) if isinstance(given, list | tuple) else (given,)
    if not (len(listed) <= _MOST and all(_is_rank(rank) for rank in listed) and len(set(listed)) == len(listed)):
        raise DeclarationError(
            sentence(
                f"at must be numbers between 0 and 1 of at most six digits, each once, or one of {', '.join(NAMED)}",
                given=given,
            )
        )
    return tuple(sorted(map(float, listed)))


def _is_rank(rank: object) -> bool:
    return finite(rank) and 0 < rank < 1 and _FINEST % exact(rank).denominator == 0  # type: ignore[operator, arg-type]


def shares(at: tuple[float, ...]) -> tuple[Fraction, ...]:
    """The ranks as the fractions that people mean."""
    return tuple(map(exact, at))


def spoken(at: tuple[float, ...]) -> str:
    """The ranks in words."""
    for name, known in NAMED.items():
        if at == known:
            return "distribution function" if name == "cdf" else name
    listed = ", ".join(f"{rank:g}" for rank in at[:5]) + (", …" if len(at) > 5 else "")
    return f"quantile{'s' if len(at) > 1 else ''} {listed}"
