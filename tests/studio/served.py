"""The studio as people meet it: a server on loopback, and a window of a real browser."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browser import PATIENCE
from reaedp.studio.server import Beyond, Server
from studio_support import failing


@contextmanager
def serving(folder: Path, beyond: Beyond | None = None) -> Iterator[Server]:
    """A studio over a folder until the block ends."""
    server = Server.over(folder, 0, failing, lambda _: None, beyond)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.running.started:
        time.sleep(0.01)
    try:
        yield server
    finally:
        server.running.should_exit = True
        thread.join(PATIENCE / 1000)


class Window:
    """A window that came in by the address of the terminal, and all that it said and asked for."""

    def __init__(self, browser: Any, server: Server, width: int = 1440, **settings: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.server = server
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(server.entrance)

    def __enter__(self) -> "Window":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def go(self, path: str) -> None:
        self.page.goto(f"{self.server.address}{path}")

    def settled(self) -> None:
        """Wait until every piece of the page has the answer to its newest question, and not one of those before."""
        self.page.locator("[aria-busy=true]").first.wait_for(state="detached")

    def overflow(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
