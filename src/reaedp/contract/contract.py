"""The contract: everything about a data set that is public before the data is seen."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reaedp.contract.category import Boolean, Category, Undeclared
from reaedp.contract.column import Column, repetitions
from reaedp.contract.curve import Curve
from reaedp.contract.day import Date
from reaedp.contract.document import Document, declare, unfilled
from reaedp.contract.files import Files
from reaedp.contract.notation import ColumnNotation
from reaedp.contract.number import Integer, Number
from reaedp.contract.picture import Picture
from reaedp.contract.plugins import known
from reaedp.contract.row_rule import RowRule, note_rules, read_rule
from reaedp.contract.wording import declared_facts
from reaedp.errors import DeclarationError, Mistakes, sentence, unknown
from reaedp.privacy.budget import Budget
from reaedp.privacy.unit import Unit

#: The kinds that engines can read; others are derived from these.
DECLARED = (Number, Integer, Category, Boolean, Date)
KINDS: dict[str, type[Column]] = {kind.kind: kind for kind in DECLARED}
TABLES = ("dataset", "unit", "budget", "files", "columns", "curves", "picture", "rule")


@dataclass(frozen=True, kw_only=True)
class Contract:
    """The declared facts about a data set: privacy unit, budget, ledger, columns and their cells.

    A relative `ledger` path is resolved against the working directory when the contract is created, or against the
    folder of the contract file. The ledger must exist before it is used: `Ledger.create` makes it. `curves` declares
    functions of time; `picture` declares an image, and a contract with a picture declares nothing else. `files` says
    how to read files, and `rules` lists what holds in every row.

    >>> facts = {"budget": contract.budget, "ledger": "budget.sqlite", "columns": contract.columns}
    >>> another = Contract(dataset="another", unit=Unit("replace"), **facts)
    >>> another.column("age").labels[0], another.unit.noun
    ('[0, 10)', 'row')
    """

    dataset: str
    unit: Unit
    budget: Budget
    ledger: str
    columns: tuple[Column, ...]
    curves: tuple[Curve, ...] = ()
    picture: Picture | None = None
    files: Files | None = None
    rules: tuple[RowRule, ...] = ()

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
        strange = [type(column).__name__ for column in self.columns if not isinstance(column, (*DECLARED, Undeclared))]
        mistakes.unless(not strange, f"columns must be of a kind derived from {_listed(DECLARED)}", given=strange)
        self._note_files(mistakes)
        note_rules(self.rules, self.columns, mistakes)
        if self.picture is not None:
            self.picture.check_unit(self.unit, mistakes)
            others = [column.name for column in self.columns] + [curve.name for curve in self.curves]
            mistakes.unless(
                not others,
                "[picture] cannot be combined with columns or curves, because its privacy unit is a pixel, not a row",
                given=others,
            )
        mistakes.report()

    def _note_files(self, mistakes: Mistakes) -> None:
        """Note columns of files that nothing uses: what is said of them would be lost without a word."""
        used = {column.name for column in self.columns} | {name for curve in self.curves for name in curve.columns}
        if self.files is None or not used:  # while columns are learned, none is declared
            return
        for one in self.files.columns:
            name = one.column
            mistakes.unless(
                name in used | {self.unit.person},
                f"files.columns.{name} must be a column of the contract",
                given=name,
                remedy=unknown("column", name, sorted(used)),
            )

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

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of every public fact; the same wherever the file and the ledger lie."""
        facts = {
            "dataset": self.dataset,
            "unit": asdict(self.unit),
            "budget": asdict(self.budget),
            "columns": [{"kind": column.kind, **declared_facts(column)} for column in self.columns],
        } | ({"curves": [declared_facts(curve) for curve in self.curves]} if self.curves else {})
        facts |= {"picture": asdict(self.picture)} if self.picture else {}
        facts |= {"files": self.files.facts()} if self.files and self.files.facts() else {}
        facts |= {"rules": [rule.facts() for rule in self.rules]} if self.rules else {}
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    @classmethod
    def load(cls, path: str | Path) -> "Contract":
        """Read a contract file; an error lists every mistake with its line."""
        document = Document.read(path)
        mistakes = Mistakes()
        parts = _header(document, mistakes)
        columns, curves = _columns(document, mistakes), _curves(document, mistakes)
        picture, files = _picture(document, mistakes), _files(document, mistakes)
        rules = _rules(document, mistakes)
        if not mistakes:
            with mistakes.gathered():
                return cls(**parts, columns=columns, curves=curves, picture=picture, files=files, rules=rules)
        raise DeclarationError(*mistakes)

    @classmethod
    def load_without_columns(cls, path: str | Path) -> "Contract":
        """Read only what is needed to learn about columns: data set, unit, budget, and how to read files."""
        document = Document.read(path)
        mistakes = Mistakes()
        parts = _header(document, mistakes)
        files = _files(document, mistakes)
        mistakes.report()
        return cls(**parts, columns=(), files=files)


def _listed(kinds: tuple[type[Column], ...]) -> str:
    return ", ".join(kind.__name__ for kind in kinds)


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
        elif not known(KINDS, table.get("kind")):
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


def _files(document: Document, mistakes: Mistakes) -> Files | None:
    if "files" not in document.data:
        return None
    table, columns = dict(document.table("files")), []
    own = table.pop("columns", {})
    for name, facts in own.items() if isinstance(own, dict) else ():
        noted, where = Mistakes(), f"files.columns.{name}"
        if isinstance(facts, dict):
            columns.append(declare(ColumnNotation, facts, where, noted, column=name))
        else:
            noted.append(f"{where} must be a table; write [{where}].")
        mistakes.extend(document.at(mistake, "files", "columns", name) for mistake in noted)
    noted = Mistakes()
    if not isinstance(own, dict):
        noted.append("files.columns must be tables, one for each column; write [files.columns.NAME].")
    kept = tuple(column for column in columns if column is not None)
    files = declare(Files, table, "files", noted, columns=kept)
    mistakes.extend(document.at(mistake, "files") for mistake in noted)
    return files


def _rules(document: Document, mistakes: Mistakes) -> tuple[RowRule, ...]:
    tables, rules = document.data.get("rule", []), []
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.append(document.at("rule must be tables, one for each rule; write [[rule]].", "rule"))
        return ()
    for place, table in enumerate(tables):
        noted = Mistakes()
        with noted.gathered():
            rules.append(read_rule(table))
        mistakes.extend(document.at(mistake, "rule", place) for mistake in noted)
    return tuple(rules)
