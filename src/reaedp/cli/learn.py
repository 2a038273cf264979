"""`reaedp learn`: buy what is not public."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from reaedp.cli.data import Data, Engine, Memory

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Find bounds or levels of a column, for a price. They are added to the contract.",
)

ContractFile = Annotated[Path, typer.Argument(help="The contract. Data set, unit and budget must be filled in.")]
ColumnName = Annotated[str, typer.Argument(help="The column.")]
Epsilon = Annotated[float, typer.Option(help="How much to spend.")]
#: The keys of a column in the contract, the same in words, and the number of the ledger's entry.
Found = tuple[dict[str, Any], str, int]


@app.command()
def bounds(
    *,
    contract: ContractFile,
    column: ColumnName,
    data: Data,
    epsilon: Epsilon,
    bins: Annotated[int, typer.Option(help="Number of bins to declare between the bounds.")],
    engine: Engine = None,
    memory: Memory = None,  # noqa: ARG001 - it has taken effect by then
) -> None:
    """Find round lower and upper bounds of a numeric column."""
    from reaedp.contract import Number
    from reaedp.curator.learning import learn_bounds

    def find(declared: Any) -> Found:
        Number(name=column, lower=0, upper=1, bins=bins, provenance="public")  # a wrong number must cost nothing
        lower, upper, release = learn_bounds(declared, data, column, epsilon, engine=engine)
        facts = {"kind": "number", "lower": lower, "upper": upper, "bins": bins}
        return facts, f"{lower:g} to {upper:g}", release.entry

    _buy(contract, column, find)


@app.command()
def levels(
    *,
    contract: ContractFile,
    column: ColumnName,
    data: Data,
    epsilon: Epsilon,
    delta: Annotated[float, typer.Option(help="How much to spend.")],
    engine: Engine = None,
    memory: Memory = None,  # noqa: ARG001 - it has taken effect by then
) -> None:
    """Find the frequent levels of a text column."""
    from reaedp.curator.learning import learn_levels

    def find(declared: Any) -> Found:
        found, release = learn_levels(declared, data, column, epsilon, delta, engine=engine)
        return {"kind": "category", "levels": list(found)}, f"{len(found)} levels", release.entry

    _buy(contract, column, find)


def _buy(contract: Path, column: str, find: Callable[[Any], Found]) -> None:
    """Ask once, and write what was found into the contract with the entry that paid for it."""
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract
    from reaedp.contract.document import write_column

    declared = Contract.load_without_columns(contract)
    with stoppable():
        facts, words, entry = find(declared)
    write_column(contract, column, {**facts, "provenance": "dp", "entry": entry})
    typer.echo(f"{column}: {words}, paid for by ledger entry {entry}. Written to {contract}.")
