"""Quality and speed of the network's synthetic rows on Adult and on an excerpt of the American Community Survey.

    REAEDP_DATA=folder python benchmarks/synthesis.py [--runs 5] [--epsilon 0.5 1 4] [--tables adult acs]

The folder holds adult.csv, adult-domain.json and nist-acs/national2019.csv. A fixed 80 % of the rows is released with
δ = 10^-6, neighbours differing by one added or removed row; as many synthetic rows are compared with them. Distances
are mean total variations over all pairs of columns and over 300 fixed triples. AUC is that of gradient boosting trained
on synthetic rows and tested on the other 20 %. benchmarks/synthesis_peers.py measures other libraries on the same rows.
"""

import argparse
import csv
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.ledger import ledger_in
from harness.stopwatch import peak_megabytes, repeated
from harness.table import show
from reaedp import Budget, Category, Contract, Curator, Integer, Unit
from reaedp.contract import Column
from reaedp.curator.records import Records
from reaedp.evaluation.utility import utility
from reaedp.mechanisms.noise import SecretNoise
from reaedp.rate import mean
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.int32]
DELTA = 1e-6
MILLION = 1_000_000
ORDERED = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")

#: ε → pairs, triples, AUC.
GOALS = {0.5: (0.052, 0.110, 0.885), 1.0: (0.044, 0.096, 0.890), 4.0: (0.034, 0.075, 0.900)}
#: The survey's columns, from its published dictionary: listed values, or edges of bins ("N" is a cell of its own).
STATES = ["01", "06", "08", "13", "17", "19", "24", "25", "26", "28", "29", "30", "32", "36", "38", "40", "48", "51"]
LISTED = {
    "SEX": "1 2",
    "MSP": "N 1 2 3 4 5 6",
    "HISP": "0 1 2 3 4",
    "RAC1P": "1 2 3 4 5 6 7 8 9",
    "HOUSING_TYPE": "1 2 3",
    "OWN_RENT": "0 1 2",
    "INDP_CAT": "N " + " ".join(map(str, range(19))),
    "DVET": "N 1 2 3 4 5 6",
    "DREM": "N 1 2",
    "DPHY": "N 1 2",
    "DEYE": "1 2",
    "DEAR": "1 2",
}
EDGES: dict[str, list[int]] = {
    "AGEP": [*range(5, 100, 5)],
    "NOC": [*range(1, 20)],
    "NPF": [*range(3, 21)],
    "DENSITY": [50, 150, 500, 1000, 2000, 3000, 5000, 7500, 10000, 15000, 20000, 30000, 40000],
    "EDU": [*range(2, 13)],
    "PINCP": [0, 1, *range(5000, 30001, 5000), 40000, 50000, 60000, 75000, 100000, 150000, 200000, 400000],
    "PINCP_DECILE": [*range(1, 10)],
    "POVPIP": [*range(50, 501, 50), 501],
}
NULLABLE = ("NOC", "NPF", "EDU", "PINCP", "PINCP_DECILE", "POVPIP")


@dataclass(frozen=True)
class Data:
    """Rows of cell numbers for release and for testing."""

    columns: tuple[Column, ...]
    train: Codes
    test: Codes
    label: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(column.size for column in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def frame(self) -> "pd.DataFrame":
        import pandas as pd  # which others of this file do without

        return pd.DataFrame(self.train, columns=list(self.names))


def declared(name: str, size: int, ordered: bool) -> Column:
    """Cell numbers as they are, without cells for troubles, as the other libraries are given them."""
    none: dict[str, Any] = {"provenance": "public", "null": "drop"}
    if ordered:
        others = dict.fromkeys(("nan", "infinite", "unparsable", "outside"), "drop")
        return Integer(name=name, lower=0, upper=size - 1, **none, **others)  # type: ignore[arg-type]
    return Category(name=name, levels=tuple(map(str, range(size))), unseen="drop", **none)


def split(columns: Sequence[Column], codes: Codes, label: str) -> Data:
    order = np.random.default_rng(0).permutation(len(codes))
    cut = int(0.8 * len(codes))
    names = [column.name for column in columns]
    return Data(tuple(columns), codes[order[:cut]], codes[order[cut:]], names.index(label))


def adult(folder: Path) -> Data:
    domain = json.loads((folder / "adult-domain.json").read_text())
    import pandas as pd

    codes = pd.read_csv(folder / "adult.csv")[list(domain)].to_numpy(np.int32)
    columns = [declared(name, size, name in ORDERED) for name, size in domain.items()]
    return split(columns, codes, "income>50K")


def acs(folder: Path) -> Data:
    import pandas as pd

    with (folder / "nist-acs" / "national2019.csv").open() as file:
        raw = pd.DataFrame(list(csv.DictReader(file)))
    columns, codes = [declared("STATE", len(STATES), ordered=False)], [raw["PUMA"].str[:2].map(STATES.index)]
    for name in raw.columns:
        if name in LISTED:
            values = LISTED[name].split()
            columns.append(declared(name, len(values), ordered=False))
            codes.append(raw[name].map(values.index))
        elif name in EDGES:
            columns.append(declared(name, len(EDGES[name]) + 1 + (name in NULLABLE), ordered=True))
            codes.append(binned(raw[name].to_numpy(), name))
    return split(columns, np.column_stack(codes).astype(np.int32), "OWN_RENT")


def binned(texts: NDArray[Any], name: str) -> NDArray[np.int64]:
    known = texts != "N"
    numbers = np.where(known, texts, "0").astype(np.float64)
    return np.where(known, np.digitize(numbers, EDGES[name]) + (name in NULLABLE), 0)


def contract(data: Data, folder: str) -> Contract:
    return Contract(
        dataset="benchmark",
        unit=Unit("add-remove"),
        budget=Budget(100.0, 1e-5),
        ledger=ledger_in(folder),
        columns=data.columns,
    )


def released(data: Data, epsilon: float) -> tuple[float, float, float, float]:
    """Pairs, triples, AUC and seconds of one release through the curator."""
    with tempfile.TemporaryDirectory() as folder:
        terms = contract(data, folder)
        start = time.perf_counter()
        network = MarginalModel.within(epsilon, DELTA, terms, data.names)
        release = Curator(terms, data.frame).release(Synthetic(data.names, len(data.train)), network)
        seconds = time.perf_counter() - start
    found = utility(
        data.train,
        release.value.codes,
        data.sizes,
        rng=np.random.default_rng(0),
        label=data.label,
        test=data.test,
    )
    assert found.prediction is not None
    pairs, triples = (distances.mean for distances in found.distances[1:])
    return pairs, triples, found.prediction.synthetic_auc.value, seconds


def speed(data: Data, epsilon: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        terms = contract(data, folder)
    network = MarginalModel.within(epsilon, DELTA, terms, data.names)
    sensitivity = counting_sensitivity(terms.unit)
    records = Records(terms, data.frame)
    learned: list[LearnedModel] = []
    fit = timed(lambda: learned.append(network.learn(records, data.names, sensitivity, SecretNoise(), lambda _: None)))
    draw = timed(lambda: learned[0].rows(MILLION, np.random.default_rng(1)))
    memory = peak_megabytes()
    print(f"  learning: {fit} (goal: 10 s); a million rows: {draw} (goal: 3 s); memory: {memory:,.0f} MB (goal: 2,000)")


def timed(job: Callable[[], object]) -> str:
    """On the clock, and of the processor, which other work on the machine does not disturb."""
    clock, processor = repeated(job, 1)
    return f"{clock:.1f} s, {processor:.1f} s of the processor"


def report(name: str, data: Data, epsilon: float, runs: int) -> None:
    figures = [mean(column) for column in zip(*(released(data, epsilon) for _ in range(runs)), strict=True)]
    lines: list[list[object]] = [["ours", *figures]]
    if name == "adult" and epsilon in GOALS:
        lines.append(["goal", *GOALS[epsilon], ""])
    title = f"{name}, {len(data.train):,} rows × {len(data.columns)} columns, ε = {epsilon:g}"
    show(title, ["", "pairs", "triples", "AUC", "seconds"], lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("REAEDP_DATA"))
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    options.add_argument("--tables", nargs="+", default=["adult", "acs"], choices=["adult", "acs"])
    chosen = options.parse_args()
    if chosen.data is None:
        options.error("name the folder of the data with --data or REAEDP_DATA")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {chosen.runs} runs with 95 % ranges of the mean")
    for name in chosen.tables:
        data = {"adult": adult, "acs": acs}[name](chosen.data)
        for epsilon in chosen.epsilon:
            report(name, data, epsilon, chosen.runs)
        speed(data, chosen.epsilon[-1])


if __name__ == "__main__":
    main()
