"""Who may ask, and what every answer says to browsers.

Each address that the terminal shows lets one browser in, once; from then on a cookie does. A page of another site can
neither read answers (Host, cookie of the same site) nor act (origin, CSRF token).
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Ports that browsers leave out of the Host.
USUAL_PORTS = {"http": 80, "https": 443}
#: A page may bring a content policy of its own; the rest is the same for all.
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # with none, browsers hide the origin of forms from the studio itself
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_STRANGER = "This page opens only in the browser that was started with `reaedp studio`. The terminal shows an address."
#: The page that asks for the password; it needs nothing that only those get who are in.
_DOOR = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<title>reaedp studio</title><h1>reaedp studio</h1><form method="post" action="/start">'
    '<input type="hidden" name="token" value="{token}"><p><label>Password <input type="password" name="password"'
    ' autocomplete="current-password" required></label></p><button>Enter</button></form></html>'
)
#: No password is longer.
MOST_AT_THE_DOOR = 10_000
_SELF = frozenset({"same-origin", "none"})


def cookie_of(request: Request) -> str:
    """The name of the cookie: browsers send all cookies of a host to each of its ports, where other studios may be."""
    return f"reaedp-studio-{request.url.port or USUAL_PORTS.get(request.url.scheme, 0)}"


def session_of(request: Request) -> str:
    """The session that a browser says it has; "" where it says none."""
    return request.cookies.get(cookie_of(request), "")


class AccessKeys:
    """The secrets of one run: the token that lets the next browser in, and the sessions of those that are in."""

    def __init__(self, announce: Callable[[str], None] = lambda _: None, password: str = "") -> None:
        self._announce = announce
        self._password = password
        self._secret = secrets.token_bytes(32)
        self._sessions: set[str] = set()
        self.token = secrets.token_urlsafe(32)

    @property
    def needs_password(self) -> bool:
        """Whether the token alone is not enough."""
        return bool(self._password)

    def enter(self, token: str, password: str = "") -> str | None:
        """A session for whoever has the token, and the password if one is needed; each token is tried once."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        right = hmac.compare_digest(password.encode(), self._password.encode())
        session = secrets.token_urlsafe(32)
        if right:
            self._sessions.add(session)
        self.token = secrets.token_urlsafe(32)
        self._announce(self.token)
        return session if right else None

    def knows(self, session: str) -> bool:
        """Whether a browser with this cookie is in."""
        return session in self._sessions

    def csrf(self, session: str) -> str:
        """What every form of a session carries."""
        return hmac.new(self._secret, session.encode(), hashlib.sha256).hexdigest()

    def same(self, session: str, csrf: str) -> bool:
        """Whether a form comes from a page that this session was given."""
        return hmac.compare_digest(self.csrf(session).encode(), csrf.encode())


class Gate:
    """Refuses strangers before anything else is looked at, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, keys: AccessKeys, hosts: frozenset[str]) -> None:
        self.app, self.keys, self.hosts = app, keys, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            request = Request(scope, receive)
            answer = self._answer(request) or self.app
            if answer is self.app and request.url.path == "/start":
                answer = await self._with_password(request)
            await answer(scope, receive, _with_headers(send))

    def _answer(self, request: Request) -> Response | None:
        """The answer to a stranger, or to a browser that comes in; nothing for those that are in."""
        if request.headers.get("host", "") not in self.hosts:
            return PlainTextResponse("This is not the address of the studio.", 421)
        if request.url.path == "/start":
            return self._at_the_door(request)
        if not self.keys.knows(session_of(request)):
            return PlainTextResponse(_STRANGER, 403)
        if request.method not in ("GET", "HEAD") and not self._from_here(request):
            return PlainTextResponse("This request came from another site and was refused.", 403)
        return None

    def _at_the_door(self, request: Request) -> Response | None:
        """Let in by the token, or ask for the password; nothing where one was sent, which is yet to be read."""
        if request.method == "POST" and self.keys.needs_password and self._from_here(request):
            return None
        token = request.query_params.get("token", "")
        if self.keys.needs_password:
            return HTMLResponse(_DOOR.format(token=escape(token)))
        return self._enter(request, token)

    async def _with_password(self, request: Request) -> Response:
        """Let in whoever sends token and password."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_AT_THE_DOOR:
                return PlainTextResponse("This address is too long.", 413)
        try:
            sent = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10)
        except ValueError:  # no form of ours has so many fields
            sent = {}
        token, password = (sent.get(name, [""])[0] for name in ("token", "password"))
        return self._enter(request, token, password)

    def _enter(self, request: Request, token: str, password: str = "") -> Response:
        session = self.keys.enter(token, password)
        if session is None:
            return PlainTextResponse(f"This address has already been used, or is incomplete. {_STRANGER}", 403)
        answer = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(cookie_of(request), session, httponly=True, samesite="strict", path="/", secure=secure)
        return answer

    def _from_here(self, request: Request) -> bool:
        """Whether the browser says that a page of this studio asked; browsers always say it of acts."""
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "same-origin")
        return site in _SELF and (origin is None or urlsplit(origin).netloc in self.hosts)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), text.encode()) for name, text in HEADERS.items() if name.encode() not in given]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending
