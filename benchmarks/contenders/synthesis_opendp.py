"""OpenDP's MST or AIM on a table of codes."""

import sys

from harness.synthesis_job import Table, synthesize

table, method, *sizes = Table.read(sys.argv[1]), *sys.argv[2:]


def rows():
    import numpy as np
    import opendp.prelude as dp
    import polars as pl

    np.random.seed(table.seed)  # noqa: NPY002 - the library draws from the global generator; its noise cannot be seeded

    dp.enable_features("contrib")
    algorithm = dp.mbi.MST() if method == "MST" else dp.mbi.AIM(queries=2, max_size=float(sizes[0]), rounds=40)
    last_refusal = None
    # MST refuses many budgets by the last bit of its own sum of parts: it is asked for a little less until it agrees.
    for trial in range(200):
        rho = table.rho * (1 - trial * 1e-6)
        context = dp.Context.compositor(
            data=pl.from_pandas(table.frame()).lazy(),
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(rho=rho),
        )
        keys = {name: list(range(size)) for name, size in table.domain.items()}
        try:
            found = context.query(rho=rho).contingency_table(keys=keys, algorithm=algorithm).release()
        except dp.OpenDPException as refusal:
            if "budget" not in str(refusal):
                raise
            last_refusal = refusal
        else:
            return found.synthesize(rows=table.rows).to_pandas()
    raise last_refusal


synthesize(table, rows, "opendp", "mbi")
