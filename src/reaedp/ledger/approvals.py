"""The two-person rule: what is charged was approved by somebody else, for these very requests, and once.

The rule holds from its entry on; approvals that are older do not count. It is lifted as anything is charged under it:
by two people.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reaedp.errors import DeclarationError
from reaedp.ledger.account import Account
from reaedp.ledger.book import read_row, read_rows
from reaedp.ledger.canonical_json import digest
from reaedp.ledger.database import Connection
from reaedp.ledger.entry import Charge, Decision, Entry, TwoPeople

#: The contract of a charge for entries that are lost, which nobody could approve.
NO_CONTRACT = "0" * 64
#: More entries than a ledger has.
ALL = 2**62


def lifting(dataset: str) -> str:
    """What is to be approved before the rule of a data set is lifted."""
    return digest(f"reaedp: lift the two-person rule of {dataset}")


@dataclass(slots=True)
class Approvals:
    """Whether two people are needed, and who has approved what since, and not yet for a charge."""

    required: bool = False
    given: dict[tuple[str, ...], str] = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """Add a rule, a decision, or a charge, which uses up what was approved for it."""
        act = entry.act
        if isinstance(act, TwoPeople):
            self.required, self.given = act.required, {}
        elif isinstance(act, Decision) and act.approved:
            self.given[act.requests] = entry.user
        elif isinstance(act, Decision):
            self.given.pop(act.requests, None)
        elif isinstance(act, Charge):
            self.given = {asked: by for asked, by in self.given.items() if act.request not in asked}

    def lacking(self, requests: Sequence[str], user: str) -> bool:
        """Whether somebody other than the user must approve these requests first."""
        by = self.given.get(tuple(sorted(requests)))
        return self.required and (by is None or by == user)


def asked_for(charges: Iterable[Charge]) -> dict[str, list[str]]:
    """The requests of charges, by data set; what cannot be approved is a request of its own."""
    found: dict[str, list[str]] = {}
    for charge in charges:
        if charge.contract != NO_CONTRACT:
            found.setdefault(charge.dataset, []).append(charge.request or "")
    return found


def read_approvals(connection: Connection, dataset: str, account: Account) -> Approvals:
    """The rule of a data set as it is now; nothing is read where there never was one."""
    approvals = Approvals()
    if account.rule:
        for entry in (read_row(connection, account.rule), *read_rows(connection, account.rule, dataset, ALL)):
            approvals.take(entry)
    return approvals


def check_approved(
    connection: Connection, accounts: Mapping[str, Account], wanted: Mapping[str, Sequence[str]], user: str
) -> None:
    """Refuse what needs a second person and has none."""
    for dataset, requests in wanted.items():
        if read_approvals(connection, dataset, accounts[dataset]).lacking(requests, user):
            raise DeclarationError(
                f"Data set {dataset!r} needs two people: somebody other than {user} must approve exactly this first,"
                " and each approval is for one charge. Nothing was charged."
            )
