"""The folder with the figures of an evaluation, which must not be published."""

from collections.abc import Sequence
from pathlib import Path

from reaedp.disk.claimed_folder import claimed
from reaedp.disk.system import rename_folder
from reaedp.evaluation.line import Line, write_lines
from reaedp.release.place import write_secret

WARNING = """\
NOT TO BE PUBLISHED

The figures in this folder were computed from the data without noise. They reveal things about the people in the data
that no privacy budget accounts for. Keep them where the data is kept.
"""


def write_results(out: Path, lines: Sequence[Line]) -> None:
    """Under a hidden name first, so that the folder appears whole or not at all; for its owner's eyes only."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with claimed(out.parent, "evaluation") as hidden:
        write_secret(hidden / "NOT-TO-BE-PUBLISHED.txt", WARNING)
        write_lines(hidden, lines)
        rename_folder(hidden, out)
