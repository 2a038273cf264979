"""MST or AIM of private-pgm's own repository, whose mechanisms are scripts, on a table of codes."""

import os
import sys
from itertools import combinations
from pathlib import Path

from harness.synthesis_job import Table, synthesize

table, method, *sizes = Table.read(sys.argv[1]), *sys.argv[2:]
#: As its authors' script: pairs with more cells are not in the workload.
MOST_CELLS = 10_000


def rows():
    import numpy as np
    import pandas as pd

    checkout = Path(os.environ["REAEDP_CHECKOUTS"]) / "mbi"
    sys.path[:0] = [str(checkout / "src"), str(checkout / "mechanisms")]
    from mbi import Dataset, Domain

    np.random.seed(table.seed)  # noqa: NPY002 - the library draws from the global generator
    data = Dataset(table.frame().to_dict("list"), Domain.fromdict(table.domain))
    if method == "MST":
        from mst import MST

        found = pd.DataFrame(MST(data, table.epsilon, table.delta).to_dict())
        return found.sample(table.rows, replace=len(found) < table.rows, random_state=table.seed)
    from aim import AIM

    pairs = [(pair, 1.0) for pair in combinations(data.domain, 2) if data.domain.size(pair) <= MOST_CELLS]
    mechanism = AIM(table.epsilon, table.delta, max_model_size=float(sizes[0]), max_iters=int(sizes[1]))
    _, found = mechanism.run(data, pairs, num_synth_rows=table.rows)
    return pd.DataFrame(found.to_dict())


synthesize(table, rows, "jax")
