"""`reaedp learn`: buy what is not public."""

from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli.data import Data, Engine, Memory

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Learn bounds or levels of a column, at a price, into the contract.",
)

ContractFile = Annotated[Path, typer.Argument(help="The contract; data set, unit and budget must be filled in.")]
ColumnName = Annotated[str, typer.Argument(help="The column to learn about.")]
Epsilon = Annotated[float, typer.Option(help="What to spend.")]


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
    """Learn round bounds of a numeric column from noisy counts over fixed bins."""
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract, Number
    from reaedp.learning import learn_bounds, write_column

    declared = Contract.load_without_columns(contract)
    Number(name=column, lower=0, upper=1, bins=bins, provenance="public")  # a wrong number of bins must cost nothing
    with stoppable():
        lower, upper, release = learn_bounds(declared, data, column, epsilon, engine=engine)
    facts = {"kind": "number", "lower": lower, "upper": upper, "bins": bins}
    write_column(contract, column, {**facts, "provenance": "dp", "entry": release.entry})
    typer.echo(f"{column}: [{lower:g}, {upper:g}], paid by ledger entry {release.entry}; written into {contract}.")


@app.command()
def levels(
    *,
    contract: ContractFile,
    column: ColumnName,
    data: Data,
    epsilon: Epsilon,
    delta: Annotated[float, typer.Option(help="What to spend.")],
    engine: Engine = None,
    memory: Memory = None,  # noqa: ARG001 - it has taken effect by then
) -> None:
    """Learn the frequent levels of a text column."""
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract
    from reaedp.learning import learn_levels, write_column

    declared = Contract.load_without_columns(contract)
    with stoppable():
        found, release = learn_levels(declared, data, column, epsilon, delta, engine=engine)
    facts = {"kind": "category", "levels": list(found), "provenance": "dp", "entry": release.entry}
    write_column(contract, column, facts)
    typer.echo(f"{column}: {len(found)} levels, paid by ledger entry {release.entry}; written into {contract}.")
