"""Questions as people write them: `mean income by sex where age >= 40`.

    count                        rows; also `how many`, `number of rows`
    share of CONDITION           of rows that meet it; `share of COLUMN` of each of its values
    mean COLUMN, sum COLUMN      also `average`, `total`
    median COLUMN, quantile 0.9 of COLUMN, 90th percentile of COLUMN
    difference of …  between CONDITION and CONDITION, and ratio of … likewise

Any of them may be followed by `by COLUMN, COLUMN` and `where CONDITION and CONDITION`. A name with blanks or signs
stands in backticks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from reaedp.contract import Boolean, Category, Column
from reaedp.contract.expression import Node
from reaedp.errors import DeclarationError, unknown
from reaedp.synthesis.conditions import read_condition

Figure = Literal["count", "share", "mean", "sum", "quantile"]
Comparison = Literal["difference", "ratio"]
#: Characters of a question.
LONGEST = 1_000

_CLAUSE = re.compile(r"\b(by|where|between)\b(?=(?:[^`\"']|`[^`]*`|\"[^\"]*\"|'[^']*')*$)", re.IGNORECASE)
_FILLERS = re.compile(r"^(?:what (?:is|are)|show|give(?: me)?|tell(?: me)?|the)\s+", re.IGNORECASE)
_HEADS: tuple[tuple[str, Figure], ...] = (
    (r"(?:how many(?: rows)?|number of rows|counts?(?: of rows)?|rows)(?: of (?P<of>.+))?", "count"),
    (r"(?:shares?|proportions?|percentages?|fractions?)(?: of (?P<of>.+))?", "share"),
    (r"(?:means?|averages?|avg)(?: of)? (?P<of>.+)", "mean"),
    (r"(?:sums?|totals?)(?: of)? (?P<of>.+)", "sum"),
    (r"(?P<half>medians?)(?: of)? (?P<of>.+)", "quantile"),
    (r"quantile (?P<at>0?\.\d+|0|1)(?: of)? (?P<of>.+)", "quantile"),
    (r"(?P<at>0?\.\d+)[ -]quantile(?: of)? (?P<of>.+)", "quantile"),
    (r"percentile (?P<percent>\d+(?:\.\d+)?)(?: of)? (?P<of>.+)", "quantile"),
    (r"(?P<percent>\d+(?:\.\d+)?)(?:st|nd|rd|th)? percentile(?: of)? (?P<of>.+)", "quantile"),
    (r"p(?P<percent>\d+(?:\.\d+)?)(?: of)? (?P<of>.+)", "quantile"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A `figure`, of a column or of rows, in groups `by` columns, of the rows that meet `where`."""

    text: str
    figure: Figure
    of: str | None = None
    #: The rank of a quantile, as a share of the rows.
    at: float | None = None
    #: The condition whose share is asked for, column by column.
    part: dict[str, Node] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    where: dict[str, Node] = field(default_factory=dict)
    comparison: Comparison | None = None
    between: tuple[dict[str, Node], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that matters for the answer, each once."""
        own = () if self.of is None else (self.of,)
        conditions = [name for condition in (self.part, self.where, *self.between) for name in condition]
        return tuple(dict.fromkeys([*self.by, *own, *conditions]))


def read_question(text: str, axes: Sequence[Column]) -> Question:
    """What a text asks of these columns, or an error that shows what could be asked."""
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise DeclarationError(f"A question must be a text of 1 to {LONGEST:,} characters. Ask {examples(axes)}.")
    head, clauses = _clauses(text.strip().rstrip("?").strip(), axes)
    comparison, head = _comparison(head)
    if (comparison is None) != ("between" not in clauses):
        raise DeclarationError(
            f"A difference or ratio needs two groups: `between CONDITION and CONDITION`. Ask {examples(axes)}."
        )
    where = read_condition(clauses["where"], axes) if "where" in clauses else {}
    by = tuple(_column(name, axes) for name in _listed(clauses.get("by", "")))
    groups = tuple(read_condition(one, axes) for one in _two(clauses["between"], axes)) if comparison else ()
    figure, of, at = _figure(head, axes)
    if figure == "share" and of is None and not by:
        raise DeclarationError(
            f"A share must say of which rows: `share of CONDITION`, or `share by COLUMN`; given {text!r}. Ask"
            f" {examples(axes)}."
        )
    part: dict[str, Node] = {}
    column: str | None = None
    if of is not None and figure in ("count", "share"):
        column, part = _counted(of, axes)
        if figure == "count" and column is not None:
            by, column = (*by, column), None
    elif of is not None:
        column = _measured(of, figure, axes)
    return Question(text, figure, column, at, part, by, where, comparison, groups)


def examples(axes: Sequence[Column]) -> str:
    """Questions that could be asked about these columns."""
    number = next((axis.name for axis in axes if axis.ends is not None), None)
    names = [axis for axis in axes if isinstance(axis, Category | Boolean)]
    group = f" by {names[0].name}" if names else ""
    found = [f"`count{group}`"]
    if number is not None:
        found += [f"`mean {number}{group}`", f"`median {number}`"]
    if names:
        found.append(f"`share of {names[0].name} = {names[0].labels[0]}`")
    if number is not None and names and len(names[0].labels) > 1:
        one, other = names[0].labels[:2]
        found.append(f"`difference of mean {number} between {names[0].name} = {one} and {names[0].name} = {other}`")
    return ", ".join(found)


def _clauses(text: str, axes: Sequence[Column]) -> tuple[str, dict[str, str]]:
    """What comes before the first clause, and the clauses by their first words."""
    found = list(_CLAUSE.finditer(text))
    head = _FILLERS.sub("", _FILLERS.sub("", text[: found[0].start()] if found else text)).strip()
    ends = [match.start() for match in found[1:]] + [len(text)] * bool(found)
    clauses: dict[str, str] = {}
    for match, end in zip(found, ends, strict=True):
        word, content = match[1].lower(), text[match.end() : end].strip()
        if word in clauses or not content:
            raise DeclarationError(
                f"`{word}` must stand once, with something after it; given {text!r}. Ask {examples(axes)}."
            )
        clauses[word] = content
    return head, clauses


def _comparison(head: str) -> tuple[Comparison | None, str]:
    for word in ("difference", "ratio"):
        if found := re.fullmatch(rf"{word}s?(?: of| in)? (.+)", head, re.IGNORECASE):
            return word, _FILLERS.sub("", found[1])
    return None, head


def _two(text: str, axes: Sequence[Column]) -> list[str]:
    """The two conditions that `and` separates."""
    parts = re.split(r"\s+and\s+", text, flags=re.IGNORECASE)
    if len(parts) != 2:
        raise DeclarationError(
            f"`between` needs two conditions with `and` between them; given {text!r}. Ask {examples(axes)}."
        )
    return parts


def _figure(head: str, axes: Sequence[Column]) -> tuple[Figure, str | None, float | None]:
    for pattern, figure in _HEADS:
        if found := re.fullmatch(pattern, head, re.IGNORECASE):
            told = found.groupdict()
            at = 0.5 if told.get("half") else float(told["at"]) if told.get("at") else None
            at = float(told["percent"]) / 100 if told.get("percent") else at
            if at is not None and not 0 <= at <= 1:
                raise DeclarationError(
                    f"A quantile's rank must lie between 0 and 1, a percentile between 0 and 100; given {head!r}."
                )
            return figure, told.get("of"), at
    raise DeclarationError(f"The question {head!r} is not understood. Ask {examples(axes)}.")


def _counted(text: str, axes: Sequence[Column]) -> tuple[str | None, dict[str, Node]]:
    """A column, each of whose values is counted, or a condition."""
    name = _known(text, axes)
    return (name, {}) if name is not None else (None, read_condition(text, axes))


def _measured(text: str, figure: Figure, axes: Sequence[Column]) -> str:
    name = _column(text, axes)
    axis = next(axis for axis in axes if axis.name == name)
    if axis.ends is None and not (isinstance(axis, Boolean) and figure in ("mean", "sum")):
        raise DeclarationError(
            f"A {figure} needs a column of numbers or dates; {name!r} is of kind {axis.kind}. Ask {examples(axes)}."
        )
    return name


def _listed(text: str) -> list[str]:
    return [part.strip() for part in re.split(r",|\s+and\s+|\s+×\s+", text) if part.strip()]


def _known(text: str, axes: Sequence[Column]) -> str | None:
    """The column of this name, in whatever case, if there is one."""
    bare = text.strip().strip('`"').strip()
    names = [axis.name for axis in axes]
    alike = [name for name in names if name.lower() == bare.lower()]
    return bare if bare in names else alike[0] if len(alike) == 1 else None


def _column(text: str, axes: Sequence[Column]) -> str:
    name = _known(text, axes)
    if name is None:
        raise DeclarationError(f"{unknown('column', text.strip(), [axis.name for axis in axes])} Ask {examples(axes)}.")
    return name
