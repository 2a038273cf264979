"""The custodian's edition of a report: the public one, with the truth beside it, utility and attacks.

Everything that is added was computed from the data without noise, so that every page says not to publish it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from reaedp.engines.data import Data, Engine
from reaedp.evaluation.evaluate import evaluate
from reaedp.evaluation.exposure import exposed
from reaedp.evaluation.finished import Finished, finished
from reaedp.evaluation.line import Line
from reaedp.evaluation.originals import original
from reaedp.frames.number import about, written
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.narrow import PART
from reaedp.report.charts.promises import Marks, three_marks
from reaedp.report.page import Page, render
from reaedp.report.panel import Cell, Figure, Grid, Panel, Score
from reaedp.report.public import page_of, panels_of
from reaedp.report.published import PublishedFolder
from reaedp.statistics.by_kind import ENTROPIES, MOMENTS, QUANTILES, SUMMARIES, ByKind
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.marginal import Marginal
from reaedp.synthesis.synthetic import Synthetic

WARNING = "NOT TO BE PUBLISHED: for the custodian only. Parts of this page were computed from the data without noise."
#: Attacks that one chart can show.
MOST_MARKS = 40
#: Rows of a table that stands open.
MOST_OPEN = 12


def custodian_report(
    folder: str | Path,
    data: Data,
    *,
    rng: np.random.Generator,
    lines: Sequence[Line] | None = None,
    others: Data | None = None,
    label: str | None = None,
    engine: Engine | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> str:
    """The custodian's report as HTML; it compares releases with the private data and must not be published.

    `lines` of an earlier evaluation save the time of a new one. `label` names a column to be predicted.

    >>> custodian_report("published", "data.csv", rng=rng)[:15]
    '<!doctype html>'
    """
    if lines is None:
        lines = evaluate(folder, data, rng=rng, others=others, label=label, engine=engine, progress=progress)
    progress("counting without noise, to compare")
    releases = finished(Path(folder), data, None, engine)
    published = PublishedFolder.read(Path(folder))
    found, *rest = panels_of(published, {release.name: original(release) for release in releases})
    titles = {release.name: release.called for release in published.releases}
    own = (utility(lines, titles), attacks(lines, releases, titles), exposure(releases, rng, titles))
    page = page_of(published, (found, *own, *rest))
    progress("drawing")
    return render(_marked(page))


def _marked(page: Page) -> Page:
    title = f"{page.title}. Custodian's edition"
    return replace(page, title=title, warning=" ".join(filter(None, (WARNING, page.warning))), switch=True)


#: What releases are called, by their names.
Titles = Mapping[str, str]
NO_TITLES: Titles = MappingProxyType({})


def utility(lines: Sequence[Line], titles: Titles = NO_TITLES) -> Panel:
    """How near the releases are to the truth."""
    chosen = [line for line in lines if line.permitted is None]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (titles.get(line.release, line.release), line.subject, line.measure, line.value, _range(line))
        for line in chosen
    )
    return Panel(
        anchor="utility",
        title="How accurate it is",
        words=(
            (
                "Each line compares a release with the data. In the charts, blue is what was released and orange is"
                " the truth; the switch above shows either or both."
            ),
        ),
        grids=(
            Grid("Errors", ("release", "what", "measure", "value", "interval"), rows, folded=len(rows) > MOST_OPEN),
        ),
        disclosable=False,
    )


def attacks(lines: Sequence[Line], releases: Sequence[Finished], titles: Titles = NO_TITLES) -> Panel:
    """What attackers reach, beside a blind guess and what is allowed, and which releases nobody attacked and why."""
    chosen = [line for line in lines if line.permitted is not None]
    measures = list(dict.fromkeys(line.measure for line in chosen))
    figures = tuple(
        _figure(measure, [line for line in chosen if line.measure == measure], titles, folded=place > 0)
        for place, measure in enumerate(measures)
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            titles.get(line.release, line.release),
            line.subject,
            line.measure,
            Score(line.value, _beside(line)),
            _range(line),
            "" if line.permitted is None else line.permitted,
        )
        for line in chosen
    )
    heads = ("release", "attack", "measure", "measured", "interval", "allowed")
    words = (
        "These attacks were run against the real data. Compare each result with the one for people who are not in the"
        " data: what an attacker gets right about them comes from the population, not from their own rows. A weak"
        " result proves little, because a better attack may exist. The allowed value holds for every attack, on average"
        " over releases."
    )
    return Panel(
        anchor="attacks",
        title="What attacks achieve",
        words=((_verdict(chosen), words) if chosen else ()) + _not_attacked(chosen, releases, titles),
        figures=figures,
        grids=(Grid("All attacks", heads, rows, folded=True),) if chosen else (),
        disclosable=False,
    )


#: What attacks on a release take beside the release itself; the other kinds take nothing more, or have none.
_TAKES = ByKind[str](
    "what attacks on it take",
    {
        Synthetic: "a file of people from the same population who are not in the data (--others), and at least one row"
        " in it, in the data and in the release",
        Marginal: "at least one row in the data",
        EntropyHistogram: "at least one row in the data",
    },
    otherwise="",
    plain=(*ENTROPIES, "KeyedMarginal", "MeanCurve", "SyntheticCurves", "Pixels", *MOMENTS, *SUMMARIES, *QUANTILES),
)


def _verdict(chosen: Sequence[Line]) -> str:
    """In words first whether any attack went beyond what is allowed, further than chance explains."""
    above = sum(line.low is not None and line.permitted is not None and line.low > line.permitted for line in chosen)
    if not above:
        return f"As expected: none of {len(chosen)} results exceeds what is allowed by more than chance."
    return (
        f"Check this: {above} of {len(chosen)} results exceed what is allowed with their whole interval. Among many"
        " results a few do so by chance; if it happens again with another seed, report it."
    )


def _beside(line: Line) -> str:
    """What the attack reaches without the person's own rows, and what a blind guess reaches."""
    parts = (("others", line.control), ("blind", line.baseline))
    return ", ".join(f"{name} {about(value)}" for name, value in parts if value is not None)


def _not_attacked(chosen: Sequence[Line], releases: Sequence[Finished], titles: Titles) -> tuple[str, ...]:
    """A sentence for each reason, with the releases for which it holds."""
    attacked, reasons = {line.release for line in chosen}, dict[str, list[str]]()
    for release in releases:
        if release.name not in attacked:
            takes = _TAKES.of(release.statistic)
            reason = f"attacks need {takes}" if takes else "releases of this kind are audited, but have no attacks"
            reasons.setdefault(reason, []).append(titles.get(release.name, release.name))
    return tuple(f"No attack was run on {', '.join(names)}: {reason}." for reason, names in reasons.items())


def _figure(measure: str, lines: Sequence[Line], titles: Titles, *, folded: bool) -> Figure:
    marks = [
        Marks(
            f"{titles.get(line.release, line.release)}{PART}{line.subject}",
            line.baseline or 0.0,
            line.value,
            line.value if line.low is None else line.low,
            line.value if line.high is None else line.high,
            line.permitted or 0.0,
        )
        for line in lines[:MOST_MARKS]
    ]
    highest = max(marks, key=lambda mark: mark.measured - mark.blind)
    return Figure(
        drawn(three_marks(marks, measure)),
        f"{measure} of {len(marks)} attacks. Furthest above a blind guess: {highest.name}, with"
        f" {written(highest.measured, 3)} ({written(highest.low, 3)} to {written(highest.high, 3)});"
        f" {written(highest.allowed, 3)} is allowed.",
        folded=f"The same by another measure: {measure}" if folded else "",
    )


def _range(line: Line) -> str:
    return "" if line.low is None else f"{written(line.low, 3)} to {written(line.high, 3)}"


def exposure(releases: Sequence[Finished], rng: np.random.Generator, titles: Titles = NO_TITLES) -> Panel:
    """Who would be attacked first."""
    found = {titles.get(release.name, release.name): exposed(release, rng) for release in releases}
    return Panel(
        anchor="exposure",
        title="Who is most exposed",
        words=(
            (
                "The promise holds for these people as for everyone else. But they are unusual, so attackers look for"
                " them first, and a mistake would harm them most."
            ),
        ),
        grids=tuple(
            replace(grid, caption=f"{title}: {grid.caption}", folded=True)
            for title, grid in found.items()
            if grid is not None
        ),
        disclosable=False,
    )
