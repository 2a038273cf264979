"""Numbers as pages write them: chances are numbers of people."""

from reaedp.number import about, written

__all__ = ["about", "frequency", "written"]


def frequency(chance: float) -> str:
    """A chance as a number of people in 100, 1,000 or more: 2.7 in 100."""
    for people in (100, 1_000, 10_000, 100_000, 1_000_000):
        if chance * people >= 1 - 1e-9:
            return f"{about(chance * people, 2)} in {people:,}"
    return "less than 1 in 1,000,000"
