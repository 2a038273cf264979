"""Mechanism F as a release: a model, and a number of records, each of which enough seeds could have made."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.paper_parameters import PaperParameters, TestName
from reaedp.mechanisms.record_plan import RecordPlan, fitting_plan, plan_records, unit_of
from reaedp.privacy.accounting import epsilon as composed
from reaedp.privacy.accounting import fits, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ApproxDP, Price
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.names import column_names
from reaedp.synthesis.amortised import price_of_parts
from reaedp.synthesis.deniable import deniable
from reaedp.synthesis.kept import kept_columns
from reaedp.synthesis.marginal_model import MarginalModel, OnModel
from reaedp.synthesis.model import Model
from reaedp.synthesis.proposal import LEAST_GAMMA, Keep, Mixed
from reaedp.synthesis.published_model import PublishedModel
from reaedp.synthesis.seeds import Seeds
from reaedp.synthesis.synthetic import RecordsToAsk, SyntheticRecords, wanted_rows

#: The seed's cells in the kept columns stay; or those in a random number of the first of them.
ProposalName = Literal["keep", "mixed"]
#: Mixed proposals sort seeds by powers of two of their probability.
MIXED_GAMMA = 2.0
#: Where nothing is known of the seeds, the kept columns will be chosen so that enough of them are alike.
_ENOUGH = np.array([10**12])


@dataclass(frozen=True, slots=True)
class Deniable(Buyable, OnModel):
    """Synthetic records with plausible deniability: one passes only if many records could have been its seed.

    `network` is the mechanism that learns the model. Each of the `records` records costs at most (ε, δ) of its own.
    `tau` is the probability of stopping before each trial. `at_least` is a public lower bound on the number of rows
    that can be seeds. `keep` names the columns copied from a seed; leave it empty to have them chosen. With the
    `proposal` "mixed", a random number of them is kept. With `together`, the model is learned from one half of the
    people and the seeds are taken from the other half, so each part may use the full price. `Deniable(epsilon=1,
    delta=1e-6, keep=("age",))` asks for a price for all records together, as plans do.

    `gamma` is the width of a mixed proposal's classes, as a ratio of probabilities. `k`, `t`, `epsilon0` and `attempts`
    are the paper's parameters: they fix the cost of a record and, with `test="published"`, which candidates pass.

    >>> mechanism = Deniable.within(8.0, 1e-7, contract, ("age", "sex"), 5)
    >>> len(curator.release(Synthetic(("age", "sex"), 5), mechanism).value) <= 5
    True
    """

    name: ClassVar[str] = "deniable"
    scaled_by: ClassVar[str] = "network"

    network: MarginalModel
    records: int
    epsilon: float
    delta: float
    tau: float
    at_least: int | None
    proposal: ProposalName = "keep"
    keep: tuple[str, ...] = ()
    together: tuple[float, float] | None = None
    gamma: float | None = field(default=None, metadata={"since": "0.2"})
    k: int | None = field(default=None, metadata={"since": "0.2"})
    t: int | None = field(default=None, metadata={"since": "0.2"})
    epsilon0: float | None = field(default=None, metadata={"since": "0.2"})
    attempts: int | None = field(default=None, metadata={"since": "0.2"})
    test: TestName = field(default="published", metadata={"since": "0.2"})

    @property
    def ratio(self) -> float:
        """The largest ratio of two probabilities in the same class."""
        return GAMMAS[self.proposal] if self.gamma is None else self.gamma

    @property
    def paper(self) -> PaperParameters | None:
        """The paper's parameters, if these were given."""
        return paper_parameters(
            k=self.k, t=self.t, gamma=self.ratio, epsilon0=self.epsilon0, attempts=self.attempts, test=self.test
        )

    @classmethod
    def bought(
        cls,
        statistic: Any,
        contract: Contract,
        *,
        epsilon: float,
        delta: float,
        proposal: ProposalName = "keep",
        keep: str | Sequence[str] = (),
        split_people: bool = False,
        gamma: float | None = None,
        k: int | None = None,
        t: int | None = None,
        epsilon0: float | None = None,
        attempts: int | None = None,
        test: TestName = "published",
    ) -> "Deniable":
        """The most permissive test and the least noise for these synthetic rows within (ε, δ).

        With the paper's parameters, the test is the one they define, at its own price.
        """
        rows = wanted_rows(statistic)
        ratio = class_ratio(proposal, gamma)
        return cls.within(
            epsilon,
            delta,
            contract,
            rows.columns,
            rows.rows,
            proposal=proposal,
            keep=column_names(keep),
            halves=split_people,
            gamma=gamma,
            paper=paper_parameters(k=k, t=t, gamma=ratio, epsilon0=epsilon0, attempts=attempts, test=test),
        )

    @classmethod
    def within(
        cls,
        epsilon: float,
        delta: float,
        contract: Contract,
        columns: tuple[str, ...],
        records: int,
        *,
        proposal: ProposalName = "keep",
        keep: tuple[str, ...] = (),
        halves: bool = False,
        gamma: float | None = None,
        paper: PaperParameters | None = None,
    ) -> "Deniable":
        """Half of the budget for the records, the rest for the model; the full budget for each if the people are split.

        With the parameters of a `paper`, the price of a record follows from them, and must fit into that half.
        """
        share = 1.0 if halves else 0.5
        unit = seed_unit(contract, keep or columns, halves=halves)
        if paper is None:
            plan = plan_records(
                share * epsilon,
                share * delta,
                records,
                unit=unit,
                gamma=class_ratio(proposal, gamma),
                plausible=_guess(contract, unit, keep),
            )
        else:
            plan = _affordable(paper, records, unit, Budget(share * epsilon, share * delta))
        beside = () if halves else (plan.each,) * records
        return cls(
            network=MarginalModel.within(epsilon, delta, contract, columns, beside),
            records=records,
            epsilon=plan.each.epsilon,
            delta=plan.each.delta,
            tau=plan.stopping.tau,
            at_least=unit.at_least,
            proposal=proposal,
            keep=keep,
            together=(epsilon, delta) if halves else None,
            gamma=gamma,
            **({} if paper is None else {name: getattr(paper, name) for name in PAPER_KEYS}),
        )

    def plan(self, sensitivity: Sensitivity) -> RecordPlan:
        """The test, and the true cost of a record, computed anew from the parameters."""
        unit, paper = unit_of(sensitivity, self.at_least), self.paper
        if paper is not None:
            return paper.plan(self.records, unit)
        return fitting_plan(ApproxDP(self.epsilon, self.delta), self.records, unit, self.ratio, self.tau)

    def price(self, sensitivity: Sensitivity) -> Price:
        """Model and records; what each of them costs if nobody is in both halves (see PROOFS.md)."""
        records = (self.plan(sensitivity).each,) * self.records
        return price_of_parts(self.network.price(sensitivity), records, self.together, sensitivity)

    def apply(self, exact: RecordsToAsk, sensitivity: Sensitivity, noise: Noise) -> SyntheticRecords:
        """The records that pass; how many there are, and which "nothing" they stand beside, is part of the answer."""
        records = exact.records
        halves = self.together is not None
        promised = seed_unit(records.contract, self.keep or exact.columns, halves=halves).at_least or 0
        if (self.at_least or 0) > promised:
            rule = f"at_least must not exceed the {promised} rows of unit.at_least in the contract"
            raise DeclarationError(sentence(rule, given=self.at_least))
        model_part, seed_part = (records.half(0), records.half(1)) if halves else (records, records)
        learned = self.network.learn(model_part, exact.columns, sensitivity, noise, records.progress)
        plan = self.plan(sensitivity)
        kept = self.keep or kept_columns(learned, plan.test.half, noise.generator())
        model = learned.model(kept)
        records.progress(f"counting seeds by {len(kept)} columns")
        seeds = Seeds(seed_part.key_counts(kept))
        codes = deniable(
            seeds,
            _proposal(self.proposal, model, len(kept), self.ratio),
            plan.test,
            plan.stopping,
            count=self.records,
            noise=noise,
            progress=records.progress,
        )
        details = (
            learned.details
            | {
                "kept": list(kept),
                "proposal": self.proposal,
                "plausible_seeds_for_half_a_chance": plan.test.half,
                "records_asked_for": self.records,
                "cost_of_each": {"epsilon": plan.each.epsilon, "delta": plan.each.delta},
            }
            | paper_details(self.paper)
        )
        published = PublishedModel(learned, records.contract.rules)
        return SyntheticRecords.made(exact, codes, model.names, noise, details=details, model=published, redrawn=False)


def seed_unit(contract: Contract, columns: tuple[str, ...], *, halves: bool) -> Unit:
    """The unit, without a bound on the seeds where some rows of the data are none."""
    all_rows = not halves and not any(column.drops for column in contract.select(columns))
    return contract.unit if all_rows else replace(contract.unit, at_least=None)


def _guess(contract: Contract, unit: Unit, keep: tuple[str, ...]) -> Any:
    """Plausible seeds if the kept columns' cells were equally full; enough, if these columns are yet to be chosen."""
    if not keep or unit.at_least is None:
        return _ENOUGH
    cells = 1
    for column in contract.select(keep):
        cells *= column.size
    return np.array([max(1, unit.at_least // cells)])


def _proposal(name: ProposalName, model: Model, kept: int, gamma: float) -> Keep | Mixed:
    return Keep(model, kept) if name == "keep" else Mixed(model, (1 / (kept + 1),) * (kept + 1), gamma)


def _affordable(paper: PaperParameters, records: int, unit: Unit, budget: Budget) -> RecordPlan:
    """The plan that the paper's parameters say, if what it really costs is within what records may cost."""
    plan = paper.plan(records, unit)
    prices = tally([(plan.each,) * records])
    if fits(prices, budget):
        return plan
    in_all = f"ε = {composed(prices, budget.delta):.3g} at δ = {budget.delta:.3g}"
    raise DeclarationError(
        f"Each record with these parameters costs ε = {plan.each.epsilon:.3g}, δ = {plan.each.delta:.3g} (the paper"
        f" claims δ = {paper.claimed.delta:.3g}); {records:,} cost {in_all}, and may cost ε = {budget.epsilon:.3g}. Ask"
        " for fewer records, raise k for a smaller δ, or raise epsilon and delta; a part of them is for the model."
    )


def class_ratio(proposal: ProposalName, gamma: float | None) -> float:
    """The ratio of the classes; seeds that keep the same cells are equally likely, whatever γ."""
    if gamma is None:
        return GAMMAS[proposal]
    if proposal == "keep" and gamma != 1:
        rule = "gamma must be 1, or left out, for proposal keep, whose classes hold equally likely seeds"
        raise DeclarationError(sentence(rule, given=gamma, remedy='Write proposal = "mixed".'))
    if not (isinstance(gamma, int | float) and (proposal == "keep" or LEAST_GAMMA <= gamma < float("inf"))):
        raise DeclarationError(sentence(f"gamma must be a finite number of at least {LEAST_GAMMA}", given=gamma))
    return float(gamma)


def paper_parameters(
    *, k: int | None, t: int | None, gamma: float, epsilon0: float | None, attempts: int | None, test: TestName
) -> PaperParameters | None:
    """The paper's parameters, all of them or none."""
    if k is None and t is None and epsilon0 is None and attempts is None:
        return None
    if k is None or t is None or epsilon0 is None or attempts is None:
        given = {"k": k, "t": t, "epsilon0": epsilon0, "attempts": attempts}
        raise DeclarationError(sentence("k, t, epsilon0 and attempts must be declared together", given=given))
    return PaperParameters(k, t, gamma, epsilon0, attempts, test)


def paper_details(paper: PaperParameters | None) -> dict[str, Any]:
    """What a manifest says of the paper's parameters, with what they claim."""
    return {} if paper is None else {"paper": paper.words}


#: The parameters that the paper has names for, besides γ.
PAPER_KEYS = ("k", "t", "epsilon0", "attempts", "test")
GAMMAS: dict[str, float] = {"keep": 1.0, "mixed": MIXED_GAMMA}
