"""`reaedp init`: a first contract and a first plan, from names, words, codebooks and public files."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reaedp.cli import ledger as ledgers
from reaedp.cli.data import Engine
from reaedp.cli.output import writing

if TYPE_CHECKING:
    from reaedp.contract.files import Files
    from reaedp.drafting.draft import Draft
    from reaedp.drafting.drafted import Drafted
    from reaedp.drafting.heading import Heading

#: Open questions that are named; a file may have thousands of columns.
MOST_NAMED = 12
Text = str | None
Texts = list[str] | None


def init(
    data: Annotated[str, typer.Argument(help="The data to describe. Only column names and types are read.")],
    *,
    out: Annotated[Path, typer.Option(help="The contract file to write.")] = Path("contract.toml"),
    plan: Annotated[
        Path | None, typer.Option(help="The plan file to write. Default: plan.toml next to the contract.")
    ] = None,
    columns: Annotated[Texts, typer.Option(help="Only these columns, separated by commas.")] = None,
    kinds: Annotated[
        Texts,
        typer.Option(
            help="age=integer:0:120, pay=number:0:9000:20, sex=category:f:m, ill=boolean, d=date:FIRST:LAST:month"
        ),
    ] = None,
    codebook: Annotated[
        Path | None,
        typer.Option(help="A table (.csv), Frictionless schema (.json), DDI (.xml) or other contract (.toml)."),
    ] = None,
    from_public: Annotated[
        Text, typer.Option(help="Take kinds, bounds and levels from the values of this file, which is public.")
    ] = None,
    separator: Annotated[Text, typer.Option(help="The cell separator, if the header does not show it.")] = None,
    encoding: Annotated[Text, typer.Option(help="Text encoding, if not UTF-8: cp1252, latin-1, utf-16.")] = None,
    sheet: Annotated[Text, typer.Option(help="The sheet to read, if the workbook has several.")] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Stata, SPSS: use the value labels in the header as levels.")
    ] = False,
    decimal: Annotated[Texts, typer.Option(help='The decimal mark: ",", or NAME=, for one column.')] = None,
    thousands: Annotated[Texts, typer.Option(help="The thousands separator, or NAME=MARK for one column.")] = None,
    dates: Annotated[Texts, typer.Option(help="How dates are written: %d.%m.%Y, or NAME=%m/%d/%Y. Repeatable.")] = None,
    first_year: Annotated[int | None, typer.Option(help="The first of the hundred years that %y stands for.")] = None,
    signs: Annotated[Texts, typer.Option(help="A sign next to numbers: € or %, or NAME=%. Repeatable.")] = None,
    missing: Annotated[Texts, typer.Option(help="A value that means missing: NA, or NAME=-9. Repeatable.")] = None,
    name: Annotated[Text, typer.Option(help="The data set's name.")] = None,
    change: Annotated[Text, typer.Option(help="The privacy unit: add-remove or replace.")] = None,
    person: Annotated[Text, typer.Option(help="The column that identifies the person.")] = None,
    max_rows: Annotated[
        int | None, typer.Option(help="Contribution bound: use at most this many rows per person.")
    ] = None,
    at_least: Annotated[int | None, typer.Option(help="A public lower bound on the number of people (rows).")] = None,
    epsilon: Annotated[float | None, typer.Option(help="ε for all releases together.")] = None,
    delta: Annotated[float | None, typer.Option(help="δ for all releases together.")] = None,
    ledger: Annotated[
        Text, typer.Option(help="The ledger, created if missing: a file next to the contract, or postgresql://…")
    ] = None,
    asking: Annotated[
        bool | None,
        typer.Option("--ask/--no-ask", help="Ask about what the options leave open. Default: on a terminal."),
    ] = None,
    engine: Engine = None,
) -> None:
    """Draft a contract and a plan. No values of the data are read."""
    from reaedp.contract.files import Files
    from reaedp.drafting.heading import Heading
    from reaedp.release.place import outside_releases

    plan = out.parent / "plan.toml" if plan is None else plan
    for option, path in (("--out", out), ("--plan", plan)):
        outside_releases(path)
        _refuse_existing(path, option)
    heading = Heading(
        name=name, change=change, person=person, max_rows=max_rows, at_least=at_least, epsilon=epsilon, delta=delta,
        ledger=ledger,
    )  # fmt: skip
    given = Files(separator=separator, encoding=encoding, sheet=sheet, labels=labels or None)
    said = {"decimal": decimal, "thousands": thousands, "dates": dates, "missing": missing, "signs": signs}
    asking = sys.stdin.isatty() and sys.stdout.isatty() if asking is None else asking
    drafting = _Drafting(data, engine=engine, given=given, codebook=codebook, from_public=from_public, asking=asking)
    draft, heading = drafting.made(columns, kinds or [], said, first_year, heading)
    _write(draft, heading, out, plan)
    _say(draft, heading, out, plan, data)
    drafting.say_labels(draft)
    drafting.say_doubts()


class _Drafting:
    """What the data's header, options, codebook and public file say, put together; then the questions."""

    def __init__(
        self,
        data: str,
        *,
        engine: Text,
        given: "Files",
        codebook: Path | None,
        from_public: Text,
        asking: bool,
    ) -> None:
        from reaedp.contract.files import Files
        from reaedp.drafting.codebook import Codebook
        from reaedp.engines.files import files_of_header
        from reaedp.engines.source import open_source

        self.data, self.given, self.public, self.asking = data, given, from_public, asking
        self.codebook = Codebook({}) if codebook is None else Codebook.read(codebook, labels=bool(given.labels))
        self.plain = engine is None and "://" not in data
        self.files: Files | None = None
        if self.plain:
            self.files = files_of_header(data, Files.read({**self.codebook.files, **given.facts()}))
        self.types = open_source(data, engine, self.files).types

    def made(
        self,
        columns: Texts,
        kinds: Sequence[str],
        said: Mapping[str, Texts],
        first_year: int | None,
        heading: "Heading",
    ) -> tuple["Draft", "Heading"]:
        """The draft, and the privacy questions as far as they are answered."""
        from reaedp.cli.questions import ask_columns, ask_heading, ask_kinds, ask_reading, named
        from reaedp.drafting.draft import drafted
        from reaedp.drafting.words import all_in_words
        from reaedp.errors import DeclarationError

        header = list(self.types)
        words = all_in_words(kinds)
        wanted = (
            None if columns is None else [name for text in columns for name in named(text, header or text.split(","))]
        )
        if self.asking and wanted is None and not (words or self.codebook.columns or self.public) and header:
            wanted = ask_columns(header)
        files = self._noted(said, first_year)
        sources = [words, self.codebook.columns, self._labelled(), self._called(), self._public(files, header)]
        draft = drafted(self.types, sources, wanted, heading.person, files)
        if not draft.columns:
            raise DeclarationError(
                f"{self.data} names its columns in every line and has no header. Say which there are, with --kinds or"
                " --codebook."
                if not header
                else f"Of the columns of {self.data} none is left. Name some with --columns or --kinds."
            )
        if self.asking:
            draft = ask_kinds(draft)
            heading = ask_heading(heading, header)
            draft = draft.about(heading.person)
            dates = any(column.facts.get("kind") == "date" for column in draft.columns)
            draft = draft.reading(ask_reading(self.plain and "VARCHAR" in self.types.values(), dates))
        return draft, heading

    def _noted(self, said: Mapping[str, Texts], first_year: int | None) -> "Files | None":
        """How values are written: for all columns, or for the one that stands before a =."""
        from reaedp.contract.files import Files

        whole: dict[str, Any] = {} if self.files is None else self.files.facts()
        own: dict[str, dict[str, Any]] = whole.pop("columns", {})
        for key, option in said.items():
            for text in option or ():
                name, equals, value = text.partition("=")
                column = name if equals and (name in self.types or not self.types) else None
                facts = whole if column is None else own.setdefault(column, {})
                given = text if column is None else value
                facts[key] = [*facts.get(key, []), given] if key in ("dates", "missing", "signs") else given
        for facts in (whole, *own.values()):
            if first_year is not None and any("%y" in form for form in facts.get("dates", ())):
                facts["first_year"] = first_year
        whole |= {"columns": own} if own else {}
        return Files.read(whole) if whole else self.files

    def _labelled(self) -> dict[str, "Drafted"]:
        """Categories whose levels the header of the file lists."""
        from reaedp.drafting.drafted import Drafted
        from reaedp.engines.files import labels_of_header

        if not self.given.labels or not self.plain:
            return {}
        provenance = f"public: labels of {Path(self.data).name}"
        return {
            name: Drafted.of(name, "category", provenance, {"levels": list(levels)})
            for name, levels in labels_of_header(self.data).items()
        }

    def _called(self) -> dict[str, "Drafted"]:
        """What the header of the file calls its columns in words."""
        from reaedp.contract.wording import LONGEST
        from reaedp.drafting.drafted import Drafted
        from reaedp.engines.files import names_of_header
        from reaedp.label import shown

        known = names_of_header(self.data) if self.plain else {}
        return {name: Drafted(name, label=shown(words, LONGEST["label"])) for name, words in known.items()}

    def say_labels(self, draft: "Draft") -> None:
        """What labels of values are taken for, or could be."""
        from reaedp.engines.files import labels_of_header

        if self.given.labels:
            typer.echo(
                "Levels are the labels in the file's header. They must come from a questionnaire, not from rows."
            )
            return
        known = labels_of_header(self.data) if self.plain else {}
        if names := [column.name for column in draft.open if column.name in known]:
            typer.echo(
                f"The header has labels for values of {', '.join(names[:MOST_NAMED])}: --labels makes them levels."
            )

    def say_doubts(self) -> None:
        """What may be wrong with the first line of a file."""
        from reaedp.drafting.draft import doubts_about_header
        from reaedp.engines.files import gaps_of_header

        if self.plain and (gaps := gaps_of_header(self.data, self.files)):
            typer.echo(
                f"Look at the first row of {self.data}: {gaps} column{'s' if gaps > 1 else ''} between others"
                f" {'have' if gaps > 1 else 'has'} no name there and will be skipped. If the names stand in two"
                " rows, or in merged cells, write each name into one cell of the first row."
            )
        for doubt in doubts_about_header(list(self.types)) if self.plain else ():
            typer.echo(f"Look at the header of {self.data}: {doubt}")

    def _public(self, files: "Files | None", header: Sequence[str]) -> dict[str, "Drafted"]:
        from dataclasses import replace

        from reaedp.drafting.public_file import from_public
        from reaedp.engines.files import files_of_header
        from reaedp.errors import DeclarationError

        if self.public is None:
            return {}
        if os.path.realpath(self.public) == os.path.realpath(self.data):
            raise DeclarationError(
                f"--from-public must be a file that everybody may see; {self.public} is the data itself. What is not"
                " public can be bought: reaedp learn columns."
            )
        alike = None if files is None else replace(files, separator=self.given.separator)
        return from_public(self.public, files_of_header(self.public, alike), header)


def _refuse_existing(path: Path, option: str) -> None:
    from reaedp.errors import DeclarationError

    with writing(path):
        if path.exists():
            raise DeclarationError(f"{path} exists already. Choose another {option}.")


def _write(draft: "Draft", heading: "Heading", out: Path, plan: Path) -> None:
    """The ledger first, so that a contract never names one that could not be made."""
    from reaedp.drafting.contract_text import contract_text
    from reaedp.drafting.plan_text import plan_text

    contract = contract_text(draft.columns, heading, draft.files, draft.left_out)
    first = plan_text(_from(plan.parent, out), draft.columns, heading)
    if heading.ledger is not None:
        _make_ledger(heading.ledger, out)
    for path, text in ((out, contract), (plan, first)):
        with writing(path):
            path.write_text(text, encoding="utf-8", newline="\n")


def _from(folder: Path, contract: Path) -> str:
    """The contract as a plan in this folder names it."""
    try:
        return Path(os.path.relpath(contract, folder)).as_posix()
    except ValueError:  # on another drive
        return str(contract.absolute())


def _make_ledger(ledger: str, out: Path) -> None:
    from reaedp.errors import LedgerMissing
    from reaedp.ledger.ledger import Ledger

    place = ledger if "://" in ledger else out.parent / ledger
    try:
        with Ledger.open(place) as book:
            typer.echo(f"The ledger {book.place} already exists and is used.")
    except LedgerMissing:
        ledgers.make(place)


def _say(draft: "Draft", heading: "Heading", out: Path, plan: Path, data: str) -> None:
    """What was written, what is open, and how to go on."""
    count = len(draft.columns)
    typer.echo(f"Wrote {out} ({count} column{'s' if count > 1 else ''}) and {plan}.")
    if draft.left_out:
        typer.echo(f"Left out: {', '.join(draft.left_out)}. --columns chooses others.")
    waiting = [*heading.open, *(f"column {column.name}" for column in draft.open)]
    if waiting:
        more = f" and {len(waiting) - MOST_NAMED} more columns" if len(waiting) > MOST_NAMED else ""
        listed = ", ".join(waiting[:MOST_NAMED])
        typer.echo(f'Open, marked "FILL IN" in {out}: {listed}{more}. Then run: reaedp check {plan}')
        if draft.open:
            typer.echo(
                "Kinds, bounds and levels can come from --kinds, --codebook or --from-public, or be bought:"
                f" reaedp learn columns {out}. Do not read them off the data."
            )
    else:
        typer.echo(
            f"Nothing is left to fill in. Next: reaedp look {data} {out} (for your eyes only), reaedp plan {plan},"
            f" reaedp release {plan} --data {data} --out published"
        )
