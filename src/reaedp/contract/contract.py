"""The contract: everything about a data set that is public before the data is seen."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reaedp.contract.category import Boolean, Category
from reaedp.contract.column import Column, repetitions
from reaedp.contract.curve import Curve
from reaedp.contract.day import Date
from reaedp.contract.document import Document, declare, unfilled
from reaedp.contract.number import Integer, Number
from reaedp.contract.picture import Picture
from reaedp.errors import DeclarationError, Mistakes, sentence, unknown
from reaedp.privacy.budget import Budget
from reaedp.privacy.unit import Unit

KINDS: dict[str, type[Column]] = {kind.kind: kind for kind in (Number, Integer, Category, Boolean, Date)}
TABLES = ("dataset", "unit", "budget", "columns", "curves", "picture")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Whose data, whose privacy, how much may be spent, where that is recorded, and which cells exist.

    A relative `ledger` is meant from the working directory at the moment when the contract is made, in a file from
    the folder of that file. The ledger must exist when it is first used: `Ledger.create` makes it.
    """

    dataset: str
    unit: Unit
    budget: Budget
    ledger: str
    columns: tuple[Column, ...]
    curves: tuple[Curve, ...] = ()
    picture: Picture | None = None

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        if isinstance(self.ledger, str) and self.ledger and "://" not in self.ledger:
            # The working directory may change; the ledger of a contract may not.
            object.__setattr__(self, "ledger", str(Path(self.ledger).absolute()))
        mistakes.unless(
            isinstance(self.dataset, str) and 1 <= len(self.dataset) <= 200 and self.dataset.isprintable(),
            "dataset.name must be 1 to 200 printable characters",
            given=self.dataset,
        )
        mistakes.unless(
            isinstance(self.ledger, str) and bool(self.ledger) and "\0" not in self.ledger,
            "budget.ledger must be a file or a postgresql:// address",
            given=self.ledger,
        )
        for key, parts in (("columns", self.columns), ("curves", self.curves)):
            twice = repetitions(part.name for part in parts)
            mistakes.unless(not twice, f"{key} must have different names", given=twice)
        if self.picture is not None:
            self.picture.check_unit(self.unit, mistakes)
            others = [column.name for column in self.columns] + [curve.name for curve in self.curves]
            mistakes.unless(not others, "picture must stand alone, as its unit is a pixel and not a row", given=others)
        mistakes.report()

    def column(self, name: str) -> Column:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise DeclarationError(unknown("column", name, [column.name for column in self.columns]))

    def select(self, names: tuple[str, ...]) -> tuple[Column, ...]:
        """The columns of these names, in this order."""
        known = {column.name: column for column in self.columns}
        return tuple(known.get(name) or self.column(name) for name in names)

    def curve(self, name: str) -> Curve:
        """The curve of this name."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise DeclarationError(unknown("curve", name, [curve.name for curve in self.curves]))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of every public fact; the same wherever the file and the ledger lie."""
        facts = {
            "dataset": self.dataset,
            "unit": asdict(self.unit),
            "budget": asdict(self.budget),
            "columns": [{"kind": column.kind, **asdict(column)} for column in self.columns],
        } | ({"curves": [asdict(curve) for curve in self.curves]} if self.curves else {})
        facts |= {"picture": asdict(self.picture)} if self.picture else {}
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    @classmethod
    def load(cls, path: str | Path) -> "Contract":
        """Read a contract file, or report every mistake in it with its line."""
        document = Document.read(path)
        mistakes = Mistakes()
        parts = _header(document, mistakes)
        columns, curves = _columns(document, mistakes), _curves(document, mistakes)
        picture = _picture(document, mistakes)
        if not mistakes:
            with mistakes.gathered():
                return cls(**parts, columns=columns, curves=curves, picture=picture)
        raise DeclarationError(*mistakes)

    @classmethod
    def load_without_columns(cls, path: str | Path) -> "Contract":
        """Read only what must be known to learn about columns: data set, unit and budget."""
        document = Document.read(path)
        mistakes = Mistakes()
        parts = _header(document, mistakes)
        mistakes.report()
        return cls(**parts, columns=())


@dataclass(frozen=True, slots=True)
class _Dataset:
    name: str


@dataclass(frozen=True, slots=True)
class _Spending:
    epsilon: float
    delta: float
    ledger: str


def _header(document: Document, mistakes: Mistakes) -> dict[str, Any]:
    for key in document.data:
        if key not in TABLES:
            mistakes.append(document.at(f"{key} is not a table here. {unknown('table', key, TABLES)}", key))
    found = {}
    for name, make in (("dataset", _Dataset), ("unit", Unit), ("budget", _Spending)):
        noted = Mistakes()
        if name not in document.data:
            noted.append(f"[{name}] is missing.")
        else:
            found[name] = declare(make, document.table(name), name, noted)
        if name == "budget" and found.get("budget"):
            spending: Any = found["budget"]
            with noted.gathered():
                found["budget"] = Budget(spending.epsilon, spending.delta)
                found["ledger"] = _resolve(document.path, spending.ledger)
        mistakes.extend(document.at(mistake, name) for mistake in noted)
    dataset: Any = found.get("dataset")
    return {**found, "dataset": dataset.name if dataset else ""}


def _resolve(contract: Path, ledger: Any) -> Any:
    """A ledger's file is meant relative to the contract, so that every process finds the same one."""
    if not isinstance(ledger, str) or not ledger or "://" in ledger:
        return ledger
    return str((contract.parent / ledger).absolute())


def _columns(document: Document, mistakes: Mistakes) -> tuple[Column, ...]:
    tables = document.table("columns")
    if not tables and not document.table("curves") and "picture" not in document.data:
        mistakes.append(
            document.at("[columns.NAME] is missing: a contract needs at least one column, curve or picture.", "columns")
        )
    columns = []
    for name, table in tables.items():
        noted = Mistakes()
        where = f"columns.{name}"
        if not isinstance(table, dict):
            noted.append(f"{where} must be a table; write [columns.{name}].")
        elif not isinstance(table.get("kind"), str) or table["kind"] not in KINDS:
            noted.append(sentence(f"{where}.kind must be one of {', '.join(KINDS)}", given=table.get("kind")))
            noted.extend(unfilled({key: value for key, value in table.items() if key != "kind"}, where))
        else:
            rest = {key: value for key, value in table.items() if key != "kind"}
            if isinstance(rest.get("levels"), list):
                rest["levels"] = [str(level) if type(level) is int else level for level in rest["levels"]]
            columns.append(declare(KINDS[table["kind"]], rest, where, noted, name=name))
        mistakes.extend(document.at(mistake, "columns", name) for mistake in noted)
    return tuple(column for column in columns if column is not None)


def _curves(document: Document, mistakes: Mistakes) -> tuple[Curve, ...]:
    curves = []
    for name, table in document.table("curves").items():
        noted = Mistakes()
        where = f"curves.{name}"
        if isinstance(table, dict):
            curves.append(declare(Curve, table, where, noted, name=name))
        else:
            noted.append(f"{where} must be a table; write [curves.{name}].")
        mistakes.extend(document.at(mistake, "curves", name) for mistake in noted)
    return tuple(curve for curve in curves if curve is not None)


def _picture(document: Document, mistakes: Mistakes) -> Picture | None:
    if "picture" not in document.data:
        return None
    noted = Mistakes()
    picture = declare(Picture, document.table("picture"), "picture", noted)
    mistakes.extend(document.at(mistake, "picture") for mistake in noted)
    return picture
