"""Numbers as people write them."""

import math

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def written(value: object, digits: int = 4) -> str:
    """Thousands apart, a few digits, no trailing zeros; texts stay as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "not a number"
    return _real(value, digits).replace("-", "−")


def _real(value: float, digits: int) -> str:
    size = abs(value)
    if value == 0 or 10.0**-4 <= size < 10.0**digits:
        text = f"{value:.{digits}g}"
        return f"{float(text):.{max(0, digits)}f}".rstrip("0").rstrip(".") if "e" in text else text
    if size >= 10.0**digits:
        return f"{value:,.0f}"
    mantissa, _, power = f"{value:.{max(0, digits - 2)}e}".partition("e")
    return f"{float(mantissa):g} × 10{str(int(power)).translate(_RAISED)}"


def frequency(chance: float) -> str:
    """A chance as a number of people in 100, 1,000 or more: 2.7 in 100."""
    for people in (100, 1_000, 10_000, 100_000, 1_000_000):
        if chance * people >= 1 - 1e-9:
            return f"{chance * people:.2g} in {people:,}"
    return "less than 1 in 1,000,000"
