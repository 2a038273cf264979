"""One release that is wanted, before any data is opened."""

import unicodedata
from dataclasses import dataclass, field, replace

from reaedp.contract import Contract
from reaedp.ledger.entry import Charge
from reaedp.mechanisms.by_price import check_fit, check_shape, settled
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True)
class Request:
    """A statistic, its mechanism and a name; what follows from them under a contract is computed once.

    >>> Request("ages", Marginal("age"), Laplace(1.0)).calibrated(contract).title
    'discrete Laplace, scale 1'
    """

    name: str
    statistic: Statistic
    mechanism: Mechanism
    _last: list[tuple[Contract, Calibrated]] = field(default_factory=list, init=False, compare=False, repr=False)

    def settled(self, contract: Contract) -> "Request":
        """The request with its mechanism worked out, if only a price was given."""
        mechanism = settled(self.mechanism, self.statistic, contract)
        return self if mechanism is self.mechanism else Request(self.name, self.statistic, mechanism)

    def calibrated(self, contract: Contract) -> Calibrated:
        """The mechanism calibrated to the statistic's sensitivity; refuses what cannot be answered."""
        if not self._last or self._last[0][0] is not contract:
            self._last[:] = [(contract, self._calibrate(contract))]  # sensitivities of entropies take a search
        return self._last[0][1]

    def _calibrate(self, contract: Contract) -> Calibrated:
        self.statistic.check(contract)
        check_shape(self.mechanism, self.statistic)
        check_fit(self.mechanism, self.statistic, contract)
        noise = Calibrated(self.mechanism, self.statistic.sensitivity(contract))
        if (check := getattr(self.statistic, "check_noise", None)) is not None:
            check(noise)  # those that can do with any noise have no such method
        return noise

    def charge(self, contract: Contract) -> Charge:
        """The charge that the ledger is asked for."""
        from reaedp.plan.description import request_digest  # which knows every kind there is

        asked = request_digest(self.name, self.statistic, self.mechanism, contract.fingerprint)
        return replace(self.priced(contract), request=asked)

    def priced(self, contract: Contract) -> Charge:
        """The charge without the digest of the request; refuses what cannot be charged."""
        noise = self.calibrated(contract)
        return Charge(
            dataset=contract.dataset,
            statistic=visible(self.statistic.title),
            mechanism=noise.title,
            price=noise.price,
            unit=contract.unit,
            contract=contract.fingerprint,
        )


def visible(text: str) -> str:
    """One line of visible characters: column names may contain anything, entries of a ledger may not."""
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in unicodedata.normalize("NFC", text))
    return shown.strip()[:10_000].strip()
