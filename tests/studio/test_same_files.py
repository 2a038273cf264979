"""What the studio writes is what the command line writes for the same choices; what others wrote stays as it was."""

import contextlib
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reaedp.cli.app import app
from studio_support import Guest

ROWS = "who,age,sex,note\n1,30,f,x\n"
UNIT = {"several": "yes", "whose": "column:who", "most_rows": "2", "secret": "yes", "at_least": "1000"}


def run(folder: Path, command: str) -> str:
    """A command as somebody types it in a folder."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, shlex.split(command))
    assert 0 == done.exit_code, done.output
    return done.output


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    guest = Guest(tmp_path)
    guest.act("/projects", {"start": "own", "name": "own"})
    (tmp_path / "own" / "people.csv").write_text(ROWS, encoding="utf-8")
    return guest


def test_a_draft_is_the_one_of_the_command(guest: Guest, tmp_path: Path) -> None:
    guest.done("/p/own/data", {"columns": ["age", "sex"]}, data="people.csv", missing="NA")
    guest.done("/p/own/unit", {"accepted": "yes"}, **UNIT)
    (tmp_path / "typed").mkdir()
    (tmp_path / "typed" / "people.csv").write_text(ROWS, encoding="utf-8")
    options = "--columns age,sex --missing NA --name own --change add-remove --person who --max-rows 2 --at-least 1000"
    run(tmp_path / "typed", f"init people.csv {options}")
    assert (tmp_path / "typed" / "contract.toml").read_bytes() == (tmp_path / "own" / "contract.toml").read_bytes()


EDITED = """# Our contract, agreed on 3 May.
[dataset]
name = "own"   # as in the ledger

[unit]
change = "replace"

[budget]
epsilon = 1.0   # the board's decision
delta = 1e-6
ledger = "budget.sqlite"

[columns.age]
# From the registration office.
kind = "integer"
lower = 0
upper = 120
provenance = "public"
"""


def test_comments_of_an_edited_contract_are_kept(guest: Guest, tmp_path: Path) -> None:
    contract = tmp_path / "own" / "contract.toml"
    contract.write_text(EDITED, encoding="utf-8")
    guest.done("/p/own/data", {"columns": ["age", "sex"], "name": "own"}, data="people.csv")
    guest.done("/p/own/unit", {"accepted": "yes"}, **UNIT)
    text = contract.read_text(encoding="utf-8")
    for kept in ("# Our contract, agreed on 3 May.", "# as in the ledger", "# the board's decision", "# From the reg"):
        assert kept in text
    assert 'change = "add-remove"' in text
    assert 'person = "who"' in text
    assert "upper = 120" in text


def test_saving_an_edited_contract_as_it_is_changes_nothing(guest: Guest, tmp_path: Path) -> None:
    contract = tmp_path / "own" / "contract.toml"
    contract.write_text(EDITED, encoding="utf-8")
    guest.done("/p/own/data", {}, data="people.csv")
    assert EDITED == contract.read_text(encoding="utf-8")
