"""A first contract from column names and types; no value is read."""

import re
from collections.abc import Mapping

from reaedp.contract.document import FILL_IN

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

_HEAD = f'''# What is public about the data, before anyone looks at it.
# Replace every "{FILL_IN}"; `reaedp check` lists what is left.

[dataset]
name = "{FILL_IN}"          # the keeper's name; one data set must not have two names

[unit]
change = "{FILL_IN}"        # "add-remove": a neighbour has one row more or less; "replace": one row differs
# person = "COLUMN"        # protect people instead of rows …
# max_rows = 1             # … of whom at most so many rows each are used
# at_least = 1000          # a public lower bound on the number of people (rows)

[budget]
epsilon = "{FILL_IN}"       # for all releases together; 1 is common, below 0.1 is strict, above 5 is weak
delta = "{FILL_IN}"         # well below one in the number of people, such as 1e-6
ledger = "{FILL_IN}"        # made by `reaedp ledger create`: a file such as "budget.sqlite" beside this one, or postgresql://…
'''

_CURVES = """
# Columns that hold a function of time can be averaged as curves:
# [curves.NAME]
# form = "wide"              # one curve a row; or "long": id = "COLUMN", time = "COLUMN", value = "COLUMN"
# points = ["COLUMN", "COLUMN"]
# at = [0.0, 1.0]            # the time of each of the points
# interval = [0.0, 1.0]
# basis = "wiener"           # or "fourier", "bspline"
# rank = 20                  # coefficients
# clip = 10.0                # the largest root mean square of a curve that is not cut
# provenance = "public"      # these facts are known without the data
"""


def draft(columns: Mapping[str, str], ledger: str | None = None) -> str:
    """The text of a contract with everything that only the custodian knows marked."""
    head = _HEAD if ledger is None else _HEAD.replace(f'ledger = "{FILL_IN}"', f"ledger = {_text(ledger)}")
    return head + "".join(_table(name, _kind(kind)) for name, kind in columns.items()) + _CURVES


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
    lines.append(f'provenance = "{FILL_IN}"    # "public" if the cells are known without the data; else `reaedp learn`')
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
