"""Plants every bug of tests/mutants, one at a time, and fails if the tests that should see one do not.

The tree is copied first: nothing is ever changed in place. A bug is caught if a test fails. A bug that stops a module
from being imported, or a test from being collected, proves nothing about tests and counts as a survivor.
"""

import argparse
import compileall
import hashlib
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue

from planted import PAGE, ROOT, Mutant, mutants, rows_on_page, table

COPIED, LINKED = ("src", "tests"), ("benchmarks", "docs", "CONTRIBUTING.md", "README.md", "pyproject.toml")
#: What a test says when the bug is not a wrong program but none at all.
NO_PROGRAM = ("ImportError", "ModuleNotFoundError", "NameError", "SyntaxError")
_FAILED = re.compile(r"^FAILED (.+?)(?: - (.*))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the tests of one bug said: the test that failed and its words, or why the bug survived."""

    mutant: Mutant
    test: str | None
    words: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Overlay:
    """A copy of the tree in which a bug can be planted."""

    root: Path

    @classmethod
    def made(cls, folder: Path) -> "Overlay":
        """Code and tests are copied, the rest is linked; bytecode is checked by content, as clocks are too coarse."""
        folder.mkdir()
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder / "src", quiet=2, invalidation_mode=checked)
        return cls(folder)

    def tested(self, tests: Iterable[str], patience: float, *options: str) -> tuple[int | None, str]:
        """Run some tests against this copy; None in place of an exit code if they took too long."""
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rfE", *options, *tests]
        # With CI set, Hypothesis draws the same examples every time.
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "300",
            "CI": "1",
        }
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, text=True, check=False, timeout=patience
            )
        except subprocess.TimeoutExpired:
            return None, ""
        return done.returncode, done.stdout + done.stderr

    def judged(self, mutant: Mutant, patience: float) -> Outcome:
        """Plant one bug, run its tests until one fails, and take it out again."""
        file, begun = self.root / mutant.file, time.monotonic()
        source = file.read_text(encoding="utf-8")
        file.write_text(mutant.spoilt(source), encoding="utf-8")
        try:
            code, output = self.tested(mutant.caught_by, patience, "-x")
        finally:
            file.write_text(source, encoding="utf-8")
        return Outcome(mutant, *_verdict(code, output, patience), time.monotonic() - begun)


def _verdict(code: int | None, output: str, patience: float) -> tuple[str | None, str]:
    if code is None:
        return None, f"its tests took longer than {patience:g} s"
    if code == 0:
        return None, "all of its tests pass"
    failed = _FAILED.search(output)
    if code != 1 or failed is None:
        return None, "its tests could not be run: " + (output.strip().splitlines() or ["no words"])[-1]
    words = failed[2] or ""
    if words.startswith(NO_PROGRAM):
        return None, f"it breaks the program: {words}"
    return failed[1], words


def sound(overlays: list[Overlay], chosen: list[Mutant], patience: float) -> bool:
    """Whether all named tests pass while nothing is planted, shared among the copies; says which do not."""
    tests = sorted({test for mutant in chosen for test in mutant.caught_by})
    files = sorted({test.partition("::")[0] for test in tests})
    shares = [
        [t for t in tests if files.index(t.partition("::")[0]) % len(overlays) == i] for i in range(len(overlays))
    ]
    begun = time.monotonic()
    with ThreadPoolExecutor(len(overlays)) as threads:
        pairs = [(overlay, share) for overlay, share in zip(overlays, shares, strict=True) if share]
        found = list(threads.map(lambda pair: pair[0].tested(pair[1], patience), pairs))
    passed = all(code == 0 for code, _ in found)
    seconds = time.monotonic() - begun
    print(f"{len(tests)} tests without a planted bug {'pass' if passed else 'FAIL'}, {seconds:.0f} s", flush=True)
    for code, output in found:
        if code != 0:
            print(output[-4000:])
    return passed


@dataclass(frozen=True, slots=True)
class Notes:
    """A file with what was caught so far, one line for each bug, so that a run that was stopped can go on.

    A line counts as long as the bug, the file that it spoils and the tests that should see it are the same.
    """

    file: Path | None
    #: Of the bugs that are to be tried, as they were when the run began: somebody may edit the tree meanwhile.
    fingerprints: dict[str, str]

    @classmethod
    def of(cls, file: Path | None, chosen: list[Mutant]) -> "Notes":
        """Those of a file, which need not be there yet."""
        return cls(file, {mutant.name: fingerprint(mutant) for mutant in chosen})

    def recalled(self, chosen: list[Mutant]) -> list[Outcome]:
        """The bugs that need not be tried again."""
        if self.file is None or not self.file.exists():
            return []
        lines = [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]
        known = {line["fingerprint"]: line for line in lines}
        pairs = [(mutant, known.get(self.fingerprints[mutant.name])) for mutant in chosen]
        return [Outcome(mutant, line["test"], line["words"], line["seconds"]) for mutant, line in pairs if line]

    def add(self, outcome: Outcome) -> None:
        """Note a bug that was caught; a survivor is tried again."""
        if self.file is None or outcome.test is None:
            return
        name = outcome.mutant.name
        line = {"name": name, "fingerprint": self.fingerprints[name], "test": outcome.test}
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | {"words": outcome.words, "seconds": outcome.seconds}) + "\n")


def fingerprint(mutant: Mutant) -> str:
    """The SHA-256 of a bug, of the file that it spoils and of the files of its tests."""
    files = (mutant.file, *sorted({test.partition("::")[0] for test in mutant.caught_by}))
    parts = [repr(mutant).encode(), *((ROOT / file).read_bytes() for file in files)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def outcomes(overlays: list[Overlay], chosen: list[Mutant], patience: float, notes: Notes) -> list[Outcome]:
    """One after the other, in as many copies as there are workers; says each as soon as it is known."""
    free: SimpleQueue[Overlay] = SimpleQueue()
    for overlay in overlays:
        free.put(overlay)

    def judged(mutant: Mutant) -> Outcome:
        overlay = free.get()
        try:
            outcome = overlay.judged(mutant, patience)
        finally:
            free.put(overlay)
        said = f"caught    {mutant.name}  by {outcome.test}" if outcome.test else f"SURVIVED  {mutant.name}"
        print(f"{outcome.seconds:6.1f} s  {said}  ({outcome.words[:160]})", flush=True)
        notes.add(outcome)
        return outcome

    with ThreadPoolExecutor(len(overlays)) as threads:
        return list(threads.map(judged, chosen))


def written(found: list[Outcome]) -> None:
    """Put the new findings into the table of the page; rows of bugs that were not run now stay."""
    known = {name: row.split(" | ")[-1].removesuffix(" |").strip("`") for name, row in rows_on_page().items()}
    caught = known | {outcome.mutant.name: outcome.test.partition("[")[0] for outcome in found if outcome.test}
    before = PAGE.read_text(encoding="utf-8").partition("| planted bug |")[0]
    PAGE.write_text(before + table(caught), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these bugs, or all of these folders' (all, if none is given)")
    parser.add_argument("--workers", type=int, default=2, help="how many bugs are tried at the same time")
    parser.add_argument(
        "--patience", type=float, default=600.0, help="seconds after which the tests of a bug are stopped"
    )
    parser.add_argument(
        "--notes", type=Path, help="a file that remembers what was caught; a run that was stopped goes on"
    )
    parser.add_argument("--write", action="store_true", help=f"write what was found into {PAGE.relative_to(ROOT)}")
    given = parser.parse_args()
    chosen = [mutant for mutant in mutants() if not given.names or {mutant.name, mutant.folder} & {*given.names}]
    unknown = {*given.names} - {name for mutant in chosen for name in (mutant.name, mutant.folder)}
    if unknown or not chosen:
        parser.error(f"no planted bug or folder has this name: {', '.join(sorted(unknown))}")
    begun, notes = time.monotonic(), Notes.of(given.notes, chosen)
    found = notes.recalled(chosen)
    if found:
        print(f"{len(found)} planted bugs were caught before, as {given.notes} says", flush=True)
        chosen = [mutant for mutant in chosen if mutant not in {outcome.mutant for outcome in found}]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        overlays = [Overlay.made(Path(folder) / str(worker)) for worker in range(given.workers)]
        # One folder after the other: a run that is stopped early has something to show.
        for _, bugs in groupby(chosen, key=lambda mutant: mutant.folder):
            group = list(bugs)
            if not sound(overlays, group, 10 * given.patience):
                return 2
            found += outcomes(overlays, group, given.patience, notes)
    survivors = [outcome.mutant.name for outcome in found if not outcome.test]
    print(f"{len(found)} planted bugs, {len(found) - len(survivors)} caught, {time.monotonic() - begun:.0f} s")
    if survivors:
        print("Survivors: " + ", ".join(survivors))
        return 1
    if given.write:
        written(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
