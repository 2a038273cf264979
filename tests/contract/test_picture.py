from pathlib import Path
from typing import Any

import pytest

from reaedp import Budget, Contract, Integer, Unit
from reaedp.contract.picture import PIXELS_ONLY, Picture
from reaedp.errors import DeclarationError

TOML = """
[dataset]
name = "scan"

[unit]
change = "replace"

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"

[picture]
width = 4
height = 3
channels = 1
lower = 0
upper = 255
provenance = "public"
"""
GREY: dict[str, Any] = {
    "width": 4,
    "height": 3,
    "channels": 1,
    "lower": 0,
    "upper": 255,
    "provenance": "public",
}
X = Integer(name="x", lower=0, upper=1, provenance="public")


def contract(unit: Unit, picture: Picture | None, *columns: Integer) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="l", columns=columns, picture=picture)


def load(folder: Path, text: str) -> Contract:
    path = folder / "contract.toml"
    path.write_text(text, encoding="utf-8")
    return Contract.load(path)


def test_a_picture_is_read_from_toml_without_any_column(tmp_path: Path) -> None:
    found = load(tmp_path, TOML)
    assert Picture(**GREY) == found.picture
    assert ((), ()) == (found.columns, found.curves)


def test_shape_and_number_of_values_follow_from_size_and_channels() -> None:
    grey, colour = Picture(**GREY), Picture(**GREY | {"channels": 3, "lower": 5})
    assert ((3, 4), 12, 255) == (grey.shape, grey.values, grey.reach)
    assert ((3, 4, 3), 36, 250) == (colour.shape, colour.values, colour.reach)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("width", [0, -1, 2.0, True, "4", None, 10**12]),
        ("height", [0, 1.5, 20_000_000]),
        ("channels", [0, 2, 4, True, "rgb"]),
        ("lower", [-1, 0.0, 255, 256]),
        ("upper", [0, 65_536, "255", float("nan")]),
        ("provenance", ["dp", "", None]),
    ],
)
def test_a_mistake_is_named_by_its_key(key: str, values: list[object]) -> None:
    for value in values:
        with pytest.raises(DeclarationError, match=rf"picture\..*{key}"):
            Picture(**GREY | {key: value})


def test_three_channels_have_eight_bits_and_one_channel_sixteen() -> None:
    assert 65_535 == Picture(**GREY | {"upper": 65_535}).reach
    with pytest.raises(DeclarationError, match="from 0 to 255"):
        Picture(**GREY | {"upper": 65_535, "channels": 3})


def test_all_mistakes_in_the_table_are_reported_with_their_lines(tmp_path: Path) -> None:
    text = TOML.replace("width = 4", "width = 0").replace("channels = 1", "channels = 2").replace("upper", "uper")
    with pytest.raises(DeclarationError) as caught:
        load(tmp_path, text)
    assert any("Did you mean 'upper'?" in mistake for mistake in caught.value.mistakes)
    with pytest.raises(DeclarationError) as caught:
        load(tmp_path, text.replace("uper", "upper"))
    for key in ("width", "channels"):
        line = next(number for number, content in enumerate(text.splitlines(), start=1) if content.startswith(key))
        assert any(f"contract.toml:{line}: picture.{key}" in mistake for mistake in caught.value.mistakes)


@pytest.mark.parametrize("written", ["picture = 5\n", "picture = []\n"])
def test_a_picture_that_is_no_table_lacks_everything(tmp_path: Path, written: str) -> None:
    with pytest.raises(DeclarationError, match=r"picture\.width is missing"):
        load(tmp_path, written + TOML.partition("[picture]")[0])


@pytest.mark.parametrize("unit", [Unit("add-remove"), Unit("replace", person="p", max_rows=1)])
def test_only_the_change_of_a_pixel_can_be_the_unit_of_a_picture(unit: Unit) -> None:
    with pytest.raises(DeclarationError, match=r"It does not protect a person in the picture") as caught:
        contract(unit, Picture(**GREY))
    assert PIXELS_ONLY in str(caught.value)


def test_a_picture_stands_alone() -> None:
    with pytest.raises(DeclarationError, match="cannot be combined"):
        contract(Unit("replace"), Picture(**GREY), X)


def test_a_contract_without_a_picture_has_the_fingerprint_that_ledgers_know_it_by() -> None:
    """The literal was computed before contracts could have a picture."""
    expected = "7246fbd857d15947d6768e4f7c2518f0fe7451dc55b7bcf256a09d5796beb536"
    assert expected == contract(Unit("replace"), None, X).fingerprint


def test_the_fingerprint_contains_every_fact_of_the_picture() -> None:
    changes = [{}, {"width": 5}, {"height": 5}, {"channels": 3}, {"lower": 1}, {"upper": 254}]
    prints = {contract(Unit("replace"), Picture(**GREY | change)).fingerprint for change in changes}
    assert len(changes) == len(prints)
    assert contract(Unit("replace"), None).fingerprint not in prints
