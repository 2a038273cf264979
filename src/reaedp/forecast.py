"""How good a release will be, from public facts alone."""

from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.request import Request


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cost and expected error of one planned release; errors are in `unit`s: rows or bits."""

    name: str
    title: str
    epsilon: float
    cells: int
    unit: str
    mean_error: float
    bound: float
    bound_all: float
    threshold: int | None

    @classmethod
    def of(cls, request: Request, contract: Contract) -> "Forecast":
        """Compute from the contract and the price; no data is opened."""
        noise, statistic, mechanism = request.calibrated(contract), request.statistic, request.mechanism
        cells, step = statistic.cells(contract), statistic.step(contract)
        return cls(
            name=request.name,
            title=statistic.title,
            epsilon=composed_epsilon(tally([noise.price]), contract.budget.delta),
            cells=cells,
            unit="rows" if step == 1 else "bits",
            mean_error=noise.mean_error * step,
            bound=noise.spread(0.95) * step,
            bound_all=noise.spread(0.95, cells=cells) * step,
            threshold=mechanism.threshold(noise.sensitivity) if isinstance(mechanism, Threshold) else None,
        )

    @property
    def words(self) -> str:
        """The expected error for people."""
        if self.unit == "bits":
            return f"Will be off by about {self.mean_error:.2g} bits, 95 % of the time by at most {self.bound:.2g}."
        text = f"Counts will be off by about {self.mean_error:.2g}, 95 % of them by at most {self.bound:,.0f}; "
        if self.threshold is not None:
            return text + f"cells with fewer than about {self.threshold:,} rows will not appear."
        # A 95 % error of half the count or more leaves little to read.
        return text + f"cells under {2 * self.bound:,.0f} are mostly noise."
