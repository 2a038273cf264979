"""`reaedp algorithm1`: the paper's Algorithm 1, through the curator and the ledger."""

from pathlib import Path
from typing import Annotated, Any

import typer

from reaedp.cli.data import Data, Engine


def algorithm1(
    contract: Annotated[Path, typer.Argument(help="The contract: columns, bins, unit, budget, ledger.")],
    data: Data,
    *,
    out: Annotated[Path, typer.Option(help="The folder to create. It must be new or empty.")],
    column: Annotated[list[str], typer.Option(help="A column to count; may be repeated.")],
    epsilon: Annotated[float, typer.Option(help="ε of each histogram.")],
    records: Annotated[int | None, typer.Option(help="Also make this many synthetic records, by mechanism F.")] = None,
    records_epsilon: Annotated[float | None, typer.Option(help="ε for the model and all records together.")] = None,
    delta: Annotated[float | None, typer.Option(help="δ for the model and all records together.")] = None,
    k: Annotated[int | None, typer.Option(help="k: how many plausible seeds a record needs.")] = None,
    t: Annotated[int | None, typer.Option(help="How the cost is split between ε and δ; from 1 to k.")] = None,
    gamma: Annotated[float | None, typer.Option(help="The ratio of probabilities in one class, above 1.")] = None,
    epsilon0: Annotated[float | None, typer.Option(help="ε of the noise in the test.")] = None,
    attempts: Annotated[int | None, typer.Option(help="Average number of candidates per record.")] = None,
    engine: Engine = None,
) -> None:
    """Release histograms with their entropies, and synthetic records, by the paper's Algorithm 1."""
    from reaedp.cli.progress import steps
    from reaedp.cli.screen import show_plan
    from reaedp.cli.stopping import stoppable
    from reaedp.contract import Contract
    from reaedp.plan.algorithm1 import EntropyBounds
    from reaedp.plan.algorithm1 import algorithm1 as planned
    from reaedp.plan.kinds.synthetic import PlannedSynthetic
    from reaedp.release.place import outside_releases
    from reaedp.release.publication import publish

    outside_releases(out)
    terms, columns = Contract.load(contract), tuple(column)
    synthetic = []
    if records is not None:
        published: dict[str, Any] = {"k": k, "t": t, "gamma": gamma, "epsilon0": epsilon0, "attempts": attempts}
        synthetic.append(
            PlannedSynthetic(
                name="records",
                kind="synthetic",
                columns=columns,
                keep=columns,
                rows=records,
                method="deniable",
                proposal="keep" if gamma in (None, 1) else "mixed",
                epsilon=records_epsilon,
                delta=delta,
                **published,
            )
        )
    wanted = planned(terms, columns, epsilon, synthetic)
    show_plan(wanted, None)
    bounds = EntropyBounds.of(terms)
    typer.echo(bounds.words if bounds else "Δ_H needs a public number of rows: declare at_least in the unit.")
    with stoppable(), steps() as progress:
        releases = publish(wanted, data, out, progress, engine=engine)
    for release, name in zip(releases, columns, strict=False):
        found = release.entropy()
        typer.echo(f"H({name}) = {found.value:.4g} bits, 95 % interval {found.low:.4g} to {found.high:.4g}.")
    typer.echo(f"Wrote {out}. Check with: reaedp verify {out}")
