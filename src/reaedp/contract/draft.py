"""A first contract from column names and types; no value is read."""

import re
from collections.abc import Mapping

from reaedp.contract.document import FILL_IN
from reaedp.contract.files import Files

_KIND_OF_TYPE = {
    "number": ("FLOAT", "DOUBLE", "DECIMAL"),
    "integer": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    "boolean": ("BOOLEAN",),
    "date": ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"),
    "category": ("ENUM", "UUID"),
}
_KEYS = {
    "number": ("lower", "upper", "bins"),
    "integer": ("lower", "upper"),
    "category": ("levels",),
    "boolean": (),
    "date": ("lower", "upper", "every"),
}

_HEAD = f'''# What is publicly known about the data, without looking at it.
# Replace every "{FILL_IN}"; `reaedp check` lists what is missing.

[dataset]
name = "{FILL_IN}"          # the ledger keeps one budget per name: always use the same name for the same data

[unit]
change = "{FILL_IN}"        # "add-remove": hide whether someone is in the data; "replace": hide their values only
# person = "COLUMN"        # the column that says whose row it is: protects people, not just single rows
# max_rows = 1             # contribution bound: at most this many rows per person are used
# at_least = 1000          # number of people (rows) at least, from public sources

[budget]
epsilon = "{FILL_IN}"       # for all releases together: 1 is common, below 0.1 is strict, above 5 is weak
delta = "{FILL_IN}"         # well below 1 / number of people, such as 1e-6
ledger = "{FILL_IN}"        # from `reaedp ledger create`: a file next to this one, such as "budget.sqlite", or postgresql://…
'''

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


def draft(columns: Mapping[str, str], ledger: str | None = None, files: Files | None = None) -> str:
    """The text of a contract with everything that only the custodian knows marked."""
    head = _HEAD if ledger is None else _HEAD.replace(f'ledger = "{FILL_IN}"', f"ledger = {_text(ledger)}")
    return head + _files(files) + "".join(_table(name, _kind(kind)) for name, kind in columns.items()) + _CURVES


def _files(files: Files | None) -> str:
    """How files are read, where that is known; values in them were not looked at."""
    facts = {} if files is None else files.facts()
    if not facts:
        return ""
    lines = [f"{key} = {_text(value)}" for key, value in facts.items()]
    more = ['# decimal = ","            # also: thousands, dates = "%d.%m.%Y", missing = ["NA"]; see docs/files.md']
    return "\n".join(["\n[files]", *lines, *more]) + "\n"


def _kind(engine_type: str) -> str | None:
    plain = engine_type.split("(", maxsplit=1)[0]
    return next((kind for kind, types in _KIND_OF_TYPE.items() if plain in types), None)


def _table(name: str, kind: str | None) -> str:
    lines = [f"\n[columns.{_quoted(name)}]"]
    if kind is None:
        lines.append(f'kind = "{FILL_IN}"          # {", ".join(_KEYS)}')
        lines += [f"#   {kind}: {', '.join(keys)}" for kind, keys in _KEYS.items() if keys]
    else:
        lines.append(f'kind = "{kind}"')
        lines += [f'{key} = "{FILL_IN}"' for key in _KEYS[kind]]
    lines.append(
        f'provenance = "{FILL_IN}"    # "public" if known without looking at the data; else run `reaedp learn`'
    )
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", name):
        return name
    return _text(name)


def _text(value: str) -> str:
    escaped = "".join(
        character if character.isprintable() and character not in '"\\' else f"\\U{ord(character):08X}"
        for character in value
    )
    return f'"{escaped}"'
