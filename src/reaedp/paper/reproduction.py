"""The whole reproduction: every item run, written as CSV, SVG and PNG, and gathered into two pages."""

import csv
import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reaedp.disk.claimed_folder import claimed
from reaedp.disk.system import rename_folder
from reaedp.errors import DeclarationError, unknown
from reaedp.paper.item import Experiment, Item, Result

#: Public experiments repeat.
SEED = 20_250_101


@dataclass(frozen=True, slots=True, eq=False)
class Reproduced:
    """An item with what came of it."""

    item: Item
    result: Result
    quick: bool = False


#: What every page of a quick run says first.
QUICK = "A quick run: fewer runs than the full one, so wider ranges."


def reproduce(
    items: Sequence[Item],
    out: Path,
    *,
    rng: np.random.Generator,
    names: Sequence[str] = (),
    quick: bool = False,
    data: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Reproduced, ...]:
    """Run the named items, or all, into a new folder that appears whole or not at all.

    Every item has a stream of its own, by its number, so that it gives the same numbers alone and among others.
    """
    known = {item.name: item for item in items}
    for name in names:
        if name not in known:
            raise DeclarationError(unknown("item", name, known))
    if data is not None and not data.is_dir():
        raise DeclarationError(
            f"The folder with the data sets must exist; {data} is none. Leave --data out to go without."
        )
    if out.exists():
        raise DeclarationError(f"The output folder must be new; {out} exists. Choose another --out.")
    streams = rng.spawn(1 + max(item.number for item in items))
    done = []
    for item in [known[name] for name in names] or items:
        progress(f"{item.number}. {item.title}")
        done.append(Reproduced(item, item.run(Experiment(streams[item.number], quick, data, progress)), quick))
    _write(out, done)
    return tuple(done)


def _write(out: Path, done: Sequence[Reproduced]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with claimed(out.parent, "reproduction") as hidden:
        for each in done:
            _write_item(hidden / each.item.name, each.result)
        (hidden / "RESULTS.md").write_text(markdown(done), encoding="utf-8", newline="\n")
        (hidden / "index.html").write_text(page(done), encoding="utf-8", newline="\n")
        hidden.chmod(0o755)
        rename_folder(hidden, out)


def _write_item(stem: Path, result: Result) -> None:
    import vl_convert

    with stem.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(result.table))
        writer.writeheader()
        writer.writerows(result.rows)
    chart = specification(result)
    stem.with_suffix(".svg").write_text(vl_convert.vegalite_to_svg(chart), encoding="utf-8")
    stem.with_suffix(".png").write_bytes(vl_convert.vegalite_to_png(chart, scale=1.5))


def specification(result: Result) -> dict[str, object]:
    """The chart with its data."""
    schema = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "background": "white"}
    return schema | {"data": {"values": result.rows}} | dict(result.chart)


def markdown(done: Sequence[Reproduced]) -> str:
    """All verdicts, then each item with its claim, reason and table."""
    lines = [
        "# The paper, reproduced",
        "",
        f"Public experiments with the fixed seed {SEED}; not releases. {_length(done)}".strip(),
        "",
        "| | item | verdict | errata |",
        "|---|---|---|---|",
        *(f"| {e.item.number} | {e.item.title} | {e.result.verdict} | {_errata(e.item)} |" for e in done),
    ]
    for each in done:
        lines += ["", f"## {each.item.number}. {each.item.title}", "", *_paragraphs(each), ""]
        lines += [f"![{each.item.title}]({each.item.name}.svg)", "", *_table(each.result)]
    return "\n".join(lines) + "\n"


def _paragraphs(each: Reproduced) -> list[str]:
    item, result = each.item, each.result
    setting = f"{QUICK} {item.what_was_run(True)}" if each.quick else item.setting
    texts = {"Claim": item.claim, "Setting": setting, f"Verdict: {result.verdict}": result.because}
    return [part for title, text in texts.items() for part in (f"**{title}.** {text}", "")]


def _length(done: Sequence[Reproduced]) -> str:
    return QUICK if any(each.quick for each in done) else ""


def _errata(item: Item) -> str:
    return ", ".join(map(str, item.errata)) or "none"


def _table(result: Result, most: int = 60) -> list[str]:
    """The first rows; the rest is in the CSV file."""
    names = list(result.table)
    rows = [[_shown(row[name]) for name in names] for row in result.rows]
    more = [f"… {len(rows) - most} rows more in the CSV file"] if len(rows) > most else []
    head = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows[:most]), *more]


def _shown(value: object) -> str:
    text = f"{value:.5g}" if isinstance(value, float) else "" if value is None else str(value)
    return text.replace("|", "\\|")


_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #999;padding:.2rem .5rem}
img{max-width:100%;height:auto;background:#fff}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}}"""


def page(done: Sequence[Reproduced]) -> str:
    """The results as one page that refers to the pictures beside it."""
    rows = "".join(
        f'<tr><td>{e.item.number}</td><td><a href="#{e.item.name}">{html.escape(e.item.title)}</a></td>'
        f"<td>{e.result.verdict}</td><td>{_errata(e.item)}</td></tr>"
        for e in done
    )
    parts = "".join(map(_section, done))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
    table = f"<table><tr><th></th><th>item</th><th>verdict</th><th>errata</th></tr>{rows}</table>"
    title = "The paper, reproduced"
    return (
        f'<!doctype html><html lang="en"><head>{head}<title>{title}</title></head><body><h1>{title}</h1>'
        f"<p>Public experiments with the fixed seed {SEED}; not releases. <b>{_length(done)}</b></p>"
        f"{table}{parts}</body></html>\n"
    )


def _section(each: Reproduced) -> str:
    item, result = each.item, each.result
    setting = html.escape(item.what_was_run(each.quick))
    length = f"<b>{QUICK}</b> " if each.quick else ""
    names = list(result.table)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_shown(row[name]))}</td>" for name in names) + "</tr>"
        for row in result.rows[:60]
    )
    return (
        f'<section id="{item.name}"><h2>{item.number}. {html.escape(item.title)}</h2>'
        f"<p><b>Claim.</b> {html.escape(item.claim)}</p><p><b>Setting.</b> {length}{setting}</p>"
        f"<p><b>Verdict: {result.verdict}.</b> {html.escape(result.because)}</p>"
        f'<img src="{item.name}.svg" alt="{html.escape(item.title)}">'
        f'<table><tr>{head}</tr>{body}</table><p><a href="{item.name}.csv">all rows</a></p></section>'
    )
