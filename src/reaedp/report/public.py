"""The report to publish: everything in it is in the release folder already."""

from collections.abc import Sequence
from pathlib import Path

from reaedp.errors import NotDisclosable
from reaedp.label import shown
from reaedp.report.audit import audit
from reaedp.report.evidence import evidence
from reaedp.report.number import written
from reaedp.report.page import Page, render
from reaedp.report.panel import Grid, Panel
from reaedp.report.promise import bar, budget, composed, limits, promise
from reaedp.report.published import PublishedFolder
from reaedp.report.releases import NOTHING, Originals, error_unit, release_panel


def public_report(folder: str | Path, more: Sequence[Panel] = ()) -> str:
    """One page of HTML that needs nothing else; refuses sections that were computed from private truth."""
    published = PublishedFolder.read(Path(folder))
    panels = (*panels_of(published), *more)
    secret = [panel.title for panel in panels if not panel.all_disclosable]
    if secret:
        raise NotDisclosable(
            f"A public report must not contain what was computed from the data without noise: {', '.join(secret)}."
            " Make the custodian's edition instead: reaedp report --custodian."
        )
    return render(page_of(published, panels))


def page_of(folder: PublishedFolder, panels: Sequence[Panel]) -> Page:
    """The page with its heading."""
    seeded = not folder.record["private"]
    return Page(
        title=f"{shown(folder.record['dataset'], 120)}: a differentially private release",
        lead=(
            f"{written(len(folder.releases))} {'release' if len(folder.releases) == 1 else 'releases'} made on"
            f" {folder.record['created'][:10]} at a cost of ε = {written(composed(folder))}."
        ),
        warning="NOT PRIVATE: made with seeded noise, for experiments on public data only." if seeded else "",
        bar=bar(folder),
        panels=tuple(panels),
    )


def panels_of(folder: PublishedFolder, originals: Originals = NOTHING) -> tuple[Panel, ...]:
    """The sections that both editions have; the custodian's puts true numbers beside the private ones."""
    sections = tuple(release_panel(release, originals.get(release.name)) for release in folder.releases)
    return (
        _overview(folder),
        promise(folder),
        budget(folder),
        Panel(anchor="releases", title="What was found", panels=sections),
        audit(folder),
        Panel(anchor="limits", title="What is not covered", words=limits(folder)),
        evidence(folder),
    )


def _overview(folder: PublishedFolder) -> Panel:
    rows = tuple(
        (
            release.name,
            shown(release.record["title"], 120),
            release.record["epsilon"],
            f"±{written(release.record['mean_error'], 3)} {error_unit(release)}".strip(),
            ", ".join(release.record["files"]),
        )
        for release in folder.releases
    )
    grid = Grid("Releases", ("release", "what", "ε", "mean error", "files"), rows)
    return Panel(anchor="overview", title="What was released", grids=(grid,))
