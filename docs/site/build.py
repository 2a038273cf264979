"""Builds the documentation: `python docs/site/build.py FOLDER`. Warnings are errors, and nothing is fetched."""

import shutil
import sys
import tempfile
from pathlib import Path

import command_line
import pages
import public_names
from sphinx.cmd.build import build_main

HERE = Path(__file__).resolve().parent


def sources() -> dict[str, str]:
    """All pages, written by hand and generated, by their file names."""
    written = {f"{place}.md": pages.text(file) for file, place in pages.places().items()}
    reference = {"reference/command-line.md": command_line.text()}
    reference |= {f"{name}.rst": text for name, text in public_names.pages().items()}
    sections = {name: [pages.page(file) for file in files] for name, files in pages.sections().items()}
    sections["Reference"] = [name.rpartition(".")[0] for name in reference]
    written["index.md"] += "".join(contents(name, sections[name]) for name in pages.ORDER)
    return written | reference


def contents(section: str, names: list[str]) -> str:
    """One section of the navigation."""
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {section}", "", *names, "```", ""])


def main(out: Path) -> int:
    """Build in a temporary place; the folder is replaced only by a whole site."""
    with tempfile.TemporaryDirectory() as scratch:
        source, site, trees = (Path(scratch) / name for name in ("source", "site", "trees"))
        for name, text in sources().items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text, encoding="utf-8")
        for picture in pages.PICTURES:
            shutil.copy(pages.ROOT / picture, source)
        strictly = ["-b", "html", "-q", "-W", "--keep-going", "-d", str(trees), "-c", str(HERE)]
        code = build_main([*strictly, str(source), str(site)])
        if code == 0:
            shutil.rmtree(out, ignore_errors=True)
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(site, out)
        return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
