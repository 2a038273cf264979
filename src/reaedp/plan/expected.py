"""How far the numbers of a planned release will be from the truth, and the same in words."""

from typing import NamedTuple

from reaedp.contract import Contract
from reaedp.contract.picture import PIXELS_ONLY
from reaedp.frames.number import about
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.request import Request
from reaedp.statistics.entropy.entropy import public_rows


class Aim(NamedTuple):
    """The error at 95 % confidence of the figure that somebody wants, and its unit."""

    bound: float
    unit: str


class Expected(NamedTuple):
    """The mean error, the error at 95 % confidence of one number and of all at once, their unit, and words.

    Where these are errors of counts behind a mean or a rate, `figure` is the error of the mean or the rate itself.
    """

    unit: str
    mean_error: float
    bound: float
    bound_all: float
    words: str
    figure: Aim | None = None

    @property
    def aim(self) -> Aim:
        """The error that people mean when they say how far off a release may be."""
        return self.figure or Aim(self.bound, self.unit)


def noise_errors(request: Request, contract: Contract, noise: Calibrated) -> tuple[float, float, float]:
    """The mean error, and the errors at 95 % confidence of one number and of all."""
    cells, step = request.statistic.cells(contract), request.statistic.step(contract)
    quantiles = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=cells)
    return noise.mean_error * step, quantiles[0] * step, quantiles[1] * step


def kept_rows(request: Request, contract: Contract) -> int | None:
    """A public lower bound on rows, if no column drops any."""
    kept = not any(column.drops for column in contract.select(request.statistic.columns))
    return public_rows(contract.unit) if kept else None


def of_any(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors in the statistic's own numbers: nobody here knows what those of another package count."""
    mean, bound, bound_all = noise_errors(request, contract, noise)
    words = f"Numbers will be off by about {about(mean, 2)}, 95 % of them by at most {about(bound)}."
    return Expected("", mean, bound, bound_all, words)


def of_numbers(request: Request, contract: Contract, noise: Calibrated) -> Expected:
    """Errors of counts and entropies, and which counts will be mostly noise or not appear."""
    mean, bound, bound_all = noise_errors(request, contract, noise)
    if request.statistic.step(contract) != 1:
        words = f"Off by about {about(mean, 2)} bits on average, at most {about(bound, 2)} with 95 % confidence."
        return Expected("bits", mean, bound, bound_all, words)
    words = f"Counts are off by about {about(mean, 2)} on average, at most {about(bound)} with 95 % confidence. "
    if isinstance(request.mechanism, Threshold):
        words += f"Cells with fewer than about {request.mechanism.threshold(noise.sensitivity):,} rows will not appear."
    else:  # A 95 % error of half the count or more leaves little to read.
        words += f"Counts below {about(2 * bound)} are mostly noise."
    return Expected("rows", mean, bound, bound_all, words)


def of_picture(request: Request, contract: Contract, noise: Calibrated) -> Expected:  # noqa: ARG001
    """Errors of pixels, and the signal-to-noise ratio of the picture."""
    from reaedp.statistics.images.pixels import expected_quality

    assert contract.picture is not None
    quality = expected_quality(noise, contract.picture)
    off, ratio = about(quality.mae), about(quality.psnr)
    words = f"Pixels are off by about {off} on average (PSNR {ratio} dB or more). {PIXELS_ONLY}"
    bounds = noise.error_quantile(0.95), noise.error_quantile(0.95, cells=contract.picture.values)
    return Expected("levels", quality.mae, *bounds, words)
