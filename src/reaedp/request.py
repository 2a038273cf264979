"""One release that is wanted, before any data is opened."""

import unicodedata
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.description import request_digest
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.privacy.entry import Charge
from reaedp.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted, hidden how, under which name."""

    name: str
    statistic: Statistic
    mechanism: Mechanism

    def calibrated(self, contract: Contract) -> Calibrated:
        """The mechanism set to what one unit can change; refuses what cannot be answered."""
        self.statistic.check(contract)
        if self.statistic.answers != self.mechanism.hides:
            raise DeclarationError(
                sentence(
                    f"A {self.mechanism.name} mechanism hides a {self.mechanism.hides} answer",
                    given=f"{self.statistic.title}, which is {self.statistic.answers}",
                    remedy="Marginal takes Laplace or Gaussian, KeyedMarginal takes Threshold.",
                )
            )
        return Calibrated(self.mechanism, self.statistic.sensitivity(contract))

    def charge(self, contract: Contract) -> Charge:
        """What the ledger is asked for."""
        noise = self.calibrated(contract)
        return Charge(
            dataset=contract.dataset,
            statistic=visible(self.statistic.title),
            mechanism=noise.title,
            price=noise.price,
            unit=contract.unit,
            contract=contract.fingerprint,
            request=request_digest(self.name, self.statistic, self.mechanism, contract.fingerprint),
        )


def visible(text: str) -> str:
    """One line of visible characters: column names may contain anything, entries of a ledger may not."""
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in unicodedata.normalize("NFC", text))
    return shown.strip()[:10_000].strip()
