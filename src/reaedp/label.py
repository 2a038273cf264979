"""Names and levels as people see them: short, on one line, and unable to reorder or hide the text around them.

Names of columns, levels and data sets come from outside and may hold anything: control characters, marks that turn the
direction of writing around, ten thousand letters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

#: Letters that a chart or a table has room for.
MOST_LETTERS = 60
#: Joiners are part of words in some scripts, and of some pictures.
_HARMLESS = "\u200c\u200d"
#: What a spreadsheet takes for a formula, and the numbers and ranges of numbers that begin alike.
FORMULA, PLAIN = r"[=+\-@\t\r\n](.|\n|\r)*", r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?(\.\.-?[0-9]+)?"


def shown(text: object, most: int = MOST_LETTERS) -> str:
    """The text with invisible characters spelled out, cut in the middle if it is long."""
    seen = str(text)
    if not seen.isprintable():  # which is most often enough to ask
        seen = "".join(map(_visible, seen))
    if len(seen) <= most:
        return seen
    head = (most - 1) * 2 // 3
    return f"{seen[:head]}…{seen[len(seen) - (most - 1 - head) :]}"


def different(texts: Iterable[object], most: int = MOST_LETTERS) -> tuple[str, ...]:
    """The texts as shown, with a number behind those that look like an earlier one."""
    seen: Counter[str] = Counter()
    names = []
    for text in texts:
        name = shown(text, most)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(names)


def no_formula(text: str) -> str:
    """The text with an apostrophe before it if a spreadsheet would compute it; numbers stay numbers."""
    return f"'{text}" if re.fullmatch(FORMULA, text) and not re.fullmatch(PLAIN, text) else text


def _visible(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character)[0] not in "CZ" or character == " ":
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return f"\\u{ord(character):04x}"
