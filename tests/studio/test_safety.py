"""Hostile names and inputs, other machines, and a server that is killed: what the studio promises holds."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from project_support import CONTRACT, PLAN, charges, ready
from reaedp import Ledger
from reaedp.errors import DeclarationError
from reaedp.studio.app import application
from reaedp.studio.gate import AccessKeys
from reaedp.studio.journey import STEPS
from reaedp.studio.pages import audit as audit_page
from reaedp.studio.server import Beyond
from reaedp.studio.workspace import Workspace
from studio_support import HOSTS, Client, Guest, failing, form_fields, text_of

EVIL = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Guest]:
    monkeypatch.setattr(audit_page, "audit_plan", lambda *_, **__: [])
    own = ready(tmp_path)
    for name in ("contract.toml", "plan.toml"):
        text = {"contract.toml": CONTRACT, "plan.toml": PLAN}[name]
        hostile = text.replace("columns.sex", 'columns."<b>sex</b>"').replace('["sex"]', '["<b>sex</b>"]')
        hostile = hostile.replace('"Women and men"', f'"{EVIL}"'.replace("\u202e", "")).replace('"own"', '"<i>own</i>"')
        (own / name).write_text(hostile, encoding="utf-8")
    (own / "people.csv").write_text("age,<b>sex</b>\n1,f\n", encoding="utf-8")
    evil = tmp_path / "<u>evil<u>"
    evil.mkdir()
    (evil / "studio.toml").write_text(f'data = "{EVIL}.csv"\n', encoding="utf-8")
    guest = Guest(tmp_path)
    yield guest
    for work in guest.workspace.works.all():  # what the tests began must not outlive them
        work.stop()
        assert work.ended.wait(60)


def test_names_from_outside_are_text_on_every_page(guest: Guest) -> None:
    places = ["/"] + [f"/p/{project}/{step.key}" for project in ("own", "%3Cu%3Eevil%3Cu%3E") for step in STEPS]
    for place in places:
        page = guest.ask(place).text
        for markup in ("<img", "<b>", "<i>", "<u>"):
            assert markup not in page, (place, markup)
        if not place.endswith("files"):  # commands to be copied are exact
            assert "\u202e" not in text_of(page), place


class Tags(HTMLParser):
    """All tags of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: text or "" for name, text in attrs}))


def test_no_page_has_scripts_or_styles_of_its_own_or_takes_files(guest: Guest) -> None:
    """The content policy would stop such scripts; files are read where they are."""
    pages = ["/", *(f"/p/own/{step.key}" for step in STEPS), "/p/own/plan?add=summary", "/p/own/columns/buy"]
    for place in pages:
        tags = Tags(guest.ask(place).text).found
        assert all(facts["src"].startswith("/static/") for tag, facts in tags if tag == "script"), place
        names = {name for _, facts in tags for name in facts}
        assert not {name for name in names if name.startswith("on")} | names & {"style", "srcdoc", "enctype"}, place
        assert not {"style", "iframe", "object", "embed", "base"} & {tag for tag, _ in tags}, place
        assert "file" not in {facts.get("type") for _, facts in tags}, place


def test_a_form_with_a_file_in_it_is_no_form(guest: Guest) -> None:
    sent = guest.client.post("/p/own/data", data={"csrf": guest.csrf}, files={"data": ("rows.csv", b"age\n1\n")})
    assert sent.status_code in (400, 403)
    assert ["people.csv"] == [path.name for path in (guest.folder / "own").glob("*.csv")]


def test_names_in_queries_and_forms_come_back_as_text(guest: Guest) -> None:
    for step in STEPS:
        answer = guest.ask(f"/p/own/{step.key}", folder=EVIL, done=EVIL, data=EVIL, epsilon=EVIL, at_least=EVIL)
        assert "<img" not in answer.text, step.key
        for act in step.acts:
            form = dict.fromkeys(("folder", "typed", "file", "reason", "dataset", "epsilon", "asked_by", "note"), EVIL)
            sent = guest.act(f"/p/own/{step.key}/{act}".rstrip("/"), form)
            assert sent.status_code < 500, (step.key, act, text_of(sent.text))
            assert "<img" not in sent.text, (step.key, act)


def test_names_and_numbers_beyond_all_limits_are_mistakes_and_not_defects(guest: Guest) -> None:
    folder = guest.folder / "own"
    (guest.folder / os.fsdecode(b"\xff\xfe")).mkdir()  # a name that is no text
    (folder / os.fsdecode(b"bad\xff.csv")).write_text("a\n1\n")
    place = "/p/own"
    for digits in ("9" * 400, "1e999", "-" + "9" * 400):
        assert 400 == guest.ask(f"{place}/budget", error=digits, precise="counts", column="age").status_code
        assert 400 == guest.send(f"{place}/budget", {"epsilon": digits}).status_code
    for name in ("a" * 5_000, "x/" * 3_000):
        assert 400 == guest.ask(f"{place}/data", data=name).status_code
    for looked in ("..", "/", "\0", "a" * 5_000, "/proc/self/fd", "none/at/all"):
        assert 200 == guest.ask(f"{place}/data", **{"in": looked}).status_code
    assert "bad" not in guest.page(f"{place}/data", **{"in": "."})


def test_no_answer_can_be_split_by_line_breaks_in_names(guest: Guest) -> None:
    answer = guest.ask("/p/own/ledger", done="x\r\nset-cookie: y=z")
    assert "set-cookie" not in answer.headers
    answer = guest.act("/p/own/requests/ask", {"asked_by": "a\r\nset-cookie: y=z", "note": "n"})
    assert "set-cookie" not in answer.headers


def test_browsers_name_the_origin_of_the_studios_own_forms(guest: Guest) -> None:
    # Under no-referrer they would call it null, and every act would be refused.
    assert "same-origin" == guest.ask("/").headers["referrer-policy"]


def test_a_guest_of_another_session_cannot_act_with_this_ones_form(guest: Guest) -> None:
    own = form_fields(guest.page("/p/own/release"), "/p/own/release") | {"typed": "<i>own</i>"}
    other = Guest(guest.folder)
    assert 403 == other.client.post("/p/own/release", data=own).status_code
    assert 0 == charges(guest.folder / "own")


def test_other_machines_are_served_only_with_tls_and_a_password(tmp_path: Path) -> None:
    assert Beyond.asked("127.0.0.1", None, None, None) is None
    (tmp_path / "password").write_text("short")
    for host in ("0.0.0.0", "192.0.2.1", "data.example.org", ""):
        with pytest.raises(DeclarationError, match="only with TLS and a password"):
            Beyond.asked(host, None, None, None)
        with pytest.raises(DeclarationError, match="only with TLS and a password"):
            Beyond.asked(host, tmp_path / "c", tmp_path / "k", None)
        with pytest.raises(DeclarationError, match="cannot be read"):
            Beyond.asked(host, tmp_path / "c", tmp_path / "k", tmp_path / "password")


def test_the_password_is_needed_with_the_token_and_is_tried_once(tmp_path: Path) -> None:
    keys = AccessKeys(password="correct horse battery")
    app = application(Workspace(tmp_path), keys, HOSTS, failing)
    client, token = Client(app), keys.token
    door = client.get(f"/start?token={token}")
    assert 200 == door.status_code
    assert "Password" in door.text
    assert 403 == client.get("/").status_code
    assert 403 == client.post("/start", data={"token": token, "password": "wrong"}).status_code
    assert 403 == client.post("/start", data={"token": token, "password": "correct horse battery"}).status_code
    assert 413 == client.post("/start", data={"token": "x" * 20_000}).status_code
    many = {**{f"f{n}": "x" for n in range(20)}, "token": keys.token, "password": "correct horse battery"}
    assert 403 == client.post("/start", data=many).status_code
    elsewhere = {"origin": "http://evil.example"}
    good = {"token": keys.token, "password": "correct horse battery"}
    assert 303 != client.post("/start", data=good, headers=elsewhere).status_code
    assert 303 == client.post("/start", data=good).status_code
    assert 200 == client.get("/").status_code
    assert "<b>" not in client.get("/start", params={"token": "<b>"}).text


SERVER = """
import sys, time
from pathlib import Path
from reaedp.curator import curator
from reaedp.release import publication
from reaedp.studio.server import Server
curator.Curator._answer = lambda *_: time.sleep(600)
publication.audited_before = lambda *_: None
server = Server.over(Path(sys.argv[1]), 0, lambda error: error, print)
print(server.entrance, flush=True)
server.run()
"""


@pytest.mark.slow
def test_a_server_that_is_killed_after_the_charge_leaves_the_ledger_whole(tmp_path: Path) -> None:
    own = ready(tmp_path)
    command = [sys.executable, "-c", SERVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        entrance = urlsplit(server.stdout.readline().strip())
        with httpx.Client(base_url=f"http://{entrance.netloc}", follow_redirects=True, timeout=60) as client:
            client.get(f"{entrance.path}?{entrance.query}")
            fields = form_fields(client.get("/p/own/release").text, "/p/own/release")
            client.post("/p/own/release", data={**fields, "typed": "own"})
            deadline = time.monotonic() + 60
            while not charges(own) and time.monotonic() < deadline:
                time.sleep(0.1)
        server.send_signal(signal.SIGKILL)
    assert 1 == charges(own)
    with Ledger.open(own / "budget.sqlite") as book:
        book.verify()
    guest = Guest(tmp_path)
    words = text_of(guest.page("/p/own/release"))
    assert "Entry 2: charged, not finished" in words
    assert "The charge stands" in words
    late = guest.act("/p/own/release", {**fields, "csrf": guest.csrf, "typed": "own"})
    assert "perhaps by a second click" in text_of(late.text)
    assert 1 == charges(own)
