"""Ledgers that live as long as a measurement."""

import os
from pathlib import Path

from reaedp import Ledger


def ledger_in(folder: str | Path) -> str:
    """The ledger of a folder, made when it is first asked for; whatever remembers it lies in that folder too."""
    os.environ["REAEDP_STATE"] = str(folder)
    place = Path(folder) / "budget.sqlite"
    if not place.exists():
        Ledger.create(place).close()
    return str(place)
