"""Five tasks as a novice does them, in a real browser, finding everything by the words on the pages.

What is clicked and typed is counted, and each step is a picture.

python tests/studio/tasks.py FOLDER             does them all, and writes the pictures of every step into the folder;
python tests/studio/tasks.py FOLDER --keyboard  does them by keyboard alone.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from hands import Hand, Keyboard  # noqa: E402
from served import Window, serving  # noqa: E402

#: Made-up people: enough that means by sex are precise.
PEOPLE = 5_000


def people() -> str:
    """A file with a row for each person."""
    rows = (
        f"{18 + (number * 7) % 73},{'fm'[number % 2]},{900 + (number * 37) % 5_000 + 400 * (number % 2)}"
        for number in range(PEOPLE)
    )
    return "age,sex,income\n" + "".join(f"{row}\n" for row in rows)


def first_histogram(hand: Hand, folder: Path) -> None:
    """From nothing to a first histogram, with a file of one's own and one row for each person."""
    hand.picture("projects")
    hand.type("Name of the project", "survey")
    hand.button("Begin")
    hand.picture("file")
    hand.link("people.csv")
    hand.picture("data")
    hand.button("Use these columns")
    hand.picture("question")
    for answer in ("No", "No", "I don't know"):
        hand.tick(answer)
        hand.button("Answer")
    hand.type("A whole number", "4000")
    hand.button("Answer")
    hand.tick("This is what I want to promise")
    hand.picture("unit")
    hand.button("Accept")
    _number(hand, "age", "Whole numbers", {"Smallest": "0", "Largest": "110", "Numbers in one bar": "10"})
    _category(hand, "sex", "f\nm")
    _number(hand, "income", "Numbers, with fractions", {"Smallest": "0", "Largest": "10000", "Number of bars": "20"})
    hand.picture("columns")
    hand.button("Save")
    _budgeted(hand, "3")
    _planned(hand, "Counts", {"Short name": "sexes", "Off by at most": "20"}, ["sex"])
    _audited(hand)
    _released(hand, "survey")


def mean_income(hand: Hand, folder: Path) -> None:
    """The mean income of each sex within ±200: the error is asked for, ε is found."""
    _removed(hand, "sexes")
    hand.link("Means and totals")
    hand.type("Short name", "income")
    hand.tick("income", "Means and totals")
    _tick_in_group(hand, "In groups by", "sex")
    hand.type("Off by at most", "200")
    hand.picture("form")
    hand.button("Add to the plan")
    assert 190 < _off(hand, "income") <= 200
    hand.picture("plan")
    _released(hand, "survey")


def synthetic_rows(hand: Hand, folder: Path) -> None:
    """A thousand rows that belong to nobody."""
    _removed(hand, "income")
    method = {"Method": "network: any number of rows for the same price"}
    facts = {"Short name": "rows", "How many rows?": "1000", "Or: ε": "0.5"}
    _planned(hand, "Synthetic rows", facts, ["age", "sex", "income"], method)
    _released(hand, "survey")
    assert (folder / "survey" / "release-3" / "rows.csv").exists()


def several_rows(hand: Hand, folder: Path) -> None:
    """The made-up clinic, where patients have several rows, and people are to be protected."""
    hand.link("All projects")
    hand.button("Begin with the clinic")
    for name in ("visit", "age", "smokes", "weight", "ward"):
        hand.tick(name, on=False)
    hand.picture("data")
    hand.button("Use these columns")
    hand.tick("Yes")
    hand.button("Answer")
    hand.choose("A column", "patient")
    hand.picture("whose")
    hand.button("Answer")
    hand.type("A whole number", "3")
    hand.button("Answer")
    hand.tick("I don't know")
    hand.button("Answer")
    hand.button("Leave it out")
    hand.sees("Each person is protected, with all rows")
    hand.tick("This is what I want to promise")
    hand.picture("unit")
    hand.button("Accept")
    _category(hand, "sex", "f\nm")
    hand.picture("columns")
    hand.button("Save")
    _budgeted(hand, "1")
    _planned(hand, "Counts", {"Short name": "sexes", "Or: ε": "0.5"}, ["sex"])
    _released(hand, "clinic")


def refused(hand: Hand, folder: Path) -> None:
    """The same plan until the budget is out: refused, and nothing is charged."""
    _released(hand, "clinic")
    hand.link("Release again")
    hand.sees("which is more than is left")
    hand.picture("confirmation")
    hand.type("Type the name of the data set: clinic", "clinic")
    hand.button("Spend and release")
    hand.sees("refused before the data was opened")
    hand.picture("refused")


TASKS: dict[str, Callable[[Hand, Path], None]] = {
    "first histogram": first_histogram,
    "mean income by sex within ±200": mean_income,
    "synthetic rows": synthetic_rows,
    "people with several rows": several_rows,
    "refusal when the budget is out": refused,
}


def _described(hand: Hand, column: str, kind: str) -> None:
    if not hand.part(column).get_by_label("What is in it?").is_visible():
        hand.open(column)
    hand.choose("What is in it?", kind, column)
    hand.choose("How do you know?", "It is public knowledge", column)


def _number(hand: Hand, column: str, kind: str, facts: dict[str, str]) -> None:
    _described(hand, column, kind)
    for words, text in facts.items():
        hand.type(words, text, column)


def _category(hand: Hand, column: str, levels: str) -> None:
    _described(hand, column, "One of several words or codes")
    hand.type("All words or codes, one per line", levels, column)


def _budgeted(hand: Hand, epsilon: str) -> None:
    hand.type("ε (epsilon)", epsilon)
    hand.type("δ (delta)", "1e-6")
    hand.type("Ledger", "budget.sqlite")
    hand.picture("budget")
    hand.button("Save")


def _planned(
    hand: Hand, kind: str, facts: dict[str, str], columns: list[str], choices: dict[str, str] | None = None
) -> None:
    """Add a release from the gallery: its columns are ticked, its fields are filled in."""
    if hand.task == "first":
        hand.picture("gallery")
    hand.link(kind)
    for column in columns:
        hand.tick(column, kind)
    for words, option in (choices or {}).items():
        hand.choose(words, option)
    for words, text in facts.items():
        hand.type(words, text)
    hand.picture("form")
    hand.button("Add to the plan")
    hand.picture("plan")


def _tick_in_group(hand: Hand, group: str, words: str) -> None:
    target = hand.page.get_by_role("group", name=group).get_by_label(words, exact=True)
    if isinstance(hand, Keyboard):
        hand.reach(target)
        hand.press("Space")
    else:
        hand.press_on(target)
    assert target.is_checked()


def _off(hand: Hand, column: str) -> float:
    """How far off the mean of a column may be, as the page says it."""
    hand.sees(f"{column} ±")
    words = hand.page.locator(f"text={column} ±").first.inner_text()
    return float(words.split(f"{column} ±")[1].split()[0].rstrip(";,.").replace(",", ""))


def _removed(hand: Hand, name: str) -> None:
    hand.link("Plan")
    hand.button(f"Take out {name}")


def _audited(hand: Hand) -> None:
    hand.link("Audit")
    hand.button("Audit the plan")
    hand.sees("Passed: none of")
    hand.picture("audit")


def _released(hand: Hand, dataset: str) -> None:
    hand.link("Release")
    hand.type(f"Type the name of the data set: {dataset}", dataset)
    hand.picture("release")
    hand.button("Spend and release")
    hand.sees("Released. Charged, counted, noise added, written, checked.")
    hand.picture("released")


def _besides(hand: Hand) -> None:
    """The pages that no task needs, for their pictures."""
    hand.task, hand.pictured = "besides", 0
    hand.window.go("/p/survey/look")
    hand.picture("look")
    hand.window.go("/p/survey/evaluate")
    hand.picture("evaluate")
    hand.window.go("/p/survey/ledger")
    hand.picture("ledger")
    hand.window.go("/p/survey/requests")
    hand.type("Your name", "Ann Alyst")
    hand.type("What it is for", "For the yearly report.")
    hand.button("Write the request")
    hand.picture("requests")
    hand.window.go("/p/survey/columns/buy?column=age&what=bounds&epsilon=0.1&bins=10")
    hand.picture("purchase")


def done_by(
    browser: Any, folder: Path, pictures: Path | None = None, width: int = 1440, kind: type[Hand] = Hand
) -> dict[str, dict[str, float]]:
    """All tasks in one window: what each took."""
    counted: dict[str, dict[str, float]] = {}
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    with serving(folder) as server, Window(browser, server, width) as window:
        hand = kind(window, pictures)
        for name, task in TASKS.items():
            hand.counted.clear()
            began = time.monotonic()
            hand.task, hand.pictured = name.split()[0], 0
            task(hand, folder)
            counted[name] = {**hand.counted, "seconds": round(time.monotonic() - began, 1)}
        if pictures is not None:
            _besides(hand)
        refusals = [line for line in window.said if "409" not in line]
        assert [] == refusals, refusals
        assert all(url.startswith((server.address, "data:")) for url in window.asked)
    return counted


if __name__ == "__main__":
    from browser import running_browser

    target, kind = Path(sys.argv[1]), Keyboard if "--keyboard" in sys.argv else Hand
    target.mkdir(parents=True, exist_ok=True)
    with running_browser() as found, tempfile.TemporaryDirectory() as place:
        for words, figures in done_by(found, Path(place), target, kind=kind).items():
            print(f"{words}: {figures}")
