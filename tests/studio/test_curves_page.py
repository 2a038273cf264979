"""Curves: measurements over time are declared by a form, and planned like everything else."""

from pathlib import Path
from typing import Any

import pytest

from reaedp import Contract, Plan
from studio_support import Guest, text_of

WIDE: dict[str, Any] = {
    "name": "sugar",
    "form": "wide",
    "points": ["h0", "h6", "h12"],
    "at": "0, 6 12",
    "start": "0",
    "end": "24",
    "offset": "5.5",
    "clip": "4",
    "basis": "fourier",
    "rank": "3",
    "provenance": "public",
}
LONG = {**WIDE, "form": "long", "points": [], "at": "", "id": " who ", "time": "hour", "value": "level"}


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    """A project whose columns are chosen, and nothing is said of them yet."""
    guest = Guest(tmp_path)
    guest.act("/projects", {"start": "own", "name": "own"})
    (tmp_path / "own" / "data.csv").write_text("age, who ,hour,level,h0,h6,h12\n", encoding="utf-8")
    guest.done("/p/own/data", {"name": "own"}, at="/p/own/data", data="data.csv")
    guest.done("/p/own/unit", {"accepted": "yes"}, several="no", together="no", secret="yes", at_least="900")
    guest.done("/p/own/budget", {"epsilon": "2", "delta": "1e-6", "ledger": "budget.sqlite"})
    return guest


def declared(guest: Guest, fields: dict[str, Any], curve: str = "") -> Any:
    return guest.send("/p/own/columns/curve", fields, at="/p/own/columns/curve", **({"curve": curve} if curve else {}))


def contract_of(guest: Guest) -> Contract:
    return Contract.load(guest.folder / "own" / "contract.toml")


def only_curves(guest: Guest) -> None:
    """Leave the columns out that no curve has."""
    guest.done("/p/own/data", {"columns": []}, at="/p/own/data")


@pytest.mark.parametrize("fields", [WIDE, LONG])
def test_a_declared_curve_is_in_the_contract_and_its_columns_need_no_cards(
    guest: Guest, fields: dict[str, Any]
) -> None:
    assert 303 == declared(guest, fields).status_code
    cards = guest.page("/p/own/columns")
    assert ('value="h6"' in cards) == (fields is LONG)  # columns that the curve does not use keep their cards
    assert 'value="age"' in cards
    only_curves(guest)
    (curve,) = contract_of(guest).curves
    assert ("sugar", (0.0, 24.0), 4.0, 3, 5.5) == (curve.name, curve.interval, curve.clip, curve.rank, curve.offset)
    assert (("h0", "h6", "h12") if fields is WIDE else (" who ", "hour", "level")) == curve.columns
    assert ((0.0, 6.0, 12.0) if fields is WIDE else ()) == curve.at
    assert contract_of(guest).columns == ()


def test_its_mean_and_synthetic_curves_are_in_the_gallery(guest: Guest) -> None:
    declared(guest, WIDE)
    only_curves(guest)
    gallery = guest.page("/p/own/plan")
    assert "add=mean-curve" in gallery
    assert "add=synthetic-curves" in gallery
    assert "add=histogram" not in gallery
    guest.done("/p/own/plan/add", {"error": "0.5"}, at="/p/own/plan", add="mean-curve")
    (planned,) = Plan.load(guest.folder / "own" / "plan.toml").releases
    assert "sugar" == planned.curve  # type: ignore[attr-defined]
    figures = guest.page("/p/own/plan")
    assert "Noise moves the mean curve by about" in figures
    assert "Twenty possible outcomes" in figures


def test_how_far_off_a_mean_curve_is_needs_a_number_of_curves(guest: Guest) -> None:
    guest.done("/p/own/unit", {"accepted": "yes"}, several="no", together="no", secret="yes", at_least="skip")
    declared(guest, WIDE)
    only_curves(guest)
    answer = guest.send("/p/own/plan/add", {"error": "0.5"}, at="/p/own/plan", add="mean-curve")
    assert "Declare unit.at_least" in text_of(answer.text)
    assert "Until then, enter an ε." in text_of(answer.text)


def test_what_is_empty_is_said_in_the_words_of_the_page(guest: Guest) -> None:
    before = (guest.folder / "own" / "contract.toml").read_bytes()
    answer = declared(guest, {"form": "wide"})
    assert 400 == answer.status_code
    for words in ("Name of the curve", "Which columns, one for each time?", "The curve ends at", "How much detail?"):
        assert 2 <= answer.text.count(f"Fill in “{words}”.")  # above, and beside the field
    wrong = declared(guest, {**WIDE, "rank": "300", "end": "-1", "at": "0 6"})
    assert "“How much detail?” must be a whole number from 1 to 256" in wrong.text
    assert "“The curve begins at” must be two finite numbers, the first below the second" in wrong.text
    assert (
        "“The times of these columns” must give one finite time per point"
        in declared(guest, {**WIDE, "at": "0 6"}).text
    )
    assert before == (guest.folder / "own" / "contract.toml").read_bytes()


def test_a_curve_is_changed_and_taken_out_and_comments_stay(guest: Guest) -> None:
    declared(guest, WIDE)
    path = guest.folder / "own" / "contract.toml"
    path.write_text("# For the board.\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert 303 == declared(guest, {"clip": "6"}, curve="sugar").status_code  # the other fields are as they were
    only_curves(guest)
    assert [6.0] == [curve.clip for curve in contract_of(guest).curves]
    assert "# For the board." in path.read_text(encoding="utf-8")
    guest.done("/p/own/columns/uncurve", {}, at="/p/own/columns")
    assert "[curves.sugar]" not in path.read_text(encoding="utf-8")
    assert "# For the board." in path.read_text(encoding="utf-8")
