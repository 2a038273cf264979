"""The curator: charge the ledger, count, add noise, hand out the release."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from reaedp.contract import Contract
from reaedp.curator.records import Records
from reaedp.engines.data import Data, Engine
from reaedp.errors import ReaedpError, Stopped
from reaedp.ledger.ledger import Ledger
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.mechanisms.noise import Noise, SecretNoise
from reaedp.plan.kinds.synthetic import MethodName, PlannedSynthetic
from reaedp.plan.request import Request
from reaedp.release.release import Release
from reaedp.statistics.names import column_names
from reaedp.statistics.statistic import Statistic

#: What is said before the charge, which is the last moment to stop for nothing, and between counting and noise.
CHARGING, NOISE = "charging", "adding noise"


@contextmanager
def charged(entries: Sequence[int]) -> Iterator[None]:
    """Whatever stops a release after its charge says which entries of the ledger were charged."""
    listed = ", ".join(map(str, entries))
    paid = f"The charge stands: ledger {'entry' if len(entries) == 1 else 'entries'} {listed}."
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(f"Stopped; nothing was released. {paid}") from None
    except ReaedpError as error:
        if paid in str(error):
            raise
        raise type(error)(f"{error} {paid}") from None


def several_questions(requests: Sequence[Request]) -> list[tuple[str, ...]]:
    """The columns of each request; none if one request asks one question."""
    several = len(requests) > 1 or any(request.statistic.answers == "records" for request in requests)
    return [request.statistic.columns for request in requests] if several else []


class Curator:
    """Holds the records and answers requests, with noise; the ledger is charged before any noise is drawn.

    >>> release = Curator(contract, "data.csv").release(Marginal("sex"), Laplace(1.0), name="sexes")
    >>> release.name, release.counts.names
    ('sexes', ('sex',))
    """

    def __init__(
        self, contract: Contract, data: Data, *, noise: Noise | None = None, engine: Engine | None = None
    ) -> None:
        self.contract = contract
        self._records = Records(contract, data, engine)
        self._noise: Noise = SecretNoise() if noise is None else noise
        self.ledger = Ledger.open(contract.ledger)
        self.ledger.register(contract.dataset, contract.budget, contract.unit)

    def release(self, statistic: Statistic, mechanism: Mechanism, *, name: str = "release") -> Release:
        """Charge for one statistic and release it.

        A mechanism may be given by its price alone, as in `Gaussian(epsilon=1, delta=1e-6)`.
        """
        (release,) = self.release_all([Request(name, statistic, mechanism)])
        with charged([release.entry]):
            self.ledger.finish([release.entry])
        return release

    def synthesize(
        self,
        *,
        rows: int,
        epsilon: float,
        delta: float,
        columns: str | Sequence[str] | None = None,
        method: MethodName = "network",
        keep: str | Sequence[str] = (),
        name: str = "synthetic",
    ) -> Release:
        """Charge (ε, δ) for synthetic rows of these columns (all by default) and release them.

        `method` and `keep` are as in plans: "network" draws every row from a model; "amortised" and "deniable" also
        start from cells of real records in the columns `keep`, or in columns chosen from noisy tables.
        """
        wanted = tuple(column.name for column in self.contract.columns) if columns is None else column_names(columns)
        planned = PlannedSynthetic(
            name=name,
            kind="synthetic",
            columns=wanted,
            rows=rows,
            method=method,
            keep=column_names(keep),
            epsilon=epsilon,
            delta=delta,
        )
        request = planned.request(self.contract)
        return self.release(request.statistic, request.mechanism, name=name)

    def release_all(
        self, requests: Sequence[Request], progress: Callable[[str], None] = lambda _: None
    ) -> tuple[Release, ...]:
        """Charge for all requests or for none, then answer them; the caller marks the ledger entries as finished."""
        requests = [request.settled(self.contract) for request in requests]
        charges = [request.charge(self.contract) for request in requests]
        self._records.check(*(request.statistic.columns for request in requests))
        for request in requests:
            if (curve := getattr(request.statistic, "curve", None)) is not None:
                self._records.check_curve(curve)
        progress(CHARGING)
        entries = self.ledger.charge(charges)
        with charged(entries), self._records.at_once(*several_questions(requests)):
            self._records.progress = progress
            releases = []
            for request, entry in zip(requests, entries, strict=True):
                progress(request.statistic.title)
                releases.append(self._answer(request, entry, progress))
        return tuple(releases)

    def _answer(self, request: Request, entry: int, progress: Callable[[str], None]) -> Release:
        """Count and add noise; the exact answer lives in this function only."""
        calibrated = request.calibrated(self.contract)
        exact = request.statistic.answer(self._records)
        progress(NOISE)
        noisy = calibrated.apply(exact, self._noise)
        return Release(
            name=request.name,
            dataset=self.contract.dataset,
            statistic=request.statistic,
            noise=calibrated,
            unit=self.contract.unit,
            step=request.statistic.step(self.contract),
            value=request.statistic.value(self.contract, noisy),
            entry=entry,
            contract=self.contract.fingerprint,
            seeded=self._noise.seeded,
            delta=self.contract.budget.delta,
        )
