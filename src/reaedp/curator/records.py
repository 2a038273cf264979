"""Records: rows that can be counted but not seen.

A count is computed in the engine by GROUP BY; only tables of counts leave it. At most `max_rows` rows of a person
are counted, chosen by an order that depends on that person's rows and name alone.
"""

from typing import Any

import narwhals as nw
import numpy as np

from reaedp.contract import Column, Contract
from reaedp.curator.encode import encode
from reaedp.curator.source import Source, open_source
from reaedp.table import KeyCounts, Table


class Records:
    """Private rows under a contract: no repr, equality, iteration or pickle of their contents."""

    __slots__ = ("_contract", "_source")

    def __init__(self, contract: Contract, data: Any) -> None:
        self._contract = contract
        self._source: Source = open_source(data)

    def __repr__(self) -> str:
        return f"Records of {self._contract.dataset!r}"

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __reduce__(self) -> Any:
        raise TypeError("Records are private and are never pickled.")

    @property
    def contract(self) -> Contract:
        """What is public about them."""
        return self._contract

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse columns that the data lacks; headers are public."""
        self._source.canonical(self._contract.select(names), self._contract.unit.person)

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell of these columns, zeros included."""
        return self.key_counts(names).dense()

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        columns = self._contract.select(names)
        keys = [f"k{number}" for number in range(len(columns))]
        rows = self._encoded(columns, keys)
        counted = rows.group_by(*keys).agg(nw.len().cast(nw.Int64).alias("rows"))
        arrays = self._source.collect(counted)
        matrix = np.column_stack([arrays[key].astype(np.int32) for key in keys]).reshape(-1, len(keys))
        return KeyCounts(columns, matrix, arrays["rows"].astype(np.int64))

    def level_counts(self, name: str, longest: int) -> dict[str, int]:
        """How many rows hold each text in a column whose levels are not declared; longer texts are cut."""
        unit = self._contract.unit
        frame = self._source.canonical((self._contract.column(name),), unit.person)
        texts = frame.with_columns(nw.col("v0").str.slice(0, longest)).filter(~nw.col("v0").is_null())
        if unit.person is not None:
            texts = _first_rows(texts.with_columns(_order(1)), unit.rows, ["v0"])
        arrays = self._source.collect(texts.group_by("v0").agg(nw.len().cast(nw.Int64).alias("rows")))
        return dict(zip(arrays["v0"].tolist(), arrays["rows"].tolist(), strict=True))

    def _encoded(self, columns: tuple[Column, ...], keys: list[str]) -> nw.LazyFrame[Any]:
        """One row of cell numbers for each row that counts."""
        unit = self._contract.unit
        frame = self._source.canonical(columns, unit.person)
        order = [nw.col("person"), _order(len(columns))] if unit.person else []
        coded = frame.select(*order, *(encode(column, i).alias(keys[i]) for i, column in enumerate(columns)))
        for column, key in zip(columns, keys, strict=True):
            if column.drops:
                coded = coded.filter(nw.col(key) >= 0)
        return _first_rows(coded, unit.rows, keys) if unit.person else coded


def _order(columns: int) -> nw.Expr:
    """A pseudo-random number from a person's name and one of their rows; 28-bit terms cannot overflow."""
    total = nw.col("s0")
    for number in range(1, columns):
        total = (total * 31 + nw.col(f"s{number}")) % 2_147_483_647
    return total.alias("place")


def _first_rows(frame: nw.LazyFrame[Any], limit: int, keys: list[str]) -> nw.LazyFrame[Any]:
    """The first `limit` rows of each person; a row without a person is nobody's and is never counted."""
    named = frame.filter(~nw.col("person").is_null())
    rank = nw.col("place").cum_count().over("person", order_by=["place", *keys])
    return named.filter(rank <= limit)
