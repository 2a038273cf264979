"""Every code block of the documentation is run, page by page, in the order in which a reader meets it."""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blocks import LANGUAGES, PAGES, ROOT, Block, blocks, checked_elsewhere, needed, read, shown_in_order
from postgres import running_server
from reaedp import Contract, Plan
from tests_support import forgotten_kinds

#: The address that pages use for a server; while they are tested it is replaced by that of a real one.
SERVER = "postgresql://custodian@server/budgets"


class Reader:
    """Someone who follows a page: a folder, the names defined so far, and what was printed last."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder, self.server = folder, server
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""

    def follow(self, block: Block) -> None:
        text = block.text.replace(SERVER, self.server)
        if block.title is not None:
            self.write(block, text)
        elif block.language == "python":
            self.printed = self.run_python(text, block)
        elif block.language == "sh":
            self.printed = self.run_shell(text, block)
        elif "output" in block.words:
            missing = shown_in_order(block.text, self.printed)
            assert missing is None, f"{block} shows {missing!r} where there is none in:\n{self.printed}"

    def write(self, block: Block, text: str) -> None:
        assert block.title is not None
        path = self.folder / block.title
        before = path.read_text(encoding="utf-8") if "add" in block.words else ""
        path.write_text(before + text, encoding="utf-8")
        if path.suffix == ".toml":
            check(path, before + text)

    def run_python(self, text: str, block: Block) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(text, str(block), "exec"), self.names)
        return printed.getvalue()

    def run_shell(self, text: str, block: Block) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=self.folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert block.exit_code == done.returncode, f"{block}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr


def check(path: Path, text: str) -> None:
    """What a page calls a plan or a contract is one; a contract for which columns are yet to be learned has none."""
    if "[[release]]" in text:
        Plan.load(path).requests()
    elif re.search(r"^\[(columns|curves|picture)\b", text, re.MULTILINE):
        Contract.load(path)
    else:
        Contract.load_without_columns(path)


@contextlib.contextmanager
def address_of_a_server(page: str) -> Iterator[str]:
    if not any(SERVER in block.text for block in blocks(page)):
        yield SERVER
        return
    with running_server() as server:
        if server is None:
            pytest.skip("no PostgreSQL server here, and none can be installed")
        yield server.new_database()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_reader_who_follows_the_page_meets_no_error(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in needed(page):
        pytest.importorskip(module, reason=f"{page} needs it")
    if checked_elsewhere(page) is None:
        monkeypatch.chdir(tmp_path)
        with forgotten_kinds(), address_of_a_server(page) as server:
            reader = Reader(tmp_path, server)
            for block in blocks(page):
                reader.follow(block)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    assert read(page).count("\n```") == 2 * len(blocks(page))
    for block in blocks(page):
        assert block.language in LANGUAGES, block
        assert block.title or block.language != "toml", f"{block} needs the title of a file"
        assert {*block.words} <= {"add", "output"}, block


@pytest.mark.parametrize("page", PAGES)
def test_no_block_hides_from_the_tests_by_indentation(page: str) -> None:
    outside = read(page)
    for block in blocks(page):
        outside = outside.replace(block.text, "")
    before = ""
    for line in outside.splitlines():
        assert before.strip() or not line.startswith(("    ", "\t")), f"{page}: {line}"
        before = line


@pytest.mark.parametrize("page", [page for page in PAGES if checked_elsewhere(page)])
def test_a_page_that_is_checked_elsewhere_is(page: str) -> None:
    test = checked_elsewhere(page)
    assert test is not None
    assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")


def test_the_readme_shows_the_whole_path_in_25_lines() -> None:
    (example,) = [block.text for block in blocks("README.md") if "import reaedp" in block.text]
    assert len([line for line in example.splitlines() if line.strip()]) <= 25


def test_a_wrong_word_of_an_output_is_found() -> None:
    assert shown_in_order("ε = 0.5 is left", "There ε = 0.3 is left.\n") is None
    assert "spent" == shown_in_order("ε = 0.5 is spent", "There ε = 0.3 is left.\n")
    assert "is" == shown_in_order("left is", "is left")


def test_the_reader_notices_a_block_that_fails(tmp_path: Path) -> None:
    reader = Reader(tmp_path, SERVER)
    for language, info, text in (
        ("sh", "", "reaedp check nothing.toml\n"),
        ("sh", "exit=3", "reaedp --help\n"),
        ("python", "", "1 / 0\n"),
        ("toml", 'title="contract.toml"', '[dataset]\nname = "x"\n'),
        ("text", "output", "never printed\n"),
    ):
        with pytest.raises(Exception):  # noqa: B017, PT011
            reader.follow(Block("page.md", 1, language, info, text))
