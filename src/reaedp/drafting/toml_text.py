"""Values and keys as TOML writes them, on one line."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any


def key(name: str) -> str:
    """A name as a key: bare where TOML allows it."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else text(name)


def text(value: str) -> str:
    """A text between quotation marks, with every sign escaped that could end it or hide something."""
    escaped = "".join(
        character if character.isprintable() and character not in '"\\' else f"\\U{ord(character):08X}"
        for character in value
    )
    return f'"{escaped}"'


def written(value: Any) -> str:
    """A truth value, number, date, text, list or table of them."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key(name)} = {written(part)}' for name, part in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    return value.isoformat() if isinstance(value, date) else repr(value)


def comment(lines: str, width: int = 118) -> str:
    """A text as comment lines of at most this width, as far as its words allow."""
    made, line = [], "#"
    for word in lines.split():
        if len(line) + 1 + len(word) > width and line != "#":
            made.append(line)
            line = "#"
        line += f" {word}"
    return "\n".join([*made, line]) + "\n"
