"""One variable as codebooks describe it, whatever their format, and the column that it makes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from reaedp.contract.meaning import Meaning, meaning
from reaedp.contract.notation import Notation
from reaedp.drafting.drafted import Drafted
from reaedp.drafting.words import plain_day, plain_number
from reaedp.errors import DeclarationError

#: The kind of column by the words that codebooks use for types.
KIND_OF_WORD: Mapping[str, str] = {
    **dict.fromkeys(("integer", "int", "long", "whole", "count", "year"), "integer"),
    **dict.fromkeys(("number", "numeric", "float", "double", "decimal", "real", "continuous"), "number"),
    **dict.fromkeys(("category", "categorical", "factor", "nominal", "ordinal", "code", "enum"), "category"),
    **dict.fromkeys(("boolean", "bool", "logical"), "boolean"),
    **dict.fromkeys(("date", "datetime", "timestamp", "time"), "date"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """What a codebook says: texts as they stand there, "" where it says nothing.

    `levels` are values with their labels, which may be empty.
    """

    name: str
    kind: str = ""
    lower: str = ""
    upper: str = ""
    bins: str = ""
    width: str = ""
    every: str = ""
    levels: tuple[tuple[str, str], ...] = ()
    label: str = ""
    missing: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    decimal: str = ""
    thousands: str = ""

    def drafted(self, provenance: str, labels: bool) -> Drafted:
        """The column; one of which no kind is known stays open."""
        notation = Notation(
            missing=self.missing or None,
            dates=tuple(one for one in self.dates if "%" in one) or None,
            decimal=self.decimal or None,
            thousands=self.thousands or None,
        )
        kind = self._kind()
        if kind is None:
            return Drafted(self.name, label=self.label, notation=notation)
        try:
            facts = self._facts(kind, labels)
            return Drafted.of(self.name, kind, provenance, facts, label=self.label, notation=notation)
        except DeclarationError as error:
            source = provenance.removeprefix("public: ")
            raise DeclarationError(*(f"{source}: {mistake}" for mistake in error.mistakes)) from None

    def _kind(self) -> str | None:
        """Listed values make a category of anything that is not measured."""
        word = KIND_OF_WORD.get(self.kind.lower())
        if self.levels and word not in ("boolean", "date") and not (self.lower and self.upper):
            return "category"
        whole = isinstance(plain_number(self.lower), int) and isinstance(plain_number(self.upper), int)
        if word is None and self.lower and self.upper and not self.kind:
            return "integer" if whole else "number" if plain_number(self.lower) is not None else None
        return word

    def _facts(self, kind: str, labels: bool) -> dict[str, object]:
        if kind == "boolean":
            return {}
        if kind == "category":
            named = [label if labels and label else value for value, label in self.levels]
            return {"levels": _different(named) or None}
        facts: dict[str, object] = {key: self._bound(kind, getattr(self, key)) for key in ("lower", "upper")}
        if kind == "date":
            return facts | {"every": self.every or None}
        extra = "bins" if kind == "number" else "width"
        return facts | {extra: plain_number(getattr(self, extra))}

    @staticmethod
    def _bound(kind: str, text: str) -> float | date | None:
        if kind == "date":
            return plain_day(text)
        value = plain_number(text)
        return int(value) if kind == "integer" and isinstance(value, float) and value.is_integer() else value


def _different(levels: list[str]) -> list[str]:
    """The levels, each meaning once: a codebook may list 1 and 01."""
    known: dict[Meaning, str] = {}
    for level in levels:
        known.setdefault(meaning(level), level)
    return list(known.values())
