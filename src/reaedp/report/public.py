"""The report to publish: everything in it is in the release folder already."""

from collections.abc import Sequence
from pathlib import Path

from reaedp.errors import NotDisclosable
from reaedp.frames.number import about, written
from reaedp.label import shown
from reaedp.release.folder import REPORT
from reaedp.report.audit import audit
from reaedp.report.cards import cards
from reaedp.report.page import Page, render
from reaedp.report.panel import Grid, Panel
from reaedp.report.promise import bar, budget, composed, limits, promise
from reaedp.report.published import PublishedFolder
from reaedp.report.releases import NOTHING, Originals, mean_error, release_panel


def public_report(folder: str | Path, more: Sequence[Panel] = ()) -> str:
    """The public report as one self-contained HTML page; sections computed from private data are refused.

    `more` are sections to add.

    >>> public_report("published")[:15]
    '<!doctype html>'
    """
    published = PublishedFolder.read(Path(folder))
    panels = (*panels_of(published), *more)
    secret = [panel.title for panel in panels if not panel.all_disclosable]
    if secret:
        raise NotDisclosable(
            f"A public report must not contain anything computed from the data without noise: {', '.join(secret)}."
            " Write the custodian's edition instead: reaedp report --custodian."
        )
    return render(page_of(published, panels))


def page_of(folder: PublishedFolder, panels: Sequence[Panel]) -> Page:
    """The page with its heading."""
    seeded = not folder.record["private"]
    return Page(
        title=f"{shown(folder.record['dataset'], 120)}: a differentially private release",
        lead=(
            f"{written(len(folder.releases))} {'release' if len(folder.releases) == 1 else 'releases'} made on"
            f" {folder.record['created'][:10]} at a cost of ε = {about(composed(folder))}."
        ),
        warning="NOT PRIVATE: the noise was seeded. For experiments on public data only." if seeded else "",
        cards=cards(folder),
        bar=bar(folder),
        panels=tuple(panels),
    )


def panels_of(folder: PublishedFolder, originals: Originals = NOTHING) -> tuple[Panel, ...]:
    """The sections that both editions have; the custodian's puts true numbers beside the private ones."""
    sections = tuple(release_panel(release, originals.get(release.name)) for release in folder.releases)
    return (
        Panel(anchor="releases", title="What was found", panels=sections),
        promise(folder),
        audit(folder),
        _overview(folder),
        budget(folder),
        Panel(anchor="limits", title="What is not covered", words=limits(folder)),
        evidence(folder),
    )


def _overview(folder: PublishedFolder) -> Panel:
    rows = tuple(
        (
            release.title,
            about(release.record["epsilon"]),
            mean_error(release),
            ", ".join(release.record["files"]),
        )
        for release in folder.releases
    )
    grid = Grid("Releases", ("what", "ε", "mean error", "files"), rows, cards=True)
    return Panel(anchor="overview", title="What was released", grids=(grid,))


# How to cite a release and how to check it.


def evidence(folder: PublishedFolder) -> Panel:
    """The section with citation, hashes and software."""
    record = folder.record
    name, day = shown(record["dataset"], 200), record["created"][:10]
    rows = tuple((file, digest) for file, digest in record["files"].items() if file != REPORT)
    software = ", ".join(f"{library} {version}" for library, version in record["software"].items() if version)
    return Panel(
        anchor="verify",
        title="How to cite and check it",
        words=(
            (
                f"Cite as: {name}. Differentially private release of {day}, total budget"
                f" ε = {record['budget']['epsilon']:g}, contract {record['contract'][:16]}."
            ),
            (
                "`reaedp verify FOLDER` compares every file with its hash in release.json and recomputes the cost from"
                " the noise and the privacy unit. `--ledger` also checks the ledger entries that paid for it, and"
                " `--public-key` checks the custodian's signature."
            ),
        ),
        facts=(("Made", record["created"]), ("Contract", record["contract"]), ("Software", software)),
        grids=(Grid("Files and their SHA-256", ("file", "SHA-256"), rows, folded=True),),
    )
