"""Tab-PE, the part for tables of Microsoft's private-evolution, on a table of codes that predicts a category.

As its authors' scripts for Adult and artificial-characters: 1,000 rows are evolved, here drawn with replacement until
there are as many as asked for. The shares of the predicted levels are taken as public, without noise.
"""

import json
import os
import sys
from pathlib import Path
from types import ModuleType

from harness.synthesis_job import Table, synthesize

table, rounds = Table.read(sys.argv[1]), int(sys.argv[2])
#: Rows that are evolved, and how many of the first rounds draw them by votes before the best are kept.
EVOLVED, BY_DRAWING = 1000, 5


def leave_out(*parts):
    """Parts that are imported with the rest and ask for torch: empty modules in their place, whose names are None."""
    for name in parts:
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__getattr__ = lambda _: None


def rows():
    import numpy as np
    import pandas as pd

    sys.path.insert(0, str(Path(os.environ["REAEDP_CHECKOUTS"]) / "DPSDA"))
    leave_out("pe.data.image", "pe.data.text", "pe.api.image", "pe.api.text", "pe.embedding.image", "pe.embedding.text")
    from pe.api import TabularAPI
    from pe.constant.data import LABEL_ID_COLUMN_NAME, TABULAR_DATA_COLUMN_NAME, VARIATION_API_FOLD_ID_COLUMN_NAME
    from pe.data import TabularColumnType, TabularCSV
    from pe.embedding import TabularEmbedding
    from pe.histogram import NearestNeighbors
    from pe.population import CompositePopulation, PEPopulation
    from pe.runner import PE

    if table.target in table.ordered:
        raise TypeError("takes categories to predict, not numbers")
    np.random.seed(table.seed)  # noqa: NPY002 - the library draws from the global generator
    features = [name for name in table.domain if name != table.target]
    categories = [name for name in features if name not in table.ordered]
    numbers = [name for name in features if name in table.ordered]
    described = table.folder / "columns.json"
    columns = {"cat_columns": categories, "int_columns": numbers, "float_columns": [], "label_columns": [table.target]}
    described.write_text(json.dumps(columns), encoding="utf-8")
    private = TabularCSV(str(table.folder / "train.csv"), str(described))
    cells = {
        name: {"categories": list(range(table.domain[name])), "type": TabularColumnType.CATEGORICAL}
        for name in categories
    } | {
        name: {"min": 0, "max": table.domain[name] - 1, "type": TabularColumnType.INTEGER} for name in numbers
    }  # fmt: skip
    api = TabularAPI(cells, num_iterations=rounds)
    drawn = PEPopulation(api, histogram_threshold=0)
    ranked = PEPopulation(
        api, initial_variation_api_fold=3, next_variation_api_fold=3, keep_selected=True, selection_mode="rank"
    )
    found = PE(
        priv_data=private,
        population=CompositePopulation([drawn] * BY_DRAWING + [ranked] * (rounds - BY_DRAWING)),
        histogram=NearestNeighbors(TabularEmbedding(cells), mode="L2", lookahead_degree=0, backend="sklearn"),
    ).run([EVOLVED] * rounds, delta=table.delta, epsilon=table.epsilon, save_checkpoint=False)
    last = found.data_frame[found.data_frame[VARIATION_API_FOLD_ID_COLUMN_NAME] == -1]
    made = pd.DataFrame(last[TABULAR_DATA_COLUMN_NAME].tolist(), columns=categories + numbers)
    levels = [info["column_values"][table.target] for info in found.metadata.label_info]
    made[table.target] = [levels[place] for place in last[LABEL_ID_COLUMN_NAME]]
    return made.astype(int).sample(table.rows, replace=len(made) < table.rows, random_state=table.seed)


synthesize(table, rows, "scikit-learn")
