"""`reaedp studio`: what is served, who opens it, and what the folder holds afterwards."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from reaedp.cli import studio as command
from reaedp.cli.app import app
from reaedp.studio.server import Server
from studio_support import Guest, text_of


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Server, str]]:
    """Servers that were begun, each with the address that the browser was sent to; none of them serves."""
    found: list[tuple[Server, str]] = []
    opened: list[str] = []

    def run(server: Server) -> None:
        server.listening.close()
        found.append((server, opened.pop() if opened else ""))

    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    monkeypatch.setattr(Server, "run", run)
    return found


def test_the_browser_is_sent_to_loopback_with_the_token_of_the_moment(
    tmp_path: Path, started: list[tuple[Server, str]]
) -> None:
    said = CliRunner().invoke(app, ["studio", str(tmp_path / "new")])
    assert 0 == said.exit_code
    ((server, address),) = started
    assert address.startswith("http://127.0.0.1:")
    assert address == server.entrance
    assert address in said.output
    assert (tmp_path / "new").is_dir()
    CliRunner().invoke(app, ["studio", str(tmp_path / "new"), "--no-browser"])
    assert "" == started[1][1]


def test_the_demo_is_a_project_that_lacks_a_ledger_alone(tmp_path: Path, started: list[tuple[Server, str]]) -> None:
    for _ in range(2):
        assert 0 == CliRunner().invoke(app, ["studio", str(tmp_path), "--demo", "--no-browser"]).exit_code
        plan = tmp_path / "rand" / "plan.toml"
        plan.write_text(plan.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    guest = Guest(tmp_path)
    assert "rand Next: Ledger" in text_of(guest.page("/"))
    assert plan.read_text(encoding="utf-8").endswith("# mine\n# mine\n"), "it is not begun anew"
    guest.done("/p/rand/ledger/create", {}, at="/p/rand/ledger")
    assert "Spend and release" in guest.page("/p/rand/release")
