"""Whose privacy, found by plain questions: a tree whose every path ends in a unit, in words and in TOML.

Whoever does not know takes the branch that protects more. Answers are texts, as a form or an address carries them; one
that is no answer leaves its question open.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaedp.drafting.toml_text import written
from reaedp.frames.number import written as said

YES, NO, UNKNOWN, NONE, ONE, SKIP = "yes", "no", "unknown", "none", "one", "skip"
#: Before the name of a column, so that no name is taken for another answer.
COLUMN = "column:"
_THREE = ((NO, "No"), (YES, "Yes"), (UNKNOWN, "I don't know"))
ROWS_ONLY = "Only single rows are protected; someone with ten rows has ten times the ε."


@dataclass(frozen=True, slots=True)
class UnitQuestion:
    """One question: `key` names its answer, `choices` are answers with their words; without any, a number is asked."""

    key: str
    words: str
    about: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    #: Whether a column is an answer.
    columns: bool = False
    #: Whether the question may be left out.
    optional: bool = False

    def understood(self, answer: str, header: Sequence[str]) -> bool:
        """Whether this is an answer."""
        if self.columns and answer.startswith(COLUMN):
            return answer.removeprefix(COLUMN) in header
        if self.choices:
            return answer in dict(self.choices)
        whole = answer.isascii() and answer.isdigit() and 0 < len(answer) <= 12 and 1 <= int(answer) < 2**40
        return whole or (self.optional and answer == SKIP)

    def spoken(self, answer: str) -> str:
        """An answer in words."""
        if answer.startswith(COLUMN):
            return answer.removeprefix(COLUMN)
        return dict(self.choices).get(answer) or ("Left out" if answer == SKIP else said(int(answer)))


SEVERAL = UnitQuestion("several", "Can one person have more than one row?", choices=_THREE)
WHOSE = UnitQuestion(
    "whose",
    "Does a column identify the person?",
    "For example a patient, customer or member number that is the same in all rows of one person.",
    ((NONE, "No column does"),),
    columns=True,
)
ROWS_ACCEPTED = UnitQuestion(
    "rows_accepted",
    f"{ROWS_ONLY} Is that enough?",
    "A column that identifies people would let you protect them.",
    ((YES, "Yes, I accept that single rows are protected, but not people"),),
)
MOST_ROWS = UnitQuestion(
    "most_rows",
    "At most how many rows of one person should count?",
    "A larger number leaves out fewer rows but adds noise. For people with more rows, only this many are used.",
)
TOGETHER = UnitQuestion(
    "together",
    "Is a row about several people, such as a household or a class?",
    choices=_THREE,
)
WHICH = UnitQuestion(
    "which",
    "Which column identifies the household or group?",
    choices=((ONE, "None needed: each group has one row"), (NONE, "No column does")),
    columns=True,
)
MOST_OF_GROUP = UnitQuestion(
    "most_of_group",
    "At most how many rows of one group should count?",
    "A larger number leaves out fewer rows but adds noise.",
)
SECRET = UnitQuestion(
    "secret",
    "Is it a secret that someone is in the data?",
    "For patients of a clinic it is. For all people who live in a country it may not be.",
    ((YES, "Yes"), (NO, "No: who is in it, and how many there are, is public"), (UNKNOWN, "I don't know")),
)
AT_LEAST = UnitQuestion(
    "at_least",
    "At least how many are in the data, as far as the public knows?",
    "People, or rows if only rows are protected. Take the number from a public source, never from the data. It improves"
    " forecasts, and entropies need it.",
    optional=True,
)


@dataclass(frozen=True, slots=True)
class Path:
    """A way through the tree: what was answered, what is asked next, and the facts that follow so far."""

    answered: tuple[tuple[UnitQuestion, str], ...]
    open: UnitQuestion | None
    unit: Mapping[str, Any] = field(default_factory=dict)
    #: Whom the promise is about, as later pages say it.
    protected: str = "row"
    #: What an answer that could not be understood was.
    misunderstood: str = ""

    @property
    def sentence(self) -> str:
        """What is promised, to be read aloud."""
        one = self.protected.split()[0]
        whether = f"whether a {one} is in the data, or " if self.unit["change"] == "add-remove" else ""
        bound, least = self.unit.get("max_rows"), self.unit.get("at_least")
        there = "" if whether else f" That a {one} is in the data is no secret."
        rows = f" At most {said(bound)} rows of each {one} count." if bound else ""
        known = f" The public may know that there are at least {said(least)}." if least else ""
        whose = "their" if one == "person" else "its"
        return f"{_WORDS[self.protected]}: nobody can tell {whether}what {whose} values are.{there}{rows}{known}"

    @property
    def toml(self) -> str:
        """The same as the contract has it."""
        return "[unit]\n" + "".join(f"{key} = {written(value)}\n" for key, value in self.unit.items())


_WORDS = {
    "row": "Each single row is protected, but not all rows of a person together",
    "person in one row": "Each person is protected, as each has one row",
    "person": "Each person is protected, with all rows",
    "group in one row": "Each household or group is protected, as each has one row",
    "group": "Each household or group is protected, with all rows",
}


def walk(answers: Mapping[str, str], header: Sequence[str]) -> Path:
    """Follow the answers as far as they lead."""
    taken: list[tuple[UnitQuestion, str]] = []
    unit: dict[str, Any] = {}
    protected = "row"
    steps = _tree(unit)
    question = next(steps)
    while True:
        answer = answers.get(question.key, "")
        if not question.understood(answer, header):
            return Path(tuple(taken), question, {}, protected, answer)
        taken.append((question, answer))
        try:
            question = steps.send(answer)
        except StopIteration as end:
            order = ("change", "person", "max_rows", "at_least")
            return Path(tuple(taken), None, {key: unit[key] for key in order if key in unit}, end.value)


#: Yields questions, is sent answers, and ends with whom the unit protects.
Asking = Generator[UnitQuestion, str, str]


def _tree(unit: dict[str, Any]) -> Asking:
    """Ask, and note in the unit what follows; the value at the end is whom it protects."""
    if (yield SEVERAL) == NO:
        protected = yield from _one_row_each(unit)
    else:
        protected = yield from _several_rows(unit)
    unit["change"] = "replace" if (yield SECRET) == NO else "add-remove"
    least = yield AT_LEAST
    if least != SKIP:
        unit["at_least"] = int(least)
    return protected


def _one_row_each(unit: dict[str, Any]) -> Asking:
    if (yield TOGETHER) == NO:
        return "person in one row"
    which = yield WHICH
    if which == ONE:
        return "group in one row"
    return (yield from _under(unit, which, MOST_OF_GROUP, "group"))


def _several_rows(unit: dict[str, Any]) -> Asking:
    return (yield from _under(unit, (yield WHOSE), MOST_ROWS, "person"))


def _under(unit: dict[str, Any], column: str, most: UnitQuestion, protected: str) -> Asking:
    """Rows are counted under a column, at most so many for each of its values; without one, only rows are protected."""
    if column == NONE:
        yield ROWS_ACCEPTED
        return "row"
    unit["person"] = column.removeprefix(COLUMN)
    unit["max_rows"] = int((yield most))
    return protected
