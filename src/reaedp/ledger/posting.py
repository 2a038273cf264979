"""How acts enter the books: entries, accounts and tallies change together or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reaedp.errors import BudgetRefused, DeclarationError, sentence, unknown
from reaedp.ledger.account import WHOLE, Account, Scope
from reaedp.ledger.admission import refusal, together
from reaedp.ledger.book import (
    MODULUS,
    Head,
    add_account,
    append,
    count,
    dataset_names,
    find_account,
    read_tally,
    read_terms,
    save_account,
)
from reaedp.ledger.database import Connection
from reaedp.ledger.entry import Charge, Decision, Raise, Registration, Stamp, TwoPeople, protects_alike, split_of
from reaedp.privacy.accounting import Tally, tally
from reaedp.privacy.loss import Price
from reaedp.privacy.spending import admit

#: The account of a data set is read and written whole; more parts would make that slow.
MOST_PARTS = 1000


@dataclass(frozen=True, slots=True)
class Posting:
    """What some charges, taken together as one plan, add to one data set in its present state."""

    dataset: str
    account: Account
    terms: Registration | Raise
    added: Mapping[str, Tally]

    def price(self, scope: str) -> Tally:
        """Tell what is added to a scope: charges to all rows count in every part."""
        whole = self.added.get(WHOLE, {})
        return whole if scope == WHOLE else together(whole, self.added.get(scope, {}))

    def changing(self) -> dict[str, Scope]:
        """Give the scopes that change, as they are; a new part starts from what all rows have spent."""
        scopes = self.account.scopes
        names = set(self.added) | (set(scopes) if WHOLE in self.added else set())
        fresh = replace(scopes[WHOLE], fingerprint=0)
        return {name: scopes.get(name, fresh) for name in sorted(names)}

    def decided(self) -> dict[str, Scope]:
        """Give the scopes that change, changed; or refuse the plan in numbers that are public."""
        budget = self.terms.budget
        changed = {}
        for name, scope in self.changing().items():
            after = admit(scope.spending, self.price(name), budget)
            if after is None:
                raise BudgetRefused(refusal(self.dataset, scope.spending, self.price(name), budget))
            changed[name] = replace(scope, spending=after)
        return changed

    def replayed(self) -> dict[str, Scope]:
        """Give the scopes that change, changed, where an earlier program has decided."""
        return {
            name: replace(scope, spending=scope.spending.after(self.price(name), self.terms.budget))
            for name, scope in self.changing().items()
        }


def find_known(connection: Connection, dataset: str) -> Account:
    """Give the account of a data set that must be registered."""
    account = find_account(connection, dataset)
    if account is None:
        raise DeclarationError(unknown("data set", dataset, dataset_names(connection)))
    return account


def read_scopes(connection: Connection, dataset: str, account: Account, names: Iterable[str]) -> dict[str, Tally]:
    """Read all losses that some scopes have borne; a part that was never charged has borne those of all rows."""
    whole = read_tally(connection, dataset, WHOLE, account.scopes[WHOLE].fingerprint)
    own = {
        name: read_tally(connection, dataset, name, account.scopes[name].fingerprint) if name in account.parts else {}
        for name in names
    }
    return {name: together(whole, tally) for name, tally in own.items()}


def postings(connection: Connection, charges: Sequence[Charge]) -> list[Posting]:
    """Sort charges by data set, and refuse those that do not keep to its terms."""
    names = sorted({charge.dataset for charge in charges})
    return [_posting(connection, name, [charge for charge in charges if charge.dataset == name]) for name in names]


def post(
    connection: Connection,
    head: Head,
    charges: Sequence[Charge],
    decided: Sequence[tuple[Posting, Mapping[str, Scope]]],
    stamp: Stamp,
    *,
    plan: bool = True,
) -> Head:
    """Write charges, as one plan unless a program without plans has made them, and the scopes that they change."""
    end = append(connection, head, charges, stamp, head.number + 1 if plan else None)
    last = {charge.dataset: number for number, charge in enumerate(charges, head.number + 1)}
    for posting, changed in decided:
        scopes = {**posting.account.scopes, **changed}
        for part, added in posting.added.items():
            change = count(connection, posting.dataset, part, added)
            scopes[part] = replace(scopes[part], fingerprint=(scopes[part].fingerprint + change) % MODULUS)
        account = replace(posting.account, last=last[posting.dataset], scopes=scopes)
        save_account(connection, posting.dataset, account)
    return end


def register(connection: Connection, head: Head, terms: Registration, stamp: Stamp) -> Head:
    """Write the first terms of a new data set."""
    end = append(connection, head, [terms], stamp)
    add_account(connection, terms.dataset, Account(end.number, end.number, {WHOLE: Scope()}))
    return end


def change_terms(connection: Connection, head: Head, account: Account, terms: Raise, stamp: Stamp) -> Head:
    """Write new terms of a known data set."""
    end = append(connection, head, [terms], stamp)
    save_account(connection, terms.dataset, replace(account, last=end.number, terms=end.number))
    return end


def note(connection: Connection, head: Head, account: Account, act: Decision | TwoPeople, stamp: Stamp) -> Head:
    """Write a decision or a rule about a known data set."""
    end = append(connection, head, [act], stamp)
    rule = end.number if isinstance(act, TwoPeople) else account.rule
    save_account(connection, act.dataset, replace(account, last=end.number, rule=rule))
    return end


def _posting(connection: Connection, dataset: str, charges: Sequence[Charge]) -> Posting:
    account = find_known(connection, dataset)
    terms = read_terms(connection, account)
    for charge in charges:
        _check_unit(charge, terms)
    prices: dict[str, list[Price]] = {}
    for charge in charges:
        prices.setdefault(charge.part or WHOLE, []).append(charge.price)
    _check_parts(set(account.parts) | (prices.keys() - {WHOLE}))
    return Posting(dataset, account, terms, {part: tally(price) for part, price in prices.items()})


def _check_unit(charge: Charge, terms: Registration | Raise) -> None:
    if not protects_alike(charge.unit, terms.unit):
        rule = f"All releases of data set {terms.dataset!r} must use the same privacy unit, {terms.unit}"
        raise DeclarationError(sentence(rule, given=charge.unit))
    if charge.part is not None and (charge.unit.change != "add-remove" or charge.unit.rows != 1):
        rule = "Parts can be charged in parallel only with change = 'add-remove' and one row per unit"
        raise DeclarationError(sentence(rule, given=charge.unit, remedy="Charge without a part."))


def _check_parts(parts: set[str]) -> None:
    splits = {split_of(part) for part in parts}
    if len(splits) > 1:
        rule = "All parts of a data set must come from the same split, because parts of different splits may share rows"
        raise DeclarationError(sentence(rule, given=sorted(splits), remedy="Charge without a part."))
    if len(parts) > MOST_PARTS:
        rule = f"A data set may be charged in at most {MOST_PARTS} parts"
        raise DeclarationError(sentence(rule, given=len(parts), remedy="Charge without a part."))
