"""The questions of `reaedp init` on a terminal: each is asked until it can be understood; Enter leaves it open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from reaedp.drafting.draft import Draft
    from reaedp.drafting.heading import Heading

T = TypeVar("T")

_HEADING: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "name": ("Name of the data set, always the same for the same data", str),
    "change": ('What to hide: "add-remove" (whether someone is in the data) or "replace" (only their values)', str),
    "person": ("The column that identifies the person, if people can have several rows", str),
    "max_rows": ("The most rows to use per person", int),
    "at_least": ("A lower bound on the number of people (rows), if that is public", int),
    "epsilon": ("ε for all releases together: 1 is common, below 0.1 is strict, above 5 is weak", float),
    "delta": ("δ, well below 1 / number of people, such as 1e-6", float),
    "ledger": ("The ledger that records what is spent, such as budget.sqlite; it is created if there is none", str),
}


def ask(question: str, read: Callable[[str], T]) -> T | None:
    """The answer as `read` understands it, or None for an empty one."""
    from reaedp.errors import ReaedpError

    while True:
        answer = typer.prompt(question, default="", show_default=False).strip()
        if not answer:
            return None
        try:
            return read(answer)
        except (ReaedpError, ValueError) as error:
            typer.echo(f"  {error}")


def ask_columns(header: Sequence[str]) -> list[str] | None:
    """Which columns the contract is about."""
    typer.echo(f"Columns: {', '.join(header)}")
    return ask(
        "Which of them do you need? Separate names with commas; press Enter for all", lambda text: named(text, header)
    )


def ask_kinds(draft: "Draft") -> "Draft":
    """What is publicly known of each column that is open."""
    from reaedp.drafting.words import FORMS, in_words

    if draft.open:
        typer.echo(f"What do you know about each column without looking at the data? Write one of: {FORMS}; or skip.")
    said, skipped = {}, []
    for column in draft.open:
        kind = column.facts.get("kind")
        understood = partial(in_words, column.name)
        answer = ask(
            f"  {column.name} ({kind})" if kind else f"  {column.name}",
            lambda text, understood=understood: text if text == "skip" else understood(text),  # type: ignore[misc]
        )
        if isinstance(answer, str):
            skipped.append(column.name)
        elif answer is not None:
            said[column.name] = answer
    return draft.saying(said).without(skipped)


def ask_reading(texts: bool, dates: bool) -> dict[str, Any]:
    """How values are written in files that are texts."""
    if not texts:
        return {}
    from reaedp.contract.files import Files

    found = Files()
    found = ask('Decimal mark of numbers, if it is not a point: ","', lambda text: Files(decimal=text)) or found
    if dates:
        form = "How dates are written, if not as 2024-12-31, such as %d.%m.%Y"
        found = ask(form, lambda text: replace(found, dates=(text,))) or found
    words = "Words that mean a missing value, such as NA,-9"
    found = ask(words, lambda text: replace(found, missing=tuple(map(str.strip, text.split(","))))) or found
    return found.facts()


def ask_heading(heading: "Heading", header: Sequence[str]) -> "Heading":
    """The privacy questions that no option has answered."""
    for key, (question, read) in _HEADING.items():
        if getattr(heading, key) is not None or (key == "max_rows" and heading.person is None):
            continue
        understood = partial(_one_of, header) if key == "person" else read
        heading = ask(question, partial(_with, heading, key, understood)) or heading
    return heading


def _one_of(header: Sequence[str], text: str) -> str:
    return named(text, header)[0]


def _with(heading: "Heading", key: str, read: Callable[[str], Any], text: str) -> "Heading":
    return replace(heading, **{key: read(text)})


def named(text: str, header: Sequence[str]) -> list[str]:
    """The columns that a list with commas names; a name may have commas of its own."""
    from reaedp.errors import DeclarationError, unknown

    if text in header:
        return [text]
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in header:
            raise DeclarationError(unknown("column", name, header))
    return names
