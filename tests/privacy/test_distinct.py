"""Numbers that differ are found as NumPy finds them."""

import numpy as np
import pytest

from reaedp.privacy.distinct import distinct


@pytest.mark.parametrize("numbers", [[], [3.0], [2.0, 1.0, 2.0, -0.0, 0.0, np.inf, -np.inf], [[3, 1], [1, 2]]])
def test_distinct_numbers_are_those_that_numpy_finds(numbers: list[float]) -> None:
    assert np.unique(np.array(numbers)).tolist() == distinct(np.array(numbers)).tolist()
