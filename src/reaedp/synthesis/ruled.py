"""Rules kept: synthetic rows in which everything holds that the contract declares of every row.

A column that a rule sets is computed from the others. A row that breaks a rule all the same is drawn anew from the same
model; after some rounds a row that keeps all of them takes its place. Only released rows, public facts and public
randomness go into this, so that it costs nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Contract, Date, Integer, Number, RowRule
from reaedp.contract.expression import Node
from reaedp.errors import DeclarationError
from reaedp.statistics.by_kind import ByKind, no_way
from reaedp.synthesis.decode import decode
from reaedp.synthesis.encode import codes as cells_of
from reaedp.synthesis.model import Codes

Values = dict[str, NDArray[Any]]
Mask = NDArray[np.bool_]
#: How often rows that break a rule are drawn anew.
ROUNDS = 30
#: Rows of declared values among which `check` looks for one that keeps all rules.
EXAMPLES = 50_000
#: Numbers that differ by less are equal: files of other programs may round the last digit.
_NEAR = 1e-9


class Condition(NamedTuple):
    """A condition that rows shall meet, whatever the contract says of all rows."""

    node: Node
    act: Literal["always"] = "always"
    column: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it speaks of."""
        return self.node.columns

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return f"the condition on {', '.join(self.columns)}"


Rules = Sequence[RowRule | Condition]


def concerning(rules: Rules, axes: Sequence[Column]) -> tuple[RowRule | Condition, ...]:
    """The rules that speak of these columns alone."""
    names = {axis.name for axis in axes}
    return tuple(rule for rule in rules if names.issuperset(rule.columns))


def keeping(rules: Rules, axes: Sequence[Column], values: Values) -> Mask:
    """In which rows all rules hold; those that lack a value which a rule needs keep it."""
    rows = len(next(iter(values.values())))
    kept = np.ones(rows, dtype=bool)
    kinds = {axis.name: axis for axis in axes}
    for rule in rules:
        found, missing = rule.node.evaluate(values, rows)
        if rule.column is None:
            kept &= missing | (found.astype(bool) == (rule.act == "always"))
        else:
            kept &= missing | _equal(kinds[rule.column], values[rule.column], found)
    return kept


def _equal(axis: Column, column: NDArray[Any], wanted: NDArray[Any]) -> Mask:
    """Which values are the wanted ones; one that is missing is not."""
    given = np.ma.getdata(column)
    if isinstance(axis, Number):
        same = np.isclose(given.astype(np.float64), wanted, rtol=_NEAR, atol=_NEAR)
    elif isinstance(axis, Date):
        same = given.astype("datetime64[D]") == wanted
    else:
        same = given == wanted
    found: Mask = np.asarray(same, dtype=bool) & ~np.ma.getmaskarray(column)
    return found


def ruled(
    declared: Rules,
    axes: tuple[Column, ...],
    codes: Codes,
    rng: np.random.Generator,
    again: Callable[[int], Codes] | None,
) -> tuple[Codes, Values]:
    """Cells and values in which all rules hold; rows that break one come from `again`, or are left out without it."""
    values = decode(axes, codes, rng)
    rules = concerning(declared, axes)
    if not rules or not len(codes):
        return codes, values
    values = _set(rules, axes, values)
    kept = keeping(rules, axes, values)
    for _ in range(ROUNDS if again else 0):
        broken = np.flatnonzero(~kept)
        if not broken.size or again is None:
            break
        fresh = _set(rules, axes, decode(axes, again(broken.size), rng))
        good = keeping(rules, axes, fresh)
        for name, column in values.items():
            column[broken[good]] = fresh[name][good]
        kept[broken[good]] = True
    places = np.flatnonzero(kept)
    if again is not None and places.size < len(kept):
        values, places = _filled(rules, axes, values, kept, rng)
    values = {name: column[places] for name, column in values.items()}
    return _cells(axes, values), values


def _filled(
    rules: Rules, axes: tuple[Column, ...], values: Values, kept: Mask, rng: np.random.Generator
) -> tuple[Values, NDArray[np.intp]]:
    """Rows that keep all rules, some of them again, as many as are wanted; an example where the model has none."""
    if not kept.any():
        return example(rules, axes), np.zeros(len(kept), dtype=np.intp)
    places = np.arange(len(kept))
    places[~kept] = rng.choice(np.flatnonzero(kept), size=int((~kept).sum()))
    return values, places


def _cells(axes: tuple[Column, ...], values: Values) -> Codes:
    found = [cells_of(axis, values[axis.name]) for axis in axes]
    return np.ascontiguousarray(np.array(found, dtype=np.int32).T)


def _set(rules: Rules, axes: Sequence[Column], values: Values) -> Values:
    """Columns that rules set, in the order of the rules; as they were where they cannot have what is computed."""
    rows = len(next(iter(values.values())))
    kinds = {axis.name: axis for axis in axes}
    for rule in rules:
        if rule.column is None:
            continue
        axis, old = kinds[rule.column], values[rule.column]
        found, missing = rule.node.evaluate(values, rows)
        wanted, possible = _POSSIBLE.of(axis)(axis, found)
        changed = possible & ~missing
        column = np.ma.MaskedArray(np.ma.getdata(old).copy(), mask=np.ma.getmaskarray(old).copy())
        column[changed] = wanted[changed]
        if axis.own_cells:
            column[missing] = np.ma.masked
        values = values | {rule.column: column}
    return values


def _number(axis: Any, found: NDArray[Any]) -> tuple[NDArray[Any], Mask]:
    """Numbers within the bounds, on the column's step if it has one."""
    edges = axis.boundaries
    possible = (found >= edges[0]) & (found <= edges[-1])
    if axis.step is None:
        return found, possible
    steps = axis.step_cells.steps
    near = steps.values(steps.nearest(np.where(possible, found, edges[0])))
    return near, possible & np.isclose(near, found, rtol=_NEAR, atol=_NEAR)


def _integer(axis: Any, found: NDArray[Any]) -> tuple[NDArray[Any], Mask]:
    """Whole numbers within the bounds."""
    possible = (found >= axis.lower) & (found <= axis.upper) & (found == np.rint(found))
    whole = np.where(possible, found, axis.lower).astype(np.int64)
    return whole, possible & (True if axis.step is None else (whole - axis.lower) % axis.step == 0)


def _date(axis: Any, found: NDArray[Any]) -> tuple[NDArray[Any], Mask]:
    days = found.astype("datetime64[D]")
    return days.astype(object), (days >= np.datetime64(axis.lower)) & (days <= np.datetime64(axis.upper))


_POSSIBLE = ByKind[Callable[[Any, NDArray[Any]], tuple[NDArray[Any], Mask]]](
    "which computed values a column can have",
    {
        Number: _number,
        Integer: _integer,
        Date: _date,
        Boolean: lambda axis, found: (found.astype(bool), np.ones(len(found), dtype=bool)),  # noqa: ARG005
        Category: lambda axis, found: (found, np.isin(found.astype(str), axis.levels)),
    },
    otherwise=no_way,
    over="columns",
)


def example(rules: Rules, axes: tuple[Column, ...]) -> Values:
    """One row of declared values that keeps all rules, always the same; or an error."""
    rng = np.random.default_rng(0)  # values of declared cells, which no data has touched
    codes = np.stack([rng.integers(0, axis.regular, EXAMPLES) for axis in axes], axis=1).astype(np.int32)
    values = _set(rules, axes, decode(axes, codes, rng))
    places = np.flatnonzero(keeping(rules, axes, values))[:1]
    if not places.size:
        said = "; ".join(rule.title for rule in rules)
        raise DeclarationError(
            f"The rules must leave some rows possible; none of {EXAMPLES:,} rows of declared values keeps all of them:"
            f" {said}. Check the bounds and levels of their columns."
        )
    return {name: column[places] for name, column in values.items()}


def check_rules(contract: Contract, columns: Sequence[Column] | None = None) -> None:
    """Refuse rules, those about some columns or all, that no row can keep."""
    rules = concerning(contract.rules, contract.columns if columns is None else columns)
    used = {name for rule in rules for name in rule.columns}
    if used:
        example(rules, tuple(column for column in contract.columns if column.name in used))
