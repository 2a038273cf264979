"""Only the browser that was let in, from its own pages, at this address."""

from pathlib import Path

import httpx
import pytest

from reaedp.studio.app import application
from reaedp.studio.gate import AccessKeys
from reaedp.studio.journey import STEPS
from reaedp.studio.server import hosts_of
from reaedp.studio.workspace import Workspace
from studio_support import HOSTS, Client, Guest, failing, quiet


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    guest = Guest(tmp_path)
    guest.act("/projects", {"start": "clinic"})
    return guest


def test_the_token_lets_one_browser_in_once(tmp_path: Path) -> None:
    announced: list[str] = []
    keys = AccessKeys(announced.append)
    app = application(Workspace(tmp_path), keys, HOSTS, failing)
    first, second = (Client(app) for _ in range(2))
    token = keys.token
    assert 403 == first.get("/").status_code
    entered = first.get(f"/start?token={token}")
    assert 303 == entered.status_code
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert 200 == first.get("/").status_code
    assert 403 == second.get(f"/start?token={token}").status_code
    assert 403 == second.get("/").status_code
    assert [keys.token] == announced
    assert 403 == second.get("/start").status_code


@pytest.mark.parametrize(
    "host", ["evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.evil.example", ""]
)
def test_another_host_is_refused_whatever_the_cookie(guest: Guest, host: str) -> None:
    for path in ("/", "/static/studio.js", "/start"):
        assert 421 == guest.client.get(path, headers={"host": host}).status_code


def test_two_studios_of_one_browser_have_a_cookie_each(tmp_path: Path) -> None:
    """Browsers send the cookies of a host to all its ports."""
    studios = []
    for port in (8000, 8001):
        keys = AccessKeys()
        hosts = frozenset({f"127.0.0.1:{port}"})
        studios.append((keys, application(Workspace(tmp_path), keys, hosts, failing), {"host": f"127.0.0.1:{port}"}))
    client = Client(studios[0][1])
    for keys, app, host in studios:
        client.transport = httpx.ASGITransport(app)
        assert 303 == client.get(f"/start?token={keys.token}", headers=host).status_code
    for _, app, host in studios:
        client.transport = httpx.ASGITransport(app)
        assert 200 == client.get("/", headers=host).status_code


def test_browsers_leave_out_a_usual_port() -> None:
    assert {"127.0.0.1:80", "127.0.0.1", "localhost:80", "localhost"} == hosts_of("http", "127.0.0.1", 80)
    assert {"data.example.org:443", "data.example.org"} == hosts_of("https", "data.example.org", 443)
    assert {"data.example.org:80"} == hosts_of("https", "data.example.org", 80)


def test_every_act_needs_the_token_of_a_page_of_this_session(guest: Guest) -> None:
    acts = ["/projects", *(f"/p/clinic/{step.key}/{act}".rstrip("/") for step in STEPS for act in step.acts)]
    assert len(acts) >= 3
    before = {path: path.read_bytes() for path in guest.folder.rglob("*") if path.is_file()}
    for act in acts:
        for form in ({}, {"csrf": "x"}, {"csrf": ""}, {"csrf": AccessKeys().csrf("x")}):
            assert 403 == guest.client.post(act, data=form).status_code, act
        for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            assert 403 == guest.client.post(act, data={"csrf": guest.csrf}, headers=headers).status_code, act
    assert before == {path: path.read_bytes() for path in guest.folder.rglob("*") if path.is_file()}


def test_every_answer_forbids_caches_frames_and_strange_scripts(guest: Guest) -> None:
    for path in ("/", "/p/clinic/data", "/static/studio.css", "/static/none", "/p/none/data", "/start"):
        headers = guest.ask(path).headers
        assert "no-store" == headers["cache-control"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "nosniff" == headers["x-content-type-options"]
        assert "same-origin" == headers["referrer-policy"]


@pytest.mark.parametrize(
    "path",
    ["/p/../data", "/p/%2e%2e/data", "/p/..%2f..%2fetc/data", "/static/..%2fapp.py", "/static/../app.py",
     "/p/.hidden/data", "/p/link/data", "/p/clinic/none", "/p/clinic/data/none", "/p/%00/data"],
)  # fmt: skip
def test_no_address_leads_out_of_the_folder(guest: Guest, path: str) -> None:
    for name in (".hidden", "outside"):
        (guest.folder.parent / name).mkdir(exist_ok=True)
        (guest.folder.parent / name / "studio.toml").write_text('data = "x"\n')
    (guest.folder / "link").symlink_to(guest.folder.parent / "outside")
    assert guest.ask(path).status_code in (400, 404)


def test_a_form_that_is_too_long_or_no_text_is_refused(guest: Guest) -> None:
    for body in (b"csrf=%ff%fe", b"a=1&" * 60_000, b"\xff"):
        headers = {"content-type": "application/x-www-form-urlencoded"}
        assert 400 == guest.client.post("/projects", content=body, headers=headers).status_code


def test_what_nobody_foresaw_becomes_a_sentence_without_its_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("Alice has 3 rows")

    guest = Guest(tmp_path, quiet)
    monkeypatch.setattr(Workspace, "projects", fail)
    answer = guest.ask("/")
    assert 500 == answer.status_code
    assert "an error of its own" in answer.text
    assert "Alice" not in answer.text
