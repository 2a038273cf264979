"""A look at the data under a contract, for the custodian alone: what becomes of its cells before anything is charged.

It counts without noise. Nothing of it is written, charged or released; whoever looks must not choose bounds, levels or
prices by what they see.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reaedp.contract import Column, Contract
from reaedp.contract.column import Trouble
from reaedp.curator.records import Records
from reaedp.engines.data import Data, Engine
from reaedp.errors import DeclarationError
from reaedp.evaluation.causes import Cause, causes

#: Which decisions are covered by the promise after looking, and which are not.
HARMLESS = (
    "Fixing how the file is read (the keys of [files]), or the file itself, in the same way for all rows: that says"
    " what cells mean, not whose they are. So does correcting the name of a column."
)
HARMFUL = (
    "Choosing bounds, bins, levels, max_rows or what to drop from what you see here: they are published, and would"
    " depend on rows. Take them from a public source, or buy them with `reaedp learn`. Choosing ε, or which releases to"
    " make, from what you see here is no better."
)


@dataclass(frozen=True, slots=True)
class ColumnLook:
    """How many cells of a column are in trouble, by trouble, and what the contract does with them."""

    column: Column
    rows: int
    troubles: Mapping[Trouble, int]

    def share(self, *troubles: Trouble) -> float:
        """The share of all cells that are in one of these troubles."""
        return sum(self.troubles.get(trouble, 0) for trouble in troubles) / self.rows if self.rows else 0.0

    @property
    def shares(self) -> dict[str, str]:
        """All that can become of its cells, as people read it."""
        found = {
            "null": self.share("null", "nan"),
            "unparsable": self.share("unparsable"),
            "unseen": self.share("unseen"),
            "out of range": self.share("outside", "infinite"),
            "of these clipped": self.clipped,
            "dropped": self.dropped,
        }
        return {words: _percent(share) for words, share in found.items()}

    @property
    def clipped(self) -> float:
        """The share that counts in the nearest bin."""
        return self.share(*(one for one in self.troubles if self.column.rule(one) == "nearest"))

    @property
    def dropped(self) -> float:
        """The share whose rows no release with this column counts."""
        return self.share(*(one for one in self.troubles if self.column.rule(one) == "drop"))


@dataclass(frozen=True, slots=True)
class Look:
    """What the custodian sees: `kept` rows are left by a release of all columns, before people are bounded.

    `people` have how many rows each, by number of rows; None where the unit is a row. `nobodys` rows name no person.
    """

    rows: int
    kept: int
    counted: int
    columns: tuple[ColumnLook, ...]
    people: Mapping[int, int] | None
    nobodys: int
    max_rows: int
    causes: tuple[Cause, ...]

    @property
    def people_over(self) -> int:
        """People who have more rows than are used."""
        return sum(people for rows, people in (self.people or {}).items() if rows > self.max_rows)

    @property
    def words(self) -> list[str]:
        """What becomes of rows, and of people with many of them."""
        lines = [f"Rows: {self.rows:,}. Dropped if all columns are used together: {self.rows - self.kept:,}."]
        if self.rows == 0:
            lines.append("No row could be read. The file may have a header only.")
        if self.people is not None:
            people = sum(self.people.values())
            lines.append(
                f"People: {people:,}, of whom {self.people_over:,} have more than max_rows = {self.max_rows} rows. Rows"
                f" that name nobody: {self.nobodys:,}. Rows that count: {self.counted:,}."
            )
        return lines


def look(
    contract: Contract,
    data: Data,
    *,
    engine: Engine | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Look:
    """Count what the contract makes of the cells of its columns; no ledger is opened and nothing is written."""
    if not contract.columns:
        raise DeclarationError("Only columns can be looked at, and the contract declares none.")
    progress("counting cells")
    every = troubles_of(contract, data, engine)
    rows = max((one.rows for one in every), default=0)
    plain = replace(contract, unit=replace(contract.unit, person=None, max_rows=None))
    kept = rows_counted(plain, data, engine) if any(column.drops for column in contract.columns) else rows
    people, nobodys, counted = None, 0, kept
    if contract.unit.person is not None:
        progress("counting people")
        people, nobodys = Records(contract, data, engine).people_by_rows()
        counted = rows_counted(contract, data, engine)
    progress("looking for causes")
    troubled = {one.column.name: dict(one.troubles) for one in every}

    def tried(other: Contract) -> dict[str, dict[Trouble, int]]:
        progress("looking for causes")  # each is a count of its own, after which whoever looks may stop
        return _troubled(other, data, engine)

    found = causes(plain, data, engine, troubled, tried)
    return Look(rows, kept, counted, every, people, nobodys, contract.unit.rows, found)


def troubles_of(contract: Contract, data: Data, engine: Engine | None) -> tuple[ColumnLook, ...]:
    """All cells of all rows, each trouble in a cell of its own, whatever the contract does with it."""
    apart = {column.name: _apart(column) for column in contract.columns}
    whole = replace(contract, columns=tuple(apart.values()), unit=replace(contract.unit, person=None, max_rows=None))
    found = {}
    for (name,), counts in Records(whole, data, engine).group_counts([(name,) for name in apart]):
        cells = dict(zip(counts.keys[:, 0].tolist(), counts.counts.tolist(), strict=True))
        own = {trouble: cells.get(apart[name].code(trouble), 0) for trouble in apart[name].troubles}
        found[name] = ColumnLook(contract.column(name), sum(cells.values()), own)
    return tuple(found[column.name] for column in contract.columns)


def rows_counted(contract: Contract, data: Data, engine: Engine | None) -> int:
    """Rows that are counted where all columns are used together."""
    groups = [(column.name,) for column in contract.columns]
    return max(int(counts.counts.sum()) for _, counts in Records(contract, data, engine).group_counts(groups))


def _percent(share: float) -> str:
    """Nothing is shown as nothing, and something never as 0 or 100 %."""
    if share == 0:
        return ""
    return "< 0.1 %" if share < 0.001 else "> 99.9 %" if 0.999 < share < 1 else f"{100 * share:.1f} %"


def _troubled(contract: Contract, data: Data, engine: Engine | None) -> dict[str, dict[Trouble, int]]:
    return {one.column.name: dict(one.troubles) for one in troubles_of(contract, data, engine)}


def _apart(column: Column) -> Column:
    rules: dict[str, Any] = dict.fromkeys(column.troubles, "cell")
    return replace(column, **rules)
