"""Planned curves: their mean, and synthetic ones."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.plan.kinds.kind import Planned, spoken
from reaedp.plan.request import Request

if TYPE_CHECKING:
    from reaedp.curves.curve_proposal import LawName
    from reaedp.curves.mean_curve import Covered
    from reaedp.curves.smoothing import Covariance


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMeanCurve(Planned):
    """The mean of the curves that the contract declares under this name.

    `covariance` and `bands` are those of `MeanCurve`.

    >>> PlannedMeanCurve(name="mean", kind="mean-curve", curve="pressure", epsilon=1.0, delta=1e-7).covariance
    'A2'
    """

    kinds: ClassVar[tuple[str, ...]] = ("mean-curve",)

    curve: str
    covariance: "Covariance" = "A2"
    rho: float | None = None
    mechanism: Literal["gaussian"] = "gaussian"
    bands: "Covered" = "noise"

    @property
    def noise(self) -> str:
        """The name of the mechanism."""
        return spoken(self.mechanism)

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with curve, covariance and smoothing."""
        from reaedp.curves.mean_curve import MeanCurve

        mistakes.unless(self.mechanism == "gaussian", "mechanism must be gaussian", given=self.mechanism)
        mistakes.unless(isinstance(self.curve, str), "curve must name a declared curve", given=self.curve)
        with mistakes.gathered():
            MeanCurve(str(self.curve), self.covariance, self.rho, self.bands)

    def request(self, contract: Contract) -> Request:
        """The mean, hidden by the least noise within the price."""
        from reaedp.curves.mean_curve import MeanCurve

        statistic = MeanCurve(self.curve, self.covariance, self.rho, self.bands)
        statistic.check(contract)
        mechanism = Gaussian.within(*self.price(contract.budget), statistic.sensitivity(contract))
        return Request(self.name, statistic, mechanism)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSyntheticCurves(Planned):
    """Synthetic curves with plausible deniability: a seed's first `kept` coefficients, moved by about `spread` clips.

    `law` is the distribution of the moves, `rest` that of the coefficients without a seed: see `DeniableCurves`.

    >>> keys = {"curve": "pressure", "curves": 10, "kept": 1, "spread": 0.5, "share": 0.1}
    >>> PlannedSyntheticCurves(name="curves", kind="synthetic-curves", **keys).price(contract.budget)[0]
    10.0
    """

    kinds: ClassVar[tuple[str, ...]] = ("synthetic-curves",)

    curve: str
    curves: int
    kept: int
    spread: float
    law: "LawName" = "even"
    rest: float = 0.0

    @property
    def noise(self) -> str:
        """The name of the method."""
        return "deniable curves"

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with curve and number; the rest needs the contract."""
        from reaedp.curves.synthetic_curves import SyntheticCurves

        mistakes.unless(isinstance(self.curve, str), "curve must name a declared curve", given=self.curve)
        with mistakes.gathered():
            SyntheticCurves(str(self.curve), self.curves)

    def request(self, contract: Contract) -> Request:
        """The curves, and the test set to what may be spent."""
        from reaedp.curves.deniable_curves import DeniableCurves
        from reaedp.curves.synthetic_curves import SyntheticCurves

        price, wanted = self.price(contract.budget), (self.curve, self.curves)
        moves: dict[str, Any] = {key: getattr(self, key) for key in ("kept", "spread", "law", "rest")}
        mechanism = DeniableCurves.within(*price, contract, *wanted, **moves)
        return Request(self.name, SyntheticCurves(*wanted), mechanism)
