"""More rows from a release folder, as a file."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from reaedp.disk.claimed_folder import claimed
from reaedp.errors import DeclarationError, ReaedpError, unknown
from reaedp.release.folder import write_parts
from reaedp.release.place import outside_releases
from reaedp.release.verification.reading import read
from reaedp.synthesis.sampling import sample_copies, sample_parts
from reaedp.synthesis.synthetic import SyntheticRecords

#: Rows of one file.
Parts = Iterator[SyntheticRecords]


class WrittenRows(NamedTuple):
    """How many rows of which release were written, to which files."""

    name: str
    rows: int
    files: tuple[Path, ...]


def write_rows(
    folder: Path,
    rows: int,
    out: Path | None,
    *,
    given: Sequence[str] | None = None,
    name: str | None = None,
    seed: int | None = None,
    copies: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> WrittenRows:
    """Draw rows of a folder's model and write them to a file, which appears whole or not at all.

    With `copies`, rows of so many copies of the model are written, each to a numbered file.
    """
    if out is not None and out.suffix not in (".csv", ".parquet"):
        raise DeclarationError(f"--out must end in .csv or .parquet; given {str(out)!r}.")
    values = {key: release.value for key, release in read(folder).items()}
    found = {key: value for key, value in values.items() if isinstance(value, SyntheticRecords)}
    if not found:
        raise DeclarationError(f"{folder} has no synthetic records.")
    if name is None and len(found) > 1:
        raise DeclarationError(f"{folder} has several models; choose one with --name: {', '.join(found)}.")
    chosen = name if name is not None else next(iter(found))
    if chosen not in found:
        raise DeclarationError(unknown("release of synthetic records", chosen, found))
    target = Path(f"{chosen}-{rows}.csv") if out is None else out
    outside_releases(target)
    targets: tuple[Path, ...] = (target,)
    drawn: Iterator[Parts]
    if copies is None:
        drawn = iter([sample_parts(found[chosen], rows, given, seed)])
    else:
        drawn = (iter([copy]) for copy in sample_copies(found[chosen], copies, rows, given, seed))
        targets = tuple(target.with_suffix(f".{number}{target.suffix}") for number in range(1, copies + 1))
    for each in targets:
        if out is None and each.exists():
            raise DeclarationError(f"{each} exists. Choose a file with --out.")
    for number, each in enumerate(targets, 1):
        progress(f"drawing {rows:,} rows" + (f", copy {number} of {copies}" if copies else ""))
        _write(next(drawn), each)
    return WrittenRows(chosen, rows, targets)


def _write(drawn: Parts, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with claimed(target.parent, "rows") as hidden:
            write_parts(hidden / "rows", (part.values for part in drawn), (target.suffix,))
            (hidden / f"rows{target.suffix}").replace(target)
    except OSError as error:
        raise ReaedpError(f"{target} could not be written: {error.strerror}.") from None
