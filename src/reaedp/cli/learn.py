"""`reaedp learn`: buy what is not public."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reaedp.cli.data import Data, Engine, limited

if TYPE_CHECKING:
    from reaedp.curator.learning import Learned

HELP = "Buy bounds, levels, bins or common values of columns. Charges the ledger and adds them to the contract."
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=HELP)

ContractFile = Annotated[Path, typer.Argument(help="The contract. Data set, unit and budget must be filled in.")]
ColumnName = Annotated[str, typer.Argument(help="The column's name.")]
Epsilon = Annotated[float, typer.Option(help="How much ε to spend.")]
Delta = Annotated[float, typer.Option(help="How much δ to spend.")]
#: The keys of a column in the contract, the same in words, and the number of the ledger's entry.
Found = tuple[dict[str, Any], str, int]
#: Finds it for a contract, data and a column, with ε, δ and an engine by name.
Finder = Callable[..., Found]


@app.command()
@limited
def bounds(
    *,
    contract: ContractFile,
    column: ColumnName,
    data: Data,
    epsilon: Epsilon,
    bins: Annotated[int, typer.Option(help="Number of bins to declare between the bounds.")],
    engine: Engine = None,
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


def _for_delta(*, declared: bool) -> Callable[[Finder], Callable[..., None]]:
    """Make a command of a way to find something out about a column for ε and δ."""

    def made(find: Finder) -> Callable[..., None]:
        @limited
        def command(
            *,
            contract: ContractFile,
            column: ColumnName,
            data: Data,
            epsilon: Epsilon,
            delta: Delta,
            engine: Engine = None,
        ) -> None:
            price = {"epsilon": epsilon, "delta": delta}
            _buy(contract, column, lambda terms: find(terms, data, column, **price, engine=engine), declared=declared)

        return app.command(name=find.__name__, help=find.__doc__)(command)

    return made


@_for_delta(declared=False)
def levels(contract: Any, data: str, column: str, *, epsilon: float, delta: float, engine: str | None) -> Found:
    """Find the frequent levels of a text column."""
    from reaedp.curator.learning import learn_levels

    found, release = learn_levels(contract, data, column, epsilon, delta, engine=engine)
    return {"kind": "category", "levels": list(found)}, f"{len(found)} levels", release.entry


@_for_delta(declared=True)
def values(contract: Any, data: str, column: str, *, epsilon: float, delta: float, engine: str | None) -> Found:
    """Find the common values of a number column that has bounds, and give each a bin of its own."""
    from reaedp.curator.learning import learn_values

    found, release = learn_values(contract, data, column, epsilon, delta, engine=engine)
    facts = {"lower": None, "upper": None, "bins": None, "edges": list(found.edges or ()), "step": found.step}
    return facts, f"{found.regular} bins in steps of {found.step:g}", release.entry


@app.command()
@limited
def bins(
    *,
    contract: Annotated[Path, typer.Argument(help="The contract. It must declare the column and its bounds.")],
    column: ColumnName,
    data: Data,
    epsilon: Epsilon,
    bins: Annotated[int, typer.Option(help="About how many bins, each with about the same share of the rows.")],
    histogram_epsilon: Annotated[
        float | None,
        typer.Option(
            help="ε of the histogram that will use these bins. If equal-width bins would do better, nothing is bought."
        ),
    ] = None,
    engine: Engine = None,
) -> None:
    """Find bins of a numeric column that follow the data: their edges are private quantiles."""
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract
    from reaedp.contract.document import write_column
    from reaedp.curator.quantile_bins import learn_bins

    declared = Contract.load(contract)
    with stoppable():
        learned = learn_bins(
            declared, data, column, bins=bins, epsilon=epsilon, histogram_epsilon=histogram_epsilon, engine=engine
        )
    if learned.binning is not None:
        typer.echo(learned.binning.words)
    if learned.release is None:
        typer.echo(f"{column}: nothing was charged, and {contract} is unchanged. Declare {learned.bins} equal bins.")
        return
    facts = {"kind": "number", "lower": None, "upper": None, "bins": None, "step": None, "edges": list(learned.edges)}
    write_column(contract, column, {**facts, "provenance": "dp", "entry": learned.release.entry})
    paid = f"paid for by ledger entry {learned.release.entry}. Written to {contract}."
    typer.echo(f"{column}: {learned.bins} bins from {learned.edges[0]:g} to {learned.edges[-1]:g}, {paid}")
    if getattr(declared.column(column), "step", None) is not None:
        typer.echo(f"The step of {column} was removed, because a learned bin may contain no multiple of it.")


@app.command()
@limited
def columns(
    *,
    contract: ContractFile,
    data: Data,
    epsilon: Annotated[float, typer.Option(help="How much ε to spend on all of them together.")],
    delta: Annotated[float | None, typer.Option(help="How much δ to spend; needed for --levels.")] = None,
    bounds: Annotated[list[str] | None, typer.Option(help="Find bounds of these columns, separated by commas.")] = None,
    levels: Annotated[list[str] | None, typer.Option(help="Find levels of these columns, separated by commas.")] = None,
    bins: Annotated[int | None, typer.Option(help="Number of bins to declare; needed for --bounds.")] = None,
    engine: Engine = None,
) -> None:
    """Find bounds and levels of many columns, in one charge for all of them or none."""
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract, Number
    from reaedp.contract.document import write_column
    from reaedp.curator.learning import learn_columns
    from reaedp.errors import DeclarationError, ReaedpError

    if bounds and bins is None:
        raise DeclarationError("--bins must be given with --bounds.")
    if bins is not None:
        Number(name="bins", lower=0, upper=1, bins=bins, provenance="public")  # a wrong number must cost nothing
    declared = Contract.load_without_columns(contract)
    wanted = {"bounds": _names(bounds), "levels": _names(levels)}
    with stoppable():
        learned = learn_columns(declared, data, **wanted, epsilon=epsilon, delta=delta, engine=engine)
    for one in learned:
        if one.found:
            facts, words = _facts(one, bins)
            write_column(contract, one.column, {**facts, "provenance": "dp", "entry": one.release.entry})
            typer.echo(f"{one.column}: {words}, paid for by ledger entry {one.release.entry}. Written to {contract}.")
    if lost := [one.column for one in learned if not one.found]:
        raise ReaedpError(
            f"Nothing rose above the noise in {', '.join(lost)}. The charge stands. Spend more, or declare what is"
            " public."
        )


def _names(options: list[str] | None) -> list[str]:
    return [name.strip() for option in options or () for name in option.split(",") if name.strip()]


def _facts(learned: "Learned", bins: int | None) -> tuple[dict[str, Any], str]:
    """The keys of the column in the contract, and the same in words."""
    if learned.bounds is None:
        return {"kind": "category", "levels": list(learned.levels)}, f"{len(learned.levels)} levels"
    lower, upper = learned.bounds
    return {"kind": "number", "lower": lower, "upper": upper, "bins": bins}, f"{lower:g} to {upper:g}"


def _buy(contract: Path, column: str, find: Callable[[Any], Found], *, declared: bool = False) -> None:
    """Ask once, and write what was found into the contract with the entry that paid for it.

    If the column must be `declared`, so must all be; otherwise none has to be.
    """
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract
    from reaedp.contract.document import write_column

    terms = Contract.load(contract) if declared else Contract.load_without_columns(contract)
    with stoppable():
        facts, words, entry = find(terms)
    write_column(contract, column, {**facts, "provenance": "dp", "entry": entry})
    typer.echo(f"{column}: {words}, paid for by ledger entry {entry}. Written to {contract}.")
