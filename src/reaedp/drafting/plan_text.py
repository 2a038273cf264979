"""The text of a first plan: every kind of release that fits the columns, with a word about each."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reaedp.drafting.drafted import Drafted
from reaedp.drafting.heading import Heading
from reaedp.drafting.toml_text import comment, text, written
from reaedp.errors import DeclarationError

#: What all releases of the draft may spend together, as a share of the budget; the rest is for later plans.
TOGETHER = 0.5
#: Columns with a histogram of their own, in a map of entropies, in synthetic records; cells of a table of two columns.
MOST_HISTOGRAMS, MOST_MAPPED, MOST_SYNTHETIC, MOST_JOINT = 6, 10, 12, 2_000
#: Columns of numbers whose means are asked for together, each of which costs accuracy; cells that may be groups.
MOST_NUMBERS, MOST_GROUPS = 3, 12
#: Synthetic rows where the number of people is not public.
ROWS = 1_000


@dataclass(frozen=True, slots=True)
class DraftedRelease:
    """One `[[release]]`; `weight` says how large its share is beside others. One that is not `active` is a comment."""

    about: str
    keys: Mapping[str, Any]
    weight: float
    active: bool = True

    def written(self, share: float) -> str:
        """The release as a plan writes it."""
        keys = {**self.keys, "share": share}
        lines = ["[[release]]", *(f"{name} = {written(value)}" for name, value in keys.items())]
        mark = "" if self.active else "# "
        return "\n" + comment(self.about) + "".join(f"{mark}{line}\n" for line in lines)


def plan_text(contract: str, columns: Sequence[Drafted], heading: Heading | None = None) -> str:
    """A plan for a contract, as seen from where the plan will lie; prices are shares, so that they fit any budget."""
    if not columns:
        raise DeclarationError("A plan needs at least one column.")
    wanted = _named(_wanted(columns, heading or Heading()))
    total = sum(one.weight for one in wanted if one.active)
    top = comment(
        f"What to release. The shares below add up to at most {TOGETHER:g} of the contract's budget, so that as much is"
        " left for later. Delete what you do not need and raise the shares of the rest: fewer releases are more"
        " accurate ones. Other kinds that fit are there as comments; remove the # to use them. `reaedp plan` says"
        " what each costs and how accurate it will be, and opens no data."
    )
    body = "".join(one.written(max(0.001, int(1000 * TOGETHER * one.weight / total) / 1000)) for one in wanted)
    return f"{top}\ncontract = {text(contract)}\n{body}{_others(columns)}"


def _wanted(columns: Sequence[Drafted], heading: Heading) -> Iterator[DraftedRelease]:
    """Releases that fit, the plainest first."""
    names = [column.name for column in columns]
    for number, name in enumerate(names[:MOST_HISTOGRAMS]):
        about = "Counts of each cell, with 95 % intervals." if number == 0 else f"The same of {_shown(name)}."
        yield _histogram(name, [name], about, weight=1.0)
    if len(joint := _smallest(columns)) == 2:
        yield _histogram("_by_".join(joint), joint, "Counts of two columns together.", weight=2.0)
    numbers = [column.name for column in columns if column.facts.get("kind") in ("number", "integer")]
    if numbers:
        yield from _of_numbers(numbers, _groups(columns))
    if truths := [column.name for column in columns if column.facts.get("kind") == "boolean"]:
        share = {"name": f"share_of_{truths[0]}", "kind": "rate", "of": truths[0], "mechanism": "laplace"}
        yield DraftedRelease(
            "The share of rows for which something is true, by groups if you like.", share, 1.0, active=False
        )
    yield DraftedRelease(
        "How diverse a column is, in bits; a histogram of it gives that at no extra cost.",
        {
            "name": f"diversity_of_{names[0]}",
            "kind": "entropy",
            "columns": names[:1],
            "route": "histogram",
            "mechanism": "laplace",
        },
        weight=1.0,
        active=False,
    )
    if len(names) > 1:
        yield from _of_several(names, heading)
    yield DraftedRelease(
        "Counts of only those cells that enough people have: for columns with very many cells.",
        {"name": "frequent", "kind": "histogram", "columns": names[:3], "mechanism": "threshold"},
        weight=1.0,
        active=False,
    )


def _of_numbers(numbers: Sequence[str], groups: list[str]) -> Iterator[DraftedRelease]:
    each = " in each group" if groups else ""
    by = {"by": groups} if groups else {}
    means = {"name": "means", "kind": "summary", "of": list(numbers[:MOST_NUMBERS]), **by, "mechanism": "laplace"}
    yield DraftedRelease(f"Counts, totals and means{each}, with 95 % intervals.", means, weight=2.0)
    median = {"name": f"median_of_{numbers[0]}", "kind": "quantiles", "of": numbers[0], "at": "median"}
    yield DraftedRelease("A median; deciles and whole distribution functions work too.", median, 1.0, active=False)
    if len(numbers) > 1:
        related = {"name": "correlations", "kind": "correlation", "of": list(numbers[:MOST_MAPPED])}
        yield DraftedRelease("Means, variances and correlations of several columns.", related, 1.0, active=False)
        line = {"name": f"{numbers[0]}_explained", "kind": "regression", "of": numbers[0], "on": list(numbers[1:4])}
        yield DraftedRelease("How one column depends on others: a linear regression.", line, 1.0, active=False)


def _groups(columns: Sequence[Drafted]) -> list[str]:
    """The column with the fewest levels, if they are few enough for means of each."""
    kinds = {column.name: column.column() for column in columns if column.facts.get("kind") in ("category", "boolean")}
    sizes = {name: made.size for name, made in kinds.items() if made is not None and made.size <= MOST_GROUPS}
    return sorted(sizes, key=lambda name: sizes[name])[:1]


def _of_several(names: Sequence[str], heading: Heading) -> Iterator[DraftedRelease]:
    needs = "" if heading.at_least else " Needs unit.at_least in the contract."
    yield DraftedRelease(
        "Made-up rows that resemble the data, for questions you did not plan for; any number of rows costs the same.",
        {
            "name": "synthetic",
            "kind": "synthetic",
            "method": "network",
            "columns": list(names[:MOST_SYNTHETIC]),
            "rows": heading.at_least or ROWS,
        },
        weight=4.0,
    )
    yield DraftedRelease(
        f"How closely columns are related, pair by pair.{needs}",
        {"name": "related", "kind": "entropy-map", "columns": list(names[:MOST_MAPPED]), "mechanism": "gaussian"},
        weight=2.0,
        active=False,
    )
    pair = {"columns": [names[0]], "given": [names[1]], "mechanism": "laplace"}
    for name, kind, about in (
        ("shared", "mutual-information", "How much one column says about another"),
        ("rest", "conditional-entropy", "How diverse a column is once another one is known"),
    ):
        yield DraftedRelease(f"{about}, in bits.{needs}", {"name": name, "kind": kind} | pair, weight=1.0, active=False)


def _histogram(name: str, columns: list[str], about: str, weight: float) -> DraftedRelease:
    return DraftedRelease(
        about, {"name": name, "kind": "histogram", "columns": columns, "mechanism": "laplace"}, weight=weight
    )


def _smallest(columns: Sequence[Drafted]) -> list[str]:
    """Two columns whose table has few cells, in the order of the file."""
    sizes = {column.name: made.size for column in columns if (made := column.column()) is not None}
    first = sorted(sizes, key=lambda name: sizes[name])[:2]
    fits = len(first) == 2 and sizes[first[0]] * sizes[first[1]] <= MOST_JOINT
    return [name for name in sizes if name in first] if fits else []


def _named(wanted: Iterator[DraftedRelease]) -> list[DraftedRelease]:
    """The releases under names that can be file names, each different."""
    made: list[DraftedRelease] = []
    taken: set[str] = set()
    for one in wanted:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", _without_accents(one.keys["name"])).strip("_-")[:80] or "column"
        name = next(
            name for name in (plain, *(f"{plain}_{n}" for n in range(2, len(taken) + 3))) if name.lower() not in taken
        )
        taken.add(name.lower())
        made.append(DraftedRelease(one.about, {**one.keys, "name": name}, one.weight, one.active))
    return made


def _without_accents(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _others(columns: Sequence[Drafted]) -> str:
    rest = [_shown(column.name) for column in columns[MOST_HISTOGRAMS:]]
    return "\n" + comment(f"Without a histogram of their own so far: {', '.join(rest)}.") if rest else ""


def _shown(name: str) -> str:
    """A name within a comment, which no sign in it ends."""
    return text(name)[1:-1]
