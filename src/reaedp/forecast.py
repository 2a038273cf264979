"""How good a release will be, from public facts alone."""

from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.request import Request
from reaedp.table import domain_size


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cost and expected error of one planned release, in steps of one row."""

    name: str
    title: str
    epsilon: float
    cells: int
    mean_error: float
    bound: int
    bound_all: int
    threshold: int | None

    @classmethod
    def of(cls, request: Request, contract: Contract) -> "Forecast":
        """Compute from the contract and the price; no data is opened."""
        noise = request.calibrated(contract)
        cells = domain_size(contract.select(request.statistic.columns))
        mechanism = request.mechanism
        return cls(
            name=request.name,
            title=request.statistic.title,
            epsilon=composed_epsilon(tally([noise.price]), contract.budget.delta),
            cells=cells,
            mean_error=noise.mean_error,
            bound=noise.spread(0.95),
            bound_all=noise.spread(0.95, cells=cells),
            threshold=mechanism.threshold(noise.sensitivity) if isinstance(mechanism, Threshold) else None,
        )

    @property
    def words(self) -> str:
        """The expected error for people."""
        text = f"Counts will be off by about {self.mean_error:.2g}, 95 % of them by at most {self.bound:,}; "
        if self.threshold is not None:
            return text + f"cells with fewer than about {self.threshold:,} rows will not appear."
        # A 95 % error of half the count or more leaves little to read.
        return text + f"cells under {2 * self.bound:,} are mostly noise."
