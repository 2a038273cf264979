"""Not private, for orientation: rows drawn anew from the real ones, or each column by itself."""

import sys

from harness.synthesis_job import Table, synthesize

table, method = Table.read(sys.argv[1]), sys.argv[2]


def rows():
    import numpy as np
    import pandas as pd

    frame = table.frame()
    if method == "bootstrap":
        return frame.sample(table.rows, replace=True, random_state=table.seed)
    rng = np.random.default_rng(table.seed)
    return pd.DataFrame({name: rng.choice(frame[name], table.rows) for name in table.domain})


synthesize(table, rows, "pandas")
