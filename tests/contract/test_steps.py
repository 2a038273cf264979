"""Steps: values that are equally far apart, as a contract declares them."""

import numpy as np
import pytest

from reaedp import DeclarationError, Integer, Number
from reaedp.contract.column import Column
from reaedp.contract.steps import Steps
from reaedp.statistics.quantiles.inside import highest, lowest, values
from reaedp.synthesis.decode import decode
from reaedp.synthesis.encode import codes

PRICE = Number(name="price", lower=0, upper=10, bins=20, step=0.1, provenance="public")
HOURS = Integer(name="hours", lower=0, upper=99, width=10, step=5, provenance="public")
UNEQUAL = Number(name="dose", edges=(0.5, 1.0, 7.25), step=0.25, provenance="public")


@pytest.mark.parametrize("column", [PRICE, HOURS, UNEQUAL], ids=lambda column: column.name)
def test_synthetic_values_lie_on_the_steps_and_in_their_cells(column: Column) -> None:
    rng = np.random.default_rng(1)
    cells = rng.integers(0, column.regular, 20_000).astype(np.int32)
    found = np.ma.getdata(decode((column,), cells[:, None], rng)[column.name])
    first, step = column.ends.low[0], column.step  # type: ignore[union-attr, attr-defined]
    tens = np.rint((found - first) / step)
    assert (found == np.array([round(float(first + k * step), 6) for k in tens])).all(), "and has no digits more"
    assert (cells == codes(column, found)).all()
    wanted = {round(first + k * step, 6) for k in range(int((column.ends.high[-1] - first) / step + 1e-9) + 1)}  # type: ignore[union-attr]
    assert wanted == {round(float(value), 6) for value in found}, "every value of the grid is drawn"


def test_values_are_the_doubles_that_people_write() -> None:
    assert [0.1, 0.2, 0.3] == Steps(0.0, 0.1).values(np.array([1, 2, 3])).tolist()
    assert [-0.3, 1e6 + 0.7] == Steps(-0.3, 0.5).values(np.array([0, 2_000_002])).tolist()


def test_quantiles_are_values_of_the_step() -> None:
    cells = np.array([0, 3, 19])
    assert [0.2, 1.7, 9.8] == values(PRICE, cells, np.full(3, 0.5)).tolist()
    assert [0.0, 1.5, 9.5] == lowest(PRICE, cells).tolist()
    assert [0.4, 1.9, 10.0] == highest(PRICE, cells).tolist()
    assert [5, 95] == highest(HOURS, np.array([0, 9])).tolist()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (1, "must leave a value in every cell"),
        (-1, "must be a positive number"),
        (float("nan"), "must be a positive number"),
        ("0.1", "must be a positive number"),
        (1e-20, "at most 15 digits"),
        (5e-324, "at most 15 digits"),
    ],
)
def test_steps_that_cannot_be_are_refused(step: object, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        Number(name="price", lower=0, upper=10, bins=20, step=step, provenance="public")  # type: ignore[arg-type]


def test_an_integer_step_must_fit_the_width() -> None:
    with pytest.raises(DeclarationError, match=r"The cell 1\.\.1? ?has none|The cell 1 has none"):
        Integer(name="hours", lower=0, upper=99, step=5, provenance="public")
    with pytest.raises(DeclarationError, match="whole number of at least 1"):
        Integer(name="hours", lower=0, upper=99, width=10, step=2.5, provenance="public")  # type: ignore[arg-type]
