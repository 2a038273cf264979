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


def about(value: float, digits: int = 3) -> str:
    """A number with so many digits, rounded before the point, too: 135,000, 140, 0.25."""
    if not math.isfinite(value) or value == 0:
        return written(float(value))
    rounded = float(f"{value:.{digits - 1}e}")
    if abs(rounded) >= 10.0 ** (digits - 1):
        return written(round(rounded))
    return written(rounded, digits + (abs(rounded) < 1e-4))  # before a power of ten stands one digit more


def frequency(chance: float) -> str:
    """A chance as a number of people in 100, 1,000 or more: 2.7 in 100."""
    for people in (100, 1_000, 10_000, 100_000, 1_000_000):
        if chance * people >= 1 - 1e-9:
            return f"{about(chance * people, 2)} in {people:,}"
    return "less than 1 in 1,000,000"


def _real(value: float, digits: int) -> str:
    size = abs(value)
    if value == 0 or 10.0**-4 <= size < 10.0**digits:
        text = f"{value:.{digits}g}"
        return f"{float(text):.{max(0, digits)}f}".rstrip("0").rstrip(".") if "e" in text else text
    if size >= 10.0**digits:
        return f"{value:,.0f}"
    mantissa, _, power = f"{value:.{max(0, digits - 2)}e}".partition("e")
    return f"{float(mantissa):g} × 10{str(int(power)).translate(_RAISED)}"
