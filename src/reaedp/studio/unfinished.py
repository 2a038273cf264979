"""Charges whose release is not known to be published: what a stop after the charge leaves behind, in words."""

from dataclasses import dataclass

from reaedp.errors import ReaedpError
from reaedp.ledger.entry import Entry
from reaedp.ledger.ledger import Ledger
from reaedp.release.manifest import read_manifest
from reaedp.studio.project import Project


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Charges of one plan that is not marked as published, and the folder that names them, if there is one."""

    entries: tuple[Entry, ...]
    folder: str

    @property
    def numbers(self) -> str:
        """The entries, as people say them."""
        listed = ", ".join(str(entry.number) for entry in self.entries)
        return f"Entry {listed}" if len(self.entries) == 1 else f"Entries {listed}"

    @property
    def words(self) -> str:
        """What happened, and what can be done."""
        if self.folder:
            return (
                f"The folder {self.folder} is complete and can be used. The program stopped before the ledger recorded"
                " it, so the ledger cannot confirm its numbers."
            )
        return (
            "The charge stands, because noise may have been drawn, and no folder was left behind. Either the program"
            " stopped after the charge, or another one is still running. To get the numbers, release again: that"
            " is a new charge."
        )


def unfinished(project: Project, book: Ledger, dataset: str) -> list[Unfinished]:
    """All such plans of a data set, the newest first."""
    plans: dict[int, list[Entry]] = {}
    for entry in book.history(dataset):
        if entry.charge is not None and not entry.finished:
            plans.setdefault(entry.plan or entry.number, []).append(entry)
    folders = _folders(project) if plans else {}
    return [
        Unfinished(tuple(entries), folders.get((book.identity, entries[0].number), ""))
        for _, entries in sorted(plans.items(), reverse=True)
    ]


def _folders(project: Project) -> dict[tuple[str, int], str]:
    """Which folder of the project was paid for by which entry of which ledger."""
    found: dict[tuple[str, int], str] = {}
    for folder in project.releases:
        try:
            record = read_manifest(folder)
        except ReaedpError:
            continue
        identity = (record["ledger"] or {}).get("identity", "")
        found |= {(identity, release["entry"]): folder.name for release in record["releases"]}
    return found
