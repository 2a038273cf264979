"""What the ledger records: acts, each in an entry that carries the hash of the entry before it.

The body of an entry is canonical JSON and its hash is SHA-256 of the body, so whoever holds the bodies can check
the chain with any JSON and SHA-256 tool.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from reaedp.disk.system import user_name
from reaedp.errors import DeclarationError, LedgerDamaged, sentence
from reaedp.ledger.canonical_json import LONGEST_PRICE, LOSSES, digest, fields_of, price_record, read_price, write
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Unit

#: What a stored text can raise when it is not one that the ledger wrote.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError, DeclarationError)


def printable(what: str, text: object, longest: int) -> None:
    """Accept one line of visible text with one spelling, or say what must hold."""
    good = isinstance(text, str) and 1 <= len(text) <= longest and text.isprintable() and text == text.strip()
    if not good or not unicodedata.is_normalized("NFC", str(text)):
        shown = text[:40] + "…" if isinstance(text, str) and len(text) > 40 else text
        rule = f"{what} must be 1 to {longest} printable characters (Unicode form NFC) without a space at either end"
        raise DeclarationError(sentence(rule, given=shown))


@dataclass(frozen=True, slots=True)
class Registration:
    """The first use of a data set, which declares its terms.

    All releases together may spend the `budget`; the `unit` says whose privacy that is for.
    """

    dataset: str
    budget: Budget
    unit: Unit

    def __post_init__(self) -> None:
        printable("The name of a data set", self.dataset, 200)


@dataclass(frozen=True, slots=True)
class Charge:
    """One release to be paid for, before any noise is drawn.

    `part` names a part of the data under a public split whose parts share no row; "column=level" says which
    split, and "column=level,column=level" a finer one. Parts of one split are charged in parallel.
    `request` is the SHA-256 of what was asked for, with all parameters; charges of older programs have none.
    """

    dataset: str
    statistic: str
    mechanism: str
    price: Price
    unit: Unit
    contract: str
    part: str | None = None
    request: str | None = None

    def __post_init__(self) -> None:
        printable("The name of a data set", self.dataset, 200)
        printable("The statistic of a charge", self.statistic, 10_000)
        printable("The mechanism of a charge", self.mechanism, 10_000)
        if self.part is not None:
            printable("The name of a part", self.part, 200)
        _check_digest("The contract of a charge", self.contract)
        if self.request is not None:
            _check_digest("The request of a charge", self.request)
        _check_price(self.price)


@dataclass(frozen=True, slots=True)
class Finish:
    """The releases behind these charges were published; `manifest` is the SHA-256 of their `release.json`."""

    entries: tuple[int, ...]
    manifest: str | None = None

    def __post_init__(self) -> None:
        if not self.entries or not all(type(number) is int and number > 0 for number in self.entries):
            raise DeclarationError(sentence("Entry numbers must be whole numbers from 1", given=self.entries))
        if self.manifest is not None:
            _check_digest("The manifest of a finished release", self.manifest)


@dataclass(frozen=True, slots=True)
class Raise:
    """A larger budget for a data set, and why; the unit is repeated so that this entry says all terms."""

    dataset: str
    budget: Budget
    unit: Unit
    reason: str

    def __post_init__(self) -> None:
        printable("The name of a data set", self.dataset, 200)
        printable("The reason for a larger budget", self.reason, 1000)


@dataclass(frozen=True, slots=True)
class Recovery:
    """All entries after `kept` up to `lost` are gone for good; what they cost was entered before this, as stated."""

    kept: int
    lost: int
    reason: str

    def __post_init__(self) -> None:
        if not (type(self.kept) is int and type(self.lost) is int and 0 <= self.kept < self.lost):
            rule = "The lost entries must lie between two entries of the ledger"
            raise DeclarationError(sentence(rule, given=(self.kept, self.lost)))
        printable("The reason for a recovery", self.reason, 1000)


@dataclass(frozen=True, slots=True)
class Decision:
    """Somebody answered whether some requests may be charged together, and why; who did is in the entry.

    `requests` are the SHA-256 of what was asked for, as charges have them; `asked_by` is the name in the question.
    """

    dataset: str
    requests: tuple[str, ...]
    asked_by: str
    approved: bool
    reason: str

    def __post_init__(self) -> None:
        printable("The name of a data set", self.dataset, 200)
        printable("The name of who asks", self.asked_by, 200)
        printable("The reason for a decision", self.reason, 1000)
        if not self.requests or list(self.requests) != sorted(self.requests) or type(self.approved) is not bool:
            rule = "A decision must name its requests in ascending order, and approve them or not"
            raise DeclarationError(sentence(rule, given=(self.requests, self.approved)))
        for request in self.requests:
            _check_digest("A request of a decision", request)


@dataclass(frozen=True, slots=True)
class TwoPeople:
    """From here on charges to a data set are `required` to be approved by somebody else, or no longer; and why."""

    dataset: str
    required: bool
    reason: str

    def __post_init__(self) -> None:
        printable("The name of a data set", self.dataset, 200)
        printable("The reason for a rule", self.reason, 1000)
        if type(self.required) is not bool:
            raise DeclarationError(
                sentence("Whether two people are required must be true or false", given=self.required)
            )


Act = Registration | Charge | Finish | Raise | Recovery | Decision | TwoPeople
KINDS: dict[str, type[Any]] = {
    "register": Registration,
    "charge": Charge,
    "finish": Finish,
    "raise": Raise,
    "recover": Recovery,
    "decide": Decision,
    "rule": TwoPeople,
}
NAMES: dict[type[Any], str] = {act: kind for kind, act in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Stamp:
    """When, by whom and with which program an entry was made."""

    time: str
    user: str
    version: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One act, when the machine's clock said, by whom, with which program; order is by number, never by time.

    `plan` is the number of the first charge of those that were made together, with prices fixed together. Charges
    without one are from programs that did not yet admit by filters.
    """

    number: int
    previous: str
    time: str
    user: str
    version: str
    act: Act
    plan: int | None = None
    finished: bool = False

    @property
    def kind(self) -> str:
        """One of register, charge, finish, raise, recover, decide, rule."""
        return NAMES[type(self.act)]

    @property
    def dataset(self) -> str | None:
        """The data set that the act is about; none for what may concern several."""
        return getattr(self.act, "dataset", None)

    @property
    def charge(self) -> Charge | None:
        """The charge, when the act is one."""
        return self.act if isinstance(self.act, Charge) else None

    @property
    def state(self) -> str:
        """Whether the release behind a charge is known to have been published."""
        if self.charge is None:
            return "recorded"
        return "finished" if self.finished else "charged, not finished"

    @property
    def body(self) -> str:
        """The text that is hashed."""
        stamp = {name: getattr(self, name) for name in ("number", "previous", "time", "user", "version")}
        planned = {} if self.plan is None else {"plan": self.plan}
        return write(stamp | {"kind": self.kind, "act": act_record(self.act)} | planned)

    @property
    def record(self) -> dict[str, Any]:
        """The entry as plain values, in the ledger's own words."""
        body: dict[str, Any] = json.loads(self.body)
        return {**body, "finished": self.finished} if self.kind == "charge" else body

    @property
    def hash(self) -> str:
        """SHA-256 of the body, which contains the hash of the entry before."""
        return digest(self.body)


def stamp() -> Stamp:
    """Now, the operating system's name for the user, and the version of this program."""
    return Stamp(datetime.now(UTC).isoformat(timespec="microseconds"), user_name(), _version())


def act_record(act: Act) -> dict[str, object]:
    """Give an act as a dictionary of plain values; what older programs did not know is left out if it is not said."""
    return {
        name: _write_field(name, value)
        for name, value in fields_of(act).items()
        if value is not None or name not in _LEFT_OUT
    }


def read_act(kind: str, record: dict[str, Any]) -> Act:
    """Build an act again; constructors refuse what no act can be."""
    act: Act = KINDS[kind](**{name: _read_field(name, value) for name, value in record.items()})
    return act


def read_entry(number: int, body: str, hashed: str, *, finished: bool = False) -> Entry:
    """Build an entry again from its row, or say that the row is not one that the ledger wrote."""
    if not isinstance(body, str) or digest(body) != hashed:
        raise LedgerDamaged(f"Entry {number} of the ledger was edited: its hash does not match.")
    try:
        record = json.loads(body)
        act = read_act(record.pop("kind"), record.pop("act"))
        entry = Entry(**record, act=act, finished=finished)
    except UNREADABLE as error:
        raise LedgerDamaged(f"Entry {number} of the ledger is damaged and cannot be read.") from error
    if entry.number != number or entry.body != body or not _is_planned(entry):
        raise LedgerDamaged(f"Entry {number} of the ledger was edited: it is not in the form in which it was written.")
    return entry


def _is_planned(entry: Entry) -> bool:
    """Only charges belong to a plan, which begins with one of them or before."""
    plan = entry.plan
    return plan is None or (entry.charge is not None and type(plan) is int and 1 <= plan <= entry.number)


def genesis(identity: str) -> str:
    """Tell what the first entry carries in place of a hash: which ledger this is."""
    return digest(f"reaedp ledger {identity}")


def protects_alike(first: Unit, second: Unit) -> bool:
    """Whether two units promise the same to the same people; a public lower bound on their number may change."""
    return replace(first, at_least=None) == replace(second, at_least=None)


def split_of(part: str) -> str:
    """Give the columns by which a part was cut out: "sex=F,age=30" is of the split "sex,age"."""
    return ",".join(piece.partition("=")[0] if "=" in piece else "" for piece in part.split(","))


@cache
def _version() -> str:
    from importlib.metadata import version  # which takes long to import

    return version("reaedp")


def _check_digest(what: str, text: object) -> None:
    if not re.fullmatch("[0-9a-f]{64}", str(text)):
        rule = f"{what} must be its SHA-256, 64 lower-case hexadecimal digits"
        raise DeclarationError(sentence(rule, given=text))


def _check_price(price: Price) -> None:
    good = isinstance(price, tuple) and 1 <= len(price) <= LONGEST_PRICE
    if not good or not {type(loss) for loss in price} <= set(LOSSES.values()):
        rule = f"The price of a charge must be a tuple of 1 to {LONGEST_PRICE} of the losses {', '.join(LOSSES)}"
        raise DeclarationError(sentence(rule, given=price[:3] if good else price))


def _budget_record(budget: Budget) -> dict[str, object]:
    return {name: float(value) for name, value in fields_of(budget).items()}


#: Fields that came later: an entry without them keeps the text, and so the hash, that it always had.
_LEFT_OUT = frozenset({"request", "manifest"})
_WRITERS: dict[str, Callable[[Any], object]] = {
    "price": price_record,
    "budget": _budget_record,
    "unit": fields_of,
}
_READERS: dict[str, Callable[[Any], object]] = {
    "price": read_price,
    "budget": lambda record: Budget(**record),
    "unit": lambda record: Unit(**record),
    "entries": tuple,
    "requests": tuple,
}


def _write_field(name: str, value: object) -> object:
    return _WRITERS[name](value) if name in _WRITERS else value


def _read_field(name: str, value: object) -> object:
    return _READERS[name](value) if name in _READERS else value
