"""A histogram as fine as an error of its entropy allows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.statistics.entropy.entropy import named, public_rows, refuse_dropped_rows
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram, nested
from reaedp.statistics.entropy.prediction import worst_error


@dataclass(frozen=True, slots=True)
class HistogramChoice:
    """What to release, and by how many bits its entropy is expected to be off at most."""

    statistic: EntropyHistogram
    mechanism: Mechanism
    error: float


def calibrated_histogram(
    contract: Contract,
    columns: str | Sequence[str],
    *,
    epsilon: float,
    error_bits: float,
    delta: float | None = None,
    confidence: float = 0.95,
) -> HistogramChoice:
    """The finest binning, with the better mechanism, whose entropy will be within the error, whatever the data.

    Bins are merged by two, by four, … until the predicted error fits; the result is the entropy of the coarser
    histogram. Gaussian noise is considered if δ is given. `error_bits` is the acceptable error in bits; it holds with
    probability `confidence`.

    >>> choice = calibrated_histogram(contract, ("age",), epsilon=1.0, error_bits=0.5)
    >>> choice.statistic.every
    1
    """
    columns = named(columns, "A histogram")
    refuse_dropped_rows(contract, columns)
    closest: HistogramChoice | None = None
    for every in nested(contract, columns):
        statistic = EntropyHistogram.under(contract, columns, every)
        noises = _noises(statistic, contract, epsilon, delta)
        best = min(_choices(statistic, contract, noises, confidence), key=lambda choice: choice.error)
        if best.error <= error_bits:
            return best
        closest = best if closest is None or best.error < closest.error else closest
    assert closest is not None
    raise DeclarationError(
        f"No binning keeps the entropy within {error_bits:g} bits at this cost; the {closest.statistic.title} comes"
        f" closest, with {closest.error:.2g}. Spend more, accept a larger error, or declare fewer cells."
    )


def _noises(statistic: EntropyHistogram, contract: Contract, epsilon: float, delta: float | None) -> list[Calibrated]:
    statistic.check(contract)
    sensitivity = statistic.sensitivity(contract)
    mechanisms: list[Mechanism] = [Laplace(epsilon)]
    if delta is not None:
        mechanisms.append(Gaussian.within(epsilon, delta, sensitivity))
    return [Calibrated(mechanism, sensitivity) for mechanism in mechanisms]


def _choices(
    statistic: EntropyHistogram, contract: Contract, noises: list[Calibrated], confidence: float
) -> Iterator[HistogramChoice]:
    rows, cells = public_rows(contract.unit), statistic.cells(contract)
    if rows is None:
        raise DeclarationError(
            "Predicting the error of an entropy needs the number of rows. Declare `at_least` in the unit."
        )
    for noise in noises:
        yield HistogramChoice(statistic, noise.mechanism, worst_error(noise, rows, cells, confidence))
