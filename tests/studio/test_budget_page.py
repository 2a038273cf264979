"""Budget: the error first, ε from it, and pictures that say what ε means."""

from pathlib import Path

import pytest

from reaedp import Calibration, Ledger
from reaedp.release.readme import posterior
from reaedp.studio.deployments import DEPLOYMENTS
from reaedp.studio.odds import PRIORS, Odds
from studio_support import Guest, form_fields, text_of

CONTRACT = """
[dataset]
name = "own"
[unit]
change = "add-remove"
at_least = 1000
[budget]
epsilon = "FILL IN"
delta = "FILL IN"
ledger = "FILL IN"
[columns]
age = { kind = "integer", lower = 0, upper = 99, provenance = "public" }
sex = { kind = "category", levels = ["f", "m"], provenance = "public" }
"""


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    guest = Guest(tmp_path)
    guest.act("/projects", {"start": "own", "name": "own"})
    (tmp_path / "own" / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    return guest


@pytest.mark.parametrize(
    ("precise", "column", "facts"),
    [("counts", "sex", {"kind": "counts", "bins": 4}), ("mean", "age", {"kind": "mean", "rows": 1000, "width": 99.0}),
     ("median", "age", {"kind": "median", "bins": 100})],
)  # fmt: skip
def test_the_least_epsilon_for_an_error_is_the_one_of_the_command(
    guest: Guest, precise: str, column: str, facts: dict[str, object]
) -> None:
    page = guest.page("/p/own/budget", precise=precise, column=column, error="20")
    solved = Calibration(change="add-remove", **facts).solve(20.0).epsilon  # type: ignore[arg-type]
    assert f"{solved:g}" == form_fields(page, "/p/own/budget")["epsilon"]
    assert f"ε = {solved:g} is the smallest" in text_of(page)
    assert "FILL IN" in (guest.folder / "own" / "contract.toml").read_text()  # nothing is chosen for anybody


def test_what_cannot_be_asked_is_said_with_a_way_out(guest: Guest) -> None:
    for asked, said in (
        ({"precise": "mean", "column": "sex", "error": "1"}, "has no numbers"),
        ({"precise": "counts", "column": "sex", "error": "some"}, "must be a number"),
        ({"precise": "counts", "column": "none", "error": "1"}, "Choose a column"),
    ):
        assert said in guest.ask("/p/own/budget", **asked).text


def test_saving_makes_the_ledger_and_keeps_what_was_wrong_on_the_page(guest: Guest) -> None:
    refused = guest.send("/p/own/budget", {"epsilon": "-1", "delta": "2", "ledger": "budget.sqlite"})
    assert "to be fixed" in text_of(refused.text)
    assert 'id="epsilon-wrong"' in refused.text
    assert "-1" == form_fields(refused.text, "/p/own/budget")["epsilon"]
    assert not (guest.folder / "own" / "budget.sqlite").exists()
    guest.done("/p/own/budget", {"epsilon": "0.5", "delta": "1e-6", "ledger": "budget.sqlite"})
    with Ledger.open(guest.folder / "own" / "budget.sqlite") as book:
        assert () == book.datasets()
    assert "ε 0 of 0.5 spent" in guest.page("/p/own/budget")
    guest.done("/p/own/budget", {"epsilon": "0.7"})  # the ledger that is there is used
    assert "epsilon = 0.7" in (guest.folder / "own" / "contract.toml").read_text()


def test_dots_and_words_say_what_the_promise_says() -> None:
    for epsilon in (0.01, 0.5, 1.0, 3.0, 10.0):
        for prior in PRIORS:
            odds = Odds.of(epsilon, 1e-6, prior, 5)
            assert odds is not None
            kinds = [kind for _, _, kind in odds.dots]
            assert prior == kinds.count("before")
            assert round(100 * posterior(prior / 100, epsilon)) == 100 - kinds.count("rest")
            assert 100 == len(set(odds.dots))
    assert "A belief of 10 in 100 can become at most 23 in 100." == Odds.of(1.0, None, 10, 5).words  # type: ignore[union-attr]


def test_pictures_follow_the_slider_and_wait_for_an_epsilon(guest: Guest) -> None:
    assert "<svg" not in guest.page("/p/own/budget/pictures")
    assert "<svg" not in guest.page("/p/own/budget/pictures", epsilon="none")
    page = guest.page("/p/own/budget/pictures", epsilon="0.693147", delta="1e-6", prior="50", alarm="10")
    assert "A belief of 50 in 100 can become at most 67 in 100" in page
    assert "An attacker who raises false alarms about 10 of 100 people outside the data finds at most 20 of 100" in page
    assert "<script" not in page


def test_published_figures_have_sources_and_are_sorted() -> None:
    assert sorted(one.epsilon for one in DEPLOYMENTS) == [one.epsilon for one in DEPLOYMENTS]
    assert all(one.source and one.protected for one in DEPLOYMENTS)
