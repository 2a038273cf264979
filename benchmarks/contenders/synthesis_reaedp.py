"""Our network on a table of codes, through the curator."""

import sys
import tempfile

from harness.synthesis_job import Table, synthesize

table = Table.read(sys.argv[1])


def rows():
    import pandas as pd

    import reaedp
    from reaedp.synthesis.marginal_model import MarginalModel
    from reaedp.synthesis.synthetic import Synthetic

    none = dict.fromkeys(("null", "nan", "infinite", "unparsable", "outside"), "drop")
    names = tuple(table.domain)
    columns = [
        reaedp.Integer(name=name, lower=0, upper=size - 1, provenance="public", **none)
        if name in table.ordered
        else reaedp.Category(
            name=name, levels=tuple(map(str, range(size))), unseen="drop", null="drop", provenance="public"
        )
        for name, size in table.domain.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        contract = reaedp.Contract(
            dataset="benchmark",
            unit=reaedp.Unit("add-remove"),
            budget=reaedp.Budget(2 * table.epsilon, 2 * table.delta),
            ledger=f"{folder}/ledger.sqlite",
            columns=tuple(columns),
        )
        reaedp.Ledger.create(contract.ledger).close()
        network = MarginalModel.within(table.epsilon, table.delta, contract, names)
        release = reaedp.Curator(contract, table.frame()).release(Synthetic(names, table.rows), network)
        return pd.DataFrame(release.value.codes, columns=list(names))


synthesize(table, rows, "reaedp", "opendp")
