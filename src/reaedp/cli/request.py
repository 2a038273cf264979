"""`reaedp request`: plans that analysts ask for, who may not see the data, and the custodian's answers."""

from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli.output import writing

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Request releases without seeing the data, or answer such a request.",
)

RequestFile = Annotated[Path, typer.Argument(help="A request: a file whose name ends in .request.toml.")]
ContractFile = Annotated[Path, typer.Argument(help="Your own contract, which the plan must fit.")]


@app.command()
def package(
    contract: Annotated[Path, typer.Argument(help="The contract of the data.")],
    out: Annotated[Path, typer.Option(help="The ZIP archive to write.")],
) -> None:
    """Write what an analyst needs: the contract without its ledger, and made-up rows. No data is opened."""
    from reaedp.drafting.analyst_package import package as packed
    from reaedp.release.place import outside_releases

    content = packed(contract)
    outside_releases(out)
    with writing(out):
        out.write_bytes(content)
    typer.echo(f"Wrote {out}. It contains nothing derived from the data.")


@app.command()
def write(
    plan: Annotated[Path, typer.Argument(help="The plan to request.")],
    by: Annotated[str, typer.Option(help="Your name.")],
    note: Annotated[str, typer.Option(help="What it is for.")],
    out: Annotated[Path, typer.Option(help="The file to write; its name must end in .request.toml.")],
) -> None:
    """Write a plan as a request, to send to the custodian."""
    from reaedp.drafting.plan_request import write_request

    write_request(plan, by, note, out)
    typer.echo(f"Wrote {out}. Send it to the custodian of the data.")


@app.command()
def show(request: RequestFile, contract: ContractFile) -> None:
    """Show who asks for what, how accurate it will be, what it costs and risks, and what would be left."""
    from reaedp.drafting.plan_request import PlanRequest
    from reaedp.ledger.admission import shown
    from reaedp.plan.forecast import Forecast

    asked = PlanRequest.read(request, contract)
    asked.check_contract()
    typer.echo(f"Requested by {asked.asked_by}: {asked.note}")
    for one in asked.plan.requests():
        forecast = Forecast.of(one, asked.plan.contract)
        typer.echo(f"{forecast.name}: {forecast.title}. {forecast.words} ε = {shown(forecast.epsilon, up=True)}.")
    left = asked.left
    rest = "That is more than is left." if left is None else f"{shown(left, up=False)} would be left."
    typer.echo(f"Together ε = {shown(asked.price, up=True)}. {rest}")
    typer.echo(asked.risk)


@app.command()
def decide(
    request: RequestFile,
    contract: ContractFile,
    *,
    approve: Annotated[bool, typer.Option("--approve/--refuse", help="The answer.")],
    reason: Annotated[str, typer.Option(help="The reason. It is recorded permanently and written into the answer.")],
    plan: Annotated[
        Path | None, typer.Option(help="Where to write an approved plan. Default: plan.toml next to the contract.")
    ] = None,
) -> None:
    """Approve a request, so that it becomes the plan, or refuse it with a reason. Recorded in the ledger."""
    from reaedp.drafting.plan_request import PlanRequest, answer_path

    where = contract.with_name("plan.toml") if plan is None else plan
    number = PlanRequest.read(request, contract).decide(where, approved=approve, reason=reason)
    typer.echo(f"Recorded as entry {number}. The answer is {answer_path(request)}; send it back.")
    if approve:
        typer.echo(f"The plan is now {where}.")
