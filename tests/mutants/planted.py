"""The planted bugs: sections of PROOFS.md name them, the TOML files beside this one spoil the code."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
PAGE = ROOT / "docs" / "mutants.md"

_NAMED = re.compile(r"^\*\*Planted bug\*\* `([^`]*)`:(.*?)(?=\n\n|\n\*\*|\Z)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| `([\w-]+)` \|")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One replacement in one file, and the tests of which at least one must fail with it."""

    name: str
    file: str
    old: str
    new: str
    caught_by: tuple[str, ...]
    #: The folder whose PROOFS.md names it.
    folder: str

    def spoilt(self, source: str) -> str:
        """The file's text with the bug in it."""
        if source.count(self.old) != 1:
            raise ValueError(f"{self.name}: what it replaces occurs {source.count(self.old)} times in {self.file}")
        return source.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a PROOFS.md, with the names of its planted bugs and what each of them spoils."""

    folder: str
    title: str
    text: str
    planted: tuple[tuple[str, str], ...]


def mutants() -> list[Mutant]:
    """All of them, in the order of the files."""
    return [
        Mutant(**{**entry, "caught_by": tuple(entry["caught_by"])}, folder=file.stem)
        for file in sorted(FOLDER.glob("*.toml"))
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]
    ]


def sections() -> list[Section]:
    """Every section of every PROOFS.md."""
    found = []
    for file in sorted((ROOT / "src" / "reaedp").rglob("PROOFS.md")):
        for text in re.split(r"^## ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            planted = tuple((name, " ".join(what.split())) for name, what in _NAMED.findall(text))
            found.append(Section(file.parent.name, text.splitlines()[0], text, planted))
    return found


def table(caught: dict[str, str]) -> str:
    """The rows of the page, one for each bug: its name, where, what it spoils, and which test failed."""
    files = {mutant.name: mutant.file.removeprefix("src/reaedp/") for mutant in mutants()}
    rows = ["| planted bug | file | what it spoils | caught by |", "|---|---|---|---|"]
    for section in sections():
        for name, what in section.planted:
            if name in caught:  # others wait for their first run
                rows.append(f"| `{name}` | `{files[name]}` | {what.replace('|', chr(92) + '|')} | `{caught[name]}` |")
    return "\n".join(rows) + "\n"


def rows_on_page() -> dict[str, str]:
    """The rows that the page has now, by name."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    return {match[1]: line for line in lines if (match := _ROW.match(line))}
