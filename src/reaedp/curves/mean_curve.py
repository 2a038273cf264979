"""The mean of curves: sums of their coefficients and their number, hidden together."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract, Curve
from reaedp.curves.bases import Reals
from reaedp.curves.estimate import CurveEstimate
from reaedp.curves.lattice import LARGEST_VALUE, RADIUS, VALUE_STEPS, CurveLattice
from reaedp.curves.smoothing import Covariance, coupled_gain, smoother
from reaedp.curves.space import CurveSpace
from reaedp.curves.truth import TrueMean
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.loss import positive
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.statistic import Summable

#: Points a curve of the count where no neighbour has another number of curves: its noise is then a small fraction.
WEIGHT_OF_A_FIXED_COUNT = 64 * RADIUS
#: Gains before the noise are fractions with this denominator, so that sums are multiplied exactly.
GAIN_STEPS = 2**30
#: What bands cover: the noise alone, or everything that stands between a released mean and that of the data.
Covered = Literal["noise", "truth"]
#: Columns that say what bands which cover the truth are made of.
WIDTHS = ("noise_width", "bias_width", "clipping_width")


class Share(NamedTuple):
    """What one person can bring: at most this many curves; and whether the number of curves can change with them."""

    curves: int
    number_varies: bool


def share_of_a_person(contract: Contract, curve: Curve) -> Share:
    """Under "replace" the number stays the same if everybody has exactly one curve and none is dropped."""
    unit = contract.unit
    one = curve.form == "long" and curve.id == unit.person
    curves = 1 if one else unit.rows
    surely_some = curve.missing != "drop" and (one or curve.form == "wide")
    return Share(curves, not (unit.change == "replace" and curves == 1 and surely_some))


def fewest_curves(contract: Contract, curve: Curve) -> int:
    """A public lower bound on the number of curves: everybody has at least one, unless they are dropped."""
    certain = curve.missing != "drop" and (curve.form == "wide" or curve.id == contract.unit.person)
    return contract.unit.at_least or 1 if certain else 1


@dataclass(frozen=True, slots=True)
class MeanCurve:
    """The mean of the curves of one declaration.

    With `covariance` "A2", equal noise is added to all coefficients, which are then smoothed by `rho`, or as the
    estimate itself chooses. With "C", they are first smoothed by `rho`, then get noise in proportion to √λ (Mirshani,
    Reimherr, Slavković 2019). The `bands` cover either the effect of the "noise", or the "truth": the mean of the
    unprocessed curves, including the effects of noise, smoothing, finite basis and clipping. Bands for the truth also
    pay for a count of clipped curves.

    >>> sensitivity = MeanCurve("pressure").sensitivity(contract)
    >>> curator.release(MeanCurve("pressure"), Gaussian.within(4.0, 1e-7, sensitivity)).value.curve.name
    'pressure'
    """

    curve: str
    covariance: Covariance = "A2"
    rho: float | None = None
    bands: Covered = field(default="noise", metadata={"since": "0.2"})
    answers: ClassVar[Shape] = "vector"

    def __post_init__(self) -> None:
        if self.covariance not in get_args(Covariance):
            raise DeclarationError(sentence("covariance must be A2 or C", given=self.covariance))
        if self.bands not in get_args(Covered):
            raise DeclarationError(sentence("bands must be noise or truth", given=self.bands))
        if self.rho is not None:
            positive("rho", self.rho)

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"mean curve of {self.curve}" + (", noise of covariance C" if self.covariance == "C" else "")

    @property
    def columns(self) -> tuple[str, ...]:
        """None: curves are declared separately from columns."""
        return ()

    def check(self, contract: Contract) -> None:
        """Refuse unknown curves, long curves without a person column, and smoothing of a basis that has none."""
        curve, mistakes = contract.curve(self.curve), Mistakes()
        mistakes.unless(
            curve.form == "wide" or contract.unit.person is not None,
            "A curve of form 'long' has several rows, so unit.person must be declared",
            given=contract.unit.noun,
            remedy="Declare unit.person and unit.max_rows; the curve's id may be the person.",
        )
        smoothed = CurveSpace(curve).eigenvalues is not None
        mistakes.unless(
            smoothed or (self.covariance == "A2" and self.rho is None),
            "covariance and rho must be left out for the basis bspline, which is not smoothed",
            given={"covariance": self.covariance, "rho": self.rho},
            remedy="Leave both out, or declare the basis wiener or fourier.",
        )
        mistakes.unless(
            self.covariance == "A2" or self._rho(curve) is not None,
            "Covariance C smooths before noise is added, so rho must be given",
            given=None,
            remedy=f"Give rho, or declare {curve.where('rho')}.",
        )
        if self.bands == "truth":
            _check_truth(curve, mistakes)
        mistakes.report()

    def cells(self, contract: Contract) -> int:
        """One number per coefficient, the number of curves, and the number of clipped curves if it is paid for."""
        return contract.curve(self.curve).rank + 1 + (self.most_cut(contract) is not None)

    def step(self, contract: Contract) -> float:
        """The longest step of a sum of coefficients, in the unit of the data."""
        return float(self._steps(contract.curve(self.curve)).max())

    def weight(self, contract: Contract) -> int:
        """Points of the lattice that one curve more adds to the count (see PROOFS.md)."""
        curve = contract.curve(self.curve)
        if not share_of_a_person(contract, curve).number_varies:
            return WEIGHT_OF_A_FIXED_COUNT
        if contract.unit.change == "replace":
            return math.isqrt(3 * RADIUS**2)
        return math.isqrt(RADIUS**2 // math.isqrt(curve.rank))

    def most_cut(self, contract: Contract) -> int | None:
        """The largest share of a curve that can be cut off, in steps; nothing if that is not asked for, or none."""
        return CurveLattice.of(contract.curve(self.curve)).most_cut if self.bands == "truth" else None

    def clipped_weight(self, contract: Contract) -> int:
        """Points of the lattice for a curve of which all was cut off that can be (see PROOFS.md)."""
        curve = contract.curve(self.curve)
        longest = CurveSpace(curve).longest
        assert longest is not None
        base = max(length**2 + count**2 for length, count in self._lengths(contract))
        share = base / (share_of_a_person(contract, curve).curves * RADIUS) ** 2
        third: float = (share * (longest / curve.clip - 1.0) / 4.0) ** (1.0 / 3.0)
        return max(1, round(RADIUS * third))

    def _lengths(self, contract: Contract) -> list[tuple[int, int]]:
        """How far a person can move the sums and the count together: by joining or leaving, and by another's place."""
        share, weight = share_of_a_person(contract, contract.curve(self.curve)), self.weight(contract)
        moves = [(share.curves, share.curves)] if share.number_varies else []
        if contract.unit.change == "replace":
            moves.append((2 * share.curves, 0))
        return [(curves * RADIUS, number * weight) for curves, number in moves]

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """A person's curves move the sums by the radius each, and the counts; gains below one change nothing."""
        curve, lengths = contract.curve(self.curve), self._lengths(contract)
        clipped = 0
        if self.most_cut(contract) is not None:
            clipped = share_of_a_person(contract, curve).curves * self.clipped_weight(contract)
        return Sensitivity(
            l1=max(math.isqrt(curve.rank * length**2) + count for length, count in lengths) + clipped,
            l2_squared=max(length**2 + count**2 for length, count in lengths) + clipped**2,
            linf=max(clipped, *(max(length, count) for length, count in lengths)),
        )

    def answer(self, records: Summable) -> Integers:
        """Exact sums of lattice points, smoothed first for covariance C, and the weighted counts; private."""
        contract = records.contract
        curve = contract.curve(self.curve)
        sums, count = records.curve_sums(self.curve)
        gains = self._gains(curve)
        # Python's integers: a sum times a gain may need more than 64 bits.
        scaled = [int(total) * int(gain) // GAIN_STEPS for total, gain in zip(sums[: curve.rank], gains, strict=True)]
        counts, most = [count * self.weight(contract)], self.most_cut(contract)
        if most is not None:
            counts.append(int(sums[curve.rank]) * self.clipped_weight(contract) // most)
        return np.array([*scaled, *counts], dtype=np.int64)

    def value(self, contract: Contract, noisy: Integers) -> CurveEstimate:
        """The noisy sums and counts with the public facts that give them meaning."""
        curve, most = contract.curve(self.curve), self.most_cut(contract)
        facts: dict[str, Any] = {
            "curve": curve,
            "sums": noisy[: curve.rank],
            "steps": self._steps(curve),
            "count": int(noisy[curve.rank]),
            "weight": self.weight(contract),
            "fewest": fewest_curves(contract, curve),
            "rho": self._rho(curve),
            "smoothed": self.covariance == "C",
        }
        if self.bands == "noise":
            return CurveEstimate(**facts)
        if most is None:
            return TrueMean(**facts, clipped=None, cut_step=0.0)
        return TrueMean(**facts, clipped=int(noisy[-1]), cut_step=most / RADIUS / self.clipped_weight(contract))

    def frame(self, value: CurveEstimate, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """The mean on the declared times, a range for each of its points, and a band for the whole.

        If the bands cover the truth, also by how much each of its causes widens a range to either side.
        """
        times = CurveSpace(value.curve).times
        each = value.pointwise_band(times, noise, 0.95)
        whole = value.simultaneous_band(times, noise, 0.95)
        bands = {
            "time": times,
            "mean": value.on(times, noise),
            "low_95": each.low,
            "high_95": each.high,
            "all_low_95": whole.low,
            "all_high_95": whole.high,
        }
        if not isinstance(value, TrueMean):
            return bands
        return bands | dict(zip(WIDTHS, value.widths(times, noise, 0.95), strict=True))

    def _rho(self, curve: Curve) -> float | None:
        return curve.rho if self.rho is None else self.rho

    def _filter(self, curve: Curve) -> tuple[Reals, float]:
        eigenvalues, rho = CurveSpace(curve).eigenvalues, self._rho(curve)
        assert eigenvalues is not None and rho is not None  # noqa: PT018
        return eigenvalues, rho

    def _gains(self, curve: Curve) -> Integers:
        """√λ/(λ + ρ) over its largest value, rounded down, for covariance C; else one."""
        if self.covariance == "A2":
            return np.full(curve.rank, GAIN_STEPS, dtype=np.int64)
        gains = coupled_gain(*self._filter(curve))
        rounded: Integers = np.floor(gains / gains.max() * GAIN_STEPS).astype(np.int64)
        return rounded

    def _steps(self, curve: Curve) -> Reals:
        """One lattice point of each sum in the unit of the data; the filter is part of it for covariance C."""
        step = curve.clip / RADIUS
        if self.covariance == "A2":
            return np.full(curve.rank, step)
        return step * smoother(*self._filter(curve)) * GAIN_STEPS / self._gains(curve)


def _check_truth(curve: Curve, mistakes: Mistakes) -> None:
    """The bias needs a bound on the slope of the mean and bounds on the values, within reach of the lattice."""
    missing = [key for key in ("smoothness", "lower", "upper") if getattr(curve, key) is None]
    mistakes.unless(
        not missing,
        "Bands that cover the truth need bounds on the slope of the mean and on the values",
        given=None,
        remedy=f"Declare {', '.join(map(curve.where, missing))}, or leave bands out.",
    )
    farthest = CurveSpace(curve).farthest
    most = LARGEST_VALUE // VALUE_STEPS
    mistakes.unless(
        farthest is None or bool((farthest <= most * curve.clip).all()),
        f"{curve.where('lower')} and upper must be within {most} clips of the offset for bands that cover the truth",
        given=None if farthest is None else f"up to {farthest.max() / curve.clip:.3g} clips",
    )
