"""Rules: what holds in every row by its nature, declared before the data is seen, as `[[rule]]` in a contract.

A rule is a public fact like the bounds of a column, and has a provenance as they do. No row of the data is looked at,
changed or left out for it: rules shape synthetic rows only.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reaedp.contract.category import Boolean, Category
from reaedp.contract.column import Column, names_public_source
from reaedp.contract.day import Date
from reaedp.contract.expression import Node, Sort, parse
from reaedp.errors import DeclarationError, Mistakes, repeated, sentence, unknown

#: A column is always this; this is never so; this is always so.
Act = Literal["set", "never", "always"]
#: Keys of a rule that are no columns.
WORDS = ("never", "always", "provenance", "description")
_EXAMPLE = 'Write hour = "time div 100", never = { age = "< 16", married = true } or always = "end >= start".'
_CONDITION = re.compile(r"\s*(<=|>=|!=|<>|==|<|>|=)\s*(.+?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRule:
    """A rule that every row obeys: a formula that sets a `column`, or a condition that never or always holds.

    With `act` "set", `column` always equals `expression`; with "never" or "always", the `expression` never or always
    holds. A row in which one of the columns in the expression is missing obeys the rule.

    >>> RowRule(act="set", column="hour", expression="time div 100", provenance="public").columns
    ('hour', 'time')
    """

    act: Act
    column: str | None = None
    expression: str
    provenance: str
    description: str | None = None

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        if isinstance(self.expression, str):
            try:
                parse(self.expression)
            except DeclarationError as error:
                mistakes.append(f"rule {repeated(self.expression)}: {error}. {_EXAMPLE}")
        else:
            mistakes.unless(False, "A rule must be a text", given=self.expression, remedy=_EXAMPLE)
        mistakes.unless(
            names_public_source(self.provenance),
            "A rule's provenance must be 'public' or 'public: FILE'",
            given=self.provenance,
            remedy="Write 'public' if it was known without looking at the data.",
        )
        words = self.description
        mistakes.unless(
            words is None or (isinstance(words, str) and 0 < len(words) <= 1_000 and words.isprintable()),
            "A rule's description must be 1 to 1,000 printable characters",
            given=words,
        )
        mistakes.report()

    @property
    def node(self) -> Node:
        """The expression as a tree."""
        return parse(self.expression)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that the rule mentions; the one that it sets comes first."""
        own = () if self.column is None else (self.column,)
        return tuple(dict.fromkeys([*own, *self.node.columns]))

    @property
    def title(self) -> str:
        """The rule in words."""
        return f"{self.column} = {self.expression}" if self.act == "set" else f"{self.act} {self.expression}"

    def facts(self) -> dict[str, str]:
        """The rule as it stands in a manifest."""
        told = {"act": self.act, "column": self.column, "expression": self.expression, "provenance": self.provenance}
        return {key: value for key, value in (told | {"description": self.description}).items() if value is not None}


def read_rule(table: Mapping[str, Any]) -> RowRule:
    """The rule that a `[[rule]]` of a contract declares."""
    acts = [key for key in table if key not in ("provenance", "description")]
    if len(acts) != 1:
        raise DeclarationError(
            sentence(
                "rule must set one column, or have one of never and always",
                given=sorted(map(str, acts)),
                remedy=_EXAMPLE,
            )
        )
    (key,) = acts
    if "provenance" not in table:
        raise DeclarationError("rule.provenance is missing.")
    act: Any = key if key in ("never", "always") else "set"
    text = _spelled(table[key]) if isinstance(table[key], dict) and act != "set" else table[key]
    return RowRule(
        act=act,
        column=key if act == "set" else None,
        expression=text,
        provenance=table["provenance"],
        description=table.get("description"),
    )


def _spelled(conditions: Mapping[str, Any]) -> str:
    """`{ age = "< 16", married = true }` as an expression."""
    if not conditions:
        raise DeclarationError(f"A rule must have one condition or more. {_EXAMPLE}")
    return " and ".join(f"{_name(name)} {_condition(value)}" for name, value in conditions.items())


def _name(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f"`{name}`"


def _condition(value: Any) -> str:
    """A value, or a sign and a value; texts that are no numbers stand in quotes."""
    if isinstance(value, bool):
        return f"= {str(value).lower()}"
    if isinstance(value, int | float):
        return f"= {value!r}"
    if not isinstance(value, str):
        raise DeclarationError(
            f"A condition must be a value, or a sign and a value; given {repeated(value)}. {_EXAMPLE}"
        )
    signed = _CONDITION.fullmatch(value)
    sign, rest = (signed[1], signed[2]) if signed else ("=", value)
    quoted = rest.startswith("'") or re.fullmatch(r"-?[0-9.]+(?:[eE][+-]?[0-9]+)?|true|false", rest)
    return f"{sign} {rest}" if signed and quoted else f"{sign} '{rest}'"


def sort_of(column: Column) -> Sort:
    """What an expression takes the values of a column for."""
    kinds: list[tuple[type[Column], Sort]] = [(Boolean, "truth"), (Category, "text"), (Date, "day")]
    return next((sort for kind, sort in kinds if isinstance(column, kind)), "number")


def note_rules(rules: Sequence[RowRule], columns: Sequence[Column], mistakes: Mistakes) -> None:
    """Note rules about unknown columns, of sorts that do not fit, and in an order that cannot be followed."""
    sorts = {column.name: sort_of(column) for column in columns}
    set_later = [rule.column for rule in rules if rule.column is not None]
    for rule in rules:
        strange = [name for name in rule.columns if name not in sorts]
        mistakes.extend(f"rule {rule.title!r}: {unknown('column', name, sorts)}" for name in strange)
        if not strange:
            _note_sorts(rule, sorts, mistakes)
        if rule.column is not None:
            _note_order(rule, set_later, mistakes)
            set_later.remove(rule.column)


def _note_sorts(rule: RowRule, sorts: Mapping[str, Sort], mistakes: Mistakes) -> None:
    wanted = "truth" if rule.column is None else sorts[rule.column]
    try:
        given = rule.node.sort(sorts)
    except DeclarationError as error:
        mistakes.append(f"rule {rule.title!r}: {error}.")
        return
    mistakes.unless(given == wanted, f"rule {rule.title!r} must give a {wanted}", given=given)


def _note_order(rule: RowRule, set_later: Sequence[str], mistakes: Mistakes) -> None:
    mistakes.unless(set_later.count(str(rule.column)) == 1, "Only one rule may set a column", given=rule.column)
    early = [name for name in rule.node.columns if name in set_later]
    mistakes.unless(
        not early,
        f"rule {rule.title!r} must come after the rules that set its columns",
        given=early,
        remedy="A column cannot depend on itself.",
    )
