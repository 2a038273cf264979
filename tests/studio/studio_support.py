"""A guest of the studio without a browser: asks for pages, and posts the forms that are on them."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp

from reaedp.errors import Defect, ReaedpError
from reaedp.studio.app import application
from reaedp.studio.gate import AccessKeys
from reaedp.studio.workspace import Workspace

ADDRESS = "http://127.0.0.1:8000"
HOSTS = frozenset({"127.0.0.1:8000", "localhost:8000"})


def failing(error: BaseException) -> ReaedpError:
    """A defect fails the test that meets it."""
    raise AssertionError(f"not foreseen: {error!r}") from error


def quiet(_: BaseException) -> ReaedpError:
    return Defect("reaedp stopped because of an error of its own.")


class Client:
    """Requests to an application in this process, with the cookies that it gave; redirections are not followed."""

    def __init__(self, app: ASGIApp) -> None:
        self.transport, self.cookies = httpx.ASGITransport(app), httpx.Cookies()

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        # In a thread of its own, since a browser that tests drive has a loop in this one.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, self._request(method, path, **more)).result()

    async def _request(self, method: str, path: str, **more: Any) -> httpx.Response:
        settings: Any = {"transport": self.transport, "base_url": ADDRESS, "cookies": self.cookies}
        async with httpx.AsyncClient(**settings) as client:
            answer = await client.request(method, path, **more)
            self.cookies = client.cookies
            return answer


class Guest:
    """Somebody who came in by the address that the terminal shows."""

    def __init__(self, folder: Path, defect: Any = failing) -> None:
        self.folder, self.keys = folder, AccessKeys()
        self.workspace = Workspace(folder)
        self.app = application(self.workspace, self.keys, HOSTS, defect)
        self._enter()

    def _enter(self) -> None:
        self.client = Client(self.app)
        self.client.get("/start", params={"token": self.keys.token})

    def beside(self) -> "Guest":
        """Another browser at the same server."""
        other = copy(self)
        other._enter()
        return other

    def ask(self, path: str, **query: str) -> Any:
        return self.client.get(path, params=query or None)

    def page(self, path: str, **query: str) -> str:
        answer = self.ask(path, **query)
        assert 200 == answer.status_code, answer.text
        return str(answer.text)

    @property
    def csrf(self) -> str:
        return self.keys.csrf(self.client.cookies["reaedp-studio-8000"])

    def act(self, path: str, form: dict[str, Any]) -> Any:
        """Post a form as it stands, with the token of this session."""
        return self.client.post(path, data={"csrf": self.csrf, **form})

    def send(self, path: str, changes: dict[str, Any], *, at: str | None = None, **query: str) -> Any:
        """Fill in the form on a page that posts to a path, and send it; the page is the path without the last part."""
        fields = form_fields(self.page(at or path, **query), path)
        return self.client.post(path, data={**fields, **changes})

    def done(self, path: str, changes: dict[str, Any], **more: Any) -> str:
        """The same where it must succeed; the address to which it leads."""
        answer = self.send(path, changes, **more)
        assert 303 == answer.status_code, text_of(answer.text)
        return str(answer.headers["location"])


class _Fields(HTMLParser):
    def __init__(self, action: str) -> None:
        super().__init__()
        self.action, self.inside = action, False
        self.fields: dict[str, Any] = {}
        self.area: str | None = None
        self.select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form":
            self.inside = found.get("method") == "post" and found.get("action") == self.action
        if not self.inside:
            return
        name = found.get("name") or ""
        if tag == "input" and name:
            ticked = found.get("type") not in ("checkbox", "radio") or "checked" in found
            if ticked and found.get("type") == "checkbox":
                self.fields.setdefault(name, []).append(found.get("value") or "")
            elif ticked:
                self.fields[name] = found.get("value") or ""
        elif tag == "textarea":
            self.area = name
            self.fields[name] = ""
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select and ("selected" in found or self.select not in self.fields):
            self.fields[self.select] = found.get("value") or ""  # the first, where none is selected

    def handle_data(self, data: str) -> None:
        if self.area is not None:
            self.fields[self.area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.area = None
        elif tag == "select":
            self.select = None
        elif tag == "form":
            self.inside = False


def form_fields(page: str, action: str) -> dict[str, Any]:
    """What a form on a page would send as it stands."""
    parser = _Fields(action)
    parser.feed(page)
    assert parser.fields, f"no form posts to {action}"
    return parser.fields


def text_of(page: str) -> str:
    """The words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
