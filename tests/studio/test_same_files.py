"""What the studio writes is what the command line writes for the same choices; what others wrote stays as it was."""

import contextlib
import html
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from reaedp.cli.app import app
from reaedp.studio.project import Project
from reaedp.studio.take_along import init_command
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


def test_contract_and_plan_of_a_whole_journey_are_those_of_the_command(guest: Guest, tmp_path: Path) -> None:
    guest.done("/p/own/data", {"columns": ["age", "sex"]}, data="people.csv")
    guest.done("/p/own/unit", {"accepted": "yes"}, **UNIT)
    age = {"c0.kind": "number", "c0.number.lower": "0", "c0.number.upper": "120.5", "c0.number.bins": "12"}
    sex = {"c1.kind": "category", "c1.category.levels": "f\nm", "c1.provenance": "public", "c0.provenance": "public"}
    assert "/p/own/budget" == guest.done("/p/own/columns", age | sex)
    guest.done("/p/own/budget", {"epsilon": "1", "delta": "1e-6", "ledger": "budget.sqlite"})
    assert 303 == guest.act("/p/own/plan/suggest", {}).status_code
    (tmp_path / "typed").mkdir()
    (tmp_path / "typed" / "people.csv").write_text(ROWS, encoding="utf-8")
    command = init_command(Project(tmp_path / "own", "own"))
    assert command is not None
    assert html.escape(command, quote=False).replace("'", "&#39;") in guest.page("/p/own/files")
    run(tmp_path / "typed", command.removeprefix("reaedp "))
    for name in ("contract.toml", "plan.toml"):
        assert (tmp_path / "typed" / name).read_bytes() == (tmp_path / "own" / name).read_bytes()


def test_a_codebook_says_what_it_says_to_the_command(guest: Guest, tmp_path: Path) -> None:
    book = "name,type,lower,upper,label,missing\nage,integer,0,120,Age in years,-9\nsex,boolean,,,,-9\n"
    for folder in ("own", "typed"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "people.csv").write_text(ROWS, encoding="utf-8")
        (tmp_path / folder / "book.csv").write_text(book, encoding="utf-8")
    guest.done("/p/own/data", {"columns": ["age", "sex"]}, data="people.csv")
    guest.done("/p/own/columns/codebook", {"file": "book.csv"}, at="/p/own/columns")
    run(tmp_path / "typed", "init people.csv --columns age,sex --codebook book.csv --name own")
    assert (tmp_path / "typed" / "contract.toml").read_bytes() == (tmp_path / "own" / "contract.toml").read_bytes()
    refused = guest.send("/p/own/columns/codebook", {"file": "people.csv", "what": "public"}, at="/p/own/columns")
    assert "is the data itself" in refused.text


def test_bought_bounds_are_written_as_the_command_writes_them(
    guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bought = SimpleNamespace(entry=7)
    monkeypatch.setattr("reaedp.curator.learning.learn_bounds", lambda *_, **__: (0.0, 50.0, bought))
    monkeypatch.setattr("reaedp.studio.pages.purchase.learn_bounds", lambda *_, **__: (0.0, 50.0, bought))
    guest.done("/p/own/data", {"columns": ["age", "sex"]}, data="people.csv")
    guest.done("/p/own/unit", {"accepted": "yes"}, **UNIT)
    guest.done("/p/own/budget", {"epsilon": "1", "delta": "1e-6", "ledger": "budget.sqlite"})
    shutil.copytree(tmp_path / "own", tmp_path / "typed")
    order = {"column": "age", "what": "bounds", "epsilon": "0.5", "bins": "5"}
    guest.done("/p/own/columns/buy", {"confirmed": "own"}, **order)
    run(tmp_path / "typed", "learn bounds --data people.csv --epsilon 0.5 --bins 5 contract.toml age")
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
