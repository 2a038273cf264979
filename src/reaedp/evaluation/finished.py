"""A finished release folder beside the truth it was made from."""

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Contract
from reaedp.curator.records import Records
from reaedp.disk.duckdb_engine import connect_for_released
from reaedp.engines.data import Data, Engine
from reaedp.ledger.canonical_json import read_price
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.permitted import Promised, permitted_by
from reaedp.release.manifest import read_contract, read_manifest, read_noise, read_statistic
from reaedp.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """One release of a folder, and the records of the data and of people who are not in it, if there are any."""

    name: str
    statistic: Statistic
    noise: Calibrated
    promise: Promised
    #: ε at the budget's δ.
    epsilon: float
    contract: Contract
    table: Path
    truth: Records
    others: Records | None

    def released(self) -> dict[str, NDArray[Any]]:
        """The numbers in the file, a column each."""
        with closing(connect_for_released()) as connection:
            return dict(connection.read_parquet(str(self.table)).fetchnumpy())


def finished(folder: Path, data: Data, others: Data | None, engine: Engine | None = None) -> list[Finished]:
    """Every release of a folder; nothing is read of the data yet."""
    record = read_manifest(folder)
    contract = read_contract(record)
    truth = Records(contract, data, engine)
    strangers = None if others is None else Records(contract, others, engine)
    return [
        Finished(
            name=release["name"],
            statistic=read_statistic(release),
            noise=read_noise(release),
            promise=permitted_by(read_price(release["price"])),
            epsilon=release["epsilon"],
            contract=contract,
            table=folder / f"{release['name']}.parquet",
            truth=truth,
            others=strangers,
        )
        for release in record["releases"]
    ]


def synthetic_codes(release: Finished) -> NDArray[np.int32]:
    """The synthetic rows as cell numbers, read as data is read; they belong to nobody, and all of them count."""
    unit = replace(release.contract.unit, person=None, max_rows=None)
    return Records(replace(release.contract, unit=unit, files=None), str(release.table)).rows(release.statistic.columns)
