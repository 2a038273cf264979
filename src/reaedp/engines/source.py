"""Data of any origin as one lazy table in an engine; nothing is read until something is counted."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable
from urllib.parse import quote, unquote

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column, Contract, Curve
from reaedp.contract.files import Files
from reaedp.contract.plugins import known, redefines
from reaedp.engines.arrays import Blocks
from reaedp.engines.data import Data, Engine
from reaedp.engines.spark.session import is_master
from reaedp.errors import DeclarationError, sentence


class Unreadable(Exception):
    """Rows cannot be read for what they hold; a release is made all the same, as if there were none."""


@runtime_checkable
class Source(Protocol):
    """A table somewhere, known by its column names and types; its rows stay in the engine.

    The canonical form is what every engine must agree on, and what does not depend on the type that a container chose.
    Each asked-for column becomes `v0, v1, …`: a double for numbers, integers, dates (days since 1970), truth values and
    categories (the number of the level, -1 for anything else), a text where levels are not declared, null where there
    is nothing or nothing that can be understood; and a truth value `filled0, filled1, …`, whether there is something.
    With a person column there are also `person`, a text, and `hash0` and `hash1`, 28 bits each of a digest of it; for
    each column whose levels are not declared `h0, h1, …`, 28 bits of a digest. No expression of it can fail on any row.
    """

    #: Whether no arithmetic of doubles fails, with infinities for what is too large.
    total: ClassVar[bool]

    @property
    def types(self) -> Mapping[str, str]:
        """The engine's type of every column, by the name that the outside uses."""

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> nw.LazyFrame[Any]:
        """The columns in canonical form; refuses missing columns and types that cannot be meant."""

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """Run a query over the canonical form; only tables of counts may pass here.

        What an engine says of a failure could quote a row, and is never repeated. A failure of the machine, of the
        network or of a server is an error; any other may have been caused by a row, and is `Unreadable`.
        """

    def batches(self, counts: nw.LazyFrame[Any]) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Run a query as `collect` does, and hand out some of its rows, then others, so that memory is bounded."""

    def collect_groups(
        self, rows: nw.LazyFrame[Any], groups: Sequence[tuple[str, ...]], sizes: Mapping[str, int]
    ) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Count the same rows by several groups of columns, which have this many cells each."""


class Hidden(ABC):
    """A source that neither prints nor pickles what it holds."""

    __slots__ = ()

    @property
    @abstractmethod
    def types(self) -> Mapping[str, str]:
        """The engine's type of every column."""

    def __repr__(self) -> str:
        return f"Source({len(self.types)} columns)"

    def __reduce__(self) -> Any:
        raise TypeError("A source holds private data and is never pickled.")


@runtime_checkable
class RowHolder(Protocol):
    """A source that can keep rows in its engine between questions."""

    def held(self, rows: nw.LazyFrame[Any], columns: int) -> AbstractContextManager[nw.LazyFrame[Any] | None]:
        """The same rows, which have so many columns, read once; nothing where there may be many of them."""

    def cells(self, held: nw.LazyFrame[Any], sizes: Mapping[str, int]) -> Mapping[str, NDArray[np.generic]] | None:
        """The numbers of held rows, whose columns have so many cells each; nothing where there may be many of them."""


@runtime_checkable
class ArrayHolder(Protocol):
    """A source whose columns may lie in the memory of this process as they are."""

    def blocks(self, columns: tuple[Column, ...]) -> Blocks | None:
        """Their numbers, some rows after others, before any conversion; nothing where an engine must read them."""


@runtime_checkable
class CurveCounter(Protocol):
    """A source that adds up curves where they lie."""

    def check_python(self) -> None:
        """Refuse workers that cannot do so."""

    def curve_sums(self, rows: nw.LazyFrame[Any], contract: Contract, curve: Curve) -> tuple[Integers, int]:
        """Sums of lattice points, and how many curves there are."""

    def curve_points(self, rows: nw.LazyFrame[Any], contract: Contract, curve: Curve) -> NDArray[np.int32]:
        """Lattice points, a row for each curve."""


def counted(rows: nw.LazyFrame[Any], group: Sequence[str]) -> nw.LazyFrame[Any]:
    """The number of `rows` for each combination of values of these columns."""
    native = rows.to_native()
    if _is_of(native, "duckdb") or _is_of(native, "_duckdb"):  # one step instead of four, which takes milliseconds each
        keys = ", ".join(f'"{name}"' for name in group)
        found: nw.LazyFrame[Any] = nw.from_native(native.aggregate(f"{keys}, count(*)::BIGINT AS rows", keys))
        return found
    return rows.group_by(*group).agg(nw.len().cast(nw.Int64).alias("rows"))


def collect_each(
    source: Source, rows: nw.LazyFrame[Any], groups: Sequence[tuple[str, ...]]
) -> Iterator[dict[str, NDArray[np.generic]]]:
    """Count by a query for each group, where the engine cannot keep the rows between queries."""
    return (source.collect(counted(rows, group)) for group in groups)


def open_source(data: Data, engine: Engine | None = None, files: Files | None = None) -> Source:
    """Open a file name, glob, database address, data frame or relation without reading any row.

    `engine` says where it is counted: nothing for the embedded engine, a Spark master such as `local[*]` or
    `spark://host:port`, a Spark session, a DuckDB connection, or a database's address, whose table `data` then names.
    `files` says how files are to be read.
    """
    if _is_of(data, "pyspark"):
        from reaedp.engines.spark.source import open_frame

        refuse_keys(files, "Spark", layout=False)
        return open_frame(data)
    if engine is None:
        return _open_plain(data, files)
    if not isinstance(data, str | Path):
        raise DeclarationError("With an engine, the data must be the name of a file or of a table in it.")
    if _is_of(engine, "pyspark") or (isinstance(engine, str) and is_master(engine)):
        try:
            from reaedp.engines.spark.files import open_on_spark
        except ImportError:
            raise DeclarationError('Spark is not installed: pip install "reaedp[spark]".') from None
        refuse_keys(files, "Spark", layout=True)
        return open_on_spark(str(data), engine)
    return _open_table(str(data), engine, files)


def refuse_keys(files: Files | None, where: str, *, layout: bool) -> None:
    """Refuse keys of [files] that would have no effect on an engine, so that nothing is read in another way."""
    keys = () if files is None else (*files.written, *(files.laid_out if layout else ()))
    if keys:
        raise DeclarationError(
            f"[files] is about files that the embedded engine reads; {where} does not follow files.{keys[0]}. Take it"
            " out of the contract and convert the values there, or leave the engine out."
        )


def _open_duckdb(address: str, files: Files | None = None) -> Source:
    from reaedp.engines import frames

    file, _, table = address.partition("?table=")
    return frames.open_table(unquote(table), file, files)


#: What opens an address, by what stands before its `://`; all others are those of databases.
SCHEMES: dict[str, Callable[[str], Source | Data]] = {"duckdb": _open_duckdb}
#: Addresses of files on other machines.
ELSEWHERE = ("http", "https", "ftp", "sftp", "s3", "gs", "az", "abfs")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


def register_engine(scheme: str, open_address: Callable[[str], Source | Data]) -> None:
    """Register an engine for addresses that begin with `scheme://`; `open_address` returns a source, frame or relation.

    It may read names and types of columns, but no rows.

    >>> register_engine("here", lambda address: address.removeprefix("here://"))
    >>> Curator(contract, "here://data.csv").release(Marginal("sex"), Laplace(1.0)).counts.names
    ('sex',)
    """
    if not isinstance(scheme, str) or not _SCHEME.fullmatch(scheme):
        rule = "The scheme of an address must be lower-case letters, digits, +, . and -, and begin with a letter"
        raise DeclarationError(sentence(rule, given=scheme))
    if not redefines(open_address, SCHEMES.get(scheme, open_address)):
        raise DeclarationError(f"Addresses of {scheme}:// are opened by something else already; choose another one.")
    SCHEMES[scheme] = open_address


def _opened(scheme: str, address: str, files: Files | None) -> Source:
    found = SCHEMES[scheme](address)
    if isinstance(found, Source):
        refuse_keys(files, f"{scheme}://", layout=False)
        return found
    return _open_plain(found, files)


def _is_of(value: Any, library: str) -> bool:
    return type(value).__module__.split(".")[0] == library


def _open_plain(data: Any, files: Files | None) -> Source:
    from reaedp.engines import frames
    from reaedp.engines.files import open_files

    if _is_of(data, "duckdb") or _is_of(data, "_duckdb"):
        return frames.open_relation(data, files)
    if not isinstance(data, str | Path):
        return frames.open_frame(data, files)
    address = str(data)
    scheme, is_address, _ = address.partition("://")
    if not is_address or (scheme not in SCHEMES and Path(address).exists()):
        return open_files(address, files)
    if scheme == "duckdb":
        return _open_duckdb(address, files)
    if known(SCHEMES, scheme):
        return _opened(scheme, address, files)
    if scheme in ELSEWHERE:
        raise DeclarationError(f"{scheme}:// is not opened: data is read from files and databases. Download it first.")
    from reaedp.engines.database import open_database

    refuse_keys(files, "a database", layout=False)
    return open_database(address)


def _open_table(name: str, engine: Any, files: Files | None) -> Source:
    """A table of a DuckDB file or connection, or of another database."""
    if _is_of(engine, "duckdb") or _is_of(engine, "_duckdb") or str(engine).startswith("duckdb://"):
        from reaedp.engines.frames import open_table

        return open_table(name, engine, files)
    if isinstance(engine, str) and "://" in engine:
        from reaedp.engines.database import open_database

        refuse_keys(files, "a database", layout=False)
        return open_database(f"{engine}{'&' if '?' in engine else '?'}table={quote(name)}")
    raise DeclarationError(
        "The engine must be a Spark master (local[*], spark://host:port), a database's address"
        " (postgresql://…, duckdb:///file), a Spark session or a DuckDB connection."
    )
