"""What every table of released numbers can be turned into."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray

from reaedp.frames import columns
from reaedp.frames.shown import Facts, in_html


class Framed(ABC):
    """Columns by name, as frames of pandas, Polars and Arrow, and as a table with a small chart in notebooks."""

    __slots__ = ()

    @abstractmethod
    def frame(self) -> dict[str, NDArray[Any]]:
        """All columns by name; missing values are masked. Cells that are ranges have their ends beside their labels."""

    def to_pandas(self) -> Any:
        """A pandas data frame; `pip install pandas`."""
        return columns.to_pandas(self.frame())

    def to_polars(self) -> Any:
        """A Polars data frame; `pip install polars`."""
        return columns.to_polars(self.frame())

    def to_arrow(self) -> Any:
        """An Arrow table; `pip install pyarrow`."""
        return columns.to_arrow(self.frame())

    def _repr_html_(self) -> str:
        """What a notebook shows: facts, a small chart, the first rows."""
        return in_html(self._headline(), self._facts(), self._preview(), self.drawing())

    @abstractmethod
    def _headline(self) -> str:
        """What it is, on one line."""

    def _facts(self) -> Facts:
        """What else is worth saying."""
        return ()

    def _preview(self) -> dict[str, NDArray[Any]]:
        """The frame, some rows of which are shown; nothing where making it would take long."""
        return self.frame()

    def drawing(self) -> str:
        """A small chart as SVG, or nothing."""
        return ""
