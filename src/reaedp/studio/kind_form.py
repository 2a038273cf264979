"""The form of a planned release, derived from the keys of its kind, so that every kind has one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin
from unicodedata import normalize

from reaedp.contract import Contract
from reaedp.contract.document import declare
from reaedp.drafting.words import plain_number
from reaedp.errors import DeclarationError, Mistakes
from reaedp.plan.kinds.kind import Planned, key_types
from reaedp.plan.plan import KINDS
from reaedp.studio.form import Form

Sort = Literal["columns", "column", "curve", "choice", "number", "list", "text", "flag"]
#: Keys that name columns, and those that every release has.
OF_COLUMNS = ("columns", "of", "by", "on", "given", "keep", "per", "standard")
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
    "curve": "Which curve?",
    "curves": "How many curves?",
    "covariance": "Shape of the noise",
    "rho": "Smoothing, ρ",
    "bands": "Bands cover",
    "kept": "Kept of a real curve",
    "spread": "Moved by about",
    "law": "How it is moved",
    "rest": "Size of the rest",
    "error_bits": "Off by at most, in bits",
    "levels": "True where it is one of",
    "at_least": "True from this value on",
    "below": "True below this value",
    "per": "Or: how much of it for each unit of",
    "standard": "As if groups were alike in",
    "weights": "Weights of its values",
}
#: The same where a kind means something else by them.
LABELS_OF: Mapping[tuple[str, str], str] = {
    ("mutual-information", "columns"): "How much do these columns tell …",
    ("mutual-information", "given"): "… about these?",
}
ABOUT: Mapping[str, str] = {
    "at": "median, quartiles, deciles, percentiles, cdf, or numbers such as 0.5, 0.9",
    "statistics": "count, sum, mean, variance, std, separated by commas",
    "levels": "Words or codes of the column, separated by commas.",
    "weights": "One number for each value of that column, separated by commas.",
    "kept": "How many of its coefficients; few are best, such as 3.",
    "spread": "In parts of the largest curve, such as 0.1.",
    "rho": "Empty: chosen from the noisy result, which costs nothing.",
}
#: What is off by at most so much, where it is not a count of rows.
OFF: Mapping[str, str] = {
    "summary": "Of a mean, in the unit of its column.",
    "rate": "Of a rate: 0.01 is one in a hundred.",
    "quantiles": "In ranks: so many rows are on the wrong side.",
    "correlation": "Of a correlation, which lies between −1 and 1.",
    "regression": "Of a coefficient.",
    "synthetic": "Of a count behind the rows.",
    **dict.fromkeys(("entropy", "conditional-entropy", "mutual-information", "entropy-map"), "In bits."),
    **dict.fromkeys(("mean-curve", "synthetic-curves"), "Of a point of a curve, in its own unit."),
    "image": "Of a pixel, in levels.",
}
#: Says that the more precise noise is to be chosen, for kinds that have both.
BEST = "best"
CHOICE_WORDS: Mapping[str, str] = {
    "laplace": "laplace: for few numbers",
    "gaussian": "gaussian: for many numbers",
    "threshold": "threshold: shows only cells that many share",
    "network": "network: any number of rows for the same price",
}


#: Kinds that share their keys with others, and those of the keys that mean nothing to them.
NOT_FOR: Mapping[str, tuple[str, ...]] = {
    "histogram": ("orders", "given", "route"),
    "entropy": ("given", "error_bits"),
    "conditional-entropy": ("orders", "route", "error_bits"),
    "mutual-information": ("orders", "error_bits"),
    "entropy-map": ("orders", "given", "route", "error_bits"),
}


@dataclass(frozen=True, slots=True)
class KeyField:
    """One key of a kind: how it is asked for, and whether it may be left out."""

    kind: str
    key: str
    sort: Sort
    choices: tuple[str, ...] = ()
    needed: bool = True

    @property
    def label(self) -> str:
        """The key in words."""
        if self.key == "of" and self.sort == "columns":
            return LABELS["columns"]
        return LABELS_OF.get((self.kind, self.key)) or LABELS.get(self.key, self.key.replace("_", " "))

    @property
    def at_once(self) -> bool:
        """Whether it is shown without being asked for: what is needed, and what most people look for."""
        return self.needed or self.key in ("by", "given")

    @property
    def worded(self) -> tuple[tuple[str, str], ...]:
        """The choices in words; whoever has no wish about the noise leaves it to the studio."""
        given = tuple((word, CHOICE_WORDS.get(word, word)) for word in self.choices)
        if {"laplace", "gaussian"} <= set(self.choices):
            return ((BEST, "Whichever is more precise"), *given)
        return (("", "Choose" if self.needed else "default"), *given)

    @property
    def about(self) -> str:
        """A word of help."""
        return ABOUT.get(self.key, "")


def fields_of(kind: str) -> tuple[KeyField, ...]:
    """The keys of a kind, needed ones first."""
    planned = KINDS[kind]
    hints = key_types(planned)
    made = [
        KeyField(kind, one.name, *_asked(one.name, hints[one.name]), one.default is MISSING)
        for one in fields(planned)
        if one.name not in COMMON and one.name not in NOT_FOR.get(kind, ())
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
    return facts if facts["name"] else {**facts, "name": _name_of(facts)}


def _name_of(facts: Mapping[str, Any]) -> str:
    """A name for a release that nobody named: its title, or the columns that it is about."""
    about = [facts.get("label") or [facts.get(key) for key in OF_COLUMNS if facts.get(key)]]
    words = " ".join(re.findall(r"[A-Za-z0-9_-]+", normalize("NFKD", str(about)).encode("ascii", "ignore").decode()))
    return "_".join(words.split()).lstrip("-_")[:60] or str(facts["kind"])


def planned_of(facts: Mapping[str, Any], contract: Contract) -> Planned:
    """The release of these keys, or all that is wrong with it in the words of `reaedp check`."""
    mistakes = Mistakes()
    made = declare(KINDS[str(facts["kind"])], facts, "release", mistakes)
    mistakes.report()
    assert made is not None
    made.request(contract).charge(contract)
    return made


def in_words(kind: str, mistakes: Sequence[str]) -> tuple[str, ...]:
    """Mistakes of a form with its labels instead of the keys of plans."""
    labels = {"name": "Short name", "label": "Title for readers", **{one.key: one.label for one in fields_of(kind)}}

    def label(found: re.Match[str]) -> str:
        return f"“{labels.get(found[1], found[1])}”"

    quoted = (re.sub(r"\brelease\.(\w+)", label, mistake) for mistake in mistakes)
    return tuple(re.sub(r"^(“.*”) is missing\.$", r"Fill in \1.", mistake) for mistake in quoted)


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
    return ("column" if key in OF_COLUMNS else "curve" if key == "curve" else "text"), ()


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
    if parts and None not in numbers and one.sort in ("list", "text") and one.key != "levels":
        return numbers
    return parts if one.sort == "list" else text


def known_kind(kind: str) -> str:
    """The kind, if there is one of this name."""
    if kind not in KINDS:
        raise DeclarationError(f"There is no kind of release called {kind!r}. Known: {', '.join(KINDS)}.")
    return kind
