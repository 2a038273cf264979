"""A hand with a mouse, and one with a keyboard alone: both find things by the words on the page, and count their work.

Nothing is looked up by what only a program sees: fields are found by their labels, buttons and links by their words.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from served import Window

#: Pressing Tab more often than this is no way to reach anything.
MOST_TABS = 250
#: Tenths of a second after which no page scrolls any more, also on a busy machine.
SCROLLING = 300


@dataclass
class Hand:
    """Clicks and types like a person, and counts it; `pictures` is where each step is kept, if anywhere."""

    window: Window
    pictures: Path | None = None
    counted: Counter[str] = field(default_factory=Counter)
    #: Pictures are named after the task, and numbered in it.
    task: str = ""
    pictured: int = 0

    @property
    def page(self) -> Any:
        return self.window.page

    def seen(self, found: Any) -> Any:
        """The first of those that can be seen."""
        return found.locator("visible=true").first

    def labelled(self, words: str, within: str = "") -> Any:
        """The field beside these words; `within` a part of the page that has a heading of its own."""
        return self.seen(self.part(within).get_by_label(words, exact=True))

    def part(self, heading: str) -> Any:
        """The whole page, or the panel whose heading begins with these words."""
        if not heading:
            return self.page
        panels = self.page.locator(".panel").filter(has=self.page.locator("h2, summary"))
        return panels.filter(has=self.page.locator(f'h2:has-text("{heading}"), summary:has-text("{heading}")')).first

    def press_on(self, target: Any) -> None:
        target.click()
        self.counted["clicks"] += 1

    def follow(self, target: Any) -> None:
        """Click what leads to another page, and wait for it."""
        with self.page.expect_navigation():
            self.press_on(target)

    def button(self, words: str, within: str = "") -> None:
        self.follow(self.seen(self.part(within).get_by_role("button", name=words)))

    def link(self, words: str) -> None:
        self.follow(self.seen(self.page.get_by_role("link", name=words)))

    def open(self, words: str, within: str = "") -> None:
        """Unfold what is folded under these words."""
        self.press_on(self.seen(self.part(within).locator(f'summary:has-text("{words}")')))

    def type(self, words: str, text: str, within: str = "") -> None:
        self.labelled(words, within).fill(text)
        self.counted["fields"] += 1

    def choose(self, words: str, option: str, within: str = "") -> None:
        self.labelled(words, within).select_option(label=option)
        self.counted["fields"] += 1

    def tick(self, words: str, within: str = "", *, on: bool = True) -> None:
        target = self.labelled(words, within)
        if on != target.is_checked():
            target.set_checked(on)
            self.counted["clicks"] += 1

    def sees(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()

    def picture(self, name: str) -> None:
        """Keep this step as a picture of few colours, when pictures on the page have followed their fields."""
        if self.pictures is None:
            return
        from PIL import Image

        self.pictured += 1
        self.window.settled()
        path = self.pictures / f"{self.task}-{self.pictured}-{name}.png"
        self.page.screenshot(path=path)
        Image.open(path).convert("RGB").quantize(32).save(path, optimize=True)


class Keyboard(Hand):
    """The same without a mouse; whatever has the focus must show it, and must not be hidden behind a bar."""

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.counted["keys"] += 1

    def write(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.counted["keys"] += len(text)

    def reach(self, target: Any) -> Any:
        """Press Tab, or Shift and Tab, until the focus is there; for one of several choices, on any of them."""
        target.wait_for()
        for _ in range(MOST_TABS):
            where = target.evaluate(WHERE)
            if where == "here":
                self._must_show(target)
                return target
            self.press("Shift+Tab" if where == "before" else "Tab")
        raise AssertionError(f"{target} cannot be reached by Tab")

    def _must_show(self, target: Any) -> None:
        """Pages scroll smoothly to what has the focus; when they have, it must be seen."""
        for _ in range(SCROLLING):
            hidden = self.page.evaluate(SEEN)
            if hidden == "":
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{target}: {hidden}")

    def press_on(self, target: Any) -> None:
        self.reach(target)
        self.press("Enter")

    def type(self, words: str, text: str, within: str = "") -> None:
        self.reach(self.labelled(words, within))
        self.press("Control+a")
        self.write(text)
        self.counted["fields"] += 1

    def choose(self, words: str, option: str, within: str = "") -> None:
        target = self.reach(self.labelled(words, within))
        step = target.evaluate(AWAY, option)
        for _ in range(abs(step)):
            self.press("ArrowDown" if step > 0 else "ArrowUp")
        assert 0 == target.evaluate(AWAY, option)
        self.counted["fields"] += 1

    def tick(self, words: str, within: str = "", *, on: bool = True) -> None:
        target = self.labelled(words, within)
        if on == target.is_checked():
            return
        self.reach(target)
        for _ in range(MOST_TABS):
            if target.evaluate("(e) => e === document.activeElement"):
                break
            self.press("ArrowDown")  # from one choice to the next, which is chosen by it
        if on != target.is_checked():
            self.press("Space")
        assert on == target.is_checked()


#: How far an option lies below the one that is chosen.
AWAY = "(e, words) => [...e.options].findIndex((one) => one.label === words) - e.selectedIndex"
#: Where an element is, seen from the focus; one choice of several is where any of them is.
WHERE = """(wanted) => {
  const now = document.activeElement;
  const alike = wanted.type === "radio" && now.type === "radio" && now.name === wanted.name && now.form === wanted.form;
  if (now === wanted || alike) return "here";
  if (now === document.body || !now) return "after";
  return now.compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_PRECEDING ? "before" : "after";
}"""
#: What keeps the focus from being seen; "" if nothing does.
SEEN = """() => {
  const now = document.activeElement;
  const style = getComputedStyle(now);
  const box = now.getBoundingClientRect();
  const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  if (!drawn && !(style.stroke !== "none" && parseFloat(style.strokeWidth) >= 2)) return "the focus does not show";
  const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
  const ys = [box.top + 3, box.top + box.height / 2, box.bottom - 3];
  const open = ys.some((y) => {
    const found = document.elementFromPoint(x, y);
    return found && (found === now || now.contains(found) || found.contains(now) && !found.matches("body, html"));
  });
  return open ? "" : "the focus is hidden";
}"""
