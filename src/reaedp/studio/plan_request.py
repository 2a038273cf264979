"""A plan that somebody else asks for: a file with the plan, a name, a note, and the contract that it was written for.

The file comes from outside. It is bounded before it is parsed, its plan is read under the custodian's own contract
whatever it names, and nothing of it is kept but what was accepted.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from reaedp.contract import Contract
from reaedp.contract.document import Document
from reaedp.errors import DeclarationError, sentence
from reaedp.ledger.entry import printable
from reaedp.plan.plan import Plan
from reaedp.studio.project import Project

SUFFIX, ANSWER = ".request.toml", ".answer.toml"


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What is asked for, by whom, and for which contract; `text` is the plan alone."""

    asked_by: str
    note: str
    contract: str
    text: str
    plan: Plan

    @classmethod
    def read(cls, path: Path, project: Project) -> "PlanRequest":
        """Read a file from outside under the contract of a project, or say all that is wrong with it."""
        contract = project.contract
        if contract is None:
            raise DeclarationError("A request can be read when the contract is complete.")
        said = Document.read(path).table("request")
        texts = {key: said.get(key) for key in ("asked_by", "note", "contract")}
        if not all(isinstance(text, str) for text in texts.values()):
            rule = "A request must have a table [request] with asked_by, note and contract"
            raise DeclarationError(sentence(rule, given=sorted(said)))
        printable("request.asked_by", texts["asked_by"], 200)
        printable("request.note", texts["note"], 1000)
        text = _plan_text(path, project.contract_path.name)
        return cls(**texts, text=text, plan=_loaded(text, project))  # type: ignore[arg-type]

    @property
    def requests(self) -> list[str]:
        """The digests of what is asked for, as charges and decisions have them."""
        return requests_of(self.plan)

    def check_contract(self, contract: Contract) -> None:
        """Refuse a plan that was written under another contract, whose words may mean something else."""
        if self.contract != contract.fingerprint:
            raise DeclarationError(
                "The request was written for another contract, or for an earlier form of this one. Send the contract as"
                " it is now, and ask for the plan again."
            )


def requests_of(plan: Plan) -> list[str]:
    """The digest of each request of a plan."""
    charges = [request.settled(plan.contract).charge(plan.contract) for request in plan.requests()]
    return [str(charge.request) for charge in charges]


def written(project: Project, asked_by: str, note: str) -> str:
    """The request of a project's plan, as a file to be sent."""
    plan = project.plan
    if plan is None:
        raise DeclarationError("A request needs a complete plan.")
    printable("Your name", asked_by, 200)
    printable("The note", note, 1000)
    document: Any = tomlkit.parse(project.plan_path.read_text(encoding="utf-8"))
    table = tomlkit.table()
    table.update({"asked_by": asked_by, "note": note, "contract": plan.contract.fingerprint})
    document["request"] = table
    return str(tomlkit.dumps(document))


def waiting(project: Project) -> list[Path]:
    """Requests that lie in the project's folder and have no answer beside them."""
    found = sorted(path for path in project.folder.glob(f"*{SUFFIX}") if path.is_file() and not path.is_symlink())
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


def _loaded(text: str, project: Project) -> Plan:
    """The plan as it would be, read in a place where nobody else looks."""
    with tempfile.TemporaryDirectory() as folder:
        document: Any = tomlkit.parse(text)
        document["contract"] = str(project.contract_path.absolute())
        path = Path(folder, "plan.toml")
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
        plan = Plan.load(path)
        plan.requests()
    return plan
