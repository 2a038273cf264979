"""A column as a form has it: texts in, a drafted column out, with mistakes in the words of `reaedp check`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from reaedp.contract.column import Trouble
from reaedp.contract.contract import KINDS
from reaedp.contract.document import FILL_IN
from reaedp.drafting.drafted import NEEDED, Drafted
from reaedp.drafting.words import plain_number
from reaedp.errors import DeclarationError, sentence
from reaedp.studio.form import Form

#: The kinds in words.
KIND_WORDS: Mapping[str, str] = {
    "": "Choose",
    "number": "Numbers, with fractions",
    "integer": "Whole numbers",
    "category": "One of several words or codes",
    "boolean": "Yes or no",
    "date": "Dates",
}
#: What else can be said of each kind besides what it needs.
MORE: Mapping[str, tuple[str, ...]] = {"number": ("edges",), "integer": ("width",)}
WORDING = ("unit_of_measure", "description")
TROUBLE_WORDS: Mapping[Trouble, str] = {
    "null": "Missing",
    "nan": "Not a number (NaN)",
    "infinite": "Infinite",
    "unparsable": "Unreadable",
    "unseen": "Undeclared word",
    "outside": "Out of range",
}
RULE_WORDS = (
    ("", "default"),
    ("cell", "their own cell"),
    ("nearest", "the nearest cell"),
    ("drop", "dropped with the row"),
)
#: The fields in words, as the page calls them.
FIELD_WORDS: Mapping[str, str] = {
    "kind": "what is in it",
    "levels": "its words or codes",
    "provenance": "how you know",
    "source": "which document",
    "lower": "the smallest",
    "upper": "the largest",
    "bins": "the number of bars",
    "width": "the numbers in one bar",
    "every": "a bar for every …",
    "edges": "borders between bars",
}
_DAY_WORDS: Mapping[str, str] = {"lower": "the first day", "upper": "the last day"}
#: Numbers with marks between thousands, which are also numbers with three digits behind a point.
_TWO_READINGS = re.compile(r"-?[1-9]\d{0,2}(\.\d{3})+")
#: Keys that no field has, and that stay as they are.
KEPT = ("entry",)


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """One card: the name, what stands in each field as text, and what is wrong with each."""

    name: str
    values: Mapping[str, str]
    mistakes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, column: Drafted) -> "ColumnForm":
        """The card of a column as the contract has it; open questions are empty fields."""
        texts = {key: _text(value) for key, value in column.facts.items() if value != FILL_IN}
        source = texts.get("provenance", "")
        if source.startswith("public: "):
            texts |= {"provenance": "file", "source": source.removeprefix("public: ")}
        return cls(column.name, {"label": column.label, **texts})

    @classmethod
    def sent(cls, form: Form, number: int) -> "ColumnForm":
        """The card as somebody filled it in; fields of other kinds than the chosen one do not count."""
        prefix = f"c{number}."
        name = form.raw(f"{prefix}name")
        fields = {key.removeprefix(prefix): form.text(key) for key in form.fields if key.startswith(prefix)}
        kind = fields.get("kind", "")
        own = {key.removeprefix(f"{kind}."): text for key, text in fields.items() if key.startswith(f"{kind}.")}
        common = {key: text for key, text in fields.items() if "." not in key and key != "name"}
        return cls(name, {**common, **own})

    def drafted(self, known: Drafted | None) -> Drafted:
        """The column, with marks for what is open; raises what is wrong with it."""
        kind = self.values.get("kind", "")
        label = self.values.get("label", "")
        if kind not in KINDS:
            return Drafted(self.name, label=label)
        self._refuse_two_readings(kind, known)
        made = Drafted(self.name, {"kind": kind, **self._facts(kind), **self._kept(kind, known)}, label)
        made.column()
        return made

    def _refuse_two_readings(self, kind: str, known: Drafted | None) -> None:
        """12.000 is twelve to some and twelve thousand to others; what the contract has already is meant as it is."""
        mistakes = []
        for key in ("lower", "upper") if kind in ("number", "integer") else ():
            text = self.values.get(key, "")
            if _TWO_READINGS.fullmatch(text) and (known is None or text != _text(known.facts.get(key))):
                whole, part = text.replace(".", ""), f"{float(text):g}" if text.count(".") == 1 else ""
                either = f"{whole}, or {part}{'' if '.' in part else '.0'}" if part else whole
                rule = f"columns.{self.name}.{key} can be read in two ways: write {either}"
                mistakes.append(sentence(rule, given=text))
        if mistakes:
            raise DeclarationError(*mistakes)

    def wrong(self, error: DeclarationError) -> "ColumnForm":
        """The same card with mistakes beside the fields of which they speak."""
        noted: dict[str, list[str]] = {}
        for mistake in error.mistakes:
            key = mistake.removeprefix(f"columns.{self.name}.").split(" ", 1)[0].rstrip(".")
            noted.setdefault(key if mistake.startswith(f"columns.{self.name}.") else "kind", []).append(mistake)
        return ColumnForm(self.name, self.values, noted)

    @property
    def open(self) -> tuple[str, ...]:
        """The fields that must be filled in and are not."""
        kind = self.values.get("kind", "")
        if kind not in KINDS:
            return ("kind",)
        needed = () if self.values.get("edges") else NEEDED.get(kind, ())
        source = ("source",) if self.values.get("provenance") == "file" else ()
        return tuple(key for key in (*needed, "provenance", *source) if not self.values.get(key))

    @property
    def open_words(self) -> str:
        """The same as the page calls them."""
        return ", ".join(self._called(key) for key in self.open)

    def _called(self, key: str) -> str:
        days = _DAY_WORDS if self.values.get("kind") == "date" else {}
        return days.get(key) or FIELD_WORDS.get(key, key)

    @property
    def troubles(self) -> Mapping[str, tuple[tuple[Trouble, str], ...]]:
        """What can go wrong with values of each kind, in words."""
        return {
            kind: tuple((trouble, TROUBLE_WORDS[trouble]) for trouble in made.troubles) for kind, made in KINDS.items()
        }

    def _facts(self, kind: str) -> dict[str, Any]:
        """In the order of a draft: what the kind needs, what else was said, and where it is from."""
        edges = self.values.get("edges", "") if kind == "number" else ""
        needed = () if edges else NEEDED.get(kind, ())
        rest = (*MORE.get(kind, ()), *WORDING, *KINDS[kind].troubles)
        facts = {key: _value(kind, key, text) if (text := self.values.get(key, "")) else FILL_IN for key in needed}
        facts |= {key: _value(kind, key, text) for key in rest if (text := self.values.get(key, ""))}
        return {**facts, "provenance": self._provenance() or FILL_IN}

    def _provenance(self) -> str:
        source = self.values.get("provenance", "")
        if source != "file":
            return source
        return f"public: {self.values['source']}" if self.values.get("source") else ""

    def _kept(self, kind: str, known: Drafted | None) -> dict[str, Any]:
        """What no field has stays, as long as the kind is the same and nothing else was said of where it is from."""
        if known is None or known.facts.get("kind") != kind or self.values.get("provenance") != "dp":
            return {}
        return {key: known.facts[key] for key in KEPT if key in known.facts}


def _value(kind: str, key: str, text: str) -> Any:
    """What a text means; one that means nothing stays a text, of which `check` has something to say."""
    if key == "levels":
        return [line.strip() for line in text.splitlines() if line.strip()]
    if key == "edges":
        parts = [plain_number(part) for part in text.replace(";", " ").replace(",", " ").split()]
        return text if None in parts else parts
    if kind == "date" and key in ("lower", "upper"):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return text
    if key in ("lower", "upper", "bins", "width"):
        value = plain_number(text)
        return text if value is None else value
    return text


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        plain = all(isinstance(part, str) for part in value)
        return "\n".join(value) if plain else ", ".join(map(_text, value))
    return f"{value:g}" if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)
