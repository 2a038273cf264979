"""Tables of Arrow with columns of every type, and Parquet files and frames of Polars made from them."""

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from fuzz.case import Case, Rows
from fuzz.declared import PERSON, declared
from troubles import FORMS, TEXTS

SHORT = [text for text in (*TEXTS, *FORMS) if len(text) < 2_000]
LONG = [text for text in TEXTS if len(text) >= 2_000]
ZONES = (None, "UTC", "Asia/Tokyo", "+05:30", "America/New_York")
SINGLE: tuple[Any, ...] = (
    pa.null(), pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
    pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.string(), pa.large_string(), pa.string_view(),
    pa.date32(), pa.date64(),
)  # fmt: skip
#: What a column cannot mean, and what is refused by its type.
OTHERS: tuple[Any, ...] = (
    pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(3), pa.time32("s"), pa.time32("ms"), pa.time64("us"),
    pa.time64("ns"), pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.duration("ns"),
    pa.month_day_nano_interval(), pa.list_(pa.int8()), pa.large_list(pa.string()), pa.list_(pa.float32(), 2),
    pa.list_view(pa.int64()), pa.struct([("a", pa.int32()), ("b", pa.string())]), pa.map_(pa.string(), pa.int8()),
    pa.list_(pa.list_(pa.bool_())), pa.uuid(), pa.bool8(), pa.json_(),
)  # fmt: skip


def single(chance: random.Random) -> Any:
    """A type whose values are single numbers, texts, truths or moments."""
    way = chance.random()
    if way < 0.15:
        return pa.timestamp(chance.choice(("s", "ms", "us", "ns")), chance.choice(ZONES))
    if way < 0.3:
        make, most = chance.choice(((pa.decimal32, 9), (pa.decimal64, 18), (pa.decimal128, 38), (pa.decimal256, 76)))
        precision = chance.randint(1, most)
        return make(precision, chance.randint(-3, precision))
    return chance.choice(SINGLE)


def kind_of(chance: random.Random) -> Any:
    """Any type at all."""
    way = chance.random()
    if way < 0.08:
        index = chance.choice((pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8()))
        return pa.dictionary(index, single(chance))
    if way < 0.12:
        return pa.run_end_encoded(chance.choice((pa.int16(), pa.int32())), single(chance))
    return chance.choice(OTHERS) if way < 0.25 else single(chance)


def array(kind: Any, length: int, chance: random.Random) -> Any:  # noqa: PLR0911 - one for each layout
    """Values of this type, among them the least, the greatest, and any pattern of bits."""
    if pa.types.is_dictionary(kind):
        values = array(kind.value_type, 5, chance)
        places = [None if chance.random() < 0.1 else chance.randrange(5) for _ in range(length)]
        return pa.DictionaryArray.from_arrays(pa.array(places, kind.index_type), values)
    if pa.types.is_run_end_encoded(kind):
        ends = pa.array(range(1, length + 1), kind.run_end_type)
        values = array(kind.value_type, length, chance)
        while _is_text(kind.value_type) and not _is_sound(values):  # Arrow makes no runs of such texts
            values = array(kind.value_type, length, chance)
        return pa.RunEndEncodedArray.from_arrays(ends, values)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, array(kind.storage_type, length, chance))
    if pa.types.is_null(kind):
        return pa.nulls(length)
    if _is_text(kind):
        return _texts(kind, length, chance)
    if pa.types.is_decimal(kind):
        return _decimals(kind, length, chance)
    if pa.types.is_time(kind):
        most = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit] * 86_400 - 1
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return pa.array([chance.choice((0, most, chance.randint(0, most), None)) for _ in range(length)], width).view(
            kind
        )
    if pa.types.is_primitive(kind) and not pa.types.is_boolean(kind):
        return _bits(kind, length, chance)
    return pa.array([_value(kind, chance) for _ in range(length)], kind)


def _is_sound(values: Any) -> bool:
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def text(chance: random.Random) -> str | None:
    """A text that engines disagree about, or anything at all."""
    way = chance.random()
    if way < 0.1:
        return None
    if way < 0.75:
        return chance.choice(SHORT)
    if way < 0.755:
        return chance.choice(LONG)
    return "".join(chr(chance.choice((chance.randrange(1, 128), chance.randrange(0xA0, 0xD7FF)))) for _ in range(6))


def _texts(kind: Any, length: int, chance: random.Random) -> Any:
    made = [text(chance) for _ in range(length)]
    if length == 0 or chance.random() < 0.9 or pa.types.is_string_view(kind):
        return pa.array(made, kind)
    raw = [None if one is None else one.encode() + chance.choice((b"", b"\xff", b"\xc3", b"\0")) for one in made]
    binary = pa.array(raw, pa.binary() if pa.types.is_string(kind) else pa.large_binary())
    return pa.Array.from_buffers(kind, length, binary.buffers())


def _decimals(kind: Any, length: int, chance: random.Random) -> Any:
    if length == 0:
        return pa.array([], kind)
    most = 10**kind.precision - 1
    whole = [chance.choice((0, 1, most, -most, chance.randint(-most, most), None)) for _ in range(length)]
    width = kind.bit_width // 8
    data = b"".join((value or 0).to_bytes(width, "little", signed=True) for value in whole)
    filled = pa.array([value is not None for value in whole], pa.bool_()).buffers()[1]
    return pa.Array.from_buffers(kind, length, [filled, pa.py_buffer(data)])


def _bits(kind: Any, length: int, chance: random.Random) -> Any:
    """Numbers, moments and spans, which are any pattern of bits."""
    size = kind.bit_width // 8
    top = 2 ** (8 * size - 1)
    whole = (0, 1, 2, top - 1, -top, -1, 1 - top, 10**15 % top, 18_262 % top)
    cells = []
    for _ in range(length):
        if pa.types.is_floating(kind) and chance.random() < 0.5:
            value = chance.choice((0.0, -0.0, 1, 0.3, 7, 2.5, 1e4, np.nan, np.inf, -np.inf))
            cells.append(np.array(value, f"float{8 * size}").tobytes())
        elif chance.random() < 0.6:
            cells.append(chance.choice(whole).to_bytes(size, "little", signed=True))
        else:
            cells.append(chance.randbytes(size))
    if pa.types.is_date64(kind):  # whole days of milliseconds, or the array is not what it says
        cells = [(chance.choice((0, 18_262, -719_162, 2_932_896)) * 86_400_000).to_bytes(8, "little", signed=True)
                 for _ in cells]  # fmt: skip
    filled = pa.array([chance.random() > 0.1 for _ in range(length)], pa.bool_()).buffers()[1] if length else None
    return pa.Array.from_buffers(kind, length, [filled, pa.py_buffer(b"".join(cells))])


def _value(kind: Any, chance: random.Random) -> Any:  # noqa: PLR0911
    if chance.random() < 0.15:
        return None
    if pa.types.is_boolean(kind):
        return chance.random() < 0.5
    if pa.types.is_struct(kind):
        return {field.name: _value(field.type, chance) for field in kind}
    if pa.types.is_map(kind):
        return [(f"k{place}", _value(kind.item_type, chance)) for place in range(chance.randrange(3))]
    if pa.types.is_fixed_size_list(kind):
        return [_value(kind.value_type, chance) for _ in range(kind.list_size)]
    if hasattr(kind, "value_type"):
        return [_value(kind.value_type, chance) for _ in range(chance.randrange(3))]
    if pa.types.is_fixed_size_binary(kind):
        return chance.randbytes(kind.byte_width)
    if "binary" in str(kind):
        return chance.randbytes(chance.randrange(5))
    if pa.types.is_interval(kind):
        return (chance.randrange(5), chance.randrange(-5, 5), chance.randrange(10**9))
    return chance.choice(("", "a", "1", "\u00e9")) if _is_text(kind) else chance.choice((0, 1, 7))


def people(length: int, chance: random.Random) -> Any:
    """Names of any type that can name."""
    return array(single(chance), length, chance)


def table(kinds: Sequence[Any], length: int, chance: random.Random) -> pa.Table:
    """A column of each of these types, called c0, c1 and so on."""
    return pa.table({f"c{place}": array(kind, length, chance) for place, kind in enumerate(kinds)})


def spoils_dictionaries(one: pa.Table) -> bool:
    """Arrow makes other numbers of half floats when it joins their dictionaries."""
    return any(pa.types.is_dictionary(kind) and kind.value_type == pa.float16() for kind in one.schema.types)


def joined(first: pa.Table, second: pa.Table) -> pa.Table:
    """The rows of both, in one chunk where Arrow can make one."""
    both = pa.concat_tables([first, second])
    if spoils_dictionaries(both):
        return both
    try:
        return both.unify_dictionaries()
    except pa.ArrowException:  # dictionaries with nulls stay apart
        return both


def _tables(chance: random.Random) -> tuple[tuple[Any, ...], list[pa.Table], bool]:
    kinds = tuple(
        kind_of(chance) if chance.random() < 0.5 else single(chance) for _ in range(chance.choice((1, 1, 2, 3)))
    )
    person = chance.random() < 0.25
    named = single(chance) if person else None
    made = []
    for length in (chance.randrange(6), chance.randrange(1, 9)):
        one = table(kinds, length, chance)
        made.append(one.append_column(PERSON, array(named, length, chance)) if named is not None else one)
    return kinds, [*made, joined(*made)], person


def arrow_case(chance: random.Random, label: str) -> Case:
    """A table of Arrow, handed over in any of its containers."""
    kinds, tables, person = _tables(chance)
    hand = chance.choice(_CONTAINERS)
    columns = tuple(declared(f"c{place}", chance) for place in range(len(kinds)))
    rows = [Rows(lambda _, one=one: hand(one), one.num_rows) for one in tables]
    return Case(f"{label} {list(map(str, kinds))}", columns, rows, person)


_CONTAINERS: tuple[Callable[[pa.Table], Any], ...] = (
    lambda one: one,
    lambda one: one,
    lambda one: one.to_reader(),
    lambda one: one.to_batches()[0] if len(one.to_batches()) == 1 else one,
    ds.dataset,
    lambda one: pa.concat_tables([one.slice(0, 1), one.slice(1)]),
)


def parquet_case(chance: random.Random, label: str) -> Case:
    """Files of Parquet: sound ones with types of their own, or damaged ones."""
    damaged = chance.random() < 0.15
    while True:
        kinds, tables, person = _tables(chance)
        options = {
            "compression": chance.choice(("snappy", "none", "gzip", "zstd")),
            "version": chance.choice(("1.0", "2.4", "2.6")),
            "use_dictionary": chance.random() < 0.5,
            "data_page_version": chance.choice(("1.0", "2.0")),
            "use_deprecated_int96_timestamps": chance.random() < 0.1,
            "row_group_size": chance.choice((1, 3, 1_000)),
            "write_statistics": chance.random() < 0.7,
            "store_schema": chance.random() < 0.7,
        }
        try:
            for one in tables:
                pq.write_table(one, pa.BufferOutputStream(), **options)
            break
        except (pa.ArrowException, OSError):  # not every type can be stored, nor every moment in every version
            continue
    columns = tuple(declared(f"c{place}", chance) for place in range(len(kinds)))
    others = [(single(chance) for _ in kinds), kinds][chance.random() < 0.5]
    more = _storable(tuple(others), tables, options, chance) if not person and chance.random() < 0.4 else None
    parts = [[one] for one in tables] if more is None else [[one, two] for one, two in zip(tables, more, strict=True)]
    seed = chance.randrange(2**32)
    rows = [
        Rows(
            lambda folder, part=part: _written(part, folder, options, random.Random(seed) if damaged else None),
            sum(one.num_rows for one in part),
            len(part),
        )
        for part in parts
    ]
    return Case(f"{label} {list(map(str, kinds))} {len(parts[0])} parts", columns, rows, person, sound=not damaged)


def _storable(kinds: tuple[Any, ...], like: Sequence[pa.Table], options: dict[str, Any], chance: random.Random) -> Any:
    """Parts with other types, of as many rows."""
    made = [table(kinds, one.num_rows, chance) for one in like[:2]]
    try:
        for one in made:
            pq.write_table(one, pa.BufferOutputStream(), **options)
    except (pa.ArrowException, OSError):
        return None
    return [*made, joined(*made)]


def _written(parts: Iterable[pa.Table], folder: Path, options: dict[str, Any], damage: random.Random | None) -> str:
    for place, one in enumerate(parts):
        path = folder / f"part-{place}.parquet"
        pq.write_table(one, path, **options)
        if damage is not None:
            path.write_bytes(damaged_bytes(path.read_bytes(), damage))
    return str(folder / "part-*.parquet")


def damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    """The content cut short, or with other bytes in some places."""
    if chance.random() < 0.3:
        return content[: chance.randrange(len(content))]
    spoilt = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
    return bytes(spoilt)


def polars_case(chance: random.Random, label: str) -> Case:
    """Frames of Polars, plain or lazy, also with types that only Polars has."""
    while True:
        kinds, tables, person = _tables(chance)
        strange = chance.choice((None, None, None, *_OWN))
        try:
            frames = [_framed(one, strange) for one in tables[:2]]
            frames.append(pl.concat(frames))
            break
        except (Exception, pl.exceptions.PanicException):  # it has not all types of Arrow
            continue
    lazy = chance.random() < 0.3
    columns = tuple(declared(f"c{place}", chance) for place in range(len(kinds)))
    rows = [Rows(lambda _, one=one: one.lazy() if lazy else one, one.height) for one in frames]
    return Case(f"{label} {frames[0].schema}", columns, rows, person)


def _framed(one: pa.Table, strange: Any) -> pl.DataFrame:
    frame = pl.DataFrame(pl.from_arrow(one))
    return frame if strange is None else frame.with_columns(strange(frame["c0"]).alias("c0"))


_OWN: tuple[Callable[[pl.Series], pl.Series], ...] = (
    lambda cells: cells.cast(pl.String, strict=False).cast(pl.Categorical),
    lambda cells: cells.cast(pl.Int128, strict=False),
    lambda cells: cells.cast(pl.Decimal(38, 4), strict=False),
    lambda cells: cells.cast(pl.Duration("us"), strict=False),
    lambda cells: pl.Series(cells.to_list(), dtype=pl.Object),
    lambda cells: pl.Series([str(cell)[:2] for cell in cells.to_list()], dtype=pl.String),
)
