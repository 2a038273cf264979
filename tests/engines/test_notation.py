"""Numbers, dates and words for nothing in a declared notation: as in plain Python, and moved by no other row."""

import datetime as dt
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import oracle
from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.contract.files import Files
from reaedp.contract.notation import ColumnNotation
from reaedp.curator.records import Records
from reaedp.engines.source import open_source
from reaedp.errors import DeclarationError
from troubles import STORED

PUBLIC: dict[str, Any] = {"name": "x", "provenance": "public"}
NUMBER = Number(**PUBLIC, lower=0, upper=1, bins=1)
DAYS = Date(**PUBLIC, lower=dt.date(2020, 1, 1), upper=dt.date(2020, 12, 31), every="month")


def values(data: Any, column: Column, files: Files) -> list[Any]:
    """What the cells of a table become, in the order of their rows."""
    source = open_source(data, None, files)
    row = Number(name="row", lower=0, upper=1, bins=1, provenance="public")
    made = source.canonical((column, row), None).to_native().project("v0, filled0, v1").fetchall()
    found = {int(line[2]): (line[0], line[1]) for line in made}
    return [found[place] for place in range(len(found))]


def frame(cells: list[Any]) -> pa.Table:
    return pa.table({"row": range(len(cells)), "x": cells})


def written(folder: Path, cells: list[str]) -> str:
    """Tabs between cells, none of which is quoted."""
    lines = "".join(f"{place}\t{cell}\n" for place, cell in enumerate(cells))
    (folder / "x.tsv").write_text("row\tx\n" + lines, encoding="utf-8", newline="")
    return str(folder / "x.tsv")


def grouped(whole: str, mark: str) -> bool:
    first, *others = whole.split(mark)
    return bool(others) and 1 <= len(first) <= 3 and all(len(part) == 3 for part in others)


def digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def number_by_hand(text: str, decimal: str, thousands: str) -> float | None:
    """The declared form if it is that, or else what everybody reads."""
    bare = text.strip(oracle.BLANKS)
    unsigned = bare[1:] if bare[:1] in ("+", "-") else bare
    mantissa, mark, exponent = unsigned.replace("E", "e").partition("e")
    whole, point, fraction = mantissa.partition(decimal)
    parts = whole.split(thousands) if thousands else [whole]
    power = not mark or digits(exponent[1:] if exponent[:1] in ("+", "-") else exponent)
    if thousands and grouped(whole, thousands) and all(map(digits, parts)):
        if not mark and (not fraction or digits(fraction)):
            return float(bare[: len(bare) - len(unsigned)] + "".join(parts) + "." + fraction)
    elif decimal == "," and point and power and all(digits(part) or not part for part in (whole, fraction)):
        return float(bare.replace(",", ".")) if whole or fraction else None
    return oracle.number(text)


NOTATIONS = [(",", ""), (",", "."), (",", " "), (",", "'"), (".", ","), (".", "_"), (",", "\u00a0"), (".", "'")]


def random_numbers(marks: str) -> list[str]:
    chance = random.Random(marks)
    signs = f"0123456789{marks * 4}+-eE x"
    short = ["".join(chance.choice(signs) for _ in range(chance.randint(1, 9))) for _ in range(3_000)]
    whole = [f"{chance.randrange(10 ** chance.randint(1, 9)):,}" for _ in range(500)]
    usual = [text.replace(",", chance.choice(marks)) + chance.choice(("", ",5", ".25", ",", "e3")) for text in whole]
    return [*short, *usual, *(text for text in STORED["text"] if not set(text) & set("\t\n\r"))]


@pytest.mark.parametrize(("decimal", "thousands"), NOTATIONS)
def test_numbers_are_what_a_person_reads_in_the_declared_form(decimal: str, thousands: str, tmp_path: Path) -> None:
    cells = random_numbers(f"{decimal}{thousands}")
    found = values(written(tmp_path, cells), NUMBER, Files(decimal=decimal, thousands=thousands, quote=""))
    expected = [number_by_hand(cell, decimal, thousands) for cell in cells]
    wrong = [
        (cell, one, other)
        for cell, one, (other, _) in zip(cells, expected, found, strict=True)
        if one != other and not (one is not None and other is not None and np.isnan(one) and np.isnan(other))
    ]
    assert [] == wrong
    assert 100 < sum(one is not None for one in expected)


SIGNED = {
    "€ 1.234,50": 1234.5,
    "1.234,50 €": 1234.5,
    "€1.234,50": 1234.5,
    "-12,5 %": -12.5,
    "€ -3": -3.0,
    "12\u00a0%": 12.0,
    " 7 EUR ": 7.0,
    "5.5 €": 5.5,
    "8": 8.0,
    "-€3": None,
    "%": None,
    "€": None,
    "12 % %": None,
    "12 £": None,
    "€ nan": None,
    "€ 0x1F": None,
    "1 € 2": None,
    "true €": None,
    "EURO 5": None,
}


@pytest.mark.parametrize("container", ["tabs", "frame"])
def test_declared_signs_beside_numbers_are_passed_over_and_beside_nothing_else(container: str, tmp_path: Path) -> None:
    cells = list(SIGNED)
    # Points between thousands are refused where a program may have printed fractions.
    files = Files(decimal=",", thousands="." if container == "tabs" else None, signs=("€", "%", "EUR"))
    data = written(tmp_path, cells) if container == "tabs" else frame(cells)
    found = [number for number, _ in values(data, NUMBER, files)]
    grouped = [None if container == "frame" and "." in cell and "," in cell else SIGNED[cell] for cell in cells]
    assert grouped == found
    assert [None] * 8 == [number for number, _ in values(frame(cells[:8]), NUMBER, Files(signs=("£",)))]


@pytest.mark.parametrize("signs", [("",), ("5",), ("-",), ("e1",), (".",), ("]",), ("x" * 13,), (7,), ("€",) * 21])
def test_signs_that_could_be_part_of_a_number_or_of_a_pattern_are_refused(signs: Any) -> None:
    with pytest.raises(DeclarationError, match=r"files\.signs must be a list of at most 20 signs"):
        Files(signs=signs)


def days_of(year: int, month: int, day: int) -> float | None:
    found = oracle._civil(year, month, day)
    return None if found is None else float(found)


def day_by_hand(text: str, mark: str, order: str) -> float | None:
    bare = text.strip(oracle.BLANKS)
    parts = bare.split(mark)
    lengths = {"d": (1, 2), "m": (1, 2), "Y": (4,), "y": (2,)}
    if len(parts) == 3 and all(
        digits(part) and len(part) in lengths[key] for part, key in zip(parts, order, strict=True)
    ):
        found = dict(zip(order, map(int, parts), strict=True))
        year = found["Y"] if "Y" in found else found["y"] + (1900 if found["y"] >= 30 else 2000)
        return days_of(year, found["m"], found["d"])
    return oracle.day(text)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("mark", [".", "/", "-", " "])
@pytest.mark.parametrize("order", ["dmY", "mdY", "dmy", "Ymd", "ymd"])
def test_dates_are_what_a_person_reads_in_the_declared_form(mark: str, order: str, tmp_path: Path) -> None:
    chance = random.Random(mark + order)
    years = (1, 29, 30, 99, 104, 1929, 1999, 2000, 2020, 2024, 20200)
    cells = [
        mark.join(str(chance.choice((chance.randint(0, 33), chance.randint(0, 13), *years))) for _ in range(3))
        for _ in range(2_000)
    ]
    cells += [mark.join(f"{chance.randint(0, 33):02}" for _ in range(3)) for _ in range(500)]
    cells += [f"{cell} " for cell in cells[:50]] + [f" {cell}x" for cell in cells[:9]]
    cells += [text for text in STORED["text"] if not set(text) & set("\t\n\r")]
    files = Files(dates=(mark.join(f"%{part}" for part in order),), first_year=1930)
    found = values(written(tmp_path, cells), DAYS, files)
    expected = [day_by_hand(cell, mark, order) for cell in cells]
    assert [] == [(cell, one, two) for cell, one, (two, _) in zip(cells, expected, found, strict=True) if one != two]
    assert 50 < sum(one is not None for one in expected)


MORE_DATES = {
    "04MAY2020": ("%d%b%Y", days_of(2020, 5, 4)),
    "4-December-1999": ("%d-%b-%Y", days_of(1999, 12, 4)),
    "4-Dece-1999": ("%d-%b-%Y", None),
    "sep 05, 2020": ("%b %d, %Y", days_of(2020, 9, 5)),
    "04.05.2020 23:59": ("%d.%m.%Y %H:%M", days_of(2020, 5, 4)),
    "04.05.2020 24:01": ("%d.%m.%Y %H:%M", None),
    "04.05.2020 23:59:59.5": ("%d.%m.%Y %H:%M:%S", days_of(2020, 5, 4)),
    "20200504": ("%Y%m%d", days_of(2020, 5, 4)),
    "4052020": ("%d%m%Y", days_of(2020, 5, 4)),
    "2020-05-04": ("%d%m%Y", days_of(2020, 5, 4)),
    "20200504.0": ("%Y%m%d", days_of(2020, 5, 4)),
    "202005041": ("%Y%m%d", None),
    "-20200504": ("%Y%m%d", None),
    "310229": ("%d%m%y", days_of(2029, 2, 31)),
}


@pytest.mark.parametrize("text", MORE_DATES)
def test_other_formats_of_dates(text: str) -> None:
    form, expected = MORE_DATES[text]
    assert [(expected, True)] == values(frame([text]), DAYS, Files(dates=(form,), first_year=1930))


def test_the_first_format_that_fits_decides() -> None:
    cells = ["04.05.2020", "05/04/2020", "2020-05-04", "20200504"]
    files = Files(dates=("%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d/%m/%Y"))
    assert [(days_of(2020, 5, 4), True)] * 4 == values(frame(cells), DAYS, files)


WORDS = ("NA", ".", "-9", "2020-01-01", "nan")
NOTHING = [None, "NA", " NA ", ".", "-9", "-9.0", "-09", "2020-01-01", "2020-01-01 00:00:00", "NaN"]
SOMETHING = ["na", "..", "9", "-9.5", "2020-01-02", "", "N A", "inf"]
EVERY_KIND: tuple[Column, ...] = (
    NUMBER,
    Integer(**PUBLIC, lower=0, upper=1),
    Boolean(**PUBLIC),
    DAYS,
    Category(**PUBLIC, levels=("NA", "-9", "b")),
    Undeclared(**PUBLIC),
)


@pytest.mark.parametrize("column", EVERY_KIND, ids=lambda column: column.kind)
def test_words_for_nothing_are_nulls_by_what_they_mean_in_every_kind_of_column(column: Column) -> None:
    found = values(frame([*NOTHING, *SOMETHING]), column, Files(missing=WORDS))
    assert [False] * len(NOTHING) + [True] * len(SOMETHING) == [line[1] for line in found]
    assert all(line[0] is None for line in found[: len(NOTHING)])


def test_a_word_for_nothing_in_the_declared_notation_is_nothing(tmp_path: Path) -> None:
    files = Files(decimal=",", missing=("-9", "1.5"))
    assert [(None, False)] * 3 == values(written(tmp_path, ["-9,0", "1,5", "1,50"]), NUMBER, files)


def test_what_is_said_of_a_column_holds_for_it_alone(tmp_path: Path) -> None:
    files = Files(decimal=",", missing=("NA",), columns=(ColumnNotation(column="x", decimal=".", missing=("-",)),))
    (tmp_path / "x.csv").write_text('row,x,y\n0,"1,5","1,5"\n1,NA,NA\n2,-,-\n', encoding="utf-8")
    other = Number(name="y", lower=0, upper=1, bins=1, provenance="public")
    assert [(None, True), (None, True), (None, False)] == values(tmp_path / "x.csv", NUMBER, files)
    assert [(1.5, True), (None, False), (None, True)] == values(tmp_path / "x.csv", other, files)


def counts(data: Any, column: Column, files: Files | None, unit: Unit | None = None) -> list[int]:
    terms = Contract(
        dataset="d",
        unit=unit or Unit("add-remove"),
        budget=Budget(1, 1e-6),
        ledger="unused",
        columns=(column,),
        files=files,
    )
    return np.asarray(Records(terms, data).counts((column.name,)).values).tolist()


#: Values, how they are declared, a column, and a value that makes pandas choose another type for all of them.
STORED_SO: dict[str, tuple[list[Any], Files, Column, Any]] = {
    "fractions, and a text": ([1.5, 2.25, 1.234], Files(decimal=","), Number(**PUBLIC, edges=(1, 1.3, 2, 3)), "1,5"),
    "words for nothing as numbers, and a text": (
        [-9, 1, 2],
        Files(missing=("-9",)),
        Number(**PUBLIC, edges=(0, 2, 3)),
        "x",
    ),
    "words for nothing as numbers, and a null": (
        [-9, 1, 2],
        Files(missing=("-9",)),
        Number(**PUBLIC, edges=(0, 2, 3)),
        None,
    ),
    "dates as numbers, and a text": ([20200104, 20201231, 5], Files(dates=("%Y%m%d",)), DAYS, "x"),
    "dates as numbers, and a null": ([4012020, 31122020], Files(dates=("%d%m%Y",)), DAYS, None),
    "days, and a text": (
        [dt.date(2020, 4, 5), dt.date(2020, 5, 4)],
        Files(dates=("%d-%m-%Y", "%m-%d-%y"), first_year=1950),
        DAYS,
        "04-05-2020",
    ),
}


@pytest.mark.parametrize("case", STORED_SO)
def test_one_more_row_moves_one_count_in_a_declared_notation(case: str) -> None:
    cells, files, column, more = STORED_SO[case]
    many = cells * 10
    alone = np.array(counts(pd.DataFrame({"x": many}), column, files))
    joined = np.array(counts(pd.DataFrame({"x": [*many, more]}), column, files))
    objects = np.array(counts(pd.DataFrame({"x": pd.Series(many, dtype=object)}), column, files))
    assert len(many) == alone.sum()
    assert 1 == np.abs(joined - alone).sum()
    assert alone.tolist() == objects.tolist()


def test_a_person_with_a_word_for_nothing_is_nobody() -> None:
    unit = Unit("add-remove", person="who", max_rows=1)
    table = pd.DataFrame({"who": ["a", "b", "unknown", "unknown"], "x": [0, 1, 1, 1]})
    column = Integer(**PUBLIC, lower=0, upper=1)
    assert [1, 2] == counts(table, column, None, unit)[:2]
    assert [1, 1] == counts(table, column, Files(missing=("unknown",)), unit)[:2]


def _parquet(folder: Path) -> str:
    pq.write_table(pa.table({"x": ["1.234"]}), folder / "x.parquet")
    return str(folder / "x.parquet")


PRINTED: dict[str, Callable[[Path], Any]] = {
    "frame": lambda _: pd.DataFrame({"x": ["1.234"]}),
    "parquet": _parquet,
}


@pytest.mark.parametrize("container", PRINTED)
def test_points_between_thousands_are_refused_where_programs_print_fractions(container: str, tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r'1\.234 as texts, which thousands = "\." would change'):
        open_source(PRINTED[container](tmp_path), None, Files(decimal=",", thousands="."))


def test_engines_that_do_not_follow_a_key_refuse_it_before_anything_is_opened() -> None:
    for engine, files in (
        ("postgresql://nobody@nowhere/none", Files(decimal=",")),
        ("postgresql://nobody@nowhere/none", Files(columns=(ColumnNotation(column="x", missing=("NA",)),))),
        ("local[2]", Files(separator=";")),
        ("local[2]", Files(missing=("NA",))),
    ):
        with pytest.raises(DeclarationError, match="does not follow files"):
            open_source("table", engine, files)
