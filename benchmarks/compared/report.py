"""Tables made from the file of runs: a table of data each, a line for each contender, losses as they are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from compared.measures import MEASURES, Measure
from compared.runs import Run
from harness.table import figure, markdown_table

OURS = "REAEDP"
#: Lines that are not private: what sampling alone costs, and what a useful synthesizer must beat.
REFERENCES = ("bootstrap", "independent")
#: A worst case may be so much behind before it counts as a loss: it is one table out of many.
WORST_BEHIND = 1.05


def mean(runs: Sequence[Run], measure: str) -> float | None:
    figures = [run.figures[measure] for run in runs if measure in run.figures]
    return sum(figures) / len(figures) if figures else None


def grouped(runs: Iterable[Run]) -> dict[tuple[str, float], dict[str, list[Run]]]:
    """Table and ε → contender → its runs with a result."""
    found: dict[tuple[str, float], dict[str, list[Run]]] = {}
    for run in runs:
        if not run.failure:
            found.setdefault((run.table, run.epsilon), {}).setdefault(run.contender, []).append(run)
    return found


def loss(measure: Measure, ours: float, theirs: float) -> bool:
    """Whether they are ahead by more than the last digit that is shown, in a worst case by more than 5 %."""
    gap = (theirs - ours) if measure.more else (ours - theirs)
    allowed = 0.5 * 10.0**-measure.digits
    if measure.worst:
        allowed = max(allowed, (WORST_BEHIND - 1) * theirs)
    return gap > allowed


def losses(runs: Iterable[Run]) -> list[tuple[str, float, Measure, float, str, float]]:
    """Table, ε, measure, ours, the contender that is furthest ahead of us, theirs."""
    found = []
    for (table, epsilon), contenders in grouped(runs).items():
        if OURS not in contenders:
            continue
        for measure in MEASURES:
            ours = mean(contenders[OURS], measure.name)
            rivals = {
                name: theirs
                for name, made in contenders.items()
                if name not in (OURS, *REFERENCES) and (theirs := mean(made, measure.name)) is not None
            }
            if ours is None or not rivals:
                continue
            name, theirs = (max if measure.more else min)(rivals.items(), key=lambda pair: pair[1])
            if loss(measure, ours, theirs):
                found.append((table, epsilon, measure, ours, name, theirs))
    return found


def page(runs: Sequence[Run], tables: Sequence[str], contenders: Sequence[str]) -> str:
    """Markdown: what was run, where we are behind, quality for each table and ε, quantiles, runs without a result."""
    parts = [_coverage(runs, tables, contenders), _behind(runs)]
    for (table, epsilon), made in sorted(grouped(runs).items()):
        parts.append(f"### {table}, ε = {epsilon:g}\n\n{_quality(made)}")
    return "\n\n".join([*parts, _quantiles(runs), _failures(runs)]) + "\n"


def _coverage(runs: Sequence[Run], tables: Sequence[str], contenders: Sequence[str]) -> str:
    """How many seeds were run of what; a dash is still to be run."""
    counts = Counter((run.contender, run.table, run.epsilon) for run in runs)

    def cell(contender: str, table: str) -> str:
        found = sorted((one[2], many) for one, many in counts.items() if one[:2] == (contender, table))
        return ", ".join(f"{many} at {epsilon:g}" for epsilon, many in found) or "–"

    lines = [[contender, *(cell(contender, table) for table in tables)] for contender in contenders]
    return f"### What was run\n\nSeeds at each ε; a dash is still to be run.\n\n{markdown_table(['', *tables], lines)}"


def _shown(value: float | None, measure: Measure) -> str:
    if value is None:
        return "–"
    text = f"{value:,.{measure.digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _quality(contenders: dict[str, list[Run]]) -> str:
    """A column for each contender would be too wide for a page; a line for each, measures as columns."""
    used = [
        measure for measure in MEASURES if any(mean(made, measure.name) is not None for made in contenders.values())
    ]
    order = sorted(contenders, key=lambda name: (name in REFERENCES, name != OURS, name))
    lines = []
    for name in order:
        made = contenders[name]
        cells = []
        for measure in used:
            value = mean(made, measure.name)
            behind = False
            if name not in (OURS, *REFERENCES) and OURS in contenders and value is not None:
                ours = mean(contenders[OURS], measure.name)
                behind = ours is not None and loss(measure, ours, value)
            cells.append(f"**{_shown(value, measure)}**" if behind else _shown(value, measure))
        lines.append([name, _seeds(made), *cells, _made_with(made)])
    return markdown_table(["", "seeds", *(measure.head for measure in used), "version, date, load"], lines)


def _seeds(made: Sequence[Run]) -> str:
    return ", ".join(str(seed) for seed in sorted({run.seed for run in made}))


def _made_with(made: Sequence[Run]) -> str:
    loads = sorted(run.load for run in made)
    return f"{made[-1].version}; {made[-1].date[:10]}; {loads[0]:.0f}–{loads[-1]:.0f}"


def _behind(runs: Sequence[Run]) -> str:
    lines = [
        (table, f"{epsilon:g}", measure.head, _shown(ours, measure), _shown(theirs, measure), name)
        for table, epsilon, measure, ours, name, theirs in losses(runs)
    ]
    if not lines:
        compared = any(OURS in made and made.keys() - {OURS, *REFERENCES} for made in grouped(runs).values())
        told = "Nowhere among these runs." if compared else "No other library has been run beside ours yet."
        return f"### Where we are behind\n\n{told}"
    heads = ["table", "ε", "measure", "ours", "best of theirs", "whose"]
    return f"### Where we are behind\n\n{markdown_table(heads, lines)}"


def _quantiles(runs: Sequence[Run]) -> str:
    """A line for each number of each table: how far its quantiles are off in its own unit, at each ε."""
    found = {key: {name: _off(made) for name, made in one.items()} for key, one in grouped(runs).items()}
    numbers = {(table, column) for (table, _), one in found.items() for column in one.get(OURS, {})}
    steps = sorted({epsilon for _, epsilon in found})
    heads = ["table", "number", *(f"ε = {epsilon:g}: {who}" for epsilon in steps for who in ("ours", "best of theirs"))]
    lines = [
        (table, column, *(cell for epsilon in steps for cell in _two(found.get((table, epsilon), {}), column)))
        for table, column in sorted(numbers)
    ]
    told = "Mean absolute error over the quantiles .05 to .99 and the seeds; bold where another library is closer."
    return f"### Quantiles in their own units\n\n{told}\n\n{markdown_table(heads, lines)}"


def _off(made: Sequence[Run]) -> dict[str, float]:
    """The mean absolute error of the quantiles of each number that no run lost."""
    kept = set.intersection(*(set(run.quantiles) for run in made))
    return {
        column: sum(sum(map(abs, run.quantiles[column])) / len(run.quantiles[column]) for run in made) / len(made)
        for column in kept
    }


def _two(contenders: dict[str, dict[str, float]], column: str) -> tuple[str, str]:
    """Ours, and the best of the other libraries with its name."""
    ours = contenders.get(OURS, {}).get(column)
    rivals = [
        (off[column], name) for name, off in contenders.items() if name not in (OURS, *REFERENCES) and column in off
    ]
    if not rivals:
        return figure(ours), "–"
    best, name = min(rivals)
    shown = f"**{figure(best)}**" if ours is not None and best < ours else figure(best)
    return figure(ours), f"{shown} {name}"


def _failures(runs: Iterable[Run]) -> str:
    failed = sorted((run for run in runs if run.failure), key=lambda run: (run.contender, run.table, run.epsilon))
    lines = []
    for (contender, table, epsilon, failure), same in groupby(
        failed, key=lambda run: (run.contender, run.table, run.epsilon, run.failure)
    ):
        seeds = _seeds(list(same))
        lines.append((contender, table, f"{epsilon:g}", seeds, failure))
    if not lines:
        return "### Runs without a result\n\nNone."
    return f"### Runs without a result\n\n{markdown_table(['contender', 'table', 'ε', 'seeds', 'why'], lines)}"
