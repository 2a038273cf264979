"""The form of a planned release, derived from the keys of its kind, so that every kind has one."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from reaedp.contract import Contract
from reaedp.contract.document import declare
from reaedp.drafting.words import plain_number
from reaedp.errors import DeclarationError, Mistakes
from reaedp.plan.kinds.kind import Planned, key_types
from reaedp.plan.plan import KINDS
from reaedp.studio.form import Form

Sort = Literal["columns", "column", "choice", "number", "list", "text", "flag"]
#: Keys that name columns, and those that every release has.
OF_COLUMNS = ("columns", "of", "by", "on", "given", "keep")
COMMON = ("name", "kind", "label", "description", "unit_of_measure", "epsilon", "delta", "share")
#: Keys in words; others are their own.
LABELS: Mapping[str, str] = {
    "columns": "Which columns?",
    "of": "Of which column?",
    "by": "In groups by",
    "on": "Explained by",
    "given": "Where these are known",
    "keep": "Kept as in a real row",
    "mechanism": "Noise",
    "statistics": "Figures",
    "clipped": "Values beyond the bounds count as the bounds",
    "at": "At which ranks?",
    "per_person": "Everyone counts once",
    "rows": "How many rows?",
    "method": "Method",
    "orders": "Orders",
    "route": "Route",
    "curve": "Curve",
    "curves": "How many curves?",
}
ABOUT: Mapping[str, str] = {
    "at": "median, quartiles, deciles, percentiles, cdf, or numbers such as 0.5, 0.9",
    "statistics": "count, sum, mean, variance, std, separated by commas",
    "method": "network: any number of rows costs the same.",
    "mechanism": "laplace for few numbers, gaussian for many; threshold shows only cells with many rows.",
}


@dataclass(frozen=True, slots=True)
class KeyField:
    """One key of a kind: how it is asked for, and whether it may be left out."""

    key: str
    sort: Sort
    choices: tuple[str, ...] = ()
    needed: bool = True

    @property
    def label(self) -> str:
        """The key in words."""
        if self.key == "of" and self.sort == "columns":
            return LABELS["columns"]
        return LABELS.get(self.key, self.key.replace("_", " "))

    @property
    def about(self) -> str:
        """A word of help."""
        return ABOUT.get(self.key, "")


def fields_of(kind: str) -> tuple[KeyField, ...]:
    """The keys of a kind, needed ones first."""
    planned = KINDS[kind]
    hints = key_types(planned)
    made = [
        KeyField(one.name, *_asked(one.name, hints[one.name]), one.default is MISSING)
        for one in fields(planned)
        if one.name not in COMMON
    ]
    return tuple(sorted(made, key=lambda one: not one.needed))


def facts_of(kind: str, form: Form) -> dict[str, Any]:
    """What a form says, as a plan has it; what is empty is not said."""
    facts: dict[str, Any] = {"name": form.text("name"), "kind": kind}
    facts |= {"label": form.text("label")} if form.text("label") else {}
    for one in fields_of(kind):
        value = _read(one, form)
        if value not in ("", None, []):
            facts[one.key] = value
    return facts


def planned_of(facts: Mapping[str, Any], contract: Contract) -> Planned:
    """The release of these keys, or all that is wrong with it in the words of `reaedp check`."""
    mistakes = Mistakes()
    made = declare(KINDS[str(facts["kind"])], facts, "release", mistakes)
    mistakes.report()
    assert made is not None
    made.request(contract).charge(contract)
    return made


def _asked(key: str, hint: Any) -> tuple[Sort, tuple[str, ...]]:
    """How a key of this type is asked for."""
    if get_origin(hint) in (Union, UnionType):
        kinds = [one for one in get_args(hint) if one is not type(None)]
        return _asked(key, kinds[0]) if len(kinds) == 1 else ("text", ())
    if get_origin(hint) is Literal:
        return "choice", tuple(map(str, get_args(hint)))
    if get_origin(hint) is tuple:
        return ("columns" if key in OF_COLUMNS else "list"), ()
    if hint is bool:
        return "flag", ()
    if hint in (int, float):
        return "number", ()
    return ("column" if key in OF_COLUMNS else "text"), ()


def _read(one: KeyField, form: Form) -> Any:
    if one.sort == "columns":
        return form.texts(one.key)
    if one.sort == "flag":
        return True if form.text(one.key) else None
    if one.sort == "number":
        return form.number(one.key, f"release.{one.key}")
    text = form.text(one.key)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    numbers = [plain_number(part) for part in parts]
    if parts and None not in numbers and one.sort in ("list", "text"):
        return numbers
    return parts if one.sort == "list" else text


def known_kind(kind: str) -> str:
    """The kind, if there is one of this name."""
    if kind not in KINDS:
        raise DeclarationError(f"There is no kind of release called {kind!r}. Known: {', '.join(KINDS)}.")
    return kind
