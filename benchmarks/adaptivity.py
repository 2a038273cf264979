"""What it costs that prices may be chosen after looking: the least ε that admits a history, beside fixed prices.

python benchmarks/adaptivity.py
"""

import argparse
from dataclasses import dataclass

from reaedp.privacy.accounting import epsilon
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import bisect
from reaedp.privacy.loss import ApproxDP, GaussianDP, Loss, PureDP, UnitGaussian
from reaedp.privacy.merging import Tally
from reaedp.privacy.spending import NOTHING, Spending, admit

DELTA = 1e-6


@dataclass(frozen=True, slots=True)
class History:
    """Plans, one after the other; each is a price and how often it is bought."""

    title: str
    plans: tuple[tuple[Tally, int], ...]

    @property
    def fixed(self) -> float:
        """The ε of all losses if every price had been fixed before the first answer."""
        total: dict[Loss, int] = {}
        for price, times in self.plans:
            for loss, copies in price.items():
                total[loss] = total.get(loss, 0) + copies * times
        return epsilon(total, DELTA)

    @property
    def filtered(self) -> float:
        """The least ε of a budget that admits all of it, whoever chose the prices."""
        fixed = self.fixed
        return bisect(self._fits, 3 * fixed, fixed * (1 - 1e-9), 1e-5)

    def _fits(self, budget: float) -> bool:
        terms = Budget(budget, DELTA)
        state: Spending | None = NOTHING
        for price, times in self.plans:
            state = admit(state, price, terms) if state else None
            state = state.after(price, terms, times - 1) if state else None
        return state is not None and state.fits(terms)


HISTORIES = (
    History("ten pure releases of ε = 0.1", (({PureDP(0.1): 1}, 10),)),
    History("a hundred Gaussian releases of μ = 0.03", (({GaussianDP(0.03): 1}, 100),)),
    History("a hundred counts under discrete Gaussian noise of variance 1,000", (({UnitGaussian(1000.0): 1}, 100),)),
    History("a hundred counts under discrete Gaussian noise of variance 50", (({UnitGaussian(50.0): 1}, 100),)),
    History("a thousand pure releases of ε = 0.01, one by one", (({PureDP(0.01): 1}, 1000),)),
    History("the same in ten plans of a hundred", (({PureDP(0.01): 100}, 10),)),
    History("the same in one plan", (({PureDP(0.01): 1000}, 1),)),
    History("a hundred pure releases of ε = 0.05, one by one", (({PureDP(0.05): 1}, 100),)),
    History(
        "a pure release of ε = 0.5, then a Gaussian one of μ = 0.1", (({PureDP(0.5): 1}, 1), ({GaussianDP(0.1): 1}, 1))
    ),
    History(
        "a Gaussian release of μ = 0.1, then a pure one of ε = 0.5", (({GaussianDP(0.1): 1}, 1), ({PureDP(0.5): 1}, 1))
    ),
    History(
        "a threshold of ε = 0.2 and δ = 1e-7, then ten pure releases of 0.05",
        (({ApproxDP(0.2, 1e-7): 1}, 1), ({PureDP(0.05): 1}, 10)),
    ),
)


def table() -> str:
    """The table of the documentation."""
    lines = [
        f"| bought, at δ = {DELTA:g} | prices fixed in advance | chosen after looking | more |",
        "|---|---|---|---|",
    ]
    for history in HISTORIES:
        fixed, filtered = history.fixed, history.filtered
        lines.append(f"| {history.title} | {fixed:.3f} | {filtered:.3f} | {filtered / fixed - 1:.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(table())
