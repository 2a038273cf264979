"""Expressions of rules: a small language of numbers, names of columns and comparisons, evaluated here alone.

`time div 100`, `min(lunch, 12) + 1`, `arrival >= departure`, `sex = 'f' and not married`, `year(born) = joined`.
A name with other characters than letters, digits and _ stands in backticks or double quotes, a text in single ones.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.errors import DeclarationError

#: What an expression can be: a number, true or false, a text, or a day.
Sort = Literal["number", "truth", "text", "day"]
#: Characters of an expression, and parts of it within others.
LONGEST, DEEPEST = 1_000, 20


class Found(NamedTuple):
    """Values, and where there are none."""

    values: NDArray[Any]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression: an operation on other parts, a column, or a constant."""

    act: str
    parts: tuple["Node", ...] = ()
    constant: Any = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in it, each once."""
        own = (self.constant,) if self.act == "column" else ()
        return tuple(dict.fromkeys([*own, *(name for part in self.parts for name in part.columns)]))

    def sort(self, sorts: Mapping[str, Sort]) -> Sort:
        """What it gives if columns are of these sorts, or an error that says what does not fit."""
        if self.act == "column":
            return sorts[self.constant]
        if self.act == "constant":
            return _SORTS[type(self.constant)]
        takes, gives = _SIGNATURES[self.act]
        given = [part.sort(sorts) for part in self.parts]
        if self.act in _COMPARED:
            _check_compared(self.act, self.parts, given)
        elif any(sort != takes for sort in given):
            raise DeclarationError(
                f"{self.act!r} needs {_WORDS[takes]}, not {_WORDS[next(s for s in given if s != takes)]}"
            )
        return gives

    def evaluate(self, columns: Mapping[str, NDArray[Any]], rows: int) -> Found:
        """Its value in every row; there is none where a column has none, or where a number is divided by zero."""
        if self.act == "column":
            found = columns[self.constant]
            return Found(_plain(np.ma.getdata(found)), np.ma.getmaskarray(found))
        if self.act == "constant":
            return Found(_plain(np.full(rows, self.constant, dtype=_TYPES[type(self.constant)])), np.zeros(rows, bool))
        parts = [part.evaluate(columns, rows) for part in self.parts]
        missing = np.logical_or.reduce([part.missing for part in parts])
        values = [part.values for part in parts]
        if self.act in ("div", "mod", "/"):
            missing = missing | (values[1] == 0)
        with np.errstate(all="ignore"):
            return Found(np.asarray(_ACTS[self.act](*_alike(self.act, values))), missing)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as doubles, days as days."""
    if values.dtype == object and len(values) and isinstance(values[0], date):
        return values.astype("datetime64[D]")
    return values.astype(np.float64) if values.dtype.kind in "iuf" else values


def _alike(act: str, values: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """A text that is compared with days is a day."""
    if act in _COMPARED and any(value.dtype.kind == "M" for value in values):
        return [value.astype("datetime64[D]") for value in values]
    return values


def _part_of_day(unit: str, origin: int) -> Callable[[NDArray[Any]], NDArray[Any]]:
    whole = {"Y": "Y", "M": "Y", "D": "M"}[unit]

    def part(days: NDArray[Any]) -> NDArray[Any]:
        found = days.astype(f"datetime64[{unit}]")
        start = np.datetime64("1970", "Y") if unit == "Y" else days.astype(f"datetime64[{whole}]").astype(found.dtype)
        return (found - start).astype(np.float64) + origin

    return part


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_ACTS: dict[str, Callable[..., Any]] = {
    **_COMPARED,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "div": np.floor_divide,
    "mod": np.mod,
    "negative": np.negative,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "min": np.minimum,
    "max": np.maximum,
    "round": np.rint,
    "floor": np.floor,
    "abs": np.abs,
    "year": _part_of_day("Y", 1970),
    "month": _part_of_day("M", 1),
    "day": _part_of_day("D", 1),
}
_SIGNATURES: dict[str, tuple[Sort, Sort]] = {
    **dict.fromkeys(_COMPARED, ("number", "truth")),
    **dict.fromkeys(
        ("+", "-", "*", "/", "div", "mod", "negative", "min", "max", "round", "floor", "abs"), ("number", "number")
    ),
    **dict.fromkeys(("and", "or", "not"), ("truth", "truth")),
    **dict.fromkeys(("year", "month", "day"), ("day", "number")),
}
#: Functions, and how many parts they take.
_FUNCTIONS = {"min": 2, "max": 2, "round": 1, "floor": 1, "abs": 1, "year": 1, "month": 1, "day": 1}
_SORTS: dict[type, Sort] = {float: "number", bool: "truth", str: "text"}
_TYPES: dict[type, Any] = {float: np.float64, bool: np.bool_, str: object}
_WORDS = {"number": "a number", "truth": "true or false", "text": "a text", "day": "a day"}


def _check_compared(act: str, parts: tuple[Node, ...], given: list[Sort]) -> None:
    """Numbers with numbers, days with days or ISO texts; names and truth values only for equality."""
    sorts = set(given)
    if sorts == {"day", "text"} and all(
        _is_day(part.constant) for part, s in zip(parts, given, strict=True) if s == "text"
    ):
        return
    if len(sorts) > 1:
        raise DeclarationError(f"{act!r} cannot compare {_WORDS[given[0]]} with {_WORDS[given[1]]}")
    if act not in ("=", "!=") and not sorts & {"number", "day"}:
        raise DeclarationError(f"{act!r} needs numbers or days, not {_WORDS[given[0]]}")


def _is_day(text: object) -> bool:
    try:
        date.fromisoformat(str(text))
    except ValueError:
        return False
    return True


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<text>'[^']*')|(?P<quoted>`[^`]+`|\"[^\"]+\")"
    r"|(?P<word>[^\W\d]\w*)|(?P<sign><=|>=|!=|<>|==|[-+*/()<>=,]))"
)


def parse(text: str) -> Node:
    """The expression that a text says, or an error that shows where it stops making sense."""
    if len(text) > LONGEST:
        raise DeclarationError(f"an expression must be at most {LONGEST:,} characters long")
    reader = _Reader(list(_tokens(text)), text)
    found = reader.either(0)
    if reader.left:
        raise reader.lost()
    return found


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        token = _TOKEN.match(text, at)
        if token is None:
            raise DeclarationError(f"{text[at:].strip()[:20]!r} is not understood in {text!r}")
        assert token.lastgroup is not None
        yield token.lastgroup, token[token.lastgroup]
        at = token.end()


class _Reader:
    """Reads tokens from the loosest operation, `or`, to the tightest."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self.tokens, self.text, self.at = tokens, text, 0

    @property
    def left(self) -> bool:
        return self.at < len(self.tokens)

    def lost(self) -> DeclarationError:
        where = f"before {self.tokens[self.at][1]!r}" if self.left else "at the end"
        return DeclarationError(f"something is missing or unexpected {where} of {self.text!r}")

    def next_is(self, *words: str) -> str | None:
        """Take the next token if it is one of these words or signs."""
        if self.left and self.tokens[self.at][0] in ("word", "sign") and self.tokens[self.at][1].lower() in words:
            self.at += 1
            return self.tokens[self.at - 1][1].lower()
        return None

    def either(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise DeclarationError(f"an expression must be nested at most {DEEPEST} deep")
        found = self.both(depth)
        while self.next_is("or"):
            found = Node("or", (found, self.both(depth)))
        return found

    def both(self, depth: int) -> Node:
        found = self.denied(depth)
        while self.next_is("and"):
            found = Node("and", (found, self.denied(depth)))
        return found

    def denied(self, depth: int) -> Node:
        if self.next_is("not"):
            return Node("not", (self.denied(depth + 1) if depth < DEEPEST else self.either(depth + 1),))
        return self.compared(depth)

    def compared(self, depth: int) -> Node:
        found = self.sum(depth)
        if sign := self.next_is("<=", ">=", "!=", "<>", "==", "<", ">", "="):
            return Node({"==": "=", "<>": "!="}.get(sign, sign), (found, self.sum(depth)))
        return found

    def sum(self, depth: int) -> Node:
        found = self.product(depth)
        while sign := self.next_is("+", "-"):
            found = Node(sign, (found, self.product(depth)))
        return found

    def product(self, depth: int) -> Node:
        found = self.single(depth)
        while sign := self.next_is("*", "/", "div", "mod"):
            found = Node(sign, (found, self.single(depth)))
        return found

    def single(self, depth: int) -> Node:
        """A constant, a column, a function, or an expression in parentheses."""
        if self.next_is("-"):
            return Node("negative", (self.single(depth + 1) if depth < DEEPEST else self.either(depth + 1),))
        if self.next_is("("):
            return self._closed(self.either(depth + 1))
        if not self.left:
            raise self.lost()
        kind, token = self.tokens[self.at]
        if kind == "sign" or (kind == "word" and token.lower() in ("and", "or", "not", "div", "mod")):
            raise self.lost()
        self.at += 1
        if kind == "word" and token.lower() in _FUNCTIONS and self.next_is("("):
            return self._function(token.lower(), depth)
        if kind == "word" and token.lower() in ("true", "false"):
            return Node("constant", constant=token.lower() == "true")
        constants = {"number": float, "text": lambda text: text[1:-1]}
        if kind in constants:
            return Node("constant", constant=constants[kind](token))
        return Node("column", constant=token[1:-1] if kind == "quoted" else token)

    def _function(self, name: str, depth: int) -> Node:
        parts = [self.either(depth + 1)]
        while self.next_is(","):
            parts.append(self.either(depth + 1))
        if len(parts) != _FUNCTIONS[name]:
            raise DeclarationError(f"{name} takes {_FUNCTIONS[name]} of them, not {len(parts)}, in {self.text!r}")
        return self._closed(Node(name, tuple(parts)))

    def _closed(self, found: Node) -> Node:
        if not self.next_is(")"):
            raise self.lost()
        return found
