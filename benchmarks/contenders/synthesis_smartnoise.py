"""SmartNoise's MST or AIM on a table of codes."""

import sys

from harness.synthesis_job import Table, synthesize

table, method, *sizes = Table.read(sys.argv[1]), *sys.argv[2:]


def rows():
    import numpy as np
    import pandas as pd
    from snsynth import Synthesizer
    from snsynth.transform import LabelTransformer, TableTransformer

    options = {"max_model_size": int(sizes[0])} if sizes else {}
    np.random.seed(table.seed)  # noqa: NPY002 - the library draws from the global generator
    model = Synthesizer.create(method.lower(), epsilon=table.epsilon, delta=table.delta, **options)
    # A domain is made public by fitting the transformer to a made-up table in which every code appears.
    codes = TableTransformer([LabelTransformer(nullable=False) for _ in table.domain])
    most = max(table.domain.values())
    codes.fit(pd.DataFrame({name: [code % size for code in range(most)] for name, size in table.domain.items()}))
    model.fit(table.frame(), transformer=codes)
    return pd.DataFrame(model.sample(table.rows), columns=list(table.domain))


synthesize(table, rows, "smartnoise-synth", "mbi")
