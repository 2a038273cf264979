"""The text of a first contract: a line for each column, and marks where only the custodian knows the answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from reaedp.contract.document import FILL_IN
from reaedp.contract.files import Files
from reaedp.drafting.drafted import Drafted
from reaedp.drafting.heading import Heading
from reaedp.drafting.toml_text import comment, key, text, written

#: The kind of a column by the type that a file declares for it; texts may hold anything.
KIND_OF_TYPE: Mapping[str, tuple[str, ...]] = {
    "number": ("FLOAT", "DOUBLE", "DECIMAL"),
    "integer": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    "boolean": ("BOOLEAN",),
    "date": ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"),
    "category": ("ENUM", "UUID"),
}

_TOP = f'''# What is publicly known about the data, without looking at it.
# Replace every "{FILL_IN}"; `reaedp check` lists what is missing.
'''
#: The privacy questions: where each stands, what it is about, and how it is written if it may be left out.
_QUESTIONS: Mapping[str, tuple[tuple[str, str, str | None], ...]] = {
    "dataset": (("name", "the ledger keeps one budget per name: always use the same name for the same data", None),),
    "unit": (
        ("change", '"add-remove": hide whether someone is in the data; "replace": hide their values only', None),
        ("person", "the column that says whose row it is: protects people, not just single rows", '"COLUMN"'),
        ("max_rows", "contribution bound: at most this many rows per person are used", "1"),
        ("at_least", "number of people (rows) at least, from public sources", "1000"),
    ),
    "budget": (
        ("epsilon", "for all releases together: 1 is common, below 0.1 is strict, above 5 is weak", None),
        ("delta", "well below 1 / number of people, such as 1e-6", None),
        (
            "ledger",
            'from `reaedp ledger create`: a file next to this one, such as "budget.sqlite", or postgresql://…',
            None,
        ),
    ),
}
_COLUMNS = """
[columns]
# A line for each column, with what is known of it without looking at the data:
#   NAME = { kind = "integer", lower = 0, upper = 120, provenance = "public" }
#   NAME = { kind = "number", lower = 0, upper = 50000, bins = 25, provenance = "public" }
#   NAME = { kind = "category", levels = ["f", "m"], provenance = "public" }
#   NAME = { kind = "boolean", provenance = "public" }
#   NAME = { kind = "date", lower = 2020-01-01, upper = 2024-12-31, every = "month", provenance = "public" }
# Bounds and levels that are not public can be bought: `reaedp learn`. Lines of columns that you do not need can go.
"""
_CURVES = """
# Measurements over time can be averaged as curves:
# [curves.NAME]
# form = "wide"              # one curve per row; or "long" with id = "COLUMN", time = "COLUMN", value = "COLUMN"
# points = ["COLUMN", "COLUMN"]
# at = [0.0, 1.0]            # the time of each of the points
# interval = [0.0, 1.0]
# basis = "wiener"           # or "fourier", "bspline"
# rank = 20                  # number of basis functions
# clip = 10.0                # curves with a larger root mean square are scaled down to it
# provenance = "public"      # these facts are known without looking at the data
"""


def contract_text(
    columns: Sequence[Drafted],
    heading: Heading | None = None,
    files: Files | None = None,
    left_out: Mapping[str, str] | None = None,
) -> str:
    """A contract of these columns; those `left_out` are named, with the reason if there is one."""
    lines = "".join(_line(column) for column in columns)
    return _TOP + _head(heading or Heading()) + _files(files) + _COLUMNS + lines + _absent(left_out or {}) + _CURVES


def by_type(name: str, engine_type: str) -> Drafted:
    """What the type of a stored column tells: its kind, and nothing of its values."""
    plain = engine_type.split("(", maxsplit=1)[0]
    kind = next((kind for kind, types in KIND_OF_TYPE.items() if plain in types), None)
    return Drafted(name) if kind is None else Drafted.of(name, kind, "public", {})


def _head(heading: Heading) -> str:
    made = ""
    for table, questions in _QUESTIONS.items():
        made += f"\n[{table}]\n"
        for name, about, optional in questions:
            given: Any = getattr(heading, name)
            if given is None and optional is not None and name not in heading.open:
                made += f"{f'# {name} = {optional}':<27}# {about}\n"
            else:
                made += f"{f'{name} = {written(FILL_IN if given is None else given)}':<27} # {about}\n"
    return made


def _files(files: Files | None) -> str:
    """How files are read, where that is known; values in them were not looked at."""
    facts = {} if files is None else files.facts()
    columns: Mapping[str, Mapping[str, Any]] = facts.pop("columns", {})
    if not facts and not columns:
        return ""
    made = "\n[files]\n" + "".join(f"{name} = {written(value)}\n" for name, value in facts.items())
    if not facts.keys() & {"decimal", "dates", "missing"}:
        made += '# decimal = ","   # also: thousands, signs, dates = "%d.%m.%Y", missing = ["NA"]; see docs/files.md\n'
    for name, own in columns.items():
        made += f"\n[files.columns.{key(name)}]\n" + "".join(
            f"{one} = {written(value)}\n" for one, value in own.items()
        )
    return made


def _line(column: Drafted) -> str:
    line = column.line()
    about = f"# {' '.join(column.label.split())[:110]}\n" if column.label and "label" not in line else ""
    return f"{about}{key(column.name)} = {written(line)}\n"


def _absent(left_out: Mapping[str, str]) -> str:
    """Columns that the contract does not have, so that nobody looks for them."""
    if not left_out:
        return ""
    plain = [text(name)[1:-1] for name, why in left_out.items() if not why]
    made = "\n" + (comment(f"Columns of the data that are left out: {', '.join(plain)}.") if plain else "")
    return made + "".join(comment(f"Left out: {text(name)[1:-1]}, {why}.") for name, why in left_out.items() if why)
