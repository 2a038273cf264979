"""Code blocks of the pages, and what the words after a block's language ask for.

`python` and `sh` are run; `toml` and any other block with a `title` is written to the file of that name, or added to
its end after the word `add`; `exit=3` is the exit code to expect of `sh`. `text` is shown only; after the word `output`
its words, though not its numbers, must be among what the block before it printed.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))]
LANGUAGES = {"python", "sh", "toml", "text"}

_FENCE = re.compile(r"^```(?P<language>\S*)[ \t]*(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    info: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def title(self) -> str | None:
        found = re.search(r'title="([^"]+)"', self.info)
        return found[1] if found else None

    @property
    def exit_code(self) -> int:
        found = re.search(r"\bexit=(\d+)", self.info)
        return int(found[1]) if found else 0

    @property
    def words(self) -> list[str]:
        """Words after the language that are neither a title nor an exit code."""
        return re.sub(r'title="[^"]+"|\bexit=\d+', "", self.info).split()


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """All of a page's blocks in their order, those in comments included: that is set-up which a reader need not see."""
    text = read(page)
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found["language"], found["info"], found["text"])
        for found in _FENCE.finditer(text)
    ]


def checked_elsewhere(page: str) -> str | None:
    """The test that a page names for its blocks, where running them all takes too long."""
    found = re.search(r"^<!-- blocks are checked by (\S+) -->$", read(page), re.MULTILINE)
    return found[1] if found else None


def needed(page: str) -> list[str]:
    """Modules without which a page's blocks cannot run."""
    return re.findall(r"^<!-- needs (\S+) -->$", read(page), re.MULTILINE)


def shown_in_order(shown: str, printed: str) -> str | None:
    """The first word of `shown` that is not in `printed` after the words before it; None if all are."""
    rest = iter(_letters(printed))
    return next((word for word in _letters(shown) if word not in rest), None)


def _letters(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)
