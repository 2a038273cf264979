"""A real Chromium, found or installed from the distribution's packages."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Without these a browser started by tests looks for updates, which is nobody's wish.
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: A hang is told from a busy machine by this many milliseconds.
PATIENCE = 180_000


def find() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


def install() -> str | None:
    if os.getuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-q"], check=False, capture_output=True, timeout=300)
        command = ["apt-get", "install", "-yq", "--no-install-recommends", "chromium"]
        subprocess.run(command, check=False, capture_output=True, timeout=600)
    return find()


@contextmanager
def running_browser() -> Iterator[Any | None]:
    """A browser until the block ends; None where there is none and none can be installed."""
    from playwright.sync_api import sync_playwright

    path = find() or install()
    if path is None:
        yield None
        return
    with sync_playwright() as driver:
        sandbox = () if os.getuid() else ("--no-sandbox",)
        browser = driver.chromium.launch(executable_path=path, args=[*QUIET, *sandbox], timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


def too_wide(page: Any) -> list[str]:
    """What reaches beyond the sides of the window, of all that is shown; what scrolls in a box of its own may.

    So may bars that an axis cuts off.
    """
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll("body *")].filter((part) => {
        if (part.closest(".scroll, nav, .skip, script, style, clipPath, defs") || !part.checkVisibility()) return false;
        if (part.closest("[clip-path]") || part.querySelector("[clip-path]")) return false;
        const { left, right, width, height } = part.getBoundingClientRect();
        return width * height > 0 && (left < -1 || right > document.documentElement.clientWidth + 1);
    }).map((part) => part.outerHTML.slice(0, 200))""")
    return found


def smallest_letters(page: Any) -> float:
    """The height in pixels of the smallest letters in charts, as they are shown."""
    return float(
        page.evaluate("""() => Math.min(99, ...[...document.querySelectorAll("svg text")]
            .filter((text) => text.textContent.trim() && text.checkVisibility()).map((text) => {
                const scale = text.getScreenCTM();
                return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.b, scale.d); }))""")
    )
