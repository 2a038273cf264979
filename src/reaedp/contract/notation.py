"""How numbers and dates are written in the texts of a file, and which words mean that there is nothing."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reaedp.contract import shapes
from reaedp.contract.column import whole
from reaedp.errors import Mistakes

#: What stands before the fraction of a number, and what may stand between groups of three digits.
DECIMALS = (".", ",")
THOUSANDS = ("", ".", ",", " ", "'", "_", "\u00a0", "\u202f", "\u2019")
#: Words for nothing that a column can have; signs beside numbers, and letters of one.
MOST_WORDS, MOST_SIGNS, LONGEST_SIGN = 1_000, 20, 12
#: What signs beside numbers are made of, besides letters and signs of currencies.
_OF_SIGNS = "%‰°/²³µ"
#: A number as everybody writes it, without blanks.
_PLAIN_NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
_BLANK = f"[{shapes.BLANKS}]*"
#: The months in English, whose first three letters tell them apart.
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_FORMAT = re.compile(r"(%[Yymdb])([-/., ]*)(%[Yymdb])([-/., ]*)(%[Yymdb])([ T]%H:%M(?::%S)?)?")
#: Orders of a date's parts; a year that comes first is followed by the month, as everywhere.
_ORDERS = ("dmy", "mdy", "ymd")
_CLOCK = "[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9]"
_SECONDS = ":[0-5][0-9](?:[.][0-9]*)?"


def _of_any_case(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)


#: The name of a month, whole or its first three letters.
_MONTH = "|".join(_of_any_case(name[:3]) + (f"(?:{_of_any_case(name[3:])})?" if name[3:] else "") for name in MONTHS)
_PARTS = {"Y": "[0-9]{4}", "y": "[0-9]{2}", "m": "[0-9]{1,2}", "d": "[0-9]{1,2}", "b": _MONTH}


@dataclass(frozen=True, slots=True)
class DateFormat:
    """Dates as one format writes them: the shape of the text, and which of its groups are year, month and day.

    A format has a year (%Y, or %y with two digits), a month (%m, or %b for its name in English) and a day (%d), all
    with marks between them or all without; a time may follow, ` %H:%M` or ` %H:%M:%S`, which is passed over.
    """

    text: str

    @property
    def _found(self) -> tuple[str, ...]:
        """Three parts, the two marks between them, and the time."""
        found = _FORMAT.fullmatch(self.text)
        if found is None:
            return ("", "", "", "", "", "")
        first, mark, second, other, third, time = found.groups(default="")
        return (first[1], second[1], third[1], mark, other, time)

    @property
    def order(self) -> str:
        """The order of day, month and year, a letter for each."""
        return "".join(self._found[:3])

    @property
    def sound(self) -> bool:
        """Whether it names each of year, month and day once, in a usual order, so that no two parts run together."""
        marks = self._found[3:5]
        return self.order.lower().replace("b", "m") in _ORDERS and all(marks) == any(marks)

    @property
    def short_year(self) -> bool:
        """Whether its years have two digits."""
        return "y" in self.order

    @property
    def digits(self) -> int:
        """How many digits its dates have, if they have nothing else: those may be stored as a number; else 0."""
        *_, mark, _other, time = self._found
        return 0 if mark or time or "b" in self.order else 6 + 2 * ("Y" in self.order)

    @property
    def shape(self) -> str:
        """A regular expression that means the same in every engine, with one group for each part."""
        *_, mark, other, time = self._found
        parts = [f"({_PARTS[part] if mark else _PARTS[part].replace('1,', '')})" for part in self.order]
        marks = ["".join(f"[{sign}]" for sign in signs) for signs in (mark, other)]
        clock = (_CLOCK + (_SECONDS if time.endswith("%S") else "")) if time else ""
        return f"^{_BLANK}{parts[0]}{marks[0]}{parts[1]}{marks[1]}{parts[2]}{clock}{_BLANK}$"


def _is_sign(sign: object) -> bool:
    return (
        isinstance(sign, str)
        and 0 < len(sign) <= LONGEST_SIGN
        and all(letter.isalpha() or unicodedata.category(letter) == "Sc" or letter in _OF_SIGNS for letter in sign)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How texts are written: those of one column, or of all that say nothing else. What is None is as everywhere.

    A text that has the declared form is read by it, any other as if nothing were declared: a number that is stored as a
    number, or printed by a program, stays the same number.
    """

    decimal: str | None = None
    thousands: str | None = None
    dates: tuple[str, ...] | None = None
    first_year: int | None = None
    missing: tuple[str, ...] | None = None
    signs: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for key in ("dates", "missing", "signs"):  # one is a list of one
            if isinstance(getattr(self, key), str):
                object.__setattr__(self, key, (getattr(self, key),))
        mistakes = Mistakes()
        self.note_mistakes(mistakes)
        mistakes.report()

    @property
    def place(self) -> str:
        """The table in which it is declared."""
        return "files"

    def where(self, key: str) -> str:
        """The key's full name, as messages use it."""
        return f"{self.place}.{key}"

    def facts(self) -> dict[str, Any]:
        """What was given, and nothing else, so that keys which are added later change no fingerprint."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key in ("decimal", "thousands", "dates", "first_year", "missing", "signs")
            if (value := getattr(self, key)) is not None
        }

    @property
    def formats(self) -> tuple[DateFormat, ...]:
        """The declared forms of dates."""
        return tuple(map(DateFormat, self.dates or ()))

    def number_shape(self) -> str | None:
        """The shape of a number in the declared form that is none as everywhere; None if nothing differs.

        Numbers in groups have no exponent: a program that prints one tells its number from a grouped one by that.
        """
        decimal, group = (f"[{mark}]" if mark else "" for mark in (self.decimal or ".", self.thousands or ""))
        exponent = "([eE][+-]?[0-9]+)?"
        ways = [f"[0-9]+{decimal}[0-9]*{exponent}", f"{decimal}[0-9]+{exponent}"] if decimal != "[.]" else []
        if group:
            ways.insert(0, f"[0-9]{{1,3}}({group}[0-9]{{3}})+({decimal}[0-9]*)?")
        return f"^{_BLANK}[+-]?({'|'.join(ways)}){_BLANK}$" if ways else None

    def sign_shape(self) -> str | None:
        """The shape of a declared sign at the beginning or the end of a text, with the blanks around it."""
        if not self.signs:
            return None
        # No letter has to be escaped within brackets.
        known = "|".join(
            "".join(f"[{letter}]" for letter in sign) for sign in sorted(self.signs, key=len, reverse=True)
        )
        blank = f"[{shapes.BLANKS}\u00a0\u202f]*"
        return f"^{blank}({known}){blank}|{blank}({known}){blank}$"

    def signed_shape(self) -> str:
        """The shape of what is left of a number without its sign, in the declared form or as everywhere."""
        declared = self.number_shape()
        plain = f"^{_BLANK}{_PLAIN_NUMBER}{_BLANK}$"
        return plain if declared is None else f"{plain}|{declared}"

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        self._note(
            mistakes,
            "signs",
            lambda signs: isinstance(signs, tuple) and len(signs) <= MOST_SIGNS and all(map(_is_sign, signs)),
            f"be a list of at most {MOST_SIGNS} signs of 1 to {LONGEST_SIGN} letters, signs of currencies or any of"
            f" {_OF_SIGNS}",
            remedy='For example signs = ["€", "%"]: they may come before or after a number, and are ignored.',
        )
        self._note(mistakes, "decimal", DECIMALS.__contains__, 'be "." or ","')
        rule = 'be a point, a comma, a blank, an apostrophe, _ or "" for none'
        self._note(mistakes, "thousands", THOUSANDS.__contains__, rule)
        self._note(
            mistakes,
            "thousands",
            lambda mark: mark != (self.decimal or "."),
            f"differ from the decimal mark, which is {self.decimal or '.'!r}",
            remedy='Write thousands = "" if there is none.',
        )
        self._note_dates(mistakes)
        self._note(
            mistakes,
            "missing",
            lambda words: (
                isinstance(words, tuple) and len(words) <= MOST_WORDS and all(isinstance(word, str) for word in words)
            ),
            f"be a list of at most {MOST_WORDS:,} strings",
            remedy='Numbers are written as strings too, such as missing = ["NA", "-9"].',
        )

    def _note(self, mistakes: Mistakes, key: str, holds: Callable[[Any], bool], rule: str, *, remedy: str = "") -> None:
        """Note a key that is given and does not do what it must."""
        given = getattr(self, key)
        mistakes.unless(given is None or holds(given), f"{self.where(key)} must {rule}", given=given, remedy=remedy)

    def _note_dates(self, mistakes: Mistakes) -> None:
        given = self.dates
        texts = given is None or (isinstance(given, tuple) and all(isinstance(text, str) for text in given))
        wrong = [one.text for one in self.formats if not one.sound] if texts else given
        mistakes.unless(
            not wrong,
            f"{self.where('dates')} must be formats of a day, a month and a year such as %d.%m.%Y or %m/%d/%Y",
            given=wrong,
            remedy="%Y is a year, %y one of two digits, %m a month, %b its English name, %d a day; a time may follow as"
            " %H:%M or %H:%M:%S.",
        )
        short = texts and not wrong and any(one.short_year for one in self.formats)
        mistakes.unless(
            whole(self.first_year, 1, 9900) if short or self.first_year is not None else True,
            f"{self.where('first_year')} must be the first of the hundred years that two digits (%y) stand for",
            given=self.first_year,
            remedy="With first_year = 1930, 29 is 2029 and 30 is 1930.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNotation(Notation):
    """How the texts of one `column` are written, where that differs from what `Files` says about all columns.

    `decimal` is the decimal mark, `thousands` the mark between groups of three digits, `dates` are formats such as
    %d.%m.%Y, and `first_year` is the first of the hundred years that %y can mean. `missing` lists texts that mean "no
    value"; `signs`, such as "€", may stand beside a number and are ignored.

    >>> weight = ColumnNotation(column="weight", decimal=",", missing=("-9",))
    >>> Files(missing=("NA",), columns=(weight,)).notation("weight").missing
    ('-9',)
    """

    column: str

    @property
    def place(self) -> str:
        """The table in which it is declared."""
        return f"files.columns.{self.column}"
