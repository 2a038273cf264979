"""How deep a TOML file goes, found in one pass before it is parsed.

Parsers take time and memory that grow with the square of the depth of a key, and stacks for lists within lists.
"""

import re
from pathlib import Path

from reaedp.errors import DeclarationError

#: Parts of a dotted key, and brackets within brackets. Contracts and plans need three.
MOST_PARTS, MOST_NESTED = 16, 16

#: Texts and comments, whose inside does not count; parts of keys with the dots between them; brackets.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' + r"'''.*?'''|" + r"#[^\n]*|"
    r"(?P<key>(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_+-]+)"
    r"(?P<more>(?:[ \t]*\.[ \t]*(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_+-]+))*))|"
    r"(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)
_PART = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_+-]+")


def check_depth(text: str, path: Path) -> None:
    """Refuse keys of too many parts and brackets within too many others."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["more"] and "." in token["more"] and len(_PART.findall(token["key"])) > MOST_PARTS:
            raise DeclarationError(f"{path}: a key must have at most {MOST_PARTS} parts with dots between them.")
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        if depth > MOST_NESTED:
            raise DeclarationError(f"{path}: lists and tables must be at most {MOST_NESTED} deep.")
