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
