"""`reaedp ledger`: what was spent, by what, and whether the book is sound."""

import csv
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reaedp.cli.output import writing

if TYPE_CHECKING:
    from reaedp.privacy.entry import Entry
    from reaedp.privacy.ledger import Ledger

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make, show, check and export the budget ledger.")

Address = Annotated[str, typer.Argument(help="The ledger: a file or a postgresql:// address.")]
Dataset = Annotated[str | None, typer.Option(help="One data set; all of them if left out.")]


class Format(StrEnum):
    """Forms of an export."""

    JSON = "json"
    CSV = "csv"


def _open(address: str) -> "Ledger":
    from reaedp.privacy.ledger import Ledger

    return Ledger.open(address)


def make(address: str | Path) -> None:
    """Make a ledger and say where it is."""
    from reaedp.privacy.ledger import Ledger

    with Ledger.create(address) as book:
        typer.echo(f"Made the ledger {book.place}, identity {book.identity}. Keep it as carefully as the data.")


@app.command()
def create(ledger: Address) -> None:
    """Make an empty ledger, once; nothing else makes one."""
    make(ledger)


def _chosen(book: "Ledger", dataset: str | None) -> tuple[str, ...]:
    from reaedp.errors import DeclarationError, unknown

    if dataset is not None and dataset not in book.datasets():
        raise DeclarationError(unknown("data set", dataset, book.datasets()))
    return (dataset,) if dataset is not None else book.datasets()


@app.command()
def show(ledger: Address, dataset: Dataset = None) -> None:
    """What is spent and left of every budget, and what that means."""
    from reaedp.cli import screen
    from reaedp.privacy.admission import OVERDRAWN

    with _open(ledger) as book:
        for name in _chosen(book, dataset):
            screen.show_budget(name, book.budget(name), book.spent(name), book.remaining(name))
            if not book.holds(name):
                typer.echo(f"  Nothing more can be released: {OVERDRAWN}")


@app.command()
def history(ledger: Address, dataset: Dataset = None) -> None:
    """Every entry: charges, finished releases, raised budgets."""
    from reaedp.cli import screen

    with _open(ledger) as book, screen.steps() as progress:
        progress("reading entries")
        records = [_record(entry) for entry in book.history(dataset)]
    screen.show_history(records)


@app.command()
def forecast(
    ledger: Address,
    epsilon: Annotated[float, typer.Option(help="Price of one release.")],
    dataset: Dataset = None,
    delta: Annotated[
        float | None, typer.Option(help="With Gaussian noise, the δ at which one release costs ε.")
    ] = None,
) -> None:
    """How many more releases of one kind the budget allows: Laplace, or Gaussian if a δ is given."""
    from reaedp.mechanisms.gaussian import Gaussian
    from reaedp.mechanisms.laplace import Laplace
    from reaedp.privacy.unit import Sensitivity

    one_row = Sensitivity(1, 1, 1)
    mechanism: Any = Laplace(epsilon) if delta is None else Gaussian.within(epsilon, delta, one_row)
    with _open(ledger) as book:
        for name in _chosen(book, dataset):
            copies = book.copies_left(name, mechanism.price(one_row))
            typer.echo(f"{name}: {copies:,} more releases with {mechanism.name} noise at ε = {epsilon:g} each.")


@app.command()
def verify(
    ledger: Address,
    checkpoint: Annotated[Path | None, typer.Option(help="A checkpoint kept elsewhere; finds truncation too.")] = None,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Compose what was spent once more, by dp-accounting.")
    ] = False,
) -> None:
    """Check every entry against the chain of hashes."""
    from reaedp.cli.screen import steps
    from reaedp.errors import ReaedpError

    with _open(ledger) as book:
        with steps() as progress:
            progress("checking every entry")
            number = book.verify(checkpoint)
        typer.echo("1 entry is sound." if number == 1 else f"{number:,} entries are sound.")
        for name in book.datasets() if second_opinion else ():
            ours, theirs = book.spent(name), book.second_opinion(name)
            if theirs is None:
                typer.echo(f"{name}: dp-accounting cannot compose these losses.")
                continue
            typer.echo(f"{name}: ε = {ours:.5g}; by dp-accounting between {theirs.low:.5g} and {theirs.high:.5g}.")
            if ours < theirs.low:
                raise ReaedpError(f"What {name!r} spent is understated. Stop releasing, and report this as a bug.")


@app.command(name="checkpoint")
def write_checkpoint(ledger: Address, out: Annotated[Path, typer.Option(help="Where to keep it.")]) -> None:
    """Write the number and hash of the last entry, to be kept in another place."""
    from reaedp.place import outside_releases

    outside_releases(out)
    with _open(ledger) as book, writing(out):
        out.write_text(json.dumps(book.checkpoint()) + "\n", encoding="utf-8")


@app.command()
def export(
    ledger: Address,
    form: Annotated[Format, typer.Option("--format", help="json or csv.")] = Format.JSON,
    dataset: Dataset = None,
) -> None:
    """Write all entries to the terminal as JSON or CSV."""
    with _open(ledger) as book:
        records = [_record(entry) for entry in book.history(dataset)]
    if form is Format.JSON:
        typer.echo(json.dumps(records, indent=1, ensure_ascii=False))
        return
    names = list(dict.fromkeys(key for record in records for key in record))
    writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in record.items()} for record in records)


@app.command(name="raise")
def raise_budget(
    ledger: Address,
    dataset: Annotated[str, typer.Option(help="The data set whose budget is raised.")],
    epsilon: Annotated[float, typer.Option(help="The new ε.")],
    delta: Annotated[float, typer.Option(help="The new δ.")],
    reason: Annotated[str, typer.Option(help="Why; it is recorded for ever.")],
) -> None:
    """Raise a budget, with a reason that is recorded in the chain."""
    from reaedp.privacy.budget import Budget

    with _open(ledger) as book:
        number = book.raise_budget(dataset, Budget(epsilon, delta), reason)
    typer.echo(f"Recorded as entry {number}.")


@app.command()
def recover(
    ledger: Address,
    lost: Annotated[
        list[str],
        typer.Option(help="DATASET=EPSILON, DATASET=EPSILON,DELTA or DATASET=all: what the lost entries cost at most."),
    ],
    reason: Annotated[str, typer.Option(help="What happened; it is recorded for ever.")],
) -> None:
    """Go on with an older copy of a ledger, after entering what the entries that it lacks cost."""
    from reaedp.privacy.ledger import Ledger

    first, last = Ledger.recover(ledger, dict(map(_lost, lost)), reason)
    typer.echo(f"Entries {first:,} to {last:,} are recorded as lost, and what they cost is charged.")


def _lost(text: str) -> tuple[str, tuple[float, float] | None]:
    from reaedp.errors import DeclarationError, sentence

    name, _, cost = text.rpartition("=")
    try:
        epsilon, _, delta = cost.partition(",")
        return name, None if cost == "all" else (float(epsilon), float(delta or 0))
    except ValueError:
        rule = "--lost must be DATASET=EPSILON, DATASET=EPSILON,DELTA or DATASET=all"
        raise DeclarationError(sentence(rule, given=text)) from None


def _record(entry: "Entry") -> dict[str, Any]:
    """An entry as plain values, in the ledger's own words."""
    body: dict[str, Any] = json.loads(entry.body)
    return {**body, "finished": entry.finished} if entry.kind == "charge" else body


def _cell(value: object) -> object:
    return value if isinstance(value, str | int | float) or value is None else json.dumps(value)
