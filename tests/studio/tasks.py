"""Five tasks as a novice does them, in a real browser: what is clicked and typed is counted, each step is a picture.

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
    hand.type("input[name=name]", "survey")
    hand.button("Begin")
    (folder / "survey" / "people.csv").write_text(people(), encoding="utf-8")
    hand.type("input[name=data]", "people.csv")
    hand.button("Show the header")
    hand.picture("data")
    hand.button("Use these columns")
    for answer in ("no", "no", "unknown"):
        hand.tick(f"input[type=radio][value={answer}]")
        hand.button("Answer")
    hand.type("#answer", "4000")
    hand.button("Answer")
    hand.picture("unit")
    hand.tick("input[name=accepted]")
    hand.button("Accept")
    _columns(hand)
    hand.type("input[name=epsilon]", "3")
    hand.type("input[name=delta]", "1e-6")
    hand.type("input[name=ledger]", "budget.sqlite")
    hand.picture("budget")
    hand.button("Save")
    _planned(hand, "histogram", "sexes", {"columns": ["sex"], "mechanism": "laplace"}, error="20")
    _audited(hand)
    _released(hand, "survey")


def mean_income(hand: Hand, folder: Path) -> None:
    """The mean income of each sex within ±200: the error is asked for, ε is found."""
    _removed(hand, "sexes")
    _planned(hand, "summary", "income", {"of": ["income"], "by": ["sex"], "mechanism": "laplace"}, epsilon="0.2")
    while _off(hand, "income") > 200:
        price = hand.page.locator('[name="e.income"]')
        hand.type('[name="e.income"]', f"{1.5 * float(price.input_value()):.2g}")
        hand.picture("price")
        hand.button("Save the costs")
    _released(hand, "survey")


def synthetic_rows(hand: Hand, folder: Path) -> None:
    """A thousand rows that belong to nobody."""
    _removed(hand, "income")
    facts = {"columns": ["age", "sex", "income"], "rows": "1000", "method": "network"}
    _planned(hand, "synthetic", "rows", facts, epsilon="0.5")
    _released(hand, "survey")
    assert (folder / "survey" / "release-3" / "rows.csv").exists()


def several_rows(hand: Hand, folder: Path) -> None:
    """The made-up clinic, where patients have several rows, and people are to be protected."""
    hand.go("a.brand")
    hand.button("Begin with the clinic")
    for name in ("patient", "visit", "age", "smokes", "weight", "ward"):
        hand.tick(f'input[name=columns][value="{name}"]', on=name == "patient")
    hand.picture("data")
    hand.button("Use these columns")
    hand.tick("input[type=radio][value=yes]")
    hand.button("Answer")
    hand.choose("#answer", "column:patient")
    hand.button("Answer")
    hand.type("#answer", "3")
    hand.button("Answer")
    hand.tick("input[type=radio][value=unknown]")
    hand.button("Answer")
    hand.button("Leave it out")
    hand.sees("Each person is protected, with all rows")
    hand.picture("unit")
    hand.tick("input[name=accepted]")
    hand.button("Accept")
    _category(hand, 0, "f\nm")
    hand.picture("columns")
    hand.button("Save")
    for name, text in (("epsilon", "1"), ("delta", "1e-6"), ("ledger", "budget.sqlite")):
        hand.type(f"input[name={name}]", text)
    hand.picture("budget")
    hand.button("Save")
    _planned(hand, "histogram", "sexes", {"columns": ["sex"], "mechanism": "laplace"}, epsilon="0.5")
    _released(hand, "clinic")


def refused(hand: Hand, folder: Path) -> None:
    """The same plan until the budget is out: refused, and nothing is charged."""
    _released(hand, "clinic")
    hand.go('a:has-text("Release again")')
    hand.sees("which is more than is left")
    hand.picture("confirmation")
    hand.type("input[name=typed]", "clinic")
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


def _columns(hand: Hand) -> None:
    whole = {"integer.lower": "0", "integer.upper": "110", "integer.width": "10"}
    _number(hand, 0, "integer", whole)
    _category(hand, 1, "f\nm")
    _number(hand, 2, "number", {"number.lower": "0", "number.upper": "10000", "number.bins": "20"})
    hand.picture("columns")
    hand.button("Save")


def _opened(hand: Hand, place: int, kind: str) -> None:
    card = hand.page.locator(f"#column-{place}")
    if card.get_attribute("open") is None:
        hand.click(f"#column-{place} > summary")
    hand.choose(f'[name="c{place}.kind"]', kind)
    hand.choose(f'[name="c{place}.provenance"]', "public")


def _number(hand: Hand, place: int, kind: str, facts: dict[str, str]) -> None:
    _opened(hand, place, kind)
    for key, text in facts.items():
        hand.type(f'[name="c{place}.{key}"]', text)


def _category(hand: Hand, place: int, levels: str) -> None:
    _opened(hand, place, "category")
    hand.type(f'[name="c{place}.category.levels"]', levels)


def _planned(hand: Hand, kind: str, name: str, facts: dict[str, Any], **bought: str) -> None:
    hand.go('a.step:has-text("Plan")')
    hand.go(f'.gallery a[href$="add={kind}"]')
    hand.type("input[name=name]", name)
    if any(not hand.page.locator(f'form.panel [name="{key}"]').first.is_visible() for key in facts):
        hand.click("form.panel details.more > summary")
    for key, value in facts.items():
        if isinstance(value, list):
            for one in value:
                hand.tick(f'input[name="{key}"][value="{one}"]')
        elif hand.page.locator(f'select[name="{key}"]').count():
            hand.choose(f'select[name="{key}"]', value)
        else:
            hand.type(f'input[name="{key}"]', value)
    for key, value in bought.items():
        hand.type(f'form.panel input[name="{key}"]', value)
    hand.picture("form")
    hand.button("Add to the plan")
    hand.picture("plan")


def _off(hand: Hand, column: str) -> float:
    """How far off the mean of a column may be, as the page says it."""
    hand.sees(f"{column} ±")
    words = hand.page.locator(f"text={column} ±").first.inner_text()
    return float(words.split(f"{column} ±")[1].split()[0].rstrip(";,.").replace(",", ""))


def _removed(hand: Hand, name: str) -> None:
    hand.go('a.step:has-text("Plan")')
    hand.go(f'[data-release="{name}"] button:has-text("Take out")')


def _audited(hand: Hand) -> None:
    hand.go('a.step:has-text("Audit")')
    hand.button("Audit the plan")
    hand.sees("Passed: none of")
    hand.picture("audit")


def _released(hand: Hand, dataset: str) -> None:
    hand.go('a.step:has-text("Release")')
    hand.type("input[name=typed]", dataset)
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
    hand.type("input[name=asked_by]", "Ann Alyst")
    hand.type("input[name=note]", "For the yearly report.")
    hand.button("Write the request")
    hand.picture("requests")
    hand.window.go("/p/survey/columns/buy?column=age&what=bounds&epsilon=0.1&bins=10")
    hand.picture("purchase")


def done_by(
    browser: Any, folder: Path, pictures: Path | None = None, width: int = 1440, kind: type[Hand] = Hand
) -> dict[str, dict[str, float]]:
    """All tasks in one window: what each took."""
    counted: dict[str, dict[str, float]] = {}
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
