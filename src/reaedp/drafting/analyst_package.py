"""What an analyst gets who may not see the data: the contract without its ledger, and made-up rows under it."""

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit

from reaedp.contract import Contract
from reaedp.contract.document import Document
from reaedp.label import no_formula
from reaedp.synthesis.decode import decode

#: Made-up rows, the same every time: they follow from the contract alone.
ROWS, SEED = 1_000, 0
#: Where the ledger of an analyst's own trials lies; the custodian's address may hold a password.
LEDGER = "trial-budget.sqlite"
_READ_ME = (
    "contract.toml says which columns the data have, and whose privacy is kept. made-up.csv has rows that were drawn\n"
    "from the contract alone: every declared value is as likely as any other. Write a plan with `reaedp studio`, try\n"
    'it on made-up.csv, and send the request that the page "Requests" writes.\n'
)


def package(contract: Path) -> bytes:
    """The files as a ZIP archive."""
    made = made_up(Contract.load(contract))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (
            ("contract.toml", _without_ledger(contract)),
            ("made-up.csv", made),
            ("README.txt", _READ_ME),
        ):
            archive.writestr(zipfile.ZipInfo(name), text)
    return content.getvalue()


def made_up(contract: Contract, rows: int = ROWS) -> str:
    """Rows that follow from the contract alone, as CSV."""
    rng = np.random.default_rng(SEED)
    cells = [rng.integers(0, column.regular, rows, dtype=np.int32) for column in contract.columns]
    columns = decode(contract.columns, np.stack(cells, axis=1), rng) if cells else {}
    person = contract.unit.person
    people = {} if person is None else {person: np.arange(rows) // contract.unit.rows}
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([no_formula(name) for name in (*people, *columns)])
    writer.writerows(
        zip(*(map(_cell, values.tolist()) for values in (*people.values(), *columns.values())), strict=True)
    )
    return file.getvalue()


def _cell(value: Any) -> Any:
    return no_formula(value) if isinstance(value, str) else value


def _without_ledger(contract: Path) -> str:
    """The contract with its comments, and with another ledger."""
    Document.read(contract)  # bounded before tomlkit reads it
    document: Any = tomlkit.parse(contract.read_text(encoding="utf-8"))
    document["budget"]["ledger"] = LEDGER
    return str(tomlkit.dumps(document))
