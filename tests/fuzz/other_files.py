"""Files of other kinds, and texts in declared notations: what is in them is drawn at random."""

import datetime as dt
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
from pyarrow import feather, orc

from fuzz.arrow_tables import SHORT, damaged_bytes, joined, kind_of, single, spoils_dictionaries, table
from fuzz.case import Case, Rows
from fuzz.csv_files import body
from fuzz.declared import PERSON, declared
from reaedp.contract.files import Files
from reaedp.contract.notation import ColumnNotation

#: Files that are released together.
TOGETHER = 6
NAMES = ("c0", "c1", "c2")
NUMBERS = ("1,5", "1.234", "1.234,5", "1 234", "1'234,5", "-9", "-9,0", ",5", "1,", "1,5e3", "NA", ".", "1_000")
DATES = ("04.05.2020", "4/5/2020", "20200504", "04MAY2020", "31.02.2020", "04.05.20", "2020-05-04", "5.4.2020 12:30")


def notation(chance: random.Random, *, points: bool) -> dict[str, Any]:
    """What may be said of values."""
    decimal = chance.choice((None, ".", ","))
    marks = [mark for mark in (None, "", ".", ",", " ", "'") if mark != (decimal or ".")]
    dates = chance.sample(("%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d%b%Y", "%d.%m.%y", "%d.%m.%Y %H:%M"), 2)
    thousands = chance.choice(marks)
    return {
        "decimal": decimal,
        "thousands": None if thousands == "." and not points else thousands,
        "dates": chance.choice((None, tuple(dates))),
        "first_year": 1930,
        "missing": chance.choice((None, (), ("NA", "."), ("-9", "nan", "2020-05-04", ""))),
        "signs": chance.choice((None, None, ("€", "%"), ("x", "e", "nan"))),
    }


def _declared(chance: random.Random, *, points: bool = False, **layout: Any) -> Files | None:
    if not layout and chance.random() < 0.3:
        return None
    column = ColumnNotation(column="c1", missing=chance.choice((("x", "1"), ("-9",))))
    return Files(**notation(chance, points=points), **layout, columns=chance.choice(((), (column,))))


def _cell(chance: random.Random) -> str:
    return str(chance.choice((chance.choice(SHORT), chance.choice(NUMBERS), chance.choice(DATES))))


def text_case(chance: random.Random, label: str) -> Case:
    """Texts with any separator, quotation mark and encoding."""
    separator, quote = chance.choice(";|\t, "), chance.choice(('"', "'", ""))
    encoding = chance.choice(("utf-8", "latin-1", "cp1252", "utf-16"))
    files = _declared(chance, points=True, separator=separator, quote=quote, encoding=encoding)
    sets = [[_text(separator, quote, encoding, chance) for _ in range(TOGETHER)] for _ in range(2)]
    columns = tuple(declared(name, chance) for name in NAMES)
    rows = [_files(some, ".txt") for some in (sets[0], sets[1], [*sets[0], *sets[1]])]
    return Case(f"{label} {files}", columns, rows, person=chance.random() < 0.2, files=files)


def _text(separator: str, quote: str, encoding: str, chance: random.Random) -> bytes:
    header = separator.join((*NAMES, PERSON)) + "\n"
    lines = "".join(
        separator.join(quote + _cell(chance).replace(quote or separator, "") + quote for _ in range(4)) + "\n"
        for _ in range(chance.randrange(6))
    )
    if encoding == "utf-16":
        return (header + lines).encode("utf-16") + chance.randbytes(2 * chance.randrange(9))
    return header.encode() + lines.encode(encoding, "replace") + body(separator.encode(), chance)


def json_case(chance: random.Random, label: str) -> Case:
    """Lines of JSON, and lines that are none."""
    sets = [[_lines(chance) for _ in range(TOGETHER)] for _ in range(2)]
    columns = tuple(declared(name, chance) for name in NAMES)
    suffix = chance.choice((".jsonl", ".ndjson"))
    rows = [_files(some, suffix) for some in (sets[0], sets[1], [*sets[0], *sets[1]])]
    return Case(label, columns, rows, person=chance.random() < 0.2, files=_declared(chance))


def _lines(chance: random.Random) -> bytes:
    lines = []
    for _ in range(chance.randrange(8)):
        names = chance.sample((*NAMES, PERSON, "other"), chance.randint(0, 5))
        line = json.dumps({name: _value(chance) for name in names}, ensure_ascii=chance.random() < 0.5).encode(
            "utf-8", "surrogatepass"
        )
        lines.append(damaged_bytes(line, chance) if chance.random() < 0.2 else line)
    return chance.choice((b"", b"\xef\xbb\xbf")) + chance.choice((b"\n", b"\r\n", b"\n\n")).join(lines)


def _value(chance: random.Random) -> Any:
    others = (None, True, False, 0, 1, -9, 2**70, 0.1, 1e300, float("nan"), float("inf"), [1], {"a": 1}, "\ud800", "\0")
    return chance.choice((_cell(chance), chance.choice(others)))


def _files(contents: Sequence[bytes], suffix: str) -> Rows:
    def make(folder: Path) -> str:
        for place, content in enumerate(contents):
            (folder / f"part-{place:02}{suffix}").write_bytes(content)
        return str(folder / f"part-*{suffix}")

    return Rows(make, None, len(contents))


def binary_case(chance: random.Random, label: str) -> Case:
    """Files of Arrow and ORC with columns of every type, sound or damaged."""
    damaged = chance.random() < 0.2
    write, suffix = chance.choice(((_feather, ".feather"), (_stream, ".arrow"), (_orc, ".orc")))
    while True:
        kinds = tuple(kind_of(chance) if chance.random() < 0.5 else single(chance) for _ in range(2))
        tables = [table(kinds, length, chance) for length in (chance.randrange(6), chance.randrange(1, 9))]
        tables.append(joined(*tables))
        try:
            contents = [_written(write, one) for one in tables]
            break
        except (pa.ArrowException, OSError, TypeError):  # not every type can be stored
            continue
    seed = chance.randrange(2**32)
    columns = tuple(declared(f"c{place}", chance) for place in range(len(kinds)))
    rows = []
    for one, content in zip(tables, contents, strict=True):
        spoilt = damaged_bytes(content, random.Random(seed)) if damaged else content
        rows.append(Rows(_files([spoilt], suffix).make, one.num_rows))
    return Case(f"{label} {list(map(str, kinds))} {suffix}", columns, rows, sound=not damaged, files=_declared(chance))


def _written(write: Callable[[pa.Table, Any], Any], one: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    write(one, sink)
    return bytes(sink.getvalue())


def _feather(one: pa.Table, sink: Any) -> None:
    if spoils_dictionaries(one):
        raise TypeError("the writer joins dictionaries, and spoils those of half floats")
    feather.write_feather(one, sink, chunksize=3)


def _orc(one: pa.Table, sink: Any) -> None:
    if any(pa.types.is_decimal(kind) and kind.scale < 0 for kind in one.schema.types):
        raise TypeError("the writer ends the process at decimals without their last digits")
    orc.write_table(one, sink)


def _stream(one: pa.Table, sink: Any) -> None:
    with pa.ipc.new_stream(sink, one.schema) as stream:
        stream.write_table(one, max_chunksize=3)


def sheet_case(chance: random.Random, label: str) -> Case:
    """Sheets of Excel with anything in their cells."""
    sets = [[[_in_a_sheet(chance) for _ in range(4)] for _ in range(chance.randrange(7))] for _ in range(2)]
    damaged = chance.random() < 0.1
    seed = chance.randrange(2**32)
    columns = tuple(declared(name, chance) for name in NAMES)

    def rows_of(some: list[list[Any]]) -> Rows:
        def make(folder: Path) -> str:
            book = openpyxl.Workbook()
            for row in ((*NAMES, PERSON), *some):
                book.active.append(row)
                for cell in book.active[book.active.max_row]:
                    if isinstance(cell.value, float) and int(cell.value) % 3 == 0:
                        cell.number_format = "yyyy-mm-dd"
            book.save(folder / "x.xlsx")
            if damaged:
                content = damaged_bytes((folder / "x.xlsx").read_bytes(), random.Random(seed))
                (folder / "x.xlsx").write_bytes(content)
            return str(folder / "x.xlsx")

        return Rows(make)

    rows = [rows_of(some) for some in (sets[0], sets[1], [*sets[0], *sets[1]])]
    files = _declared(chance, points=True)
    return Case(label, columns, rows, person=chance.random() < 0.2, sound=not damaged, files=files)


def _in_a_sheet(chance: random.Random) -> Any:
    texts = [text for text in (_cell(chance), "x") if all(sign >= " " and sign not in "\ufffe\uffff" for sign in text)]
    whole = [text for text in texts if not text.startswith("=")]
    others = (None, None, True, False, 0, 1, -9, 1.5, -3e9, 6e9, 43_830.0, 2.5e-7, 1.234, dt.datetime(2020, 5, 4, 1))
    days = (dt.date(1900, 1, 1), dt.date(9999, 12, 31), dt.time(12, 30), dt.timedelta(days=1, seconds=3))
    return chance.choice((chance.choice(whole)[:30_000], chance.choice(others), chance.choice(days)))


#: What is written, and in what.
_STATISTICAL: tuple[tuple[str, Callable[..., None]], ...] = (
    ("x.dta", pyreadstat.write_dta),
    ("x.sav", pyreadstat.write_sav),
    ("x.xpt", pyreadstat.write_xport),
)


def statistical_case(chance: random.Random, label: str) -> Case:
    """Files of Stata, SPSS and SAS with numbers, texts and dates."""
    name, write = chance.choice(_STATISTICAL)
    makers = [chance.choice((_number, _plain_text)) for _ in range(2)]
    form = chance.choice(({".dta": "%td", ".sav": "DATE11", ".xpt": "DATE9"}[Path(name).suffix], None))
    formats = {"c0": form} if form and makers[0] is _number else {}
    labels = {} if name == "x.xpt" else {"variable_value_labels": {"c1": {1: "one", 2: "two"}}}
    if makers[1] is not _number:
        labels = {}
    sets = [[[make(chance) for make in makers] for _ in range(chance.randint(1, 7))] for _ in range(2)]
    damaged, seed = chance.random() < 0.2, chance.randrange(2**32)
    columns = tuple(declared(f"c{place}", chance) for place in range(2))

    def rows_of(some: list[list[Any]]) -> Rows:
        def make(folder: Path) -> str:
            data = {f"c{place}": [row[place] for row in some] for place in range(2)}
            frame = pd.DataFrame(
                {key: pd.Series(cells, dtype="float64" if made is _number else object)
                 for (key, cells), made in zip(data.items(), makers, strict=True)}
            )  # fmt: skip
            write(frame, folder / name, variable_format=formats, **labels)
            if damaged:
                content = damaged_bytes((folder / name).read_bytes(), random.Random(seed))
                (folder / name).write_bytes(content)
            return str(folder / name)

        return Rows(make, len(some))

    rows = [rows_of(some) for some in (sets[0], sets[1], [*sets[0], *sets[1]])]
    files = _declared(chance, labels=chance.random() < 0.5)
    return Case(f"{label} {name} {formats}", columns, rows, sound=not damaged, files=files)


def _number(chance: random.Random) -> float | None:
    return chance.choice((None, 0.0, 1.0, 2.0, -9.0, 0.1, 1e17, -1e17, 1e30, 20200504.0, 13_807_929_600.0, 22_000.0))


def _plain_text(chance: random.Random) -> str:
    text = _cell(chance)
    return text if len(text.encode()) < 200 and "\0" not in text else "long"
