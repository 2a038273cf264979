"""Compiled templates are kept, used again, and compiled anew when what they were compiled from changed."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from reaedp.report.compiled_templates import CompiledTemplates


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def rendered(source: str, settings: str = "plain") -> str:
    environment = Environment(
        loader=DictLoader({"page.html": source}), autoescape=True, bytecode_cache=CompiledTemplates(settings)
    )
    return environment.get_template("page.html").render(name="<b>")


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Dear &lt;b&gt;" == rendered("Dear {{ name }}")
    (file,) = kept(folder)
    assert f"page.html.{sys.implementation.cache_tag}.jinja" == file.name
    monkeypatch.setattr(Environment, "_compile", None)
    assert "Dear &lt;b&gt;" == rendered("Dear {{ name }}")


def test_another_text_and_other_settings_are_compiled_anew(folder: Path) -> None:
    rendered("Dear {{ name }}")
    (file,) = kept(folder)
    before = file.read_bytes()
    assert "Hello &lt;b&gt;" == rendered("Hello {{ name }}")
    after = file.read_bytes()
    assert before != after
    assert "Hello &lt;b&gt;" == rendered("Hello {{ name }}", "others")
    assert after != file.read_bytes()


def test_a_damaged_file_is_compiled_anew(folder: Path) -> None:
    rendered("Dear {{ name }}")
    (file,) = kept(folder)
    whole = file.read_bytes()
    for damaged in (b"", b"nonsense", whole[:-5]):
        file.write_bytes(damaged)
        assert "Dear &lt;b&gt;" == rendered("Dear {{ name }}")
        assert whole == file.read_bytes()


def test_where_nothing_may_be_written_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert "Dear &lt;b&gt;" == rendered("Dear {{ name }}")
    assert [] == kept(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (folder / "file").write_text("in the way")
    monkeypatch.setattr(sys, "pycache_prefix", str(folder / "file"))
    assert "Dear &lt;b&gt;" == rendered("Dear {{ name }}")
    assert [folder / "file"] == kept(folder)


def test_they_lie_beside_the_compiled_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    from reaedp.report import compiled_templates

    monkeypatch.setattr(sys, "pycache_prefix", None)
    assert Path(compiled_templates.__file__).parent / "__pycache__" == compiled_templates._place("a.html").parent
