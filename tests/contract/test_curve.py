import dataclasses
from pathlib import Path
from typing import Any

import pytest

from reaedp import Budget, Contract, Unit
from reaedp.contract import Curve, Number
from reaedp.drafting.contract_text import contract_text
from reaedp.drafting.drafted import Drafted
from reaedp.errors import DeclarationError

#: Computed before contracts knew of curves.
FINGERPRINT_WITHOUT_CURVES = "924ec70742a7cddc2c2e34699cabbc38f8d7b87ffa4cf17e572494ba56694227"

HEAD = """
[dataset]
name = "growth"

[unit]
change = "replace"
at_least = 93

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"
"""

CURVE = """
[curves.height]
form = "wide"
points = ["age1", "age1.25", "age2"]
at = [1, 1.25, 2.0]
interval = [1.0, 18.0]
basis = "wiener"
rank = 20
clip = 10.0
offset = [75, 77.0, 80.0]
rho = 0.03
missing = "drop"
provenance = "public"
"""

WIDE: dict[str, Any] = {
    "name": "height",
    "form": "wide",
    "points": ("a", "b", "c"),
    "at": (0.0, 0.5, 1.0),
    "interval": (0.0, 1.0),
    "basis": "wiener",
    "rank": 5,
    "clip": 1.0,
    "provenance": "public",
}
LONG: dict[str, Any] = WIDE | {"form": "long", "points": (), "at": (), "id": "child", "time": "age", "value": "cm"}


def load(folder: Path, text: str) -> Contract:
    (folder / "contract.toml").write_text(text, encoding="utf-8")
    return Contract.load(folder / "contract.toml")


def mistakes(folder: Path, text: str) -> tuple[str, ...]:
    with pytest.raises(DeclarationError) as caught:
        load(folder, text)
    return caught.value.mistakes


def test_a_curve_is_read_from_toml_and_needs_no_columns(tmp_path: Path) -> None:
    expected = Curve(
        name="height",
        form="wide",
        points=("age1", "age1.25", "age2"),
        at=(1, 1.25, 2.0),
        interval=(1.0, 18.0),
        basis="wiener",
        rank=20,
        clip=10.0,
        offset=(75, 77.0, 80.0),
        rho=0.03,
        missing="drop",
        provenance="public",
    )
    contract = load(tmp_path, HEAD + CURVE)
    assert (expected,) == contract.curves
    assert expected == contract.curve("height")
    assert () == contract.columns


def test_an_unknown_curve_is_named_with_the_nearest_that_exists(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="Did you mean 'height'"):
        load(tmp_path, HEAD + CURVE).curve("hight")


def test_every_mistake_in_a_curve_is_reported_with_its_line(tmp_path: Path) -> None:
    text = HEAD + CURVE.replace("rank = 20", "rank = 0").replace('"wiener"', '"wavelet"').replace("clip", "clipp")
    lines = text.splitlines()
    found = mistakes(tmp_path, text)
    assert any("Did you mean 'clip'?" in mistake for mistake in found)
    found += mistakes(tmp_path, text.replace("clipp", "clip"))
    for word in ("rank", "basis", "clipp"):
        line = next(number for number, content in enumerate(lines, start=1) if content.startswith(word))
        assert any(f"contract.toml:{line}:" in mistake and word in mistake for mistake in found), (word, found)


def test_a_misspelt_table_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    assert any("Did you mean 'curves'?" in m for m in mistakes(tmp_path, HEAD + CURVE.replace("[curves.", "[curve.")))
    assert any("must be a table" in m for m in mistakes(tmp_path, HEAD + "[curves]\nheight = 3\n"))


def test_a_contract_with_neither_columns_nor_curves_is_refused(tmp_path: Path) -> None:
    assert any("[columns.NAME] is missing" in mistake for mistake in mistakes(tmp_path, HEAD))


@pytest.mark.parametrize(
    "wrong",
    [
        {"form": "round"},
        {"form": ["wide"]},
        {"basis": "wavelet"},
        {"missing": "guess"},
        {"provenance": "seen"},
        {"provenance": "dp"},
        {"entry": 4},
        {"interval": (1.0, 0.0)},
        {"interval": (0.0, float("inf"))},
        {"interval": (-1.7e308, 1.7e308)},
        {"interval": 1.0},
        {"rank": 0},
        {"rank": 257},
        {"rank": 5.0},
        {"rank": 3, "basis": "bspline"},
        {"clip": 0.0},
        {"clip": float("nan")},
        {"clip": 1e200},
        {"clip": True},
        {"rho": 0.0},
        {"rho": "small"},
        {"smoothness": -1.0},
        {"rho": 0.1, "basis": "bspline"},
        {"lower": 0.0},
        {"lower": 1.0, "upper": 1.0},
        {"lower": 0.0, "upper": float("inf")},
        {"lower": (0.0, 0.0), "upper": 1.0},
        {"lower": (0.0, 0.0, 2.0), "upper": 1.0},
        {"points": ("a",), "at": (0.0,)},
        {"points": ("a", "b", "a")},
        {"points": ("a", "b", 3)},
        {"points": "abc"},
        {"at": (0.0, 1.0)},
        {"at": (0.0, 0.5, 0.5)},
        {"at": (0.0, 0.5, 0.5 + 1e-9)},
        {"at": (0.5, 0.2, 1.0)},
        {"at": (0.0, 0.5, 2.0)},
        {"at": (0.0, 0.5, float("nan"))},
        {"id": "child"},
        {"offset": (1.0, 2.0)},
        {"offset": float("nan")},
        {"offset": "none"},
        {"offset": 1e200},
        {"name": ""},
    ],
)
def test_a_declaration_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    Curve(**WIDE)
    with pytest.raises(DeclarationError):
        Curve(**(WIDE | wrong))


@pytest.mark.parametrize(
    "wrong", [{"id": None}, {"time": None}, {"value": 3}, {"points": ("a", "b")}, {"offset": (1.0,)}]
)
def test_a_long_curve_names_three_columns_and_no_points(wrong: dict[str, Any]) -> None:
    assert ("child", "age", "cm") == Curve(**LONG).columns
    with pytest.raises(DeclarationError):
        Curve(**(LONG | wrong))


def test_two_curves_must_not_share_a_name() -> None:
    with pytest.raises(DeclarationError, match="different names"):
        contract(Curve(**WIDE), Curve(**WIDE))


def contract(*curves: Curve) -> Contract:
    column = Number(name="x", lower=0, upper=1, bins=2, provenance="public")
    return Contract(
        dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="l", columns=(column,), curves=curves
    )


def test_the_fingerprint_changes_with_every_fact_about_a_curve_and_stays_without_curves() -> None:
    assert FINGERPRINT_WITHOUT_CURVES == contract().fingerprint
    first = Curve(**WIDE)
    changes: dict[str, Any] = {
        "rank": 6,
        "clip": 2.0,
        "basis": "fourier",
        "missing": "zero",
        "offset": 1.0,
        "rho": 0.5,
        "smoothness": 2.0,
        "points": ("a", "b", "d"),
        "at": (0.0, 0.4, 1.0),
        "interval": (0.0, 2.0),
    }
    others = [dataclasses.replace(first, **{key: value}) for key, value in changes.items()]
    others += [dataclasses.replace(first, lower=-1.0, upper=high) for high in (2.0, (2.0, 3.0, 2.0))]
    prints = {contract(curve).fingerprint for curve in (first, *others)}
    assert len(changes) + 3 == len(prints)
    assert contract().fingerprint not in prints


def test_a_draft_shows_how_a_curve_is_declared() -> None:
    lines = contract_text([Drafted("x")]).splitlines()
    shown = [line.removeprefix("# ").split(" = ")[0] for line in lines[lines.index("# [curves.NAME]") + 1 :]]
    required = {field.name for field in dataclasses.fields(Curve) if field.default is dataclasses.MISSING} - {"name"}
    assert required | {"points", "at"} == set(shown)
