"""Which file is which page of the site, and where links between files lead there."""

import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

#: The navigation: files in their order. Pages of docs/ that are named nowhere are guides, too.
START = (
    "docs/tutorial.md",
    "docs/what-you-can-get.md",
    "docs/guarantee.md",
    "docs/glossary.md",
    "docs/formats.md",
    "docs/parameters.md",
)
GUIDES = (
    "docs/studio.md",
    "docs/first-contract.md",
    "docs/python.md",
    "docs/choosing-epsilon.md",
    "docs/unknown-bounds.md",
    "docs/people.md",
    "docs/files.md",
    "docs/bad-values.md",
    "docs/quantiles.md",
    "docs/entropy.md",
    "docs/synthetic.md",
    "docs/synthesizers.md",
    "docs/asking.md",
    "docs/curves.md",
    "docs/auditing.md",
    "docs/ledger.md",
    "docs/verifying.md",
    "docs/reports.md",
    "docs/extending.md",
)
#: Sections in their order; the reference is generated.
ORDER = ("Start", "Guides", "Reference", "Proofs", "Project")
PROJECT = (
    "docs/architecture.md",
    "docs/paper.md",
    "docs/errata.md",
    "docs/claims.md",
    "docs/mutants.md",
    "docs/stability.md",
    "docs/versions.md",
    "benchmarks/README.md",
    "benchmarks/RESULTS.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "RELEASING.md",
    "CHANGELOG.md",
)

#: Charts that pages show; they lie beside the pages.
PICTURES = (
    "benchmarks/growth.svg",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "studio").glob("*.png")),
)

_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(#[^)\s]*)?(?=\))")
_FENCE = re.compile(r"^```(\w+)[ \t]+([^\n]+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^<!--.*?-->\n+", re.MULTILINE | re.DOTALL)
#: Code and addresses; what is left is text, where an underscore belongs to a formula and stars make emphasis.
_VERBATIM = re.compile(r"(^```.*?^```$|`[^`]+`|(?<=\]\()[^)]*)|_", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')


def sections() -> dict[str, list[str]]:
    """Files of every section of the navigation that are written by hand."""
    named = {*START, *GUIDES, *PROJECT}
    others = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))
    return {
        "Start": list(START),
        "Guides": [*GUIDES, *(file for file in others if file not in named)],
        "Proofs": sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("src/reaedp/*/PROOFS.md")),
        "Project": list(PROJECT),
    }


def page(file: str) -> str:
    """The name of a file's page."""
    path = PurePosixPath(file)
    if path.name == "PROOFS.md":
        return f"proofs/{path.parent.name}"
    return {"README.md": "index", "benchmarks/README.md": "benchmarks"}.get(file, path.stem.lower())


def places() -> dict[str, str]:
    """Every file that is a page, with the page's name."""
    return {file: page(file) for file in ["README.md", *(file for files in sections().values() for file in files)]}


def text(file: str) -> str:
    """A file as the site's generator wants it: links between pages, titles of code blocks."""
    written = _COMMENT.sub("", (ROOT / file).read_text(encoding="utf-8"))
    linked = _LINK.sub(lambda found: _link(file, found), written)
    return _FENCE.sub(_titled, _VERBATIM.sub(lambda found: found[1] or r"\_", linked))


def _link(file: str, found: re.Match[str]) -> str:
    """A link to a file that is a page leads to the page; others stay, and the strict build refuses what is missing."""
    target, anchor = found[1], found[2] or ""
    if "://" in target:
        return found[0]
    meant = (ROOT / file).parent.joinpath(target).resolve().relative_to(ROOT).as_posix()
    pages = places()
    if meant in pages:
        return f"/{pages[meant]}.md{anchor}"
    return f"/{PurePosixPath(target).name}" if meant in PICTURES else found[0]


def _titled(found: re.Match[str]) -> str:
    """The words after a block's language are for the tests; a reader sees the title, and what is output."""
    title = _TITLE.search(found[2])
    options = f":caption: {title[1]}\n" if title else ":class: output\n" if "output" in found[2] else ""
    return f"```{{code-block}} {found[1]}\n{options}"
