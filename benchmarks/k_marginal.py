"""Whether our NIST k-marginal score is that of NIST's own package, `sdnist`, on rows that synthesis_peers.py kept.

    REAEDP_DATA=folder python benchmarks/k_marginal.py [--set ma]

The package scores the same codes, and then the middles of our cells with numbers in cells of its own: twenty of as many
real rows each, and densities by its logarithmic scale.
"""

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from compared.axis import Codes
from compared.distances import k_marginal
from compared.tables import TABLES, Compared
from harness.peer import DATA, run
from harness.table import show

#: Numbers whose cells are wider than one value, which the package therefore sees in other cells than we do.
IN_UNITS = ("AGEP", "POVPIP", "PINCP", "DENSITY")


def values(table: Compared, codes: Codes) -> pd.DataFrame:
    """Codes, but numbers as the middles of their cells, rounded down to whole ones; N is missing."""
    found = coded(table, codes)
    for axis in table.axes:
        if axis.name in IN_UNITS:
            middles = np.floor(axis.middles)
            texts = np.where(np.isnan(middles), "N", np.nan_to_num(middles).astype(np.int64).astype(str))
            found[axis.name] = texts[found[axis.name]]
    return found


def coded(table: Compared, codes: Codes) -> pd.DataFrame:
    """With the area under the name that the package knows."""
    return pd.DataFrame(codes, columns=table.names).rename(columns={table.area: "PUMA"})


def scores(table: Compared, made: Codes) -> tuple[float, float, float]:
    """Ours, the package's of the same cells, and the package's of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("real", table.train), ("synthetic", made)):
            coded(table, rows).to_csv(Path(folder) / f"{name}_codes.csv", index=False)
            values(table, rows).to_csv(Path(folder) / f"{name}_values.csv", index=False)
        theirs = run("k_marginal_sdnist", folder, peer="sdnist", cap=600)
    own = k_marginal(table.train, made, table.sizes, table.names.index(table.area))
    return own, theirs["same_cells"], theirs["own_cells"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--data", type=Path, default=os.environ.get("REAEDP_DATA"), required=not os.environ.get("REAEDP_DATA")
    )
    options.add_argument("--set", choices=("ma", "national"), default="ma")
    chosen = options.parse_args()
    table = TABLES[chosen.set](Path(chosen.data))
    lines = []
    for file in sorted((DATA / "synthesis").glob(f"{table.name}-*.csv.gz")):
        found = scores(table, pd.read_csv(file)[table.names].to_numpy(np.int32))
        lines.append(
            [file.name.removeprefix(f"{table.name}-").removesuffix(".csv.gz"), *(f"{one:.2f}" for one in found)]
        )
    show(f"k-marginal score of {table.name}", ["rows", "ours", "sdnist, same cells", "sdnist, own cells"], lines)


if __name__ == "__main__":
    main()
