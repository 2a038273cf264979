"""Amortised F: keys that enough records have are released once; then any number of records costs nothing more.

A seed's key is its cells in the kept columns; the other cells are drawn from the model given the key. Since all that a
seed contributes is its key, the privacy test can be made once for each key, by a threshold, and not for each record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.accounting import fits, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ApproxDP, Price
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import KeyedMarginal, counting_sensitivity
from reaedp.statistics.names import column_names
from reaedp.synthesis.amortised_rows import amortised_rows
from reaedp.synthesis.kept import kept_columns
from reaedp.synthesis.marginal_model import MarginalModel, OnModel
from reaedp.synthesis.published_model import PublishedModel
from reaedp.synthesis.synthetic import RecordsToAsk, SyntheticRecords, wanted_rows
from reaedp.table import KeyCounts

#: Columns, by name.
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amortised(Buyable, OnModel):
    """Synthetic rows built on noisy counts of key columns; a model fills in the other columns.

    `network` is the mechanism that learns the model; the rest of the price, (ε, δ), pays for the counts of keys. `keep`
    names the key columns; leave it empty to have them chosen. With `together`, the model is learned from one half of
    the people and the keys are counted in the other half, so each part may use the full price. `Amortised(epsilon=1,
    delta=1e-6, keep=("age",))` asks for the least noise at that price, as plans do.

    >>> mechanism = Amortised(epsilon=4.0, delta=1e-7, keep="sex")
    >>> len(curator.release(Synthetic(("age", "sex"), 20), mechanism).value)
    20
    """

    name: ClassVar[str] = "amortised"
    scaled_by: ClassVar[str] = "network"

    network: MarginalModel
    epsilon: float
    delta: float
    keep: Names = ()
    together: tuple[float, float] | None = None

    @classmethod
    def bought(
        cls,
        statistic: Any,
        contract: Contract,
        *,
        epsilon: float,
        delta: float,
        keep: str | Sequence[str] = (),
        split_people: bool = False,
    ) -> "Amortised":
        """The least noise for these synthetic rows whose price is at most (ε, δ)."""
        columns = wanted_rows(statistic).columns
        return cls.within(epsilon, delta, contract, columns, column_names(keep), halves=split_people)

    @classmethod
    def within(
        cls, epsilon: float, delta: float, contract: Contract, columns: Names, keep: Names = (), *, halves: bool = False
    ) -> "Amortised":
        """Half of the budget for the keys, the rest for the model; the full budget for each if the people are split.

        Both the number of keys that reach the threshold and the number of cells that stand out from the noise grow in
        proportion to their ε, so equal shares maximise their product.
        """
        share, sensitivity = 1.0 if halves else 0.5, counting_sensitivity(contract.unit)
        largest = Threshold.largest_delta(share * epsilon, sensitivity)
        keys = Threshold(share * epsilon, min(share * delta, largest))
        beside = () if halves else keys.price(sensitivity)
        network = MarginalModel.within(epsilon, delta, contract, columns, beside)
        return cls(network, keys.epsilon, keys.delta, keep, (epsilon, delta) if halves else None)

    @property
    def keys(self) -> Threshold:
        """The noise of the keys' counts."""
        return Threshold(self.epsilon, self.delta)

    def price(self, sensitivity: Sensitivity) -> Price:
        """Model and keys; the larger of the two if nobody is in both halves (see PROOFS.md)."""
        return price_of_parts(self.network.price(sensitivity), self.keys.price(sensitivity), self.together, sensitivity)

    def apply(self, exact: RecordsToAsk, sensitivity: Sensitivity, noise: Noise) -> SyntheticRecords:
        """Rows whose keys follow their noisy counts, completed by the model; other keys are drawn from the model."""
        records, rng = exact.records, noise.generator()
        model_part, key_part = (records.half(0), records.half(1)) if self.together else (records, records)
        learned = self.network.learn(model_part, exact.columns, sensitivity, noise, records.progress)
        threshold = self.keys.threshold(sensitivity)
        kept = self.keep or kept_columns(learned, threshold, rng)
        records.progress(f"counting keys of {len(kept)} columns")
        keys = _released_keys(KeyedMarginal(*kept), self.keys, key_part, sensitivity, noise)
        records.progress("drawing rows")
        codes = amortised_rows(learned, keys, exact.rows, rng)
        details = learned.details | {"kept": list(kept), "keys": len(keys.counts), "threshold": threshold}
        model = PublishedModel(learned, records.contract.rules, keys)
        return SyntheticRecords.made(exact, codes, exact.columns, noise, details=details, model=model)


def price_of_parts(model: Price, seeds: Price, together: tuple[float, float] | None, sensitivity: Sensitivity) -> Price:
    """What model and seeds cost: both, or, if nobody is in both halves, what either may cost (see PROOFS.md).

    Where people are replaced, the old one and the new one may be in different halves, so that both change.
    """
    if together is None:
        return model + seeds
    if sensitivity.l1 != sensitivity.linf:
        raise DeclarationError("split_people needs unit.change = 'add-remove'; given 'replace'.")
    if not all(fits(tally([part]), Budget(*together)) for part in (model, seeds)):
        raise DeclarationError(
            sentence("The joint cost must be at least the cost of the model and of the seeds", given=together)
        )
    return (ApproxDP(*together),)


def _released_keys(
    statistic: KeyedMarginal, threshold: Threshold, records: Any, sensitivity: Sensitivity, noise: Noise
) -> KeyCounts:
    """Only keys that reach the threshold leave this function."""
    noisy = threshold.apply(statistic.answer(records), sensitivity, noise)
    return statistic.value(records.contract, noisy)
