"""Writes docs/claims.md: for each claim its proof, its planted bugs, and a test that catches each of them.

python tests/mutants/claims.py
"""

import re

from planted import ROOT, Section, mutants, sections

PAGE = ROOT / "docs" / "claims.md"
TOP = """# Claims and where they are checked

Every claim has a proof beside the code, at least one *planted bug* that would break it, and a test that notices. Find
the claim below: its link leads to the proof, [planted bugs](mutants.md) says what each bug spoils, and
`python -m pytest` followed by the name of the test runs it. What the claims add up to is [the guarantee](guarantee.md).
`python tests/mutants/claims.py` writes this page; a test compares it with the proofs.
"""


def page() -> str:
    """A table for each room that has proofs."""
    parts = [TOP]
    found = sections()
    tests = {mutant.name: mutant.caught_by[0] for mutant in mutants()}
    for room in dict.fromkeys(section.folder for section in found):
        rows = ["| claim and its proof | planted bug | test that catches it |", "|---|---|---|"]
        for section in found:
            if section.folder == room:
                rows += [f"| {_link(section)} | `{name}` | `{tests[name]}` |" for name, _ in section.planted]
        parts.append(f"## {room}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _link(section: Section) -> str:
    anchor = re.sub(r"[^\w\- ]", "", section.title.lower()).replace(" ", "-")
    return f"[{section.title.replace('|', chr(92) + '|')}](../src/reaedp/{section.folder}/PROOFS.md#{anchor})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
