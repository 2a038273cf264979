"""Notebooks in examples/ run from their first cell to the last, as a reader would run them, and hold no outputs."""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from blocks import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
#: The one library that a notebook may need besides what the package brings.
BESIDE = {"pandas"}


def cells(notebook: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def codes(notebook: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(notebook) if cell["cell_type"] == "code"]


def run(text: str, names: dict[str, Any], where: str) -> tuple[str, Any]:
    """What a cell prints, and the value of its last line if that is an expression."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if isinstance(last, ast.Expr) else None
    return printed.getvalue(), value


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_reader_who_runs_every_cell_meets_no_error(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [run(text, names, f"{notebook.name}, cell {number}") for number, text in enumerate(codes(notebook), 1)]
    pages = [value._repr_html_() for _, value in shown if hasattr(value, "_repr_html_")]
    assert len(pages) >= 3
    assert all("<table" in page and "<script" not in page for page in pages)
    said = "".join(printed for printed, _ in shown)
    assert "The mean age is about 4" in said  # 48.3 in truth; the noise of 20 bins moves it by a tenth
    assert "is left." in said


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_holds_no_outputs(notebook: Path) -> None:
    whole = json.loads(notebook.read_text(encoding="utf-8"))
    assert (4, {"cells", "metadata", "nbformat", "nbformat_minor"}) == (whole["nbformat"], set(whole))
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    for cell in whole["cells"]:
        common = {"cell_type", "id", "metadata", "source"}
        assert cell["cell_type"] in ("code", "markdown")
        assert set(cell) == common | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())
        if cell["cell_type"] == "code":
            assert ([], None) == (cell["outputs"], cell["execution_count"])
            compile("".join(cell["source"]), notebook.name, "exec")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_what_it_says_is_to_be_installed(notebook: Path) -> None:
    trees = [ast.parse(text) for text in codes(notebook)]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    wanted = {
        (node.module or "" if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0]
        for node in nodes
        for alias in node.names
    }
    assert wanted - set(sys.stdlib_module_names) == {"reaedp"}
    used = {
        method.removeprefix("to_")
        for text in codes(notebook)
        for method in ("to_pandas", "to_polars")
        if method in text
    }
    assert used <= BESIDE
    assert "pip install reaedp pandas" in "".join("".join(cell["source"]) for cell in cells(notebook))
