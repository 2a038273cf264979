"""How acts enter the books: entries, accounts and tallies change together or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from types import MappingProxyType

from sqlalchemy import Connection

from reaedp.errors import DeclarationError, sentence, unknown
from reaedp.privacy.account import WHOLE, Account, Certificate, Scope
from reaedp.privacy.accounting import Tally, tally
from reaedp.privacy.admission import Proof, together
from reaedp.privacy.book import (
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
from reaedp.privacy.entry import Charge, Raise, Registration, Stamp, protects_alike, split_of
from reaedp.privacy.loss import Price

#: The account of a data set is read and written whole; more parts would make that slow.
MOST_PARTS = 1000
#: More different losses than this since the last certificate, and a new one is due, to keep the account short.
MANY_LOSSES = 64

#: A scope of a data set in the state after its entry of this number.
Place = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Posting:
    """What some charges, taken together, add to one data set in its present state."""

    dataset: str
    account: Account
    terms: Registration | Raise
    added: Mapping[str, Tally]

    def price(self, scope: str) -> Tally:
        """Tell what is added to a scope: charges to all rows count in every part."""
        whole = self.added.get(WHOLE, {})
        return whole if scope == WHOLE else together(whole, self.added.get(scope, {}))

    def grown(self) -> dict[str, Scope]:
        """Give the scopes that change, changed; a new part starts from what all rows have spent."""
        scopes = self.account.scopes
        names = set(self.added) | (set(scopes) if WHOLE in self.added else set())
        fresh = replace(scopes[WHOLE], fingerprint=0)
        return {name: scopes.get(name, fresh).plus(self.price(name)) for name in sorted(names)}

    def place(self, scope: str) -> Place:
        """Give the name under which a proof about a scope is remembered; it ends to hold with the next entry."""
        return self.dataset, scope, self.account.last


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a price fits on top of a tally; cheap bounds did not say."""

    posting: Posting
    scope: str
    spent: Tally


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


def questions(connection: Connection, posting: Posting, proofs: Mapping[Place, Proof]) -> list[Question]:
    """Give the scopes of which neither the account nor a proof says that they have room."""
    dataset, account = posting.dataset, posting.account
    many = MANY_LOSSES + isqrt(account.last)
    open_scopes = [
        name
        for name, scope in posting.grown().items()
        if posting.place(name) not in proofs
        and not (len(scope.others) <= many and scope.surely_fits(posting.terms.budget))
    ]
    spent = read_scopes(connection, dataset, account, open_scopes) if open_scopes else {}
    return [Question(posting, name, spent[name]) for name in open_scopes]


def post(
    connection: Connection,
    head: Head,
    charges: Sequence[Charge],
    sorted_charges: Sequence[Posting],
    stamp: Stamp,
    *,
    proofs: Mapping[Place, Proof] = MappingProxyType({}),
) -> Head:
    """Write charges that are known to fit."""
    end = append(connection, head, charges, stamp)
    last = {charge.dataset: number for number, charge in enumerate(charges, head.number + 1)}
    for posting in sorted_charges:
        scopes = dict(posting.account.scopes)
        for name, scope in posting.grown().items():
            proof = proofs.get(posting.place(name))
            scopes[name] = _certified(scope, proof, posting.account.last, end.number) if proof else scope
        for part, added in posting.added.items():
            change = count(connection, posting.dataset, part, added)
            scopes[part] = replace(scopes[part], fingerprint=(scopes[part].fingerprint + change) % MODULUS)
        account = Account(last[posting.dataset], posting.account.terms, scopes)
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
        rule = f"All releases of data set {terms.dataset!r} must protect the same unit, {terms.unit}"
        raise DeclarationError(sentence(rule, given=charge.unit))
    if charge.part is not None and (charge.unit.change != "add-remove" or charge.unit.rows != 1):
        rule = "Parts are charged in parallel only where a change of the unit adds or removes one row in one part"
        raise DeclarationError(sentence(rule, given=charge.unit, remedy="Charge without a part."))


def _check_parts(parts: set[str]) -> None:
    splits = {split_of(part) for part in parts}
    if len(splits) > 1:
        rule = "The parts of a data set must be of one split, or they may share rows"
        raise DeclarationError(sentence(rule, given=sorted(splits), remedy="Charge without a part."))
    if len(parts) > MOST_PARTS:
        rule = f"A data set may be charged in at most {MOST_PARTS} parts"
        raise DeclarationError(sentence(rule, given=len(parts), remedy="Charge without a part."))


def _certified(scope: Scope, proof: Proof, before: int, after: int) -> Scope:
    upto = before if proof.pure else after
    certificate = Certificate(proof.epsilon, proof.delta, upto)
    return replace(scope, certificate=certificate, pure=proof.pure, others=())
