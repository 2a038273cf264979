"""Private-GSD of its authors' repository on a table of codes: rows evolved to match noisy tables of pairs."""

import os
import sys
from pathlib import Path

from harness.synthesis_job import Table, synthesize

table, evolved = Table.read(sys.argv[1]), int(sys.argv[2])


def rows():
    import numpy as np
    import pandas as pd

    sys.path.insert(0, str(Path(os.environ["REAEDP_CHECKOUTS"]) / "private_gsd" / "src"))
    from genetic_sd import GSDSynthesizer
    from genetic_sd.utils.ordinal_transformer import OrdinalTransformer
    from snsynth.transform import LabelTransformer, TableTransformer

    np.random.seed(table.seed)  # noqa: NPY002 - the library draws some of its noise from the global generator
    kinds = [
        OrdinalTransformer(lower=0, upper=size - 1) if name in table.ordered else LabelTransformer(nullable=False)
        for name, size in table.domain.items()
    ]
    # A domain is made public by fitting the transformer to a made-up table in which every code appears.
    most = max(table.domain.values())
    codes = TableTransformer(kinds)
    codes.fit(pd.DataFrame({name: [code % size for code in range(most)] for name, size in table.domain.items()}))
    model = GSDSynthesizer(table.epsilon, table.delta)
    model.fit(
        table.frame(),
        transformer=codes,
        categorical_columns=[name for name in table.domain if name not in table.ordered],
        ordinal_columns=list(table.ordered),
        N_prime=min(evolved, table.rows),
        seed=table.seed,
    )
    made = pd.DataFrame(model.sample(), columns=list(table.domain))
    return made.sample(table.rows, replace=len(made) < table.rows, random_state=table.seed)


synthesize(table, rows, "jax", "smartnoise-synth")
