"""Look and evaluate: truth is the answer to an act behind a barrier, and no address shows it."""

from pathlib import Path

import pytest

from project_support import ROWS, ready
from reaedp.evaluation import look as looking
from studio_support import Guest, text_of

LOOK = "/p/own/look"


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    ready(tmp_path, rows=f"{ROWS}n/a,x\n")
    return Guest(tmp_path)


def test_a_look_needs_the_custodians_word_and_is_not_kept(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "causes", lambda *_: ())  # each cause that is tried is a count of its own
    files = sorted(path.name for path in (guest.folder / "own").iterdir())
    assert 400 == guest.send(LOOK, {}).status_code
    seen = guest.send(LOOK, {"custodian": "yes"})
    assert 200 == seen.status_code
    assert "no-store" == seen.headers["cache-control"]
    words = text_of(seen.text)
    assert "Rows: 41." in words
    assert "Not to be published" in words
    assert "Rows:" not in guest.page(LOOK)
    assert files == sorted(path.name for path in (guest.folder / "own").iterdir())


def test_a_look_at_nothing_says_what_it_needs(guest: Guest) -> None:
    (guest.folder / "own" / "contract.toml").unlink()
    assert "A look needs a complete contract" in guest.page(LOOK)
    assert 400 == guest.act(LOOK, {"custodian": "yes"}).status_code
