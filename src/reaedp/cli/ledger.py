"""`reaedp ledger`: what was spent, by which releases, and whether the ledger is intact."""

import csv
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reaedp.cli.output import writing

if TYPE_CHECKING:
    from reaedp.ledger.ledger import Ledger

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Create, show, check and export the budget ledger.")

Address = Annotated[str, typer.Argument(help="The ledger: a file or a postgresql:// address.")]
Dataset = Annotated[str | None, typer.Option(help="Only this data set. Default: all.")]


class Format(StrEnum):
    """The formats of an export."""

    JSON = "json"
    CSV = "csv"


class Rule(StrEnum):
    """What can be done about the two-person rule of a data set."""

    REQUIRE = "require"
    APPROVE_LIFTING = "approve-lifting"
    LIFT = "lift"

    def record(self, book: "Ledger", dataset: str, reason: str) -> int:
        """Do it; the entry's number."""
        from reaedp.errors import DeclarationError

        if self is Rule.APPROVE_LIFTING:
            return book.approve_lifting(dataset, reason)
        if book.needs_two_people(dataset) == (self is Rule.REQUIRE):
            holds = "is already in force" if self is Rule.REQUIRE else "is not in force"
            raise DeclarationError(f"The two-person rule of {dataset!r} {holds}.")
        return book.require_two_people(dataset, reason, required=self is Rule.REQUIRE)


def _open(address: str) -> "Ledger":
    from reaedp.ledger.ledger import Ledger

    return Ledger.open(address)


def make(address: str | Path) -> None:
    """Create a ledger and say where it is."""
    from reaedp.ledger.ledger import Ledger

    with Ledger.create(address) as book:
        typer.echo(f"Created the ledger {book.place}, identity {book.identity}. Guard it as carefully as the data.")


@app.command()
def create(ledger: Address) -> None:
    """Create an empty ledger."""
    make(ledger)


def _chosen(book: "Ledger", dataset: str | None) -> tuple[str, ...]:
    from reaedp.errors import DeclarationError, unknown

    if dataset is not None and dataset not in book.datasets():
        raise DeclarationError(unknown("data set", dataset, book.datasets()))
    return (dataset,) if dataset is not None else book.datasets()


@app.command()
def show(ledger: Address, dataset: Dataset = None) -> None:
    """Show what is spent and left. Explains what that means for people in the data."""
    from reaedp.cli import screen
    from reaedp.ledger.admission import OVERDRAWN

    with _open(ledger) as book:
        for name in _chosen(book, dataset):
            screen.show_budget(name, book.budget(name), book.spent(name), book.remaining(name))
            if not book.holds(name):
                typer.echo(f"  Nothing more can be released: {OVERDRAWN}")


@app.command()
def history(ledger: Address, dataset: Dataset = None) -> None:
    """List all entries: charges, finished releases, raised budgets."""
    from reaedp.cli import screen
    from reaedp.cli.progress import steps

    with _open(ledger) as book, steps() as progress:
        progress("reading entries")
        records = [entry.record for entry in book.history(dataset)]
    screen.show_history(records)


@app.command()
def forecast(
    ledger: Address,
    epsilon: Annotated[float, typer.Option(help="ε of one release.")],
    dataset: Dataset = None,
    delta: Annotated[float | None, typer.Option(help="δ of one release, for Gaussian noise.")] = None,
) -> None:
    """Show how many more histograms are affordable. With Laplace noise, or Gaussian if a δ is given."""
    from reaedp.mechanisms.gaussian import Gaussian
    from reaedp.mechanisms.laplace import Laplace
    from reaedp.statistics.marginal import counting_sensitivity

    with _open(ledger) as book:
        for name in _chosen(book, dataset):
            counts = counting_sensitivity(book.unit(name))
            mechanism: Any = Laplace(epsilon) if delta is None else Gaussian.within(epsilon, delta, counts)
            copies = book.copies_left(name, mechanism.price(counts))
            typer.echo(f"{name}: {copies:,} more histograms with {mechanism.name} noise at ε = {epsilon:g} each.")


@app.command()
def verify(
    ledger: Address,
    checkpoint: Annotated[
        Path | None, typer.Option(help="A checkpoint kept elsewhere, to find missing entries.")
    ] = None,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Also compute what was spent with dp-accounting.")
    ] = False,
) -> None:
    """Check that no entry was changed, using the chain of hashes."""
    from reaedp.cli.progress import steps
    from reaedp.errors import ReaedpError

    with _open(ledger) as book:
        with steps() as progress:
            progress("checking every entry")
            number = book.verify(checkpoint)
        typer.echo("1 entry is intact." if number == 1 else f"{number:,} entries are intact.")
        for name in book.datasets() if second_opinion else ():
            ours, theirs = book.spent(name), book.second_opinion(name)
            if theirs is None:
                typer.echo(f"{name}: dp-accounting cannot compose these privacy losses; no second opinion.")
                continue
            typer.echo(f"{name}: ε = {ours:.5g}; dp-accounting says {theirs.low:.5g} to {theirs.high:.5g}.")
            if ours < theirs.low:
                raise ReaedpError(
                    f"The ledger understates what {name!r} has spent. Make no more releases, and report this as a bug."
                )


@app.command(name="checkpoint")
def write_checkpoint(ledger: Address, out: Annotated[Path, typer.Option(help="The file to write.")]) -> None:
    """Save the number and hash of the last entry. Keep the file elsewhere."""
    from reaedp.release.place import outside_releases

    outside_releases(out)
    with _open(ledger) as book, writing(out):
        out.write_text(json.dumps(book.checkpoint()) + "\n", encoding="utf-8")


@app.command()
def export(
    ledger: Address,
    form: Annotated[Format, typer.Option("--format", help="json or csv.")] = Format.JSON,
    dataset: Dataset = None,
) -> None:
    """Print all entries as JSON or CSV."""
    with _open(ledger) as book:
        records = [entry.record for entry in book.history(dataset)]
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
    reason: Annotated[str, typer.Option(help="The reason. It is recorded permanently.")],
) -> None:
    """Raise a budget and record the reason."""
    from reaedp.privacy.budget import Budget

    with _open(ledger) as book:
        number = book.raise_budget(dataset, Budget(epsilon, delta), reason)
    typer.echo(f"Recorded as entry {number}.")


@app.command(name="two-people")
def two_people(
    ledger: Address,
    what: Annotated[
        Rule, typer.Argument(help="require the rule; approve-lifting it; or lift it after another user's approval.")
    ],
    dataset: Annotated[str, typer.Option(help="The data set.")],
    reason: Annotated[str, typer.Option(help="The reason. It is recorded permanently.")],
) -> None:
    """Refuse charges that no second user approved (`reaedp request decide`). Lifting the rule takes two people."""
    with _open(ledger) as book:
        _chosen(book, dataset)
        number = what.record(book, dataset, reason)
    typer.echo(f"Recorded as entry {number}.")


@app.command()
def recover(
    ledger: Address,
    lost: Annotated[
        list[str],
        typer.Option(help="The most that the lost entries can have cost: DATASET=EPSILON[,DELTA] or DATASET=all."),
    ],
    reason: Annotated[str, typer.Option(help="What happened. It is recorded permanently.")],
) -> None:
    """Continue from an older copy of a ledger, after charging the cost of its missing entries."""
    from reaedp.ledger.ledger import Ledger

    first, last = Ledger.recover(ledger, dict(map(_lost, lost)), reason)
    typer.echo(f"Recorded entries {first:,} to {last:,} as lost and charged their cost.")


def _lost(text: str) -> tuple[str, tuple[float, float] | None]:
    from reaedp.errors import DeclarationError, sentence

    name, _, cost = text.rpartition("=")
    try:
        epsilon, _, delta = cost.partition(",")
        return name, None if cost == "all" else (float(epsilon), float(delta or 0))
    except ValueError:
        rule = "--lost must be DATASET=EPSILON, DATASET=EPSILON,DELTA or DATASET=all"
        raise DeclarationError(sentence(rule, given=text)) from None


def _cell(value: object) -> object:
    return value if isinstance(value, str | int | float) or value is None else json.dumps(value)
