"""What a data set's ledger would admit of a plan; asked before any data is opened."""

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, LedgerMissing
from reaedp.ledger.ledger import Ledger
from reaedp.plan.plan import Plan
from reaedp.privacy.accounting import Tally, tally
from reaedp.privacy.rest import Rest


def rest_of(contract: Contract) -> Rest:
    """What the ledger has left under a contract; all of the budget where nothing was charged, or no ledger made."""
    try:
        with Ledger.open(contract.ledger) as book:
            if contract.dataset in book.datasets():
                return book.rest(contract.dataset)
    except LedgerMissing:
        pass
    return Rest(contract.budget)


def largest_factor(plan: Plan, rest: Rest) -> float | None:
    """The largest factor below 1, of four digits, with which every ε of a plan that does not fit would fit.

    None if there is none: what does not fit then is a δ, or prices so small are not possible, or one release has a
    fixed price.
    """
    try:
        found = rest.most(lambda factor: _prices(plan.times(factor)) or {}, below=1.0)
    except DeclarationError:
        return None
    return found if found is not None and _prices(plan.times(found)) is not None else None


def _prices(plan: Plan) -> Tally | None:
    """None for what is impossible: it is so for being too cheap, and costs nothing in the search."""
    try:
        requests = plan.requests()
    except DeclarationError:
        return None
    return tally([request.calibrated(plan.contract).price for request in requests])
