"""Neighbours for sums and rates: whose values are at one end of every range, or at the other, as texts of files."""

from collections.abc import Callable

import numpy as np

from reaedp.audits.cell_texts import texts
from reaedp.contract import Column, Contract
from reaedp.statistics.rates.flag import Flag
from reaedp.statistics.rates.paired import Paired
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.parts import bounds
from reaedp.statistics.summary.summary import Summary

Row = tuple[str, ...]
#: The text of a column at one end.
Told = Callable[[Column, str], str]


class Ends:
    """Rows at the lower and at the upper ends of everything that is added up, in the last and the first group."""

    def __init__(self, statistic: Summary | Rates, contract: Contract) -> None:
        self.axes = contract.select(statistic.columns)
        self._told: dict[str, Told] = {axis.name: _cell for axis in self.axes}
        if isinstance(statistic, Rates):
            self._told |= _of_rates(statistic.shared(contract))
        else:
            self._told |= dict.fromkeys(statistic.of, _value)

    def row(self, end: str) -> Row:
        """The texts of one row."""
        return tuple(self._told[axis.name](axis, end) for axis in self.axes)


def crowd_and_canary(ends: Ends, contract: Contract, others: int) -> tuple[Row, list[Row], list[Row], list[Row]]:
    """Header, everyone else, and one unit before, if it was there, and after; with more rows than may count."""
    unit = contract.unit
    person = (unit.person,) if unit.person else ()
    header = (*person, *(axis.name for axis in ends.axes))

    def named(name: str, end: str) -> Row:
        return (name, *ends.row(end))[-len(header) :]

    crowd = [named(f"p{number}", "lower" if number % 2 else "upper") for number in range(2 * others)]
    bound = unit.rows * (2 if unit.person else 1)
    before = [named("canary", "lower")] * bound if unit.change == "replace" else []
    return header, crowd, before, [named("canary", "upper")] * bound


def _of_rates(shared: Flag | Paired) -> dict[str, Told]:
    """The upper end of a condition is yes; of a ratio it is much above, and little below."""
    if isinstance(shared, Flag):
        return {shared.column.name: lambda _, end: _answer(shared, end)}
    return {shared.above.name: _value, shared.per.name: lambda axis, _: _value(axis, "lower")}


def _answer(flag: Flag, end: str) -> str:
    """A text that says yes, or no if there is one that does."""
    if flag.cells is not None:
        others = [cell for cell in range(flag.column.regular) if cell not in flag.cells]
        return _text_of(flag.column, flag.cells[0] if end == "upper" or not others else others[0])
    low, found = flag.limits[0], bounds(flag.column)
    yes = found.lower if low is None else low
    no = found.upper if low is None else found.lower
    return _written(flag.column, yes if end == "upper" else no)


def _cell(axis: Column, end: str) -> str:
    """Of a column of groups: a text in its first or last regular cell."""
    return _text_of(axis, 0 if end == "upper" else axis.regular - 1)


def _text_of(axis: Column, cell: int) -> str:
    return texts((axis,), np.array([[cell]], dtype=np.int32))[0][0]


def _value(axis: Column, end: str) -> str:
    """The text of a value at one end of the range."""
    found = bounds(axis)
    return _written(axis, found.lower if end == "lower" else found.upper)


def _written(axis: Column, value: float) -> str:
    if axis.kind == "date":
        return str(np.datetime64(int(value), "D"))
    return str(int(value)) if bounds(axis).whole else repr(value)
