"""dpmm's MST, PrivBayes or AIM on a table of codes."""

import sys

from harness.synthesis_job import Table, synthesize

table, method, *sizes = Table.read(sys.argv[1]), *sys.argv[2:]


def rows():
    from dpmm import pipelines

    options = {"max_model_size": int(sizes[0]), "gen_kwargs": {"n_iters": int(sizes[1])}} if sizes else {}
    pipeline = getattr(pipelines, f"{method}Pipeline")(
        epsilon=table.epsilon, delta=table.delta, disable_processing=True, n_jobs=1, **options
    )
    pipeline.fit(table.frame(), domain=table.domain, random_state=table.seed)
    return pipeline.generate(n_records=table.rows, random_state=table.seed + 1000)


synthesize(table, rows, "dpmm", "opendp")
