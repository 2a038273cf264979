"""The canonical form of values in the embedded engine: conversions that could fail are TRY_CASTs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.contract.category import Undeclared
from reaedp.curator import shapes
from reaedp.curator.kept_rows import grouped, kept
from reaedp.curator.stream import named_batches
from reaedp.errors import DeclarationError, ReaedpError, unknown

TEXT = {"VARCHAR", "ENUM", "UUID"}
WHOLE = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
}
REAL = {"FLOAT", "DOUBLE", "DECIMAL", "WIDE DECIMAL"}
#: Held in 128 bits, from which the engine's own conversion to doubles is at times a step off.
WIDE = {"HUGEINT", "UHUGEINT", "WIDE DECIMAL"}
TIMES = {"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"}

#: From a cell and its type to its canonical value, all in SQL.
Convert = Callable[[str, str], str]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EmbeddedSource:
    """A DuckDB relation with the name that the outside uses for each of its columns.

    `columns` maps outside names to (identifier in the relation, type). `owner` keeps alive what the relation
    reads from.
    """

    relation: duckdb.DuckDBPyRelation
    columns: Mapping[str, tuple[str, str]]
    owner: tuple[Any, ...] = ()
    total: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"Source({len(self.columns)} columns)"

    def __reduce__(self) -> Any:
        raise TypeError("A source holds private data and is never pickled.")

    @property
    def types(self) -> Mapping[str, str]:
        """DuckDB's type of every column."""
        return {name: kind for name, (_, kind) in self.columns.items()}

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> nw.LazyFrame[Any]:
        """The columns in canonical form."""
        if columns and not any(column.name in self.columns for column in columns):
            # What looks like a header may be a row.
            raise DeclarationError(
                f"The data lacks a declared column: {columns[0].name!r} is not in its header, nor is any other."
            )
        name = None if person is None else _person_text(*self._find(person))
        expressions = [] if name is None else [f"{name} AS person", f"{_first_bits(name)} AS side"]
        for number, column in enumerate(columns):
            cell, kind = self._find(column.name)
            expressions.append(f"{_value(column, cell, kind)} AS v{number}")
            expressions.append(f"{cell} IS NOT NULL AS filled{number}")
            if name is not None:
                place = _first_bits(f"{name} || '/' || coalesce({_ordering_text(cell, kind)}, '')")
                expressions.append(f"{place} AS s{number}")
        fractions = [
            i for i, column in enumerate(columns) if column.kind == Integer.kind and self._has_fractions(column)
        ]
        values = _whole(self.relation.project(", ".join(expressions)), fractions)
        rows: nw.LazyFrame[Any] = nw.from_native(_numbered(values, columns))
        return rows

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """Run the query; the engine's own words about a failure could quote a row, so they are not repeated."""
        try:
            return dict(counts.to_native().fetchnumpy())
        except duckdb.Error as error:
            reason = type(error).__name__
        raise _could_not_count(reason)

    def batches(self, counts: nw.LazyFrame[Any]) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Stream the result; what the engine cannot hold meanwhile it spills."""
        query = counts.to_native()
        return named_batches(query, tuple(query.columns))

    def collect_groups(
        self,
        rows: nw.LazyFrame[Any],
        groups: Sequence[tuple[str, ...]],
        sizes: Mapping[str, int],  # noqa: ARG002 - counted by hash
    ) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Keep the rows in the engine meanwhile, so that they are read and converted once."""
        try:
            with kept(rows.to_native()) as table:
                yield from grouped(self.relation, table, groups)
            return
        except duckdb.Error as error:
            reason = type(error).__name__
        raise _could_not_count(reason)

    def _has_fractions(self, column: Column) -> bool:
        return self._find(column.name)[1] in TEXT | REAL

    def _find(self, name: str) -> tuple[str, str]:
        if name not in self.columns:
            raise DeclarationError(f"The data lacks a declared column. {unknown('column', name, self.columns)}")
        identifier, kind = self.columns[name]
        wide = kind.startswith("DECIMAL(") and int(kind[8:].split(",")[0]) > 18
        return '"' + identifier.replace('"', '""') + '"', "WIDE DECIMAL" if wide else kind.split("(")[0]


def _whole(values: Any, places: Sequence[int]) -> Any:
    """Fractions have no canonical form in an integer column; NaN and infinities, which equal their floors, keep theirs.

    In a second step, as the first would convert a value as often as it is looked at.
    """
    if not places:
        return values
    chosen = {f"v{place}": f"CASE WHEN v{place} = floor(v{place}) THEN v{place} END AS v{place}" for place in places}
    return values.project(", ".join(chosen.get(name, name) for name in values.columns))


def _numbered(texts: Any, columns: tuple[Column, ...]) -> Any:
    """Levels instead of texts, by a hash join for each column, whose time hardly depends on how many there are."""
    places = {number: column for number, column in enumerate(columns) if column.kind == Category.kind}
    if not places:
        return texts
    values = ", ".join(
        f"coalesce(n{place}, CASE WHEN v{place} IS NOT NULL THEN -1.0 END) AS v{place}" for place in places
    )
    joins = " ".join(f"LEFT JOIN {_levels(column, place)} ON v{place} = t{place}" for place, column in places.items())
    others = ", ".join(f"{name}" for name in texts.columns if name not in {f"v{place}" for place in places})
    return texts.query("reaedp_texts", f"SELECT {others}, {values} FROM reaedp_texts {joins}")


def _levels(column: Column, place: int) -> str:
    texts = ", ".join("'" + level.replace("'", "''") + "'" for level in column.labels)
    number = f"CAST(unnest(range({column.regular})) AS DOUBLE) AS n{place}"
    return f"(SELECT unnest([{texts}]) AS t{place}, {number})"


def _first_bits(text: str) -> str:
    """28 bits of MD5."""
    return f"CAST('0x' || substr(md5({text}), 1, 7) AS BIGINT)"


def _person_text(cell: str, kind: str) -> str:
    """The name of a person; numbers of single precision as the doubles that they are."""
    return f"CAST({_double(cell, kind) if kind == 'FLOAT' else cell} AS VARCHAR)"


def _ordering_text(cell: str, kind: str) -> str:
    """The text whose digest orders a person's rows."""
    return parts_of_number(_double(cell, kind)) if kind in REAL else f"CAST({cell} AS VARCHAR)"


def parts_of_number(number: str) -> str:
    """Whole part and fraction of a double as integers: IEEE 754 fixes them, while engines print in several ways.

    Numbers that agree in 53 bits behind the point have the same text, and are ordered by their cells.
    """
    fraction = f"floor(({number} - floor({number})) * {2**53}::DOUBLE)"
    return (
        f"CASE WHEN isnan({number}) THEN 'nan' WHEN abs({number}) < {2**63}::DOUBLE "
        f"THEN CAST(CAST(floor({number}) AS BIGINT) AS VARCHAR) || ':' || CAST(CAST({fraction} AS BIGINT) AS VARCHAR) "
        f"WHEN {number} > 0 THEN 'inf' WHEN {number} < 0 THEN '-inf' END"
    )


def _could_not_count(reason: str) -> ReaedpError:
    return ReaedpError(f"The engine could not count ({reason}). If noise was already charged, the charge stands.")


def _value(column: Column, cell: str, kind: str) -> str:
    if column.kind in (Category.kind, Undeclared.kind) and kind in TEXT | WHOLE | REAL | TIMES | {"BOOLEAN"}:
        return _as_text(cell, kind)
    conversions = _CONVERSIONS.get(column.kind, {})
    for kinds, convert in conversions.items():
        if kind in kinds:
            return convert(cell, kind)
    raise DeclarationError(
        f"Column {column.name!r} is declared as {column.kind}, but the data holds it as {kind}."
        f" Declare another kind, or convert the column."
    )


def _as_text(cell: str, kind: str) -> str:
    """Text that does not depend on how an engine prints: whole numbers without a fraction."""
    if kind in REAL:
        number = _double(cell, kind)
        return (
            f"CASE WHEN abs({number}) < 1e15 AND {number} = floor({number}) "
            f"THEN CAST(CAST({number} AS BIGINT) AS VARCHAR) ELSE CAST({number} AS VARCHAR) END"
        )
    return f"CAST({cell} AS VARCHAR)"


def _double(cell: str, kind: str) -> str:
    """The nearest double."""
    return f"TRY_CAST(CAST({cell} AS VARCHAR) AS DOUBLE)" if kind in WIDE else f"CAST({cell} AS DOUBLE)"


def _read_double(cell: str, _kind: str) -> str:
    """What the cast understands, less `1_000`, `nan(1)` and `+-5`, which are no numbers elsewhere.

    Looking for three texts costs a tenth of matching the shape of a number, which means the same. What begins with a
    digit or a point can only be of the first kind, and the first byte is compared in no time.
    """
    text = f"CAST({cell} AS VARCHAR)"
    strange = " OR ".join(f"contains({text}, '{part}')" for part in ("_", "(", "+-"))
    usual = f"NOT contains({text}, '_') AND {text} >= '.' AND {text} < ':'"
    number = f"TRY_CAST({text} AS DOUBLE)"
    return f"CASE WHEN {usual} THEN {number} WHEN NOT ({strange}) THEN {number} END"


def _if_shaped(cell: str, shape: str, conversion: str) -> str:
    """The conversion where the text has this shape: what an engine's casts understand varies with its version."""
    text = f"CAST({cell} AS VARCHAR)"
    return f"CASE WHEN regexp_matches({text}, '{shape}') THEN {conversion.format(text=text)} END"


def _days(moment: str) -> str:
    return f"CASE WHEN isfinite({moment}) THEN CAST(date_diff('day', DATE '1970-01-01', {moment}) AS DOUBLE) END"


def _days_of_text(cell: str, _kind: str) -> str:
    return _days(_if_shaped(cell, shapes.DATE, "CAST(TRY_CAST({text} AS TIMESTAMP) AS DATE)"))


def _days_of_moment(cell: str, _kind: str) -> str:
    return _days(f"CAST({cell} AS DATE)")


def _truth_of_text(cell: str, _kind: str) -> str:
    yes, no = (
        _if_shaped(cell, shape, value) for shape, value in ((shapes.YES, "1.0::DOUBLE"), (shapes.NO, "0.0::DOUBLE"))
    )
    return f"coalesce({yes}, {no})"


def _truth_of_number(cell: str, _kind: str) -> str:
    return f"CASE WHEN {cell} = 1 THEN 1.0::DOUBLE WHEN {cell} = 0 THEN 0.0::DOUBLE END"


_KINDS = frozenset
_CONVERSIONS: dict[str, dict[frozenset[str], Convert]] = {
    Number.kind: {
        _KINDS(TEXT): _read_double,
        _KINDS(WHOLE | REAL | {"BOOLEAN"}): _double,
    },
    Integer.kind: {
        _KINDS(TEXT): _read_double,
        _KINDS(WHOLE | REAL | {"BOOLEAN"}): _double,
    },
    Date.kind: {
        _KINDS(TEXT): _days_of_text,
        _KINDS(TIMES): _days_of_moment,
    },
    Boolean.kind: {
        _KINDS({"BOOLEAN"}): _double,
        _KINDS(TEXT): _truth_of_text,
        _KINDS(WHOLE | REAL): _truth_of_number,
    },
}
