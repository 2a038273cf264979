"""A release folder as it lies on disk: what it says of itself, and its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Contract
from reaedp.disk.duckdb_engine import connect_for_released
from reaedp.errors import DeclarationError
from reaedp.label import shown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.labelled import labelled
from reaedp.release.manifest import Recorded, read_contract, read_manifest, read_noise, read_statistic
from reaedp.statistics.statistic import Statistic


@dataclass(frozen=True, eq=False)
class Published(Recorded):
    """One release of a folder."""

    folder: Path
    record: dict[str, Any]
    contract: Contract
    #: What people are told of it, by the keys of a plan.
    wording: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The label of the release; else its name, and what was released in the words of the contract."""
        return self.wording.get("label") or f"{self.name}: {shown(self.labelled.title, 160)}"

    @property
    def called(self) -> str:
        """The label of the release, or its name."""
        return self.wording.get("label", self.name)

    @property
    def counted(self) -> str:
        """What its counts count."""
        return self.wording.get("unit_of_measure", "rows")

    @cached_property
    def labelled(self) -> Statistic:
        """The statistic, whose title has labels for names of columns."""
        return labelled(self.statistic, self.contract)

    @cached_property
    def statistic(self) -> Statistic:
        """The statistic that was released."""
        return read_statistic(self.record)

    @cached_property
    def noise(self) -> Calibrated:
        """How the answer was hidden."""
        return read_noise(self.record)

    @cached_property
    def frame(self) -> dict[str, NDArray[Any]]:
        """The numbers, a column each; missing values are masked."""
        path = self.folder / f"{self.name}.parquet"
        if not path.exists():
            raise DeclarationError(f"{self.folder} is an incomplete release folder: {path.name} is missing.")
        connection = connect_for_released()
        try:
            return dict(connection.read_parquet(str(path)).fetchnumpy())
        finally:
            connection.close()

    def attachment(self, suffix: str) -> bytes | None:
        """A file beside the numbers, if there is one."""
        path = self.folder / f"{self.name}{suffix}"
        return path.read_bytes() if path.exists() else None


@dataclass(frozen=True, slots=True, eq=False)
class PublishedFolder:
    """All releases of a folder under their contract."""

    record: dict[str, Any]
    contract: Contract
    releases: tuple[Published, ...]

    @classmethod
    def read(cls, folder: Path) -> "PublishedFolder":
        """Read the manifest; numbers are read when they are needed."""
        record = read_manifest(folder)
        contract = read_contract(record)
        wording = record.get("wording", {})
        releases = tuple(
            Published(folder, release, contract, wording.get(release["name"], {})) for release in record["releases"]
        )
        return cls(record, contract, releases)


def texts(column: NDArray[Any]) -> list[str]:
    """The values of a column as they would be written, dates as days, an empty text for a missing one."""
    if type(column) is not np.ndarray:  # masked: to know these arrays takes long to import
        missing, found = np.ma.getmaskarray(column).tolist(), np.ma.getdata(column)
    else:
        missing, found = [False] * len(column), column
    written = (found.astype("datetime64[D]") if found.dtype.kind == "M" else found).tolist()
    return ["" if gone else str(value) for value, gone in zip(written, missing, strict=True)]
