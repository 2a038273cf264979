"""Texts in a declared notation as the texts that every program reads, and words for nothing as nothing, in SQL.

No expression here fails on any row, and each looks at one cell alone.
"""

from collections.abc import Sequence

from reaedp.contract import Column, Date, Integer, Number, shapes
from reaedp.contract.files import Files
from reaedp.contract.meaning import meaning
from reaedp.contract.notation import MONTHS, DateFormat, Notation
from reaedp.engines import canonical

_MONTHS = "".join(month[:3] for month in MONTHS)


def plain(cell: str, kind: str, column: Column | None, notation: Notation) -> tuple[str, str]:
    """A cell as a text that every program reads, and its type; what is not in the declared notation stays as it is.

    People and texts whose levels are not declared have no numbers or dates of their own: there is no `column` then.
    """
    if isinstance(column, Number | Integer) and kind in canonical.TEXT:
        return _number(quoted_text(cell), notation), "VARCHAR"
    return _date(cell, kind, notation) if isinstance(column, Date) else (cell, kind)


def emptied(cell: str, kind: str, notation: Notation) -> str:
    """A cell, but null where it is a word for nothing, or means the number or the moment that such a word means."""
    known = [meaning(word) for word in notation.missing or ()]
    found = _words(cell, notation) if kind in canonical.TEXT else []
    for sort, (convert, key) in _MEANINGS.items():
        keys = [_key(meant, key) for found_sort, meant in known if found_sort == sort]
        value = convert(cell, kind)
        if keys and not value.startswith("NULL"):
            found.append(f"coalesce({value} IN ({', '.join(keys)}), false)")
    return f"CASE WHEN {' OR '.join(found)} THEN NULL ELSE {cell} END" if found else cell


_MEANINGS = {"number": (canonical.number, "DOUBLE"), "moment": (canonical.moment, "BIGINT")}


def notations(
    files: Files | None, columns: Sequence[Column], person: str | None
) -> dict[str, tuple[Column | None, Notation]]:
    """What is declared of each of the columns `r0, r1, …`, and of `r`, the person's; nothing of the others."""
    if files is None or not files.written:
        return {}
    found: dict[str, tuple[Column | None, Notation]] = {
        f"r{number}": (column, files.notation(column.name)) for number, column in enumerate(columns)
    }
    if person is not None:
        found["r"] = (None, files.notation(person))
    return {cell: (column, notation) for cell, (column, notation) in found.items() if notation.facts()}


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quoted_text(cell: str) -> str:
    """A cell as a text."""
    return f"CAST({cell} AS VARCHAR)"


def _words(cell: str, notation: Notation) -> list[str]:
    """Whether a text is one of the words for nothing, with blanks around it or without."""
    words = sorted({word.strip(shapes.BLANKS) for word in notation.missing or ()})
    if not words:
        return []
    bare = f"trim({quoted_text(cell)}, {quoted(shapes.BLANKS)})"
    return [f"{bare} IN ({', '.join(map(quoted, words))})"]


def _key(meant: str, kind: str) -> str:
    return f"CAST({quoted(meant)} AS {kind})"


def _number(text: str, notation: Notation) -> str:
    """A number in the declared form with a point before its fraction, without a declared sign; others as they are."""
    sign = notation.sign_shape()
    if sign is None:
        return _pointed(text, notation)
    # A sign of a currency beside anything but a number stays: the text is no number with it, and might be one without.
    bare = f"regexp_replace({text}, {quoted(sign)}, '', 'g')"
    signed = f"regexp_matches({text}, {quoted(sign)}) AND regexp_matches({bare}, {quoted(notation.signed_shape())})"
    return f"CASE WHEN {signed} THEN {_pointed(bare, notation)} ELSE {_pointed(text, notation)} END"


def _pointed(text: str, notation: Notation) -> str:
    """A number in the declared form with a point before its fraction; any other text as it is."""
    shape = notation.number_shape()
    if shape is None:
        return text
    decimal, group = notation.decimal or ".", notation.thousands or ""
    # Looking for a mark costs a tenth of matching a shape.
    marks = " OR ".join(f"contains({text}, {quoted(mark)})" for mark in (decimal, group) if mark and mark != ".")
    marked = f"({marks or 'true'}) AND " if group != "." else ""
    bare = f"replace({text}, {quoted(group)}, '')" if group else text
    pointed = f"replace({bare}, {quoted(decimal)}, '.')" if decimal != "." else bare
    return f"CASE WHEN {marked}regexp_matches({text}, {quoted(shape)}) THEN {pointed} ELSE {text} END"


def _date(cell: str, kind: str, notation: Notation) -> tuple[str, str]:
    """A date in one of the declared forms, the first that fits, as year, month and day; any other text as it is.

    Dates of nothing but digits are numbers, too, and a container may have stored them so: they are read by their value.
    """
    text, year = quoted_text(cell), notation.first_year or 1
    ways = []
    for form in notation.formats:
        if form.digits and kind in canonical.TEXT | canonical.WHOLE | canonical.REAL:
            number = canonical.number(cell, kind)
            whole = f"({number} >= 0 AND {number} < 1e{form.digits} AND {number} = floor({number}))"
            digits = f"lpad(CAST(TRY_CAST({number} AS BIGINT) AS VARCHAR), {form.digits}, '0')"
            ways.append(f"WHEN {whole} THEN {_joined(form, digits, year)}")
        elif not form.digits and kind in canonical.TEXT:
            ways.append(f"WHEN regexp_matches({text}, {quoted(form.shape)}) THEN {_joined(form, text, year)}")
    return (f"CASE {' '.join(ways)} ELSE {text} END", "VARCHAR") if ways else (cell, kind)


def _joined(form: DateFormat, text: str, first_year: int) -> str:
    """Year, month and day of a text that has this form, with dashes between them."""
    found = {
        part: f"regexp_extract({text}, {quoted(form.shape)}, {place})" for place, part in enumerate(form.order, start=1)
    }
    if "y" in found:
        century, start = divmod(first_year, 100)
        later = f"CASE WHEN {found['y']} >= '{start:02}' THEN '{century:02}' ELSE '{century + 1:02}' END"
        found["Y"] = f"({later} || {found['y']})"
    if "b" in found:
        place = f"strpos('{_MONTHS}', lower(left({found['b']}, 3)))"
        found["m"] = f"CAST(({place} + 2) // 3 AS VARCHAR)"
    return f"{found['Y']} || '-' || {found['m']} || '-' || {found['d']}"
