"""Planned synthetic records, by one of three methods."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.plan.kinds.kind import Planned, check_columns, spoken
from reaedp.plan.request import Request

if TYPE_CHECKING:
    from reaedp.mechanisms.paper_parameters import PaperParameters, TestName
    from reaedp.synthesis.deniability import ProposalName

#: Each record passes a privacy test of its own; keys pass one once for all records; or the model alone is used.
MethodName = Literal["deniable", "amortised", "network"]
#: Those that `reaedp.synthesis.deniability` has.
_PROPOSALS: tuple["ProposalName", ...] = ("keep", "mixed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSynthetic(Planned):
    """Synthetic rows of some columns; `keep` names the columns whose cells are copied from a real record.

    With `split_people`, the model is learned from one half of the people and seeds are taken from the other half, each
    at the full price. `method` is "network", "amortised" or "deniable"; `proposal` is for "deniable" only, as are the
    paper's parameters: `k`, `t`, `gamma`, `epsilon0`, the mean number of `attempts` per record, and the `test`,
    "published" or "optimal". `model_cells` is about how many cells the model of "network" may have.

    >>> keys = {"columns": ("age", "sex"), "rows": 100, "method": "network", "share": 0.5}
    >>> PlannedSynthetic(name="people", kind="synthetic", **keys).price(contract.budget)[0]
    50.0
    """

    kinds: ClassVar[tuple[str, ...]] = ("synthetic",)

    columns: tuple[str, ...]
    rows: int
    method: MethodName
    keep: tuple[str, ...] = ()
    proposal: "ProposalName" = "keep"
    split_people: bool = False
    gamma: float | None = None
    k: int | None = None
    t: int | None = None
    epsilon0: float | None = None
    attempts: int | None = None
    test: "TestName" = "published"
    model_cells: int | None = None

    @property
    def noise(self) -> str:
        """The name of the method."""
        return spoken(self.method)

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with method, columns and what is kept."""
        mistakes.unless(
            self.method in get_args(MethodName), f"method must be one of {', '.join(_METHODS)}", given=self.method
        )
        mistakes.unless(self.proposal in _PROPOSALS, "proposal must be keep or mixed", given=self.proposal)
        mistakes.unless(
            self.proposal == "keep" or self.method == "deniable",
            "proposal must be used with method deniable only",
            given=self.method,
        )
        self._check_paper(mistakes)
        self._check_model_cells(mistakes)
        if check_columns(self, mistakes, "columns", "keep"):
            mistakes.unless(
                set(self.keep) <= set(self.columns) and len(set(self.keep)) == len(self.keep),
                "keep must name some of the columns",
                given=self.keep,
            )
        mistakes.unless(
            self.method != "network" or not (self.keep or self.split_people),
            "keep and split_people must be left out for method network",
            given={"keep": self.keep, "split_people": self.split_people},
        )

    def _check_model_cells(self, mistakes: Mistakes) -> None:
        if self.model_cells is not None:
            from reaedp.synthesis.marginal_model import check_model_cells

            check_model_cells(self.model_cells, mistakes)
            mistakes.unless(
                self.method == "network", "model_cells must be used with method network only", given=self.method
            )

    def _check_paper(self, mistakes: Mistakes) -> None:
        given = [name for name in ("gamma", "k", "t", "epsilon0", "attempts") if getattr(self, name) is not None]
        if self.method != "deniable":
            rule = "gamma, k, t, epsilon0, attempts and test must be used with method deniable only"
            mistakes.unless(not given and self.test == "published", rule, given=self.method)
        elif self.proposal in _PROPOSALS:
            with mistakes.gathered():
                self.paper  # noqa: B018

    @property
    def paper(self) -> "PaperParameters | None":
        """The paper's parameters, if they are given."""
        from reaedp.synthesis.deniability import class_ratio, paper_parameters

        ratio = class_ratio(self.proposal, self.gamma)
        return paper_parameters(
            k=self.k, t=self.t, gamma=ratio, epsilon0=self.epsilon0, attempts=self.attempts, test=self.test
        )

    def request(self, contract: Contract) -> Request:
        """The rows, and the method set to what may be spent."""
        from reaedp.synthesis.synthetic import Synthetic

        statistic = Synthetic(self.columns, self.rows)
        statistic.check(contract)
        if self.split_people and (contract.unit.person is None or contract.unit.change != "add-remove"):
            raise DeclarationError(
                sentence(
                    "split_people needs unit.person and unit.change = 'add-remove'",
                    given={"person": contract.unit.person, "change": contract.unit.change},
                    remedy="With change = 'replace', the old and the new person could fall into different halves.",
                )
            )
        return Request(self.name, statistic, _METHODS[self.method](self, contract))


def _amortised(planned: PlannedSynthetic, contract: Contract) -> Mechanism:
    from reaedp.synthesis.amortised import Amortised

    price = planned.price(contract.budget)
    return Amortised.within(*price, contract, planned.columns, planned.keep, halves=planned.split_people)


def _deniable(planned: PlannedSynthetic, contract: Contract) -> Mechanism:
    from reaedp.synthesis.deniability import Deniable

    return Deniable.within(
        *planned.price(contract.budget),
        contract,
        planned.columns,
        planned.rows,
        proposal=planned.proposal,
        keep=planned.keep,
        halves=planned.split_people,
        gamma=planned.gamma,
        paper=planned.paper,
    )


def _network(planned: PlannedSynthetic, contract: Contract) -> Mechanism:
    from reaedp.synthesis.marginal_model import MarginalModel

    model = MarginalModel.within(*planned.price(contract.budget), contract, planned.columns)
    return model if planned.model_cells is None else replace(model, model_cells=planned.model_cells)


_METHODS: dict[str, Callable[[PlannedSynthetic, Contract], Any]] = {
    "deniable": _deniable,
    "amortised": _amortised,
    "network": _network,
}
