"""Likely causes of cells that could not be understood: another way of reading is tried, and what it mends is counted.

Only counts are compared: no text of a cell leaves the engine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reaedp.contract import Category, Column, Contract, Date, Integer, Number
from reaedp.contract.column import Trouble
from reaedp.contract.files import Files, frozen
from reaedp.contract.meaning import meaning
from reaedp.contract.notation import ColumnNotation
from reaedp.engines.bytes_of_files import opened, suffixes
from reaedp.engines.csv_files import DELIMITERS
from reaedp.engines.data import Data, Engine
from reaedp.engines.statistical_files import LABELLED
from reaedp.errors import DeclarationError

#: Cells in trouble, by column and trouble.
Troubled = Mapping[str, Mapping[Trouble, int]]
#: Ways of writing numbers and dates, and words for nothing, that are tried.
NUMBERS: tuple[dict[str, str], ...] = (
    {"decimal": ","},
    {"decimal": ",", "thousands": "."},
    {"decimal": ",", "thousands": " "},
    {"thousands": ","},
    {"thousands": " "},
    {"thousands": "'"},
)
DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y%m%d", "%d%b%Y", "%d %b %Y")
WORDS = ("NA", "N/A", "n/a", "na", "NULL", "null", "None", "NaN", "nan", ".", "-", "?", "#N/A", "missing", "unknown",
         "k.A.", "k. A.", "s.o.", "n.d.", "ND")  # fmt: skip
CODES = ("-1", "-7", "-8", "-9", "-88", "-99", "-888", "-999", "-9999", "99", "999", "9999", "99999")
#: What is often written beside numbers.
SIGNS = ("%", "€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "Fr", "kr", "zł", "Kč", "kg", "g", "cm", "m", "km", "h")
_BESIDE, _SIGNED = "signs next to numbers (such as € or %)", 'signs = ["€", …], with the signs that the file uses'
#: Blanks that programs leave around a text: up to so many of them.
MOST_BLANKS, MOST_LEVELS = 20, 1_000


@dataclass(frozen=True, slots=True)
class Cause:
    """What explains `cells` cells of a column, or lines of the file if that is None, and what to do about it."""

    column: str | None
    what: str
    cells: int
    remedy: str

    @property
    def words(self) -> str:
        """The likely cause and its remedy, in words."""
        if self.column is None:
            return f"{self.cells:,} {self.what}. Try: {self.remedy}"
        return f"{self.column}: {self.what} would explain {self.cells:,} cells. Try: {self.remedy}"


@dataclass(frozen=True, slots=True)
class Trial:
    """Another way of reading some columns; only these troubles are expected to become fewer."""

    family: str
    what: str
    remedy: str
    contract: Contract
    troubles: tuple[Trouble, ...]


def causes(
    contract: Contract,
    data: Data,
    engine: Engine | None,
    troubled: Troubled,
    count: Callable[[Contract], Troubled],
) -> tuple[Cause, ...]:
    """The causes that explain any cell, lost lines and then those of most cells first; one of each family a column."""
    best: dict[tuple[str, str], Cause] = {}
    for trial in _trials(contract, data, troubled):
        try:
            after = count(trial.contract)
        except DeclarationError:  # an engine that does not follow [files], or a kind of file that has no such key
            continue
        for name, counts in after.items():
            mended = sum(troubled[name].get(one, 0) - counts.get(one, 0) for one in trial.troubles)
            known = best.get((name, trial.family))
            if mended > (0 if known is None else known.cells):
                best[name, trial.family] = Cause(name, trial.what, mended, trial.remedy)
    return (*_bytes(contract, data, engine), *sorted(best.values(), key=lambda cause: -cause.cells))


def _trials(contract: Contract, data: Data, troubled: Troubled) -> Iterator[Trial]:
    def with_any(kinds: type[Column] | tuple[type[Column], ...], *troubles: Trouble) -> list[Column]:
        columns = (column for column in contract.columns if isinstance(column, kinds))
        return [column for column in columns if any(troubled[column.name].get(one) for one in troubles)]

    if numbers := with_any((Number, Integer), "unparsable"):
        for keys, what, remedy in _number_forms():
            yield Trial("number", what, f"[files] {remedy}", _read(contract, numbers, **keys), ("unparsable",))
    if dates := with_any(Date, "unparsable"):
        for form in DATES:
            other = _read(contract, dates, first=form)
            yield Trial("date", "another date format", f'[files] dates = "{form}"', other, ("unparsable",))
    if unread := with_any(Column, "unparsable", "unseen"):
        remedy = '[files] missing = ["NA", …], with the words that the file uses'
        other = _read(contract, unread, missing=WORDS)
        yield Trial("word", "words for missing values (such as NA)", remedy, other, ("unparsable", "unseen"))
    for column in with_any((Number, Integer), "outside"):
        if codes := _beyond(column):
            remedy = f'[files.columns.{column.name}] missing = ["-9", …], with the codes of the codebook'
            other = _read(contract, [column], missing=codes)
            yield Trial("code", "codes for missing values (such as -9 or 999)", remedy, other, ("outside",))
    if unseen := with_any(Category, "unseen"):
        yield from _spellings(contract, unseen)
        if Path(str(data)).suffix.lower() in LABELLED:
            labels = not (contract.files and contract.files.labels)
            files = replace(contract.files or Files(), labels=labels)
            remedy = f"[files] labels = {str(labels).lower()}"
            yield Trial("label", "values or labels", remedy, _only(contract, unseen, files), ("unseen",))


def _number_forms() -> Iterator[tuple[dict[str, Any], str, str]]:
    """Keys, what they explain and how they are written; the simplest first, as it wins where others explain as much."""
    plain = [
        (
            keys,
            "decimal comma" if "decimal" in keys else "thousands separators",
            ", ".join(f'{key} = "{value}"' for key, value in keys.items()),
        )
        for keys in NUMBERS
    ]
    signs: dict[str, Any] = {"signs": SIGNS}
    yield from plain
    yield signs, _BESIDE, _SIGNED
    for keys, what, remedy in plain:
        yield keys | signs, f"{what} and {_BESIDE}", f"{remedy}, {_SIGNED}"


def _spellings(contract: Contract, columns: Sequence[Column]) -> Iterator[Trial]:
    """Levels in upper and lower case, and with blanks around them."""
    pads = range(1, MOST_BLANKS + 1)
    yield Trial(
        "case",
        "upper and lower case",
        "spell the levels in the file as in the contract",
        _only(contract, [_spelled(one, (str.lower, str.upper, str.capitalize, str.title)) for one in columns]),
        ("unseen",),
    )
    blanks = [lambda text, n=n: text + n * " " for n in pads] + [lambda text, n=n: n * " " + text for n in pads]
    yield Trial(
        "blank",
        "blanks around text",
        "remove the blanks from the file",
        _only(contract, [_spelled(one, blanks) for one in columns]),
        ("unseen",),
    )


def _spelled(column: Column, ways: Sequence[Callable[[str], str]]) -> Column:
    """The same category with more ways to write each level; a way that means something already is left out."""
    known = {meaning(level): level for level in column.labels}
    for level in column.labels[:MOST_LEVELS]:
        for way in ways:
            known.setdefault(meaning(way(level)), way(level))
    levels: Any = {"levels": tuple(known.values())}
    return replace(column, **levels)


def _read(contract: Contract, columns: Sequence[Column], first: str | None = None, **keys: Any) -> Contract:
    """The contract of some columns whose texts are written in another way; `first` is tried before other dates."""
    files = contract.files or Files()
    own = {one.column: one.facts() for one in files.columns}
    for column in columns:
        facts = {**own.get(column.name, {}), **{key: value for key, value in keys.items() if key != "missing"}}
        before = files.notation(column.name)
        if first is not None:
            facts["dates"] = (first, *(before.dates or ()))
        if "missing" in keys:
            facts["missing"] = (*(before.missing or ()), *keys["missing"])
        own[column.name] = facts
    kept = {column.name for column in columns}
    made = tuple(ColumnNotation(column=name, **frozen(facts)) for name, facts in own.items() if name in kept)
    return _only(contract, columns, replace(files, columns=made))


def _only(contract: Contract, columns: Sequence[Column], files: Files | None = None) -> Contract:
    reading = files or contract.files
    about = None if reading is None else reading.about(column.name for column in columns)
    return replace(contract, columns=tuple(columns), files=about, rules=())


def _beyond(column: Column) -> tuple[str, ...]:
    """Codes that lie outside the bounds: to call others nothing would explain no trouble."""
    assert isinstance(column, Number | Integer)
    ends = column.ends
    return tuple(code for code in CODES if not ends.low[0] <= float(code) <= ends.high[-1])


def _bytes(contract: Contract, data: Data, engine: Engine | None) -> Iterator[Cause]:
    """Lines of a text that are not UTF-8 where nothing else is declared; they are no rows."""
    declared = contract.files is not None and contract.files.encoding is not None
    if declared or engine is not None or not isinstance(data, str | Path) or not Path(data).is_file():
        return
    if suffixes(str(data))[0] not in DELIMITERS:
        return
    with opened(str(data)) as file:
        lost = sum(not _utf_8(line) for line in file)
    if lost:
        remedy = '[files] encoding = "cp1252", or whatever the program that wrote the file says'
        yield Cause(None, "lines that are not UTF-8 and so do not count as rows", lost, remedy)


def _utf_8(line: bytes) -> bool:
    return line.decode(errors="ignore").encode() == line
