"""Numbers are written for people."""

import math

import pytest

from reaedp.frames.number import about, frequency, written


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1234567, "1,234,567"), (-5, "−5"), (0.2, "0.2"), (0.99999818, "1"), (4.96682, "4.967"),
        (12345.678, "12,346"), (1e-6, "1 × 10⁻⁶"), (0.00012345, "0.0001234"), (-0.5, "−0.5"), (math.inf, "∞"),
        (-math.inf, "−∞"), (math.nan, "not a number"), ("text", "text"), (None, ""), (True, "True"),
    ],
)  # fmt: skip
def test_a_number_is_written_with_few_digits_and_thousands_apart(value: object, text: str) -> None:
    assert text == written(value)


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.5, "50 in 100"), (0.9999, "100 in 100"), (0.027, "2.7 in 100"), (0.01, "1 in 100"), (0.001, "1 in 1,000"),
     (1e-9, "less than 1 in 1,000,000")],
)  # fmt: skip
def test_a_chance_is_people_in_so_many(chance: float, text: str) -> None:
    assert text == frequency(chance)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(140.3, 2, "140"), (134_785.0, 3, "135,000"), (6.66667, 3, "6.67"), (0.0, 3, "0"), (1.5e-7, 2, "1.5 × 10⁻⁷"),
     (99.96, 3, "100"), (0.486, 3, "0.486"), (math.nan, 3, "not a number"), (-1_234.0, 2, "−1,200")],
)  # fmt: skip
def test_about_a_number_is_said_in_so_many_digits(value: float, digits: int, text: str) -> None:
    assert text == about(value, digits)
