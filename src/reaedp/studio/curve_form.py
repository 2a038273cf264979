"""The form of a curve: measurements over time, and what is public about them before any is seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaedp.contract.curve import Curve
from reaedp.contract.document import declare
from reaedp.drafting.words import plain_number
from reaedp.errors import DeclarationError, Mistakes
from reaedp.studio.form import Form

#: The fields in words, in the order of the page; each is a key of the contract.
LABELS: Mapping[str, str] = {
    "name": "Name of the curve",
    "label": "Title for readers",
    "unit_of_measure": "Unit of measure",
    "form": "How is it written?",
    "points": "Which columns, one for each time?",
    "at": "The times of these columns",
    "id": "Which column says whose measurement it is?",
    "time": "Which column is the time?",
    "value": "Which column is the measurement?",
    "start": "The curve begins at",
    "end": "The curve ends at",
    "offset": "What is expected",
    "clip": "How far may a curve be from that?",
    "basis": "What shape does it have?",
    "rank": "How much detail?",
    "missing": "Points that are missing",
    "provenance": "How do you know?",
}
FORMS = {"wide": "A row for each curve, a column for each time", "long": "A row for each measurement"}
BASES = {
    "fourier": "It repeats itself, as a day or a year does",
    "bspline": "It is smooth",
    "wiener": "It is rough, and begins at what is expected",
}
MISSING = {
    "interpolate": "are drawn between their neighbours",
    "zero": "are taken as what is expected",
    "drop": "leave the whole curve out",
}
PROVENANCES = {"public": "It is public knowledge"}
_OF_FORM = {"wide": ("points", "at"), "long": ("id", "time", "value")}
_WORDS = ("label", "unit_of_measure", "basis", "missing", "provenance")
_NUMBERS = ("offset", "clip", "rank")


@dataclass(frozen=True, slots=True)
class CurveForm:
    """What stands in each field as text, the columns that are ticked, and what is wrong with each field."""

    values: Mapping[str, str] = field(default_factory=dict)
    points: Sequence[str] = ()
    mistakes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, facts: Mapping[str, Any]) -> "CurveForm":
        """The form of a curve as the contract has it."""
        values = {key: _text(value) for key, value in facts.items()}
        interval = facts.get("interval")
        if isinstance(interval, list) and len(interval) == 2:
            values |= {"start": _text(interval[0]), "end": _text(interval[1])}
        points = facts.get("points")
        return cls({**values, "name": name}, [str(one) for one in points] if isinstance(points, list) else ())

    @classmethod
    def sent(cls, form: Form) -> "CurveForm":
        """The form as somebody filled it in; names of columns may have blanks around them."""
        names = {key: form.raw(key) for key in _OF_FORM["long"]}
        return cls({key: form.text(key) for key in LABELS} | names, form.texts("points"))

    def facts(self) -> dict[str, Any]:
        """The keys of the contract, in its order; raises all that is wrong, in the words of the page."""
        facts = {"form": self.values.get("form", ""), **self._of_form()}
        facts |= {"interval": [_value(self.values.get(key, "")) for key in ("start", "end")]}
        facts |= {key: _value(text) for key in _NUMBERS if (text := self.values.get(key, ""))}
        facts |= {key: text for key in _WORDS if (text := self.values.get(key, ""))}
        mistakes = Mistakes()
        declare(Curve, facts, f"curves.{self.name}", mistakes, name=self.name)
        if mistakes:
            raise DeclarationError(*(self._worded(mistake) for mistake in self._open() or mistakes))
        return facts

    @property
    def name(self) -> str:
        """What plans call it."""
        return self.values.get("name", "")

    def wrong(self, error: DeclarationError) -> "CurveForm":
        """The same with mistakes beside the fields of which they speak."""
        noted = {key: [said for said in error.mistakes if f"“{label}”" in said] for key, label in LABELS.items()}
        return CurveForm(self.values, self.points, noted)

    def _of_form(self) -> dict[str, Any]:
        """The columns; times that nobody gave count from 0."""
        if self.values.get("form") != "wide":
            return {key: self.values.get(key, "") for key in _OF_FORM["long"]}
        given = self.values.get("at", "").replace(";", " ").replace(",", " ").split()
        times = [_value(text) for text in given] or [float(place) for place in range(len(self.points))]
        return {"points": list(self.points), "at": times}

    def _open(self) -> list[str]:
        """The fields that must be filled in and are not."""
        form = self.values.get("form", "")
        of_form = [key for key in _OF_FORM.get(form, ()) if key != "at"]
        needed = ["name", "form", *of_form, "start", "end", "clip", "basis", "rank", "provenance"]
        there = {**self.values, "points": "".join(self.points)}
        return [f"Fill in “{LABELS[key]}”." for key in needed if not there.get(key)]

    def _worded(self, mistake: str) -> str:
        """A mistake with the label of its field for the key of the contract."""
        where = f"curves.{self.name}."
        if not mistake.startswith(where):
            return mistake
        key, rest = mistake.removeprefix(where).split(" ", 1)
        key = "start" if key == "interval" else key
        return f"“{LABELS.get(key, key)}” {rest}"


def _value(text: str) -> Any:
    """A number; a text that is none stays, and `check` has something to say of it."""
    number = plain_number(text.replace("\u2212", "-"))
    return text if number is None else number


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
