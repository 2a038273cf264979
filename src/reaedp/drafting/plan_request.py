"""A plan that somebody else asks for: a file with the plan, a name, a note, and the contract that it was written for.

The file comes from outside. It is bounded before it is parsed, its plan is read under the custodian's own contract
whatever it names, and nothing of it is kept but what was accepted.
"""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from reaedp.contract import Contract
from reaedp.contract.document import Document
from reaedp.drafting.toml_text import text
from reaedp.errors import DeclarationError, sentence
from reaedp.ledger.entry import printable
from reaedp.ledger.ledger import Ledger
from reaedp.plan.affordable import rest_of
from reaedp.plan.plan import Plan
from reaedp.privacy.accounting import epsilon
from reaedp.release.place import outside_releases
from reaedp.release.readme import hundredths, posterior
from reaedp.report.page import save

SUFFIX, ANSWER = ".request.toml", ".answer.toml"


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What is asked for, by whom, and for which contract; `text` is the plan alone."""

    path: Path
    asked_by: str
    note: str
    contract: str
    text: str
    plan: Plan

    @classmethod
    def read(cls, path: Path, contract: Path) -> "PlanRequest":
        """Read a file from outside under a contract, or say all that is wrong with it."""
        said = Document.read(path).table("request")
        texts: dict[str, Any] = {key: said.get(key) for key in ("asked_by", "note", "contract")}
        if not all(isinstance(text, str) for text in texts.values()):
            rule = "A request must have a table [request] with asked_by, note and contract"
            raise DeclarationError(sentence(rule, given=sorted(said)))
        printable("request.asked_by", texts["asked_by"], 200)
        printable("request.note", texts["note"], 1000)
        alone = _plan_text(path, contract.name)
        return cls(path=path, **texts, text=alone, plan=_loaded(alone, contract))

    @property
    def digest(self) -> str:
        """What tells one state of the file from another, for whoever answers what was read before."""
        return hashlib.sha256(repr((self.asked_by, self.note, self.contract, self.text)).encode()).hexdigest()

    @property
    def requests(self) -> list[str]:
        """The digests of what is asked for, as charges and decisions have them."""
        return requests_of(self.plan)

    @property
    def price(self) -> float:
        """What all of it costs together."""
        return epsilon(self.plan.prices(), self.plan.contract.budget.delta)

    @property
    def left(self) -> float | None:
        """What would be left of the budget; None where it does not fit."""
        return rest_of(self.plan.contract).after(self.plan.prices())

    @property
    def risk(self) -> str:
        """What the releases let somebody think of a person, in a sentence."""
        after = hundredths(posterior(0.1, self.price))
        return f"If a belief about a person was 10 in 100, these releases can raise it to at most {after} in 100."

    def check_contract(self) -> None:
        """Refuse a plan that was written under another contract, whose words may mean something else."""
        if self.contract != self.plan.contract.fingerprint:
            raise DeclarationError(
                "The request was written for another contract, or for an earlier form of this one. Send the contract as"
                " it is now, and ask for the plan again."
            )

    def decide(self, plan: Path, *, approved: bool, reason: str) -> int:
        """Record the answer in the ledger and beside the request; an approved plan is written. The entry's number."""
        if answer_path(self.path).exists():
            raise DeclarationError(f"{self.path.name} has already been answered: {answer_path(self.path).name}.")
        if approved:
            self.check_contract()
        contract = self.plan.contract
        with Ledger.open(contract.ledger) as book:
            book.register(contract.dataset, contract.budget, contract.unit)
            number = book.decide(contract.dataset, self.requests, self.asked_by, approved=approved, reason=reason)
        if approved:
            _write(plan, self.text)
        words = "# The answer to a request for releases.\n"
        answer = f"{words}approved = {str(approved).lower()}\nreason = {text(reason)}\nentry = {number}\n"
        _write(answer_path(self.path), answer)
        return number


def requests_of(plan: Plan) -> list[str]:
    """The digest of each request of a plan."""
    charges = [request.settled(plan.contract).charge(plan.contract) for request in plan.requests()]
    return [str(charge.request) for charge in charges]


def write_request(plan: Path, asked_by: str, note: str, out: Path) -> None:
    """Write a plan as a request, to send to the custodian."""
    if not out.name.endswith(SUFFIX):
        raise DeclarationError(sentence(f"The name of a request must end in {SUFFIX}", given=out.name))
    contract = _checked(Plan.load(plan)).contract
    printable("Your name", asked_by, 200)
    printable("The note", note, 1000)
    document: Any = tomlkit.parse(plan.read_text(encoding="utf-8"))
    table = tomlkit.table()
    table.update({"asked_by": asked_by, "note": note, "contract": contract.fingerprint})
    document["request"] = table
    _write(out, str(tomlkit.dumps(document)))


def waiting(folder: Path) -> list[Path]:
    """Requests that lie in a folder and have no answer beside them."""
    found = sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file() and not path.is_symlink())
    return [path for path in found if not answer_path(path).exists()]


def answer_path(request: Path) -> Path:
    """Where the answer to a request lies."""
    return request.with_name(request.name.removesuffix(SUFFIX) + ANSWER)


def _plan_text(path: Path, contract: str) -> str:
    """The plan without the question around it, under our own contract."""
    document: Any = tomlkit.parse(path.read_text(encoding="utf-8").replace("\r\n", "\n"))
    document.remove("request")
    document["contract"] = contract
    return str(tomlkit.dumps(document))


def _loaded(alone: str, contract: Path) -> Plan:
    """The plan as it would be, read in a place where nobody else looks."""
    Contract.load(contract)
    with tempfile.TemporaryDirectory() as folder:
        document: Any = tomlkit.parse(alone)
        document["contract"] = str(contract.absolute())
        path = Path(folder, "plan.toml")
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
        return _checked(Plan.load(path))


def _checked(plan: Plan) -> Plan:
    plan.requests()
    return plan


def _write(path: Path, content: str) -> None:
    outside_releases(path)
    save(path, content)
