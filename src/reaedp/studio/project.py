"""One project: its contract, plan, data, ledger and releases, which are plain files for every other tool as well."""

import tomllib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

from reaedp.contract import Contract
from reaedp.contract.document import Document
from reaedp.drafting.toml_text import text
from reaedp.errors import DeclarationError
from reaedp.plan.plan import Plan
from reaedp.release.place import MANIFEST_FILE, outside_releases
from reaedp.report.page import save

#: Where the data is, which commands are told by --data.
MEMORY = "studio.toml"
CONTRACT, PLAN = "contract.toml", "plan.toml"


@dataclass(frozen=True)
class Project:
    """What lies in one folder, looked at once for one answer."""

    folder: Path
    name: str

    @property
    def begun(self) -> bool:
        """Whether there is anything of a project here."""
        return any((self.folder / file).is_file() for file in (MEMORY, CONTRACT, PLAN))

    @property
    def contract_path(self) -> Path:
        """The contract; the one that the plan names, where that is another."""
        named = self._plan_data.get("contract")
        path = self.folder / named if isinstance(named, str) else self.folder / CONTRACT
        inside = path.resolve().is_relative_to(self.folder.resolve())
        return path if inside else self.folder / CONTRACT

    @property
    def plan_path(self) -> Path:
        """The plan."""
        return self.folder / PLAN

    @cached_property
    def data(self) -> str:
        """Where the data is, as somebody wrote it; "" if nobody did."""
        try:
            memory = tomllib.loads((self.folder / MEMORY).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        address = memory.get("data", "")
        return address if isinstance(address, str) else ""

    @property
    def data_address(self) -> str:
        """The same as engines take it: a path is meant from this folder."""
        return self.data if not self.data or "://" in self.data else str(self.folder / self.data)

    def remember(self, data: str) -> None:
        """Note where the data is."""
        words = "# Where the data is, as seen from this folder. Commands are told by --data.\n"
        self.write(self.folder / MEMORY, f"{words}data = {text(data)}\n")

    @cached_property
    def document(self) -> Document | None:
        """The contract as it stands, complete or not; None if there is none. Raises what is no TOML."""
        return Document.read(self.contract_path) if self.contract_path.is_file() else None

    @property
    def declares(self) -> bool:
        """Whether the contract has columns, curves or a picture, complete or not."""
        return self.document is not None and any(map(self.document.table, ("columns", "curves", "picture")))

    @property
    def contract(self) -> Contract | None:
        """The contract, if it is complete and consistent."""
        return self._contract[0]

    @property
    def plan(self) -> Plan | None:
        """The plan, if it and its contract are complete and consistent."""
        return self._plan[0]

    def mistakes(self, file: Literal["contract", "plan"]) -> tuple[str, ...]:
        """What `reaedp check` says of the contract or of the plan."""
        return (self._contract if file == "contract" else self._plan)[1]

    @property
    def releases(self) -> list[Path]:
        """Folders of releases, the newest first."""
        found = [path.parent for path in self.folder.glob(f"*/{MANIFEST_FILE}") if not path.parent.is_symlink()]
        return sorted(found, key=lambda path: (path / MANIFEST_FILE).stat().st_mtime, reverse=True)

    @property
    def plan_released(self) -> bool:
        """Whether nothing was planned since the newest release."""
        newest = next((path / MANIFEST_FILE for path in self.releases), None)
        return newest is not None and self.plan_path.is_file() and _changed(newest) >= _changed(self.plan_path)

    @property
    def has_ledger(self) -> bool:
        """Whether there is something where the contract says the ledger is; a server is taken at its word."""
        if self.contract is None:
            return False
        return "://" in self.contract.ledger or Path(self.contract.ledger).exists()

    def write(self, path: Path, content: str) -> None:
        """Write a file of the project, whole or not at all."""
        outside_releases(path)
        save(path, content)

    @cached_property
    def _contract(self) -> tuple[Contract | None, tuple[str, ...]]:
        return _loaded_contract(self.contract_path, _state(self.contract_path))

    @cached_property
    def _plan(self) -> tuple[Plan | None, tuple[str, ...]]:
        return _loaded_plan(self.plan_path, _state(self.plan_path), _state(self.contract_path))

    @cached_property
    def _plan_data(self) -> dict[str, Any]:
        return _read_plan(self.plan_path, _state(self.plan_path))


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns


def _state(path: Path) -> tuple[int, bytes] | None:
    """What tells one state of a file from another: when it was written, and all of it."""
    try:
        return path.stat().st_mtime_ns, path.read_bytes()
    except OSError:
        return None


@lru_cache(maxsize=32)
def _read_plan(path: Path, _: object) -> dict[str, Any]:
    """The plan as it stands; nothing where there is none, or it is no TOML."""
    try:
        return Document.read(path).data if path.is_file() else {}
    except DeclarationError:
        return {}


@lru_cache(maxsize=32)
def _loaded_contract(path: Path, _: object) -> tuple[Contract | None, tuple[str, ...]]:
    """The contract or what is wrong with it, read once for each state of the file."""
    try:
        return Contract.load(path), ()
    except DeclarationError as error:
        return None, error.mistakes


@lru_cache(maxsize=32)
def _loaded_plan(path: Path, _plan: object, _contract: object) -> tuple[Plan | None, tuple[str, ...]]:
    """The plan or what is wrong with it or its contract."""
    try:
        plan = Plan.load(path)
        plan.requests()
    except DeclarationError as error:
        return None, error.mistakes
    return plan, ()
