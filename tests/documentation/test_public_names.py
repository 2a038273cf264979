"""Every public name says what its parameters mean, and shows an example that runs."""

import doctest
import inspect
import os
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import reaedp
from blocks import ROOT, blocks, read
from tests_support import forgotten_kinds

pytest.importorskip("sphinx", reason="the packages of the group docs are not installed")
sys.path.insert(0, str(ROOT / "docs" / "site"))
SITE = runpy.run_path(str(ROOT / "docs" / "site" / "public_names.py"))
PAGE = "docs/parameters.md"
SHARED = {
    name for row in re.findall(r"^\| (`.*?) \|", read(PAGE), re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def documentation(name: str) -> str:
    return str(SITE["documentation"](name))


def callables(name: str) -> Iterator[tuple[str, Any, str]]:
    """A public name and its public methods, each with what is said of it and of the class that it belongs to."""
    thing, said = getattr(reaedp, name), documentation(name)
    if inspect.isfunction(thing) or (inspect.isclass(thing) and not getattr(thing, "_is_protocol", False)):
        yield name, thing, said
    if inspect.isclass(thing):
        for method, value in inspect.getmembers(thing, inspect.isroutine):
            if not method.startswith("_") and str(getattr(value, "__module__", "")).startswith("reaedp."):
                yield f"{name}.{method}", value, f"{said}\n{value.__doc__}"


def undocumented(name: str) -> list[str]:
    """Parameters of a public name and its methods of which nothing is said, there or on the page of shared ones."""
    missing = []
    for called, thing, said in callables(name):
        try:
            parameters = set(inspect.signature(thing).parameters) - {"self"}
        except ValueError:  # an error that is made like any exception of Python
            continue
        told = set(re.findall(r"`(\w+)", said)) | SHARED
        missing += [f"{called}({parameter})" for parameter in sorted(parameters - told)]
    return missing


@pytest.mark.parametrize("name", reaedp.__all__)
def test_every_parameter_of_a_public_name_is_documented(name: str) -> None:
    assert [] == undocumented(name)


def test_a_parameter_that_nobody_documents_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def verify(folder: str, strictness: int) -> None:
        """Check a folder."""

    monkeypatch.setattr(reaedp, "verify", verify, raising=False)
    assert ["verify(strictness)"] == undocumented("verify")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The names that every example starts from, in a folder of their own."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("examples")
    os.chdir(folder)
    names: dict[str, Any] = {}
    (set_up,) = (block.text for block in blocks(PAGE) if block.language == "python")
    exec(compile(set_up, PAGE, "exec"), names)
    with forgotten_kinds():
        yield names
    os.chdir(before)


def run(name: str, names: dict[str, Any]) -> str:
    """What goes wrong in the example of a public name."""
    names = names | {"rng": names["np"].random.default_rng(1)}  # whatever other examples have drawn
    example = doctest.DocTestParser().get_doctest(documentation(name), names, name, None, None)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append, clear_globs=False)
    return "".join(said)


@pytest.mark.parametrize("name", reaedp.__all__)
def test_every_public_name_has_a_short_example_that_shows_something(name: str) -> None:
    examples = doctest.DocTestParser().get_examples(documentation(name))
    assert any(re.search(rf"\b{name}\b", one.source + one.want) for one in examples), f"no example of {name}"
    assert any(one.want for one in examples), f"the example of {name} shows nothing"
    assert sum((one.source + one.want).count("\n") for one in examples) <= 8


@pytest.mark.slow
@pytest.mark.xdist_group("examples")
@pytest.mark.parametrize("name", reaedp.__all__)
def test_the_example_of_every_public_name_runs(name: str, started: dict[str, Any]) -> None:
    assert "" == run(name, started)


@pytest.mark.slow
@pytest.mark.xdist_group("examples")
def test_an_example_that_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch, started: dict[str, Any]) -> None:
    class Budget:
        """
        >>> Budget(epsilon=1.0, delta=1e-6).epsilon
        2.0
        """

    monkeypatch.setattr(reaedp, "Budget", Budget, raising=False)
    assert "Got:\n    1.0" in run("Budget", started)
